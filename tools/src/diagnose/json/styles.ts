import { utf8 } from '../../bytes.js'
import type { Member } from './parse.js'
import { written } from './parse.js'
import type { Arrange, Spacing } from './write.js'

// This file defines the white space, the strings and the order of keys that different serializers write. Numbers are in numbers.ts.

/** Returns text as a string in the style of a serializer, with quotes and escapes. */
type StringStyle = (text: string) => string

export const COMPACT: Spacing = { item: ',', colon: ':' }
export const SPACED: Spacing = { item: ', ', colon: ': ' }
const indentedBy = (indent: string): Spacing => ({ item: ',', colon: ': ', indent })
export const INDENT_2 = indentedBy('  ')
export const INDENT_3: Spacing = { item: ',', colon: ' : ', indent: '   ' }
export const INDENT_4 = indentedBy('    ')
export const TABS = indentedBy('\t')
export const SPACED_COLON: Spacing = { item: ',', colon: ': ' }
/** Returns the short escape of a character, such as `\n`, or `undefined` if JSON has none for it. */
function shortEscape(character: string): string | undefined {
  const short = character === '/' ? '\\/' : JSON.stringify(character).slice(1, -1)
  return short.length === 2 ? short : undefined
}

/** Returns a style that escapes the matched characters: those in `never` without a short escape, those below a code with uppercase digits. */
function escaping(matches: RegExp, never = '', uppercaseBelow = 0): StringStyle {
  const replace = replacing((character) => {
    if (!matches.test(character)) return undefined
    const code = character.charCodeAt(0)
    const digits = code.toString(16).padStart(4, '0')
    const long = `\\u${code < uppercaseBelow ? digits.toUpperCase() : digits}`
    return (never.includes(character) ? undefined : shortEscape(character)) ?? long
  })
  return (text) => `"${replace(text)}"`
}

/** Returns a function that replaces each character by the text that `escapeOf` returns. This is five times as fast as `String.replace`. */
export function replacing(escapeOf: (character: string) => string | undefined): (text: string) => string {
  const ofAscii: string[] = []
  for (let code = 0; code < 128; code++) ofAscii.push(escapeOf(String.fromCharCode(code)) ?? '')
  /** Caches the escapes of characters beyond ASCII. */
  const others = new Map<number, string>()
  const ofOther = (code: number) => {
    const known = others.get(code) ?? escapeOf(String.fromCharCode(code)) ?? ''
    others.set(code, known)
    return known
  }
  return (text) => {
    let replaced = ''
    let from = 0
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      const instead = code < 128 ? (ofAscii[code] as string) : ofOther(code)
      if (instead === '') continue
      replaced += text.slice(from, index) + instead
      from = index + 1
    }
    return replaced + text.slice(from)
  }
}

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: JSON escapes them. */
export const rawString: StringStyle = JSON.stringify
export const asciiString = escaping(/["\\\x00-\x1f\x7f-\uffff]/)
export const phpString = escaping(/["\\/\x00-\x1f\x80-\uffff]/)
export const phpUnicodeString = escaping(/["\\/\x00-\x1f\u2028\u2029]/)
export const htmlString = escaping(/["\\<>&\x00-\x1f\u2028\u2029]/)
export const lineString = escaping(/["\\\x00-\x1f\u2028\u2029]/)
export const dotnetString = escaping(/["\\<>&'+`\x00-\x1f\x7f-\uffff]/, '"', 0x10000)
export const gsonString = escaping(/["\\<>&='\x00-\x1f\u2028\u2029]/)
export const symfonyString = escaping(/["\\/<>&'\x00-\x1f\x80-\uffff]/, '"', 0x80)
const escapedTags: StringStyle = (text) => rawString(text).replaceAll('</', '<\\/')
/** Escapes that other serializers write: org.json, and Jackson and Newtonsoft with an option. */
export const OTHER_ESCAPES: ReadonlyMap<StringStyle, string> = new Map([
  [escapedTags, '`</` as `<\\/`'],
  [escaping(/["\\\x00-\x1f\x80-\uffff]/, '', 0x10000), 'non-ASCII characters as \\uXXXX'],
  [escaping(/["\\<>&'\x00-\x1f]/, '"', 0), '`<`, `>`, `&` and quotes as \\uXXXX'],
])
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: JSON escapes them. */

const escapePython = replacing((character) => (/[\\\n\r\t]/.test(character) ? shortEscape(character) : undefined))

/** Returns text between the quotes that Python's `repr` chooses. */
export function inPythonQuotes(text: string, write: (text: string) => string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  return quote + write(text).replaceAll(quote, `\\${quote}`) + quote
}
export const pythonString: StringStyle = (text) => inPythonQuotes(text, escapePython)

/** Returns a string as Ruby's `inspect` writes it. */
export const rubyString: StringStyle = (text) => lineString(text).replace(/#(?=[{$@])/g, '\\#')
const byKey = (one: Member, other: Member) => (one.key < other.key ? -1 : 1)

/** Returns one member per key, as parsers do. A repeated key has the place of its first member, and the value of its last member. */
function lastOfEachKey(members: Member[]): Member[] {
  return [...new Map(members.map((member) => [member.key, member])).values()]
}

const isArrayIndex = ({ key }: Member) => /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1

/** Returns the members in the order of JavaScript objects: first the keys that are array indices, such as `0`, and then the others. */
export const javascriptOrder: Arrange = (members) => {
  const once = lastOfEachKey(members)
  const indices = once.filter(isArrayIndex).sort((one, other) => Number(one.key) - Number(other.key))
  return [...indices, ...once.filter((member) => !isArrayIndex(member))]
}

export const sortedOrder: Arrange = (members) => lastOfEachKey(members).sort(byKey)

/** Sorts the keys of the outer object alone, as PHP's ksort and a sort of `Object.keys` do. */
export const outerSortedOrder: Arrange = (members, json) =>
  members[0]?.from === 1 ? sortedOrder(members, json) : members

/** Returns the members in the order of PostgreSQL's jsonb and of MySQL's JSON: by the length of the key in bytes, and then by its bytes. */
export const jsonbOrder: Arrange = (members) => {
  const lengths = new Map(members.map(({ key }) => [key, utf8(key).length]))
  const lengthOf = ({ key }: Member) => lengths.get(key) as number
  return lastOfEachKey(members).sort((one, other) => lengthOf(one) - lengthOf(other) || byKey(one, other))
}

export const withoutNulls: Arrange = (members, json) => members.filter(({ from }) => written(json, from + 1) !== 'null')
