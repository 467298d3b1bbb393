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
  /** One step of indentation. Without it, everything is on one line. */
  readonly indent?: string
  /** The text in an empty object and an empty array, before the indentation of their end. */
  readonly hollow?: readonly [object: string, array: string]
}

/** Puts the members of an object in order; may leave some out. */
export type Arrange = (members: Member[], json: JsonText) => Member[]

/** How to write JSON again. A field that is absent changes nothing. */
export interface JsonStyle {
  readonly spacing?: Spacing | undefined
  readonly order?: Arrange | undefined
  /** Returns a string with its quotes. It is not called for a string that all serializers write the same way. */
  readonly escaping?: ((text: string) => string) | undefined
  /** The same as `escaping`, but it is called for every string. */
  readonly string?: ((text: string) => string) | undefined
  /** Writes a key, if keys are not written like other strings. */
  readonly key?: ((text: string) => string) | undefined
  /** Writes a number, from how it is written. */
  readonly number?: ((number: string, token: number) => string) | undefined
  readonly word?: ((word: string) => string) | undefined
  /** Writes a bracket, if brackets are not written as in JSON. */
  readonly bracket?: (bracket: string, isEmpty: boolean) => string
}

const BRACKETS = ['{', '}', '[', ']'] as const
const AS_WRITTEN: Spacing = { item: ',', colon: ':' }

/** Deep nesting grows without limit once it is indented. */
const MAX_GROWTH = 8
const MAX_SHORT = 4096

/** Strings without these characters are written the same way by every serializer. */
const ESCAPED_BY_SOME = /[^ -~]|[\\/<>&'+=`]/

/** Writes JSON in another style; `undefined` if it would grow too large. */
export function writeJson(json: JsonText, style: JsonStyle): string | undefined {
  const tokens = style.order === undefined ? undefined : orderOf(json, style.order)
  // If the members get another order, their own white space is lost.
  const spacing = style.spacing ?? (tokens === undefined ? undefined : AS_WRITTEN)
  const maxLength = MAX_GROWTH * json.text.length + MAX_SHORT
  const pieces: string[] = []
  let length = 0
  let depth = 0
  let before = 0
  let copied = 0
  const add = (piece: string) => {
    length += piece.length
    pieces.push(piece)
  }
  const addIndent = (start: string, indent: string) => add(start + indent.repeat(depth))

  for (let index = 0; index < (tokens ?? json.kinds).length; index++) {
    const token = tokens === undefined ? index : (tokens[index] as number)
    const kind = json.kinds[token] as number
    const opens = kind === OPEN_OBJECT || kind === OPEN_ARRAY
    const closes = kind === CLOSE_OBJECT || kind === CLOSE_ARRAY
    const isInside = depth > 0
    if (closes) depth--

    if (spacing === undefined) {
      add(json.text.slice(copied, json.starts[token]))
      copied = json.ends[token] as number
    } else if (before === KEY) add(spacing.colon)
    else if (isInside) {
      const isFirst = before === OPEN_OBJECT || before === OPEN_ARRAY
      if (!isFirst && !closes) add(spacing.item)
      if (!isFirst || !closes) {
        if (spacing.indent !== undefined) addIndent('\n', spacing.indent)
      } else if (spacing.hollow !== undefined)
        addIndent(spacing.hollow[kind === CLOSE_OBJECT ? 0 : 1], String(spacing.indent))
    }

    if (opens) depth++
    const isEmpty = opens ? json.closes[token] === token + 1 : before === kind - 1
    const bracket = BRACKETS[kind - 1]
    add(bracket === undefined ? writeToken(json, token, style) : (style.bracket?.(bracket, isEmpty) ?? bracket))
    before = kind
    if (length > maxLength) return undefined
  }
  if (spacing === undefined) add(json.text.slice(copied))
  return pieces.join('')
}

function writeToken(json: JsonText, token: number, style: JsonStyle): string {
  const kind = json.kinds[token] as number
  const as = written(json, token)
  if (kind === KEY && style.key !== undefined) return style.key(textOf(json, token))
  if (kind === NUMBER) return style.number?.(as, token) ?? as
  if (kind === WORD) return style.word?.(as) ?? as
  if (style.string !== undefined) return style.string(textOf(json, token))
  return style.escaping === undefined || !ESCAPED_BY_SOME.test(as) ? as : style.escaping(textOf(json, token))
}

/** Returns the tokens in another order. It is not recursive, so deep nesting uses no stack. */
function orderOf(json: JsonText, arrange: Arrange): number[] {
  const order: number[] = []
  const pending = [{ from: 0, to: json.kinds.length }]
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const { to } = range
    for (let token = range.from; token < to; token++) {
      order.push(token)
      if (json.kinds[token] !== OPEN_OBJECT) continue
      pending.push({ from: json.closes[token] as number, to })
      for (const member of arrange(membersOf(json, token), json).reverse()) pending.push(member)
      break
    }
  }
  return order
}
