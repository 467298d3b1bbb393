/** Names of characters that nobody sees, or that look like others. */
const CHARACTER_NAMES: { readonly [character: string]: string } = {
  ' ': 'space',
  '\t': 'tab',
  '\n': 'line feed',
  '\r': 'carriage return',
  '\0': 'NUL',
  '\x7f': 'delete',
  '\xa0': 'no-break space',
  '\xad': 'soft hyphen',
  '\u200b': 'zero-width space',
  '\u2060': 'word joiner',
  '\ufeff': 'byte order mark',
  '\u2013': 'en dash',
  '\u2014': 'em dash',
  '\u2018': 'left single quotation mark',
  '\u2019': 'right single quotation mark',
  '\u201c': 'left double quotation mark',
  '\u201d': 'right double quotation mark',
  '\ufffd': 'replacement character',
}

/** Characters that nobody sees in a line of text. The space is not one of them: it is often meant. */
const INVISIBLE = /[\p{Cc}\p{Cf}]|(?! )\p{Z}/gu

/**
 * Joins words to a list: `a`, `a and b`, `a, b and c`.
 *
 * @internal
 */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  const all = [...words]
  const last = all.splice(-2).join(` ${conjunction} `)
  return [...all, last].join(', ')
}

/**
 * Returns a number of bytes as text: `1 byte`, `2 bytes`.
 *
 * @internal
 */
export function countBytes(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`
}

/**
 * Returns a character as text: `U+200B (zero-width space)`.
 *
 * @internal
 */
export function describeCharacter(character: string): string {
  const number = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  const name = CHARACTER_NAMES[character]
  return name === undefined ? `U+${number}` : `U+${number} (${name})`
}

/**
 * Returns the white space around a text: `U+0020 (space) before it and U+000A (line feed) after it`, or nothing.
 *
 * @internal
 */
export function describeSpaceAround(text: string): string {
  const rest = text.trimStart()
  const before = text.slice(0, text.length - rest.length)
  const after = rest.slice(rest.trimEnd().length)
  const places = [before && `${listCharacters(before)} before it`, after && `${listCharacters(after)} after it`]
  return joinWords(
    places.filter((place) => place !== ''),
    'and',
  )
}

/**
 * Returns the invisible characters of a text: `U+200B (zero-width space)`, or nothing.
 *
 * @internal
 */
export function describeInvisible(text: string): string {
  return listCharacters(text.match(INVISIBLE) ?? [])
}

/**
 * Removes the invisible characters of a text.
 *
 * @internal
 */
export function removeInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}

/** Each character once, at most eight of them. */
function listCharacters(characters: Iterable<string>): string {
  return joinWords([...new Set(characters)].slice(0, 8).map(describeCharacter), 'and')
}
