// This file splits a JSON text into tokens. Unlike `JSON.parse`, it loses nothing: `1.0` stays `1.0`, `\u00eb` stays an escape, and a
// repeated key stays.

/** The kinds of tokens. Commas and colons are not tokens, because the tokens around them show where they are. */
export const OPEN_OBJECT = 1
export const CLOSE_OBJECT = 2
export const OPEN_ARRAY = 3
export const CLOSE_ARRAY = 4
export const KEY = 5
export const STRING = 6
export const NUMBER = 7
/** `true`, `false` or `null`. */
export const WORD = 8

/** The maximum numbers of characters, of tokens and of nested brackets, so that JSON is parsed or written in less than 100 ms. */
const MAX_LENGTH = 2 ** 18
const MAX_TOKENS = 2 ** 17
const MAX_DEPTH = 1024

/** Returns a table that contains 1 at the code of each character. A table is faster than a search in a string. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(128)
  for (const character of characters) table[character.charCodeAt(0)] = 1
  return table
}

const IS_SPACE = tableOf(' \t\n\r')
const COMMA = 0x2c
const COLON = 0x3a
const IS_AROUND = tableOf(' \t\n\r,:{}[]"')

/** The maximum length of a number. Without a limit, it would take too long to write a number with a million digits again. */
const MAX_NUMBER_LENGTH = 400

const NUMBER_FORM = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
const WORDS = new Set(['true', 'false', 'null'])
/** Matches control characters and backslashes. A string without them is valid JSON. */
const NEEDS_CHECK = /[^ -[\]-\uffff]/

export interface JsonText {
  readonly text: string
  readonly kinds: Uint8Array
  /** Where each token starts and ends in `text`. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** For an opening bracket: the index of its closing bracket. For other tokens: 0. */
  readonly closes: Int32Array
}

/** Returns the tokens of a JSON text, or `undefined` if the text is not JSON or exceeds a limit. Without recursion, no nesting is too deep. */
export function parseJson(text: string): JsonText | undefined {
  if (text.length > MAX_LENGTH) return undefined
  // The tokens are in typed arrays, because lists that grow would take twice the time.
  const most = Math.min(text.length, MAX_TOKENS)
  const kinds = new Uint8Array(most)
  const [starts, ends, closes] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)]
  let count = 0
  const open: number[] = []
  /** The comma or colon since the last token, or 0. */
  let separator = 0
  let end = 0
  for (let start = 0; start < text.length; start = end) {
    end = start + 1
    const code = text.charCodeAt(start)
    if (IS_SPACE[code] === 1) continue
    if (code === COMMA || code === COLON) {
      if (separator !== 0) return undefined
      separator = code
      continue
    }
    const first = text.charAt(start)
    const bracket = '{}[]'.indexOf(first) + 1
    if (first === '"') end = endOfString(text, start)
    else if (bracket === 0) while (end < text.length && IS_AROUND[text.charCodeAt(end)] !== 1) end++
    if (end === 0 || count === MAX_TOKENS || open.length > MAX_DEPTH) return undefined
    const before = kinds[count - 1]
    const around = kinds[open.at(-1) ?? -1]
    const isKey = around === OPEN_OBJECT && before !== KEY
    const ofText = first === '"' ? (isKey ? KEY : STRING) : /[-\d]/.test(first) ? NUMBER : WORD
    const kind = bracket || ofText
    const isClosing = kind === CLOSE_OBJECT || kind === CLOSE_ARRAY
    // A colon must be between a key and its value, and a comma between two values or members.
    const isFirst = before === undefined || before === OPEN_OBJECT || before === OPEN_ARRAY
    const expected = before === KEY ? COLON : isFirst || isClosing ? 0 : COMMA
    if (separator !== expected || (before !== undefined && around === undefined)) return undefined
    if (isClosing ? around !== kind - 1 || before === KEY : isKey && kind !== KEY) return undefined
    if (bracket === 0 && !isToken(text.slice(start, end), kind)) return undefined
    separator = 0
    if (kind === OPEN_OBJECT || kind === OPEN_ARRAY) open.push(count)
    if (isClosing) closes[open.pop() as number] = count
    kinds[count] = kind
    starts[count] = start
    ends[count] = end
    count++
  }
  if (count === 0 || open.length > 0 || separator !== 0) return undefined
  const used = <Numbers extends Uint8Array | Int32Array>(numbers: Numbers) => numbers.slice(0, count) as Numbers
  return { text, kinds: used(kinds), starts: used(starts), ends: used(ends), closes: used(closes) }
}

function isToken(token: string, kind: number): boolean {
  if (kind === NUMBER) return token.length <= MAX_NUMBER_LENGTH && NUMBER_FORM.test(token)
  return kind === WORD ? WORDS.has(token) : !NEEDS_CHECK.test(token) || jsonValue(token) !== undefined
}

/** Returns the index after the closing quote, or 0 if there is none. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslash = quote - 1
    while (text.charAt(backslash) === '\\') backslash--
    if ((quote - backslash) % 2 === 1) return quote + 1
  }
  return 0
}

export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function written({ text, starts, ends }: JsonText, token: number): string {
  return text.slice(starts[token], ends[token])
}

/** Returns the decoded text of a string token, without the quotes. */
export function textOf(json: JsonText, token: number): string {
  const string = written(json, token)
  return string.includes('\\') ? JSON.parse(string) : string.slice(1, -1)
}

/** A member of an object: its key, and the range of its tokens. The first token is the key, and `to` is the token after its value. */
export interface Member {
  readonly key: string
  readonly from: number
  readonly to: number
}

export function endOfValue({ kinds, closes }: JsonText, token: number): number {
  const isContainer = kinds[token] === OPEN_OBJECT || kinds[token] === OPEN_ARRAY
  return (isContainer ? (closes[token] as number) : token) + 1
}

/** Yields the members of an object, in the order of the text. `opened` is the opening bracket. */
export function* membersOf(json: JsonText, opened: number): Iterable<Member> {
  for (let from = opened + 1; from < (json.closes[opened] as number); from = endOfValue(json, from + 1)) {
    yield { key: textOf(json, from), from, to: endOfValue(json, from + 1) }
  }
}
