import { inList } from './words.js'

/** Characters that are not seen, or taken for others. */
const NAMES: { readonly [character: string]: string } = {
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

/** What is not seen in a line of text, the space aside, which may be meant. */
const UNSEEN = /[\p{Cc}\p{Cf}]|(?! )\p{Z}/gu

/**
 * A character for a reader: `U+200B (zero-width space)`.
 *
 * @internal
 */
export function codePoint(character: string): string {
  const number = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  const name = NAMES[character]
  return name === undefined ? `U+${number}` : `U+${number} (${name})`
}

/**
 * The white space around a text, in words: `U+0020 (space) before it and U+000A (line feed) after it`; empty if there is none.
 *
 * @internal
 */
export function spaceAround(text: string): string {
  const rest = text.trimStart()
  const before = text.slice(0, text.length - rest.length)
  const after = rest.slice(rest.trimEnd().length)
  const places = [before && `${inWords(before)} before it`, after && `${inWords(after)} after it`]
  return inList(
    places.filter((place) => place !== ''),
    'and',
  )
}

/**
 * A text without what is not seen in it, wherever it stands.
 *
 * @internal
 */
export function withoutUnseen(text: string): string {
  return text.replace(UNSEEN, '')
}

/**
 * What is not seen in a text, in words: `U+200B (zero-width space)`; empty if all is.
 *
 * @internal
 */
export function unseenIn(text: string): string {
  return inWords(text.match(UNSEEN) ?? [])
}

/** Each character once. */
function inWords(characters: Iterable<string>): string {
  return inList([...new Set(characters)].slice(0, 8).map(codePoint), 'and')
}
