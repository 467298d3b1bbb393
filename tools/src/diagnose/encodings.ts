import {
  base64,
  fromBase64,
  fromHex,
  fromLatin1,
  fromUtf8,
  fromWindows1252,
  hex,
  isAscii,
  isUtf8,
  latin1,
  utf8,
  utf16,
  WINDOWS_1252,
  windows1252,
} from '../bytes.js'
import { decodeEscapes } from '../capture/escapes.js'
import * as forms from './hypotheses/body-formats.js'
import type { Bytes, Likelihood } from './hypotheses/hypothesis.js'
import * as styles from './json/styles.js'

// This file lists the encodings that senders and proxies apply to a body, a secret or a digest by mistake. There is one list for all of
// these values, so that an encoding that is known for one value is known for all.

/** What an encoding does. Each value has its own code and fix for each kind. */
export type EncodingKind = 'encoded' | 'escaped' | 'printed' | 'serialized' | 'charset' | 'normalized'

export interface Encoding {
  readonly kind: EncodingKind
  readonly likelihood: Likelihood
  /** The name, for messages such as `the body in base64` and `the body decoded from base64`. */
  readonly name: string
  /** Returns the encoded bytes as different programs write them, such as with and without padding. */
  readonly encode: (bytes: Uint8Array) => Iterable<Bytes>
  /** Returns the decoded bytes, or `undefined` if `bytes` are not in this encoding. */
  readonly decode?: ((bytes: Uint8Array) => Bytes | undefined) | undefined
}

/** The maximum length of a text that is changed, in bytes. With this limit, each change takes less than 100 ms, even if it replaces every character. */
export const MAX_TEXT = 2 ** 16

/** Returns whether an encoding is tried on a value of this length. Gateways send a body of any length in base64. */
export const isTriedOn = ({ name }: Encoding, length: number) => length <= MAX_TEXT || name === 'base64'

const rows =
  (kind: EncodingKind, likelihood: Likelihood = 'last') =>
  (name: string, encode: Encoding['encode'], decode?: Encoding['decode']): Encoding => ({
    ...{ kind, likelihood, name, encode, decode },
  })
const encoded = rows('encoded')
const commonly = rows('encoded', 'uncommon')
const escaped = rows('escaped')
const printed = rows('printed', 'rare')
const charset = rows('charset', 'rare')

/** Returns a function that changes text. Bytes that are not UTF-8 are decoded as Latin-1, and the result is encoded as Latin-1 again. */
export const inText =
  (change: TextChange) =>
  (bytes: Uint8Array): Bytes | undefined => {
    if (bytes.length > MAX_TEXT) return undefined
    if (isUtf8(bytes)) return change(fromUtf8(bytes))
    const changed = change(fromLatin1(bytes))
    return changed === undefined ? undefined : latin1(changed)
  }
type TextChange = (text: string) => string | undefined
const each = (changes: readonly TextChange[]) =>
  function* (bytes: Uint8Array): Iterable<Bytes> {
    for (const change of changes) {
      const changed = inText(change)(bytes)
      if (changed !== undefined) yield changed
    }
  }
/** Returns a function that decodes ASCII text that has this form, without the white space around it. */
const ascii = (form: RegExp, decode: (text: string) => Bytes | undefined) => (bytes: Uint8Array) => {
  const text = fromLatin1(bytes).trim()
  return form.test(text) ? decode(text) : undefined
}

const withoutPadding = (text: string) => text.replace(/=+$/, '')
const inUrlDigits = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')

/** Writes lines as MIME, Python and PHP (76 characters), OpenSSL (64) and Ruby (60) do. */
const inLines = (text: string) =>
  [76, 64, 60].flatMap((width) =>
    ['\r\n', '\n'].flatMap((end) => {
      const lines = text.replace(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${end}`)
      return [lines + end, lines]
    }),
  )

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = bits.replace(/.{1,5}/g, (five) => BASE32.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
  return digits.padEnd(Math.ceil(digits.length / 8) * 8, '=')
}
function fromBase32(text: string): Uint8Array {
  const digits = withoutPadding(text).toUpperCase()
  const bits = digits.replace(/./g, (digit) => BASE32.indexOf(digit).toString(2).padStart(5, '0'))
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

/** Writes numbers as JavaScript, Java, Python and Go print them, and as the JSON of a Node Buffer and of a Uint8Array. */
const lists = (numbers: readonly number[]) => [
  ...[',', ', ', ' '].flatMap((separator) => [numbers.join(separator), `[${numbers.join(separator)}]`]),
  `{"type":"Buffer","data":[${numbers}]}`,
  `{${numbers.map((number, index) => `"${index}":${number}`)}}`,
]
const LIST =
  /^(?:\{"type":"Buffer","data":)?[[{]?\s*(?:"0":)?-?\d{1,3}(?:(?:, ?| +)(?:"\d+":)?-?\d{1,3})+\s*[\]}]{0,2}$/
const fromList = (text: string) => Uint8Array.from(text.replace(/"\d+":/g, '').match(/-?\d+/g) ?? [], Number)

const SEPARATED =
  /^[[{]?(?:0x|\\x|%)?[\da-f]{2}(?:(?:, ?|[\s:-])(?:0x)?[\da-f]{2}|(?:\\x|%)[\da-f]{2})+[\]}]?$|^[\da-f]{4,60}(?:[:-][\da-f]{4,60})+$/i
function* separated(digits: string): Iterable<string> {
  for (const separator of [':', ' ', '-', ',', ', 0x', ',0x', '\\x', '%']) {
    yield separator.replace(/^(?:, ?|[ :-])/, '') + digits.replace(/..(?=.)/g, `$&${separator}`)
  }
}

/** How programs write `"` and `'` in HTML: Python, PHP, JavaScript, Go, and programs that escape only some characters. */
const QUOTES = ['&quot; &#x27;', '&quot; &#39;', '&quot; &#039;', '&quot; &apos;', "&quot; '", '&#34; &#39;', '" \'']
const ENTITIES: { readonly [name: string]: string } = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&', nbsp: '\xa0' }
const escapeHtml = (quotes: string) => (text: string) => {
  const [double = '', single = ''] = quotes.split(' ')
  const entities: { readonly [character: string]: string } = {
    ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
    ...{ '"': double, "'": single },
  }
  return text.replace(/[&<>"']/g, (character) => String(entities[character]))
}
export const fromHtml = inText((text) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (entity, decimal, digits, name) => {
    const code = Number(decimal ?? `0x${digits}`)
    return ENTITIES[name] ?? (code < 0x110000 ? String.fromCodePoint(code) : entity)
  }),
)

const escapeControls = (text: string) => text.replace(/[\n\r\t]/g, (control) => JSON.stringify(control).slice(1, -1))
/** How JavaScript, Python, PHP, Go, .NET, Gson and Symfony escape a string. */
const STRINGS = [
  ...[styles.rawString, styles.asciiString, styles.phpUnicodeString, styles.phpString],
  ...[styles.htmlString, styles.dotnetString, styles.gsonString, styles.symfonyString],
]

/** Writes a mark for each character that a charset does not have: one per character, per UTF-16 unit or per byte, or none. */
const lossy = (characters: string, encode: (text: string) => Bytes | undefined) => (bytes: Uint8Array) => {
  const text = isUtf8(bytes) && !isAscii(bytes) ? fromUtf8(bytes) : ''
  const [units, others] = ['g', 'gu'].map((flags) => new RegExp(`[^${characters}]`, flags)) as [RegExp, RegExp]
  const perByte = text.replace(others, (one) => '?'.repeat(utf8(one).length))
  const marked = [text.replace(others, '?'), text.replace(units, '?'), perByte, text.replace(others, '')]
  return marked.flatMap((one) => (one === text ? [] : (encode(one) ?? [])))
}
const utf16In = (order: 'little-endian' | 'big-endian', likelihood: Likelihood) =>
  rows('charset', likelihood)(
    `UTF-16 (${order})`,
    (bytes) => ['', '\ufeff'].map((mark) => utf16(mark + fromUtf8(bytes), order)),
    (bytes) =>
      bytes.length % 2 === 0 && bytes[order === 'big-endian' ? 2 : 3] === 0
        ? new TextDecoder(order === 'big-endian' ? 'utf-16be' : 'utf-16le').decode(bytes)
        : undefined,
  )

const PERCENT = [
  ...[forms.percentEncode, encodeURIComponent, encodeURI, forms.formEncode],
  (text: string) => forms.percentEncode(text).replaceAll('%2F', '/'),
  (text: string) => forms.percentEncode(text).replace(/%../g, (byte) => byte.toLowerCase()),
].map((encode) => (text: string) => encode(text.toWellFormed()))
function fromPercent(text: string): string | undefined {
  if (!/%[\da-f]{2}/i.test(text)) return undefined
  return forms.percentDecode(text.includes('%20') ? text : text.replaceAll('+', ' '))
}

export const ENCODINGS: readonly Encoding[] = [
  rows('serialized', 'common')('a JSON string', each([JSON.stringify]), inText(forms.stringInside)),
  commonly('base64', (bytes) => [base64(bytes)], ascii(/^/, fromBase64)),
  encoded('base64url', (bytes) => [base64(bytes), withoutPadding(base64(bytes))].map(inUrlDigits)),
  encoded('base64 without its padding', (bytes) => [withoutPadding(base64(bytes))]),
  encoded(
    'base64 with newlines',
    (bytes) => inLines(base64(bytes)),
    ascii(/\s/, (text) => fromBase64(text.replace(/\s+/g, ''))),
  ),
  encoded(
    'base32',
    (bytes) => [base32(bytes), withoutPadding(base32(bytes))].flatMap((text) => [text, text.toLowerCase()]),
    ascii(/^[A-Z2-7]{2,}=*$/i, fromBase32),
  ),
  commonly('hex', (bytes) => [hex(bytes)], ascii(/^/, fromHex)),
  encoded('uppercase hex', (bytes) => [hex(bytes).toUpperCase()]),
  encoded(
    'hex with separators',
    function* (bytes) {
      yield* separated(hex(bytes))
      yield* separated(hex(bytes).toUpperCase())
    },
    ascii(SEPARATED, (text) => fromHex(text.replace(/0x|[^\da-f]/gi, ''))),
  ),
  printed('decimal numbers', (bytes) => lists([...bytes]), ascii(LIST, fromList)),
  printed('signed decimal numbers', (bytes) => lists([...new Int8Array(bytes)])),
  rows('printed', 'uncommon')(
    "Python's bytes, `b'…'`",
    (bytes) => [forms.pythonBytes(bytes), `b'${fromLatin1(bytes)}'`],
    inText((text) => /^b(["'])([^\\]*)\1$/s.exec(text)?.[2]),
  ),
  printed("quotes, as Ruby's inspect prints text", each([styles.rubyString])),
  rows('escaped', 'uncommon')('percent-encoding', each(PERCENT), inText(fromPercent)),
  escaped('HTML entities', each(QUOTES.map(escapeHtml)), fromHtml),
  escaped(
    'escapes such as `\\n`',
    each([escapeControls, ...STRINGS.map((write) => (text: string) => write(text).slice(1, -1))]),
    (bytes) => (isUtf8(bytes) ? decodeEscapes(fromUtf8(bytes)) : undefined),
  ),
  rows('charset', 'uncommon')('UTF-8 twice (é as Ã©)', function* (bytes) {
    if (isAscii(bytes) || !isUtf8(bytes)) return
    yield fromLatin1(bytes)
    yield fromWindows1252(bytes)
    yield fromLatin1(utf8(fromLatin1(bytes)))
  }),
  utf16In('little-endian', 'uncommon'),
  utf16In('big-endian', 'last'),
  charset('Windows-1252, with `?` for other characters', lossy(`\\0-\\x7f\\xa0-\\xff${WINDOWS_1252}`, windows1252)),
  charset('Latin-1, with `?` for other characters', lossy('\\0-\\xff', latin1)),
  charset('ASCII, with `?` for other characters', lossy('\\0-\\x7f', latin1)),
  ...(['NFC', 'NFD', 'NFKC', 'NFKD'] as const).map((form) =>
    rows('normalized', 'uncommon')(`the Unicode normalization form ${form}`, each([(text) => text.normalize(form)])),
  ),
]
