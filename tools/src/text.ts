// This file writes values as text for the user.

/** Returns a value in double quotes. A long value is shortened, and characters beyond ASCII are escaped: `"Zo\u00eb"`. */
export function quote(value: string): string {
  const short = value.length > 160 ? `${value.slice(0, 160)}…` : value
  const escaped = JSON.stringify(short).replace(/[^ -~…]/g, escapeUnit)
  return value.length > 160 ? `${escaped} (${value.length} characters)` : escaped
}

/** Returns a UTF-16 unit as an escape: `\u00eb`. */
export const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The maximum length of a name, and of a list of names, in characters. */
const MAX_NAME = 128
const MAX_LIST = 240

/** Returns a list of header names, each name once. A long list is shortened: `host x-nonce, and 3 more`. */
export function listNames(names: readonly string[]): string {
  const all = [...new Set(names)].map((name) =>
    quote(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name).slice(1, -1),
  )
  if (all.length === 0) return 'none'
  const fits = (_: string, index: number) => index === 0 || all.slice(0, index + 1).join(' ').length <= MAX_LIST
  const shown = all.slice(0, 40).filter(fits)
  const others = all.length - shown.length
  return `${shown.join(' ')}${others === 0 ? '' : `, and ${others} more`}`
}

const CHARACTER_NAMES: { readonly [character: string]: string } = {
  ' ': 'space',
  '\t': 'tab',
  '\n': 'line feed',
  '\r': 'carriage return',
  '\0': 'NUL',
  '\xa0': 'no-break space',
  '\u200b': 'zero-width space',
  '\ufeff': 'byte order mark',
}

/** Matches white space around text, and invisible characters anywhere. A space between two words does not match, because it is normal. */
export const ODD_SPACE = /^\s+|(?<!\s)\s+$|[\p{Cc}\p{Cf}]|(?! )\p{Z}/gu

/** Joins words with commas and a conjunction: `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  const all = [...words]
  const last = all.splice(-2).join(` ${conjunction} `)
  return [...all, last].join(', ')
}

export function countBytes(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`
}

const codeOf = (character: string) =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`

/** Returns the code and the name of a character: `U+200B (zero-width space)`. */
function describeCharacter(character: string): string {
  const name = CHARACTER_NAMES[character]
  return name === undefined ? codeOf(character) : `${codeOf(character)} (${name})`
}

/** Returns a list of up to eight different characters: `U+0020 (space) and U+200B (zero-width space)`. */
export function listCharacters(characters: Iterable<string>): string {
  return joinWords([...new Set(characters)].slice(0, 8).map(describeCharacter), 'and')
}

export function describeOddSpace(text: string): string {
  return listCharacters((text.match(ODD_SPACE) ?? []).join(''))
}

/** Removes the white space around text, and all invisible characters. */
export function removeOddSpace(text: string): string {
  return text.replace(ODD_SPACE, '')
}

/** Replaces every character that is neither a letter nor printable ASCII by its code. For example, a newline becomes `<U+000A>`. */
export function showCharacters(text: string): string {
  return text.replace(/[^ -~\p{L}]/gu, (character) => `<${codeOf(character)}>`)
}
