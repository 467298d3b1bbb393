import { isSteps, runSteps, type Steps } from '../steps.js'
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

/** The text between the tokens. */
export interface Spacing {
  /** Between two members or elements, before the line break if there is one. */
  readonly item: string
  readonly colon: string
  /** One step of indentation. If `indent` is absent, everything is on one line. */
  readonly indent?: string
  /** The text inside an empty object or an empty array, before the indentation of the closing bracket. */
  readonly hollow?: readonly [object: string, array: string]
  /** Whether an array is on one line, with a space inside each bracket, and without indentation of its elements. */
  readonly hasInlineArrays?: boolean
}

/** Returns the members of an object in another order, or only some of the members. */
export type Arrange = (members: Member[], json: JsonText) => Member[]

/** How to write JSON again. An absent field changes nothing. */
export interface JsonStyle {
  readonly spacing?: Spacing | undefined
  readonly order?: Arrange | undefined
  /** Returns a string with its quotes. Called for each part of a long string, but not for a string that all serializers write alike. */
  readonly escaping?: ((text: string) => string) | undefined
  /** Returns a string with its quotes, like `escaping`, but is called for every string. */
  readonly string?: ((text: string) => string) | undefined
  /** Returns the text of a key. Without this function, keys are written like other strings. */
  readonly key?: ((text: string) => string) | undefined
  /** Returns a number in this style. The argument `number` is the text that was read. */
  readonly number?: ((number: string, token: number) => string) | undefined
  readonly word?: ((word: string) => string) | undefined
  /** Returns the text of a bracket. Without this function, brackets are written as in JSON. */
  readonly bracket?: (bracket: string) => string
}

const AS_WRITTEN: Spacing = { item: ',', colon: ':' }

/** How many times longer a rewritten text may be, plus `MAX_SHORT`. Indented deep nesting could make the text very long. */
const MAX_GROWTH = 8
const MAX_SHORT = 4096

/** Strings without these characters are written the same way by every serializer. */
const ESCAPED_BY_SOME = /[^ -~]|[\\/<>&'+=`]/

/**
 * The facts about a text that all styles need. `PREPARED` caches these facts, because a search writes the same text in a hundred styles.
 */
interface Prepared {
  /** The text of each token, unchanged. */
  readonly written: readonly string[]
  /** For each token, whether some serializers write the token in another way. */
  readonly isSpecial: readonly boolean[]
  /** The decoded texts of strings that were needed so far. */
  readonly decoded: string[]
  readonly orders: Map<Arrange, readonly number[]>
}

const PREPARED = new WeakMap<JsonText, Prepared>()

/** The number of tokens, or of characters of a long string, after which the writer yields, so that other work can run. */
const STEP = 2 ** 13

/** The cost of writing a token, in characters. In a body of brackets, each character is a token. */
const PER_TOKEN = 10

function* prepare(json: JsonText): Steps<Prepared> {
  const before = PREPARED.get(json)
  if (before !== undefined) return before
  const texts: string[] = []
  const isSpecial: boolean[] = []
  for (let token = 0; token < json.kinds.length; token++) {
    const text = written(json, token)
    texts.push(text)
    isSpecial.push(ESCAPED_BY_SOME.test(text))
    if ((token + 1) % STEP === 0) yield PER_TOKEN * STEP
  }
  const prepared = { written: texts, isSpecial, decoded: [], orders: new Map() }
  PREPARED.set(json, prepared)
  return prepared
}

/** Returns the JSON text with each token replaced, and with everything between the tokens unchanged. */
export function* replaceTokens(
  { text, starts, ends }: JsonText,
  replace: (token: number) => string | Steps<string>,
): Steps<string> {
  let replaced = ''
  let part = ''
  for (let token = 0; token < starts.length; token++) {
    const instead = replace(token)
    part += text.slice(ends[token - 1] ?? 0, starts[token])
    part += isSteps(instead) ? yield* instead : instead
    if ((token + 1) % STEP !== 0) continue
    replaced += flat(part)
    part = ''
    yield PER_TOKEN * STEP
  }
  yield PER_TOKEN * (starts.length % STEP)
  return replaced + part + text.slice(ends.at(-1))
}

/** Returns JSON in another style, or `undefined` if the text would grow too large. */
export const writeJson = (json: JsonText, style: JsonStyle): string | undefined => runSteps(writeInSteps(json, style))

/** Does the work of {@link writeJson} in steps, and yields the cost of each step. */
export function* writeInSteps(json: JsonText, style: JsonStyle): Steps<string | undefined> {
  // If the members get another order, their own white space is lost.
  const spacing = style.spacing ?? (style.order && AS_WRITTEN)
  const prepared = yield* prepare(json)
  if (spacing === undefined) return yield* replaceTokens(json, (token) => writeToken(json, prepared, token, style))
  const tokens = style.order === undefined ? undefined : yield* orderOf(json, prepared, style.order)
  const count = (tokens ?? json.kinds).length
  const indentations: string[] = []
  const indentationOf = (depth: number) => {
    indentations[depth] ??= (spacing.indent ?? '').repeat(depth)
    return indentations[depth] as string
  }
  const maxLength = MAX_GROWTH * json.text.length + MAX_SHORT
  let text = ''
  let part = ''
  let depth = 0
  let before = 0
  /** The open brackets, which only inline arrays need. */
  const open: number[] = []
  const isInline = () => spacing.hasInlineArrays === true && open.at(-1) === OPEN_ARRAY
  for (let index = 0; index < count; index++) {
    const token = tokens === undefined ? index : (tokens[index] as number)
    const kind = json.kinds[token] as number
    const isInside = isInline()
    if (isClosing(kind) && !isInside) depth--
    const written = writeToken(json, prepared, token, style)
    part += isInside ? betweenInline(before, kind, spacing) : between(before, kind, spacing, indentationOf(depth))
    part += isSteps(written) ? yield* written : written
    if (isClosing(kind)) open.pop()
    if (isOpening(kind)) open.push(kind)
    if (isOpening(kind) && !isInline()) depth++
    before = kind
    if (text.length + part.length > maxLength) return undefined
    if ((index + 1) % STEP !== 0) continue
    text += flat(part)
    part = ''
    yield PER_TOKEN * STEP
  }
  yield PER_TOKEN * (count % STEP)
  return text + part
}

/** Returns the text as one piece of memory: joining a million pieces when a character is read would take five times as long. */
const flat = (text: string): string => (text.charCodeAt(0) >= 0 ? text : '')

const isOpening = (kind: number) => kind === OPEN_OBJECT || kind === OPEN_ARRAY
const isClosing = (kind: number) => kind === CLOSE_OBJECT || kind === CLOSE_ARRAY

/** Returns the text between two tokens, given by their kinds. `before` is 0 at the start of the text. */
function between(before: number, kind: number, { item, colon, indent, hollow }: Spacing, indentation: string): string {
  if (before === 0) return ''
  if (before === KEY) return colon
  if (isOpening(before) && isClosing(kind)) {
    const text = hollow?.[kind === CLOSE_OBJECT ? 0 : 1] ?? ''
    return text.includes('\n') ? text + indentation : text
  }
  const separator = isOpening(before) || isClosing(kind) ? '' : item
  return indent === undefined ? separator : `${separator}\n${indentation}`
}

/** Returns the text between two tokens of an array on one line. */
const betweenInline = (before: number, kind: number, { item }: Spacing): string =>
  before === OPEN_ARRAY || kind === CLOSE_ARRAY ? ' ' : `${item} `

function writeToken(json: JsonText, prepared: Prepared, token: number, style: JsonStyle): string | Steps<string> {
  const kind = json.kinds[token] as number
  const as = prepared.written[token] as string
  if (isOpening(kind) || isClosing(kind)) return style.bracket?.(as) ?? as
  if (kind === KEY && style.key !== undefined) return style.key(decodedText(json, prepared, token))
  if (kind === NUMBER) return style.number?.(as, token) ?? as
  if (kind === WORD) return style.word?.(as) ?? as
  if (style.string !== undefined) return style.string(decodedText(json, prepared, token))
  if (style.escaping === undefined || !prepared.isSpecial[token]) return as
  const text = decodedText(json, prepared, token)
  return text.length > STEP ? escapeInSteps(text, style.escaping) : style.escaping(text)
}

/** Returns a long string with its quotes, written part by part. */
function* escapeInSteps(text: string, escaping: (text: string) => string): Steps<string> {
  let escaped = ''
  let end: number
  for (let start = 0; start < text.length; start = end) {
    end = start + STEP
    // The two units of a character stay together, because a single unit would be escaped.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end++
    escaped += escaping(text.slice(start, end)).slice(1, -1)
    yield STEP
  }
  return `"${escaped}"`
}

/** Returns the decoded text of a string. The text is cached, because each style writes the same string. */
function decodedText(json: JsonText, { decoded }: Prepared, token: number): string {
  decoded[token] ??= textOf(json, token)
  return decoded[token] as string
}

/** Returns the tokens in another order. The function is not recursive, so deep nesting uses no stack. */
function* orderOf(json: JsonText, { orders }: Prepared, arrange: Arrange): Steps<readonly number[]> {
  const before = orders.get(arrange)
  if (before !== undefined) return before
  const order: number[] = []
  let stepped = 0
  const pending = [{ from: 0, to: json.kinds.length }]
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const { to } = range
    for (let token = range.from; token < to; token++) {
      order.push(token)
      if (json.kinds[token] !== OPEN_OBJECT) continue
      pending.push({ from: json.closes[token] as number, to })
      const members: Member[] = []
      for (const member of membersOf(json, token)) {
        members.push(member)
        if (members.length % STEP === 0) yield PER_TOKEN * STEP
      }
      for (const member of arrange(members, json).reverse()) pending.push(member)
      break
    }
    if (order.length - stepped > STEP) {
      yield PER_TOKEN * (order.length - stepped)
      stepped = order.length
    }
  }
  orders.set(arrange, order)
  return order
}
