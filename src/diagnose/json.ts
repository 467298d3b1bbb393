import { Buffer } from 'node:buffer'

/** The kinds of JSON tokens. Commas and colons are none: they follow from the others. */
export const OPEN_OBJECT = 1
export const CLOSE_OBJECT = 2
export const OPEN_ARRAY = 3
export const CLOSE_ARRAY = 4
export const KEY = 5
export const STRING = 6
export const NUMBER = 7
/** `true`, `false`, `null`, and what Python writes beside them: `NaN`, `Infinity`. */
export const WORD = 8

/**
 * The most tokens that are looked at; a text of more is taken for no JSON. It bounds the memory and the time that a
 * hostile body of nothing but brackets takes.
 */
const MAX_TOKENS = 2 ** 20

/**
 * The most characters of a number; a text with a longer one is taken for no JSON. None that is meant has more, and what
 * languages make of a number takes longer than its length.
 */
const LONGEST_WORD = 400

/** A JSON text as its tokens, each still the bytes as written: no number is rounded, no escape resolved, no key lost. */
export interface JsonText {
  readonly source: Buffer
  readonly count: number
  /** The kind of each token. */
  readonly kinds: Uint8Array
  /** Where each token starts and ends in the source. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** For a token that opens an object or array, the token that closes it. */
  readonly closes: Int32Array
  /** For a string, 1 if some serializer escapes a character of it, or it is written with an escape. */
  readonly special: Uint8Array
}

const VALUE = 0
const VALUE_OR_CLOSE = 1
const KEY_OR_CLOSE = 2
const KEY_ONLY = 3
const COLON = 4
const COMMA_OR_CLOSE = 5
const END = 6

const CLOSED_BY = new Map([
  [0x7d, OPEN_OBJECT],
  [0x5d, OPEN_ARRAY],
])

/**
 * The tokens of a JSON text, or `undefined` if it is none. No recursion: nesting costs no stack.
 *
 * It takes a little more than JSON, as parsers do: control characters in strings, and any word.
 */
export function parseJson(source: Buffer): JsonText | undefined {
  const capacity = Math.min(source.length, MAX_TOKENS)
  const kinds = new Uint8Array(capacity)
  const starts = new Int32Array(capacity)
  const ends = new Int32Array(capacity)
  const closes = new Int32Array(capacity)
  const special = new Uint8Array(capacity)
  const open: number[] = []
  let count = 0
  let state = VALUE
  let position = 0

  while (position < source.length) {
    const byte = source[position] as number
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) {
      position++
      continue
    }
    if (byte === 0x2c && state === COMMA_OR_CLOSE) {
      state = kinds[open.at(-1) as number] === OPEN_OBJECT ? KEY_ONLY : VALUE
      position++
      continue
    }
    if (byte === 0x3a && state === COLON) {
      state = VALUE
      position++
      continue
    }

    if (count === capacity) return undefined
    const start = position
    const opener = CLOSED_BY.get(byte)
    if (opener !== undefined) {
      const opened = open.pop()
      const mayClose = state === COMMA_OR_CLOSE || state === (opener === OPEN_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE)
      if (opened === undefined || kinds[opened] !== opener || !mayClose) return undefined
      closes[opened] = count
      kinds[count] = opener + 1
      position++
      state = open.length === 0 ? END : COMMA_OR_CLOSE
    } else if (state === KEY_OR_CLOSE || state === KEY_ONLY) {
      if (byte !== 0x22) return undefined
      kinds[count] = KEY
      position = endOfString(source, position)
      special[count] = isSpecial(source, start + 1, position - 1)
      state = COLON
    } else if (state === VALUE || state === VALUE_OR_CLOSE) {
      if (byte === 0x7b || byte === 0x5b) {
        open.push(count)
        kinds[count] = byte === 0x7b ? OPEN_OBJECT : OPEN_ARRAY
        position++
        state = byte === 0x7b ? KEY_OR_CLOSE : VALUE_OR_CLOSE
      } else {
        kinds[count] = byte === 0x22 ? STRING : isNumeral(byte) ? NUMBER : WORD
        position = byte === 0x22 ? endOfString(source, position) : endOfWord(source, position)
        if (position === start || (byte !== 0x22 && position - start > LONGEST_WORD)) return undefined
        if (byte === 0x22) special[count] = isSpecial(source, start + 1, position - 1)
        state = open.length === 0 ? END : COMMA_OR_CLOSE
      }
    } else {
      return undefined
    }
    if (position > source.length) return undefined
    starts[count] = start
    ends[count] = position
    count++
  }
  return state === END ? { source, count, kinds, starts, ends, closes, special } : undefined
}

/** Past the closing quote; past the end of the text if there is none. */
function endOfString(source: Buffer, start: number): number {
  for (let position = start + 1; position < source.length; position++) {
    const byte = source[position]
    if (byte === 0x22) return position + 1
    if (byte === 0x5c) position++
  }
  return source.length + 1
}

/** The bytes of a string that every serializer writes as they are: ASCII without controls and a few characters of HTML. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x7f && !'"\\/<>&\'+=`'.includes(String.fromCharCode(byte)) ? 1 : 0,
)

function isSpecial(source: Buffer, start: number, end: number): number {
  for (let position = start; position < end; position++) {
    if (PLAIN[source[position] as number] === 0) return 1
  }
  return 0
}

function isNumeral(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39)
}

/** Past the last letter, digit, sign or dot. */
function endOfWord(source: Buffer, start: number): number {
  let position = start
  while (position < source.length) {
    const byte = source[position] as number
    const letter = byte | 0x20
    if (!isNumeral(byte) && byte !== 0x2b && byte !== 0x2e && (letter < 0x61 || letter > 0x7a)) break
    position++
  }
  return position
}

/** A member of an object: its key as text, and the tokens from the key to the end of its value. */
export interface Member {
  readonly key: string
  readonly from: number
  readonly to: number
}

/** The members of the object that opens at token `opened`, in the order of the text. */
export function membersOf(json: JsonText, opened: number): Member[] {
  const members: Member[] = []
  const close = json.closes[opened] as number
  for (let from = opened + 1; from < close; ) {
    const value = from + 1
    const isContainer = json.kinds[value] === OPEN_OBJECT || json.kinds[value] === OPEN_ARRAY
    const to = (isContainer ? (json.closes[value] as number) : value) + 1
    members.push({ key: textOf(json, from), from, to })
    from = to
  }
  return members
}

/** A string token as the text that it stands for; as it is written, where an escape in it is none. */
export function textOf({ source, starts, ends }: JsonText, token: number): string {
  const written = source.toString('utf8', starts[token], ends[token])
  if (!written.includes('\\')) return written.slice(1, -1)
  try {
    return JSON.parse(written)
  } catch {
    return written.slice(1, -1)
  }
}

/** Gives the members of an object of `json`, so many levels inside, their new order; it may leave some out. */
export type Arrange = (members: Member[], depth: number, json: JsonText) => Member[]

/** The tokens in another order, `arrange` having been asked about the members of each object, the outermost at depth 0. */
export function reorder(json: JsonText, arrange: Arrange): Int32Array {
  const order = new Int32Array(json.count)
  let written = 0
  const pending = [{ from: 0, to: json.count, depth: 0 }]
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const { from, to, depth } = range
    for (let token = from; token < to; token++) {
      order[written++] = token
      if (json.kinds[token] !== OPEN_OBJECT) continue
      pending.push({ from: json.closes[token] as number, to, depth })
      const members = arrange(membersOf(json, token), depth, json)
      for (const member of members.reverse()) pending.push({ ...member, depth: depth + 1 })
      break
    }
  }
  return order.subarray(0, written)
}

/** What stands between the tokens. */
export interface Spacing {
  /** Between two members or elements, before the line break if there is one. */
  readonly item: string
  readonly colon: string
  /** One step of indentation; without it, all stands on one line. */
  readonly indent?: string
  /** Elements of arrays stay on one line even where members do not. */
  readonly inlineArrays?: boolean
  /** Inside brackets that stay on one line. */
  readonly pad?: string
  /** What an empty object, and an empty array, holds before the indentation of its end; without it, nothing. */
  readonly hollow?: readonly [object: string, array: string]
  /** The brackets, where they are not JSON's: those of an object, then those of an array. */
  readonly brackets?: readonly [string, string, string, string]
}

/** How a JSON text is written anew; what is absent stays as it is. */
export interface JsonStyle {
  readonly spacing?: Spacing | undefined
  readonly order?: Int32Array | undefined
  /** A string as it is to be written, quotes included, from the text that it stands for; asked where it may make a difference. */
  readonly escape?: ((text: string) => string) | undefined
  /** The same, asked for every string. */
  readonly string?: ((text: string) => string) | undefined
  /** A key as it is to be written, without quotes, from the text that it stands for. */
  readonly key?: ((text: string) => string) | undefined
  /** A key as it is to be written where it is no string, from the text that it stands for. */
  readonly name?: ((text: string) => string) | undefined
  /** What stands for an empty object, and for an empty array. */
  readonly empty?: readonly [object: string, array: string] | undefined
  /** A number as it is to be written, from how it is written. */
  readonly number?: ((written: string, token: number) => string) | undefined
  readonly word?: ((written: string) => string) | undefined
}

const BRACKETS = ['{', '}', '[', ']'] as const

/** The text written anew, or `undefined` if it would grow beyond all reason, as deep nesting does once it is indented. */
export function writeJson(json: JsonText, style: JsonStyle): Buffer | undefined {
  const { source, kinds, starts, ends } = json
  const { spacing, order, number, word } = style
  const out = new Output(source.length)
  const item = Buffer.from(spacing?.item ?? '')
  const colon = Buffer.from(spacing?.colon ?? '')
  const pad = Buffer.from(spacing?.pad ?? '')
  const indent = Buffer.from(spacing?.indent ?? '')
  const brackets = spacing?.brackets ?? BRACKETS
  const bracket = (kind: number, isEmpty: boolean) => {
    const empty = isEmpty ? style.empty?.[kind < OPEN_ARRAY ? 0 : 1] : undefined
    return (empty?.[(kind - 1) % 2] ?? brackets[kind - 1]) as string
  }
  const open: number[] = []
  let depth = 0
  let before = 0
  let copied = 0
  const total = order?.length ?? json.count
  for (let index = 0; index < total; index++) {
    const token = order === undefined ? index : (order[index] as number)
    const kind = kinds[token] as number
    const start = starts[token] as number
    const end = ends[token] as number
    const closes = kind === CLOSE_OBJECT || kind === CLOSE_ARRAY
    const opens = kind === OPEN_OBJECT || kind === OPEN_ARRAY

    if (spacing === undefined) {
      out.bytes(source, copied, start)
      copied = end
    } else {
      const container = open.at(-1)
      const inline = spacing.indent === undefined || (container === OPEN_ARRAY && spacing.inlineArrays === true)
      const first = before === OPEN_OBJECT || before === OPEN_ARRAY
      if (closes && !inline) depth--
      if (before === KEY) out.all(colon)
      else if (container !== undefined) {
        if (!first && !closes) out.all(item)
        if (!first && !closes && inline && spacing.indent !== undefined) out.all(pad)
        const hollow = first && closes ? spacing.hollow?.[kind === CLOSE_OBJECT ? 0 : 1] : undefined
        if (hollow !== undefined) {
          out.text(hollow)
          out.repeat(indent, depth)
        } else if (!inline && !(first && closes)) {
          out.text('\n')
          out.repeat(indent, depth)
        } else if (first || closes) {
          out.all(pad)
        }
      }
    }

    if (opens) {
      open.push(kind)
      if (spacing?.indent !== undefined && !(kind === OPEN_ARRAY && spacing.inlineArrays === true)) depth++
      out.text(bracket(kind, json.closes[token] === token + 1))
    } else if (closes) {
      open.pop()
      out.text(bracket(kind, before === kind - 1))
    } else if (kind === KEY && style.name !== undefined) out.text(style.name(textOf(json, token)))
    else if (kind === KEY && style.key !== undefined) {
      const key = style.key(textOf(json, token))
      out.text(style.escape === undefined ? JSON.stringify(key) : style.escape(key))
    } else if (kind <= STRING && style.string !== undefined) out.text(style.string(textOf(json, token)))
    else if (kind <= STRING && style.escape !== undefined && json.special[token] === 1)
      out.text(style.escape(textOf(json, token)))
    else if (kind === NUMBER && number !== undefined) out.text(number(source.toString('latin1', start, end), token))
    else if (kind === WORD && word !== undefined) out.text(word(source.toString('latin1', start, end)))
    else out.bytes(source, start, end)
    before = kind
    if (out.isFull) return undefined
  }
  if (spacing === undefined) out.bytes(source, copied, source.length)
  return out.written
}

/** Bytes that are written one after the other, up to a limit. */
class Output {
  #buffer: Buffer
  #length = 0
  readonly #limit: number

  /** @param expected - about how many bytes there will be. */
  constructor(expected: number) {
    this.#buffer = Buffer.allocUnsafe(Math.ceil(expected * 1.25) + 1024)
    this.#limit = 8 * expected + 4096
  }

  get isFull(): boolean {
    return this.#length > this.#limit
  }

  get written(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  bytes(source: Uint8Array, start: number, end: number): void {
    const size = end - start
    this.#reserve(size)
    const buffer = this.#buffer
    const length = this.#length
    // A call of set() costs more than the few bytes of most tokens.
    if (size > 64) buffer.set(source.subarray(start, end), length)
    else for (let index = 0; index < size; index++) buffer[length + index] = source[start + index] as number
    this.#length = length + size
  }

  all(source: Uint8Array): void {
    this.bytes(source, 0, source.length)
  }

  text(text: string): void {
    this.#reserve(3 * text.length)
    if (text.length === 1 && text.charCodeAt(0) < 0x80) this.#buffer[this.#length++] = text.charCodeAt(0)
    else this.#length += this.#buffer.write(text, this.#length)
  }

  repeat(source: Uint8Array, times: number): void {
    for (let done = 0; source.length > 0 && done < times && !this.isFull; done++) this.all(source)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
