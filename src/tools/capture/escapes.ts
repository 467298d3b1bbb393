import { fromLatin1, latin1, utf8 } from '../bytes.js'

const SHORT: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', e: '\x1b', v: '\v' }

const asUtf8 = (text: string) => fromLatin1(utf8(text))
const fromDigits = (digits: string) => String.fromCharCode(Number.parseInt(digits, 16))

/**
 * Decodes the escapes of JSON, Python, Ruby, PHP, Go and nginx, such as `\n`, `\"`, `\x22` and `\u00eb`. Each `\x` is one byte,
 * and other characters are written as UTF-8.
 */
export function decodeEscapes(text: string): Uint8Array {
  return latin1(
    text.replace(
      /((?:\\u[0-9a-f]{4})+)|\\x([0-9a-f]{2})|\\([\s\S])|[^\0-\x7f]+/gi,
      (piece, units?: string, byte?: string, other?: string) => {
        // Two halves of a pair are one character, so units that follow each other are decoded together.
        if (units !== undefined) return asUtf8(units.replace(/\\u(.{4})/g, (_, digits) => fromDigits(digits)))
        if (byte !== undefined) return fromDigits(byte)
        return other === undefined ? asUtf8(piece) : (SHORT[other] ?? asUtf8(other))
      },
    ),
  )
}

const ENTITIES: { readonly [name: string]: string } = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', nbsp: ' ' }

/** Decodes the entities of HTML in text that is read as Latin-1. */
export function decodeHtml(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]{2,4}));/gi, (entity, decimal, digits, name) => {
    if (name !== undefined) return ENTITIES[name] ?? entity
    const code = decimal === undefined ? Number.parseInt(digits, 16) : Number(decimal)
    return asUtf8(String.fromCodePoint(code))
  })
}

/** Decodes quoted-printable, which mail programs write. Returns `undefined` for other text. */
export function decodeQuotedPrintable(text: string): string | undefined {
  // Every equals sign in it begins an escape or ends a line.
  if (!/=\r?\n/.test(text) || /=(?![0-9A-F]{2}|\r?\n)/.test(text)) return undefined
  return text.replace(/=\r?\n|=([0-9A-F]{2})/g, (_, digits?: string) =>
    digits === undefined ? '' : fromDigits(digits),
  )
}
