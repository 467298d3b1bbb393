// A JSON text as tokens. They keep the text unchanged: no number is rounded, no escape is decoded, and no duplicate key is
// lost.

/** The kinds of tokens. Commas and colons are not tokens: they follow from the others. */
export const OPEN_OBJECT = 1
export const CLOSE_OBJECT = 2
export const OPEN_ARRAY = 3
export const CLOSE_ARRAY = 4
export const KEY = 5
export const STRING = 6
export const NUMBER = 7
/** `true`, `false`, `null`, and Python's `NaN` and `Infinity`. */
export const WORD = 8

/** A text with more tokens is not parsed. This limits memory and time for a hostile body that has only brackets. */
const MAX_TOKENS = 2 ** 20

/** A text with a longer number is not parsed. Real numbers are shorter, and rewriting long ones takes more than linear time. */
const MAX_NUMBER_LENGTH = 400

export interface JsonText {
  readonly text: string
  /** The kind of each token. */
  readonly kinds: readonly number[]
  /** Where each token starts and ends in `text`. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** For a token that opens an object or array: the token that closes it. */
  readonly closes: readonly number[]
}

/** The tokens that may come next. */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or close' | 'end'

/**
 * The tokens of a JSON text; `undefined` if it is not JSON. Nesting uses no stack.
 *
 * Accepts a little more than JSON, as many parsers do: control characters in strings, and any word.
 */
export function parseJson(text: string): JsonText | undefined {
  const kinds: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  const closes: number[] = []
  const open: number[] = []
  let expected: Expected = 'value'

  const add = (kind: number, start: number, end: number): number => {
    starts.push(start)
    ends.push(end)
    return kinds.push(kind) - 1
  }
  const afterValue = (): Expected => (open.length === 0 ? 'end' : ', or close')

  for (let position = 0; position < text.length; ) {
    const character = text.charAt(position)
    if (' \t\n\v\f\r'.includes(character)) position++
    else if (character === ',' && expected === ', or close') {
      expected = kinds[open.at(-1) as number] === OPEN_OBJECT ? 'key' : 'value'
      position++
    } else if (character === ':' && expected === ':') {
      expected = 'value'
      position++
    } else if (kinds.length === MAX_TOKENS) return undefined
    else if (character === '}' || character === ']') {
      const [opener, orClose] = character === '}' ? [OPEN_OBJECT, 'key or }'] : [OPEN_ARRAY, 'value or ]']
      const opened = open.pop()
      if (opened === undefined || kinds[opened] !== opener) return undefined
      if (expected !== ', or close' && expected !== orClose) return undefined
      closes[opened] = add(opener + 1, position, ++position)
      expected = afterValue()
    } else if (character === '"') {
      const end = endOfString(text, position)
      const isKey: boolean = expected === 'key' || expected === 'key or }'
      if (end === 0 || (!isKey && expected !== 'value' && expected !== 'value or ]')) return undefined
      add(isKey ? KEY : STRING, position, end)
      expected = isKey ? ':' : afterValue()
      position = end
    } else if (expected !== 'value' && expected !== 'value or ]') return undefined
    else if (character === '{' || character === '[') {
      open.push(add(character === '{' ? OPEN_OBJECT : OPEN_ARRAY, position, ++position))
      expected = character === '{' ? 'key or }' : 'value or ]'
    } else {
      const end = endOfWord(text, position)
      if (end === position || end - position > MAX_NUMBER_LENGTH) return undefined
      add(/[-\d]/.test(character) ? NUMBER : WORD, position, end)
      expected = afterValue()
      position = end
    }
  }
  return expected === 'end' ? { text, kinds, starts, ends, closes } : undefined
}

/** Behind the closing quote; 0 if there is none. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslash = quote - 1
    while (text.charAt(backslash) === '\\') backslash--
    if ((quote - backslash) % 2 === 1) return quote + 1
  }
  return 0
}

/** Behind the last letter, digit, sign or dot. */
function endOfWord(text: string, start: number): number {
  let end = start
  while (/[A-Za-z0-9.+-]/.test(text.charAt(end))) end++
  return end
}

/** Returns the text of the token, unchanged. */
export function written({ text, starts, ends }: JsonText, token: number): string {
  return text.slice(starts[token], ends[token])
}

/** Returns the text of a string token. If it has an escape that JSON does not allow, the escapes are not decoded. */
export function textOf(json: JsonText, token: number): string {
  const string = written(json, token)
  if (!string.includes('\\')) return string.slice(1, -1)
  try {
    return JSON.parse(string)
  } catch {
    return string.slice(1, -1)
  }
}

/** A member of an object: its key, and the tokens from the key to the end of its value. */
export interface Member {
  readonly key: string
  readonly from: number
  readonly to: number
}

/** Returns the token after the value that begins at `token`. */
export function endOfValue({ kinds, closes }: JsonText, token: number): number {
  const isContainer = kinds[token] === OPEN_OBJECT || kinds[token] === OPEN_ARRAY
  return (isContainer ? (closes[token] as number) : token) + 1
}

/** The members of the object that opens at token `opened`, in the order of the text. */
export function membersOf(json: JsonText, opened: number): Member[] {
  const members: Member[] = []
  for (let from = opened + 1; from < (json.closes[opened] as number); from = endOfValue(json, from + 1)) {
    members.push({ key: textOf(json, from), from, to: endOfValue(json, from + 1) })
  }
  return members
}
