import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  type JsonText,
  KEY,
  type Member,
  membersOf,
  NUMBER,
  OPEN_ARRAY,
  OPEN_OBJECT,
  textOf,
  WORD,
  written,
} from './parse.js'
import { COMPACT } from './styles.js'

export interface Spacing {
  /** The text between two members or elements: `,` or `, `. A line break can follow. */
  readonly item: string
  /** The text between a key and its value: `:` or `: `. */
  readonly colon: string
  /** The indentation of one level. If `indent` is absent, everything is on one line. */
  readonly indent?: string
}

/** Returns the members of an object in another order, or without some members. */
export type Arrange = (members: Member[], json: JsonText) => Member[]

/** How a serializer writes JSON. If a field is absent, this part of the text is not changed. */
export interface JsonStyle {
  readonly spacing?: Spacing | undefined
  readonly order?: Arrange | undefined
  /** Returns a string with quotes and escapes. */
  readonly escaping?: ((text: string) => string) | undefined
  /** Replaces `escaping` in a style that is not JSON, such as Python's repr. */
  readonly string?: ((text: string) => string) | undefined
  readonly number?: ((number: string, token: number) => string) | undefined
  /** Returns `true`, `false` or `null` in this style, such as `True`. */
  readonly word?: ((word: string) => string) | undefined
}

/** A written text has at most `MAX_GROWTH` times the original length, plus `MAX_SHORT`. Deep nesting could make the indentation very long. */
const MAX_GROWTH = 8
const MAX_SHORT = 4096

/** Matches a character that some serializers escape. A string without these characters is the same in every style. */
const ESCAPED_BY_SOME = /[^ -~]|[\\/<>&'+=`]/

/** What all styles need to know about a JSON text. `PREPARED` caches this, because a search writes the same text in a hundred styles. */
interface Prepared {
  /** The text of each token, unchanged. */
  readonly written: readonly string[]
  /** For each token, whether `ESCAPED_BY_SOME` matches. */
  readonly isSpecial: readonly boolean[]
  /** Caches the decoded texts of strings. */
  readonly decoded: string[]
  readonly orders: Map<Arrange, readonly number[]>
}

const PREPARED = new WeakMap<JsonText, Prepared>()

function prepare(json: JsonText): Prepared {
  const before = PREPARED.get(json)
  if (before !== undefined) return before
  const texts: string[] = []
  const isSpecial: boolean[] = []
  for (let token = 0; token < json.kinds.length; token++) {
    const text = written(json, token)
    texts.push(text)
    isSpecial.push(ESCAPED_BY_SOME.test(text))
  }
  const prepared = { written: texts, isSpecial, decoded: [], orders: new Map() }
  PREPARED.set(json, prepared)
  return prepared
}

/** Returns the JSON text with each token replaced. The text between the tokens stays unchanged. */
export function replaceTokens({ text, starts, ends }: JsonText, replace: (token: number) => string): string {
  let replaced = ''
  for (let token = 0; token < starts.length; token++) {
    replaced += text.slice(ends[token - 1] ?? 0, starts[token]) + replace(token)
  }
  return replaced + text.slice(ends.at(-1))
}

/** Returns JSON in another style, or `undefined` if the text would become too long. */
export function writeJson(json: JsonText, style: JsonStyle): string | undefined {
  // If the members are in another order, their white space does not fit any more, so none is written.
  const spacing = style.spacing ?? (style.order && COMPACT)
  const prepared = prepare(json)
  if (spacing === undefined) return replaceTokens(json, (token) => writeToken(json, prepared, token, style))
  const tokens = style.order === undefined ? undefined : orderOf(json, prepared, style.order)
  const count = (tokens ?? json.kinds).length
  const indentations: string[] = []
  const indentationOf = (depth: number) => {
    indentations[depth] ??= (spacing.indent ?? '').repeat(depth)
    return indentations[depth] as string
  }
  const maxLength = MAX_GROWTH * json.text.length + MAX_SHORT
  let text = ''
  let depth = 0
  let before = 0
  for (let index = 0; index < count; index++) {
    const token = tokens === undefined ? index : (tokens[index] as number)
    const kind = json.kinds[token] as number
    if (isClosing(kind)) depth--
    text += between(before, kind, spacing, indentationOf(depth)) + writeToken(json, prepared, token, style)
    if (isOpening(kind)) depth++
    before = kind
    if (text.length > maxLength) return undefined
  }
  return text
}

const isOpening = (kind: number) => kind === OPEN_OBJECT || kind === OPEN_ARRAY
const isClosing = (kind: number) => kind === CLOSE_OBJECT || kind === CLOSE_ARRAY

/** Returns the text between two tokens of these kinds. At the start of the text, `before` is 0. */
function between(before: number, kind: number, { item, colon, indent }: Spacing, indentation: string): string {
  if (before === 0) return ''
  if (before === KEY) return colon
  if (isOpening(before) && isClosing(kind)) return ''
  const separator = isOpening(before) || isClosing(kind) ? '' : item
  return indent === undefined ? separator : `${separator}\n${indentation}`
}

function writeToken(json: JsonText, prepared: Prepared, token: number, style: JsonStyle): string {
  const kind = json.kinds[token] as number
  const as = prepared.written[token] as string
  if (isOpening(kind) || isClosing(kind)) return as
  if (kind === NUMBER) return style.number?.(as, token) ?? as
  if (kind === WORD) return style.word?.(as) ?? as
  if (style.string !== undefined) return style.string(decodedText(json, prepared, token))
  if (style.escaping === undefined || !prepared.isSpecial[token]) return as
  return style.escaping(decodedText(json, prepared, token))
}

function decodedText(json: JsonText, { decoded }: Prepared, token: number): string {
  decoded[token] ??= textOf(json, token)
  return decoded[token] as string
}

/** Returns the indexes of all tokens in another order. There is no recursion, because deep nesting would overflow the stack. */
function orderOf(json: JsonText, { orders }: Prepared, arrange: Arrange): readonly number[] {
  const before = orders.get(arrange)
  if (before !== undefined) return before
  const order: number[] = []
  const pending = [{ from: 0, to: json.kinds.length }]
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const { to } = range
    for (let token = range.from; token < to; token++) {
      order.push(token)
      if (json.kinds[token] !== OPEN_OBJECT) continue
      pending.push({ from: json.closes[token] as number, to })
      for (const member of arrange([...membersOf(json, token)], json).reverse()) pending.push(member)
      break
    }
  }
  orders.set(arrange, order)
  return order
}
