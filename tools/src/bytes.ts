// This file converts between bytes and text, in Node and in browsers.

const ENCODER = new TextEncoder()
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true })
const STRICT = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** How many bytes are converted per call. `String.fromCharCode` fails with too many arguments. */
const CHUNK = 8192

export function utf8(text: string): Uint8Array {
  return ENCODER.encode(text)
}

export const bytesOf = (value: string | Uint8Array): Uint8Array => (typeof value === 'string' ? utf8(value) : value)

/** The minimum length of bytes whose text is cached. It takes longer to look up a shorter text than to decode it. */
const MIN_KEPT = 256

/** Returns a function that caches its result per array, because dozens of hypotheses need the text of the same body. The bytes must not change. */
function kept<Result>(read: (bytes: Uint8Array) => Result): (bytes: Uint8Array) => Result {
  const results = new WeakMap<Uint8Array, Result>()
  return (bytes) => {
    if (bytes.length < MIN_KEPT) return read(bytes)
    const before = results.get(bytes)
    if (before !== undefined) return before
    const result = read(bytes)
    results.set(bytes, result)
    return result
  }
}

/** Decodes UTF-8. Each invalid byte becomes U+FFFD. */
export const fromUtf8 = kept((bytes) => LENIENT.decode(bytes))

export const isUtf8 = kept((bytes) => {
  try {
    STRICT.decode(bytes)
    return true
  } catch {
    return false
  }
})

export const isAscii = kept((bytes) => {
  for (let index = 0; index < bytes.length; index++) if ((bytes[index] as number) >= 0x80) return false
  return true
})

/** Returns one byte per character. Of a character after U+00FF, only the low byte is kept. */
export function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}

export const fromLatin1 = kept((bytes) => (isAscii(bytes) ? fromUtf8(bytes) : ofUnits(bytes)))

/** Returns the string whose UTF-16 code units are these numbers. */
function ofUnits(units: Uint8Array | Uint16Array): string {
  let text = ''
  for (let start = 0; start < units.length; start += CHUNK) {
    // `apply` is twice as fast as spread syntax.
    text += String.fromCharCode.apply(undefined, units.subarray(start, start + CHUNK) as unknown as number[])
  }
  return text
}

/** The characters of the bytes 0x80 to 0x9F in Windows-1252. The decoder of some Node versions is wrong for these bytes. */
export const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

const IN_WINDOWS_1252 = new RegExp(`^[\\0-\\xff${WINDOWS_1252}]*$`)

/** Encodes text as Windows-1252. Returns `undefined` if one of the characters does not exist in Windows-1252. */
export function windows1252(text: string): Uint8Array | undefined {
  if (!IN_WINDOWS_1252.test(text)) return undefined
  const bytes = text.replace(/[^\0-\x7f\xa0-\xff]/g, (character) => {
    const index = WINDOWS_1252.indexOf(character)
    return index === -1 ? character : String.fromCharCode(0x80 + index)
  })
  return latin1(bytes)
}

export function fromWindows1252(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes)
  for (let index = 0; index < units.length; index++) {
    const unit = units[index] as number
    if (unit >= 0x80 && unit <= 0x9f) units[index] = WINDOWS_1252.charCodeAt(unit - 0x80)
  }
  return ofUnits(units)
}

export function utf16(text: string, order: 'little-endian' | 'big-endian'): Uint8Array {
  const bytes = new Uint8Array(2 * text.length)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < text.length; index++) {
    view.setUint16(2 * index, text.charCodeAt(index), order === 'little-endian')
  }
  return bytes
}

export function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Decodes hex. Returns `undefined` if `text` is empty, has an odd number of digits, or has a character that is not a digit. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(text)) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = Number.parseInt(text.slice(2 * index, 2 * index + 2), 16)
  }
  return bytes
}

export function base64(bytes: Uint8Array): string {
  return btoa(fromLatin1(bytes))
}

/** Decodes base64 or base64url, with or without padding. Returns `undefined` for any other text. */
export function fromBase64(text: string): Uint8Array | undefined {
  const [, digits = ''] = /^([A-Za-z0-9+/_-]{2,})={0,2}$/.exec(text) ?? []
  if (digits === '' || digits.length % 4 === 1) return undefined
  return latin1(atob(digits.replaceAll('-', '+').replaceAll('_', '/')))
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let length = 0
  for (const part of parts) {
    whole.set(part, length)
    length += part.length
  }
  return whole
}

/** Returns text with CRLF for each line break. For a million line breaks, a regular expression takes five times as long. */
export function withCrlf(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\n').join('\r\n')
}

/** Removes the line breaks and NULs from the bytes of a file, as `curl -d @file` does. */
export function withoutLineBreaks(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0)
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false
  return true
}
