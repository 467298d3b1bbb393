import {
  areEqual, base64, concat, fromBase64, fromHex, fromLatin1, fromUtf8, fromWindows1252, hex, isAscii, isUtf8, latin1, utf8, utf16, windows1252, withoutLineBreaks,
} from '../bytes.js'
import * as forms from './body-formats.js'
import type { Bytes, CompressionFormat, HashAlgorithm, Hypothesis, Likelihood } from './hypothesis.js'

// Mistakes in the body, in three steps:
// - sources: the body was received in another form than it was signed.
// - changes: the body was signed in another form than it was sent.
// - endings: the end of the body was lost or added.
// JSON that was serialized twice comes between sources and changes: see json.ts.

type BodyHypothesis = Hypothesis<Uint8Array, Bytes>

/** The most bytes that a compressed body may inflate to. */
const MAX_INFLATED = 2 ** 24

/** A change of text. Bytes that are not UTF-8 are read as Latin-1, which loses nothing. */
const text = (change: (body: string) => string | undefined) => (body: Uint8Array): Uint8Array | undefined => {
  const isText = isUtf8(body)
  const changed = change(isText ? fromUtf8(body) : fromLatin1(body))
  return changed === undefined ? undefined : isText ? utf8(changed) : latin1(changed)
}
/** Another encoding of characters; ASCII is the same in all of them. */
const beyondAscii = (change: (body: Uint8Array) => Bytes | undefined) => (body: Uint8Array) => (isAscii(body) ? undefined : change(body))
const ifUtf8 = (expected: boolean, bytes: Uint8Array | undefined) => (bytes !== undefined && isUtf8(bytes) === expected ? bytes : undefined)
const toLatin1 = (body: string) => (/^[\0-\xff]*$/.test(body) ? latin1(body) : undefined)

const inflated = (format: CompressionFormat, likelihood: Likelihood): BodyHypothesis => ({
  likelihood, code: 'body_compressed', fix: 'sign_compressed',
  what: `the body inflated (it arrived as ${format})`,
  apply: (body, { primitives }) => primitives.inflate(format, body, MAX_INFLATED),
})
const hashed = (
  likelihood: Likelihood, algorithm: HashAlgorithm, name: string, how: string, write: (digest: Uint8Array) => Bytes,
): BodyHypothesis => ({
  likelihood, code: 'body_hashed', fix: 'sign_body_not_hash', what: `the ${name} of the body, ${how}`,
  apply: (body, { primitives }) => { const digest = primitives.hash(algorithm, [body]); return digest && write(digest) },
})
/** Texts that were signed instead of the body. */
const constants = (likelihood: Likelihood, texts: readonly string[]): BodyHypothesis[] =>
  texts.map((one) => ({
    likelihood, code: 'body_not_signed', fix: 'sign_body', apply: () => one,
    what: `${one === '' ? 'nothing' : `the text \`${one}\``} in the place of the body`,
  }))
const encoding = { code: 'body_encoding', fix: 'encode_once' } as const
const newline = { code: 'body_newline', fix: 'keep_newlines' } as const
const asSent = { code: 'body_wrapped', fix: 'sign_as_sent' } as const
const oneFormat = { code: 'body_wrapped', fix: 'one_format' } as const
const inEnvelope = { code: 'body_wrapped', fix: 'sign_envelope' } as const
const twice = { code: 'body_wrapped', fix: 'serialize_once' } as const
const recased = { code: 'body_json', fix: 'same_options' } as const
const changed = { code: 'body_changed', fix: 'same_bytes' } as const

/** The sender signed the body that it has, and sent another one. */
export const originalHypotheses = (original: Uint8Array): readonly BodyHypothesis[] => [
  { ...newline, likelihood: 'common', what: "the whole file, from which curl's -d removed the line breaks",
    apply: (body) => (areEqual(withoutLineBreaks(original), body) ? original : undefined) },
  { ...changed, likelihood: 'common', what: 'the original body', apply: () => original },
]

/** The body was received in another form than it was signed. */
export const BODY_SOURCES: readonly BodyHypothesis[] = [
  { ...twice, likelihood: 'common', what: 'the text inside the JSON string received', apply: text(forms.stringInside) },
  inflated('gzip', 'common'),
  inflated('deflate', 'common'),
  inflated('brotli', 'uncommon'),
  { ...encoding, likelihood: 'common', what: 'the body in UTF-8, which arrived in Latin-1 or Windows-1252',
    apply: beyondAscii((body) => ifUtf8(false, body) && fromWindows1252(body)) },
  { ...encoding, likelihood: 'common', what: 'the body in UTF-8, which arrived encoded twice (é as Ã©)',
    apply: beyondAscii((body) => ifUtf8(true, toLatin1(fromUtf8(body)))) },
  { ...encoding, likelihood: 'rare', what: 'the body with the byte {} wherever U+FFFD was received',
    apply: (body) => ({ variants: forms.restoredBytes(body) }) },
  { ...encoding, likelihood: 'common', what: 'the body without its byte order mark',
    apply: text((body) => (body.startsWith('\ufeff') ? body.slice(1) : undefined)) },

  { ...asSent, likelihood: 'uncommon', what: 'the body decoded from base64', apply: (body) => fromBase64(fromLatin1(body).trim()) },
  { ...asSent, likelihood: 'uncommon', what: 'the body decoded from hex', apply: (body) => fromHex(fromLatin1(body)) },
  { ...asSent, likelihood: 'uncommon', what: 'the body decoded from the base64 in the JSON string received',
    apply: (body) => { const inside = forms.stringInside(fromLatin1(body)); return inside === undefined ? undefined : fromBase64(inside) } },
  { ...inEnvelope, likelihood: 'uncommon', what: 'the {} in the body received', apply: (body) => ({ variants: forms.jsonParts(fromUtf8(body)) }) },
  { likelihood: 'uncommon', code: 'body_wrapped', fix: 'sign_multipart', what: 'the content of {} of the multipart body',
    apply: (body) => ({ variants: forms.multipartParts(fromLatin1(body)) }) },

  { ...oneFormat, likelihood: 'uncommon', what: 'the fields of the form as JSON', apply: text((body) => forms.formAsJson(body, JSON.stringify)) },
  { ...oneFormat, likelihood: 'uncommon', what: 'the fields of the form as JSON, with its numbers and words',
    apply: text((body) => forms.formAsJson(body, forms.literalOrString)) },
  { ...oneFormat, likelihood: 'uncommon', what: 'the form encoded again, with a space as `%20`',
    apply: text((body) => forms.encodeFormAgain(body, forms.percentEncode)) },
  { ...oneFormat, likelihood: 'uncommon', what: 'the members of the JSON as a form', apply: text((body) => forms.jsonAsForm(body, forms.jsonWord)) },
  { ...oneFormat, likelihood: 'uncommon', what: "the members of the JSON as PHP's http_build_query writes them",
    apply: text((body) => forms.jsonAsForm(body, forms.phpWord)) },
  { ...oneFormat, likelihood: 'uncommon', what: "the members of the JSON as Python's urlencode writes them",
    apply: text((body) => forms.jsonAsForm(body, forms.pythonWord)) },

  { ...recased, likelihood: 'uncommon', what: 'the JSON with an empty array for each empty object, as PHP keeps it',
    apply: text((body) => forms.withEmpty(body, ['[]', '[]'])) },
  { likelihood: 'rare', code: 'body_json', fix: 'serialize_once', what: 'the JSON with {}, of which a parser kept less',
    apply: (body) => ({ variants: forms.restoredFloats(fromUtf8(body)) }) },
  { ...newline, likelihood: 'common', what: "the body with its line breaks, which curl's -d removes from a file",
    apply: text(forms.restoreLineBreaks) },
]

/** The body was signed in another form than it was sent. */
export const BODY_CHANGES: readonly BodyHypothesis[] = [
  { ...newline, likelihood: 'common', what: 'the body with CRLF line breaks instead of LF', apply: text((body) => body.replace(/\r?\n/g, '\r\n')) },
  { ...newline, likelihood: 'common', what: 'the body with LF line breaks instead of CRLF', apply: text((body) => body.replaceAll('\r\n', '\n')) },
  { ...newline, likelihood: 'uncommon', what: 'the body without its line breaks', apply: text((body) => body.replace(/[\r\n]/g, '')) },
  { ...newline, likelihood: 'uncommon', what: 'the body without the white space around it', apply: text((body) => body.trim()) },
  { ...newline, likelihood: 'uncommon', what: 'the body as the `echo` of sh prints it, with its escapes (`\\n`) expanded and a line feed (LF) after it',
    apply: text((body) => forms.expandEscapes(body, '\n')) },
  { ...newline, likelihood: 'uncommon', what: 'the body with its escapes (`\\n`) expanded, as a shell does',
    apply: text((body) => forms.expandEscapes(body, '')) },

  { ...encoding, likelihood: 'common', what: 'the body with a byte order mark before it', apply: (body) => concat(utf8('\ufeff'), body) },
  { ...encoding, likelihood: 'common', what: 'the body in Latin-1 or Windows-1252 instead of UTF-8',
    apply: beyondAscii((body) => ifUtf8(false, windows1252(fromUtf8(body)))) },
  { ...encoding, likelihood: 'uncommon', what: 'the body in UTF-8 twice (é as Ã©)',
    apply: beyondAscii((body) => ifUtf8(true, body) && fromLatin1(body)) },
  { ...encoding, likelihood: 'common', what: 'the body decoded to text, with U+FFFD for what is not UTF-8', apply: beyondAscii(fromUtf8) },
  { ...encoding, likelihood: 'uncommon', what: 'the body in ASCII, with `?` for everything else',
    apply: beyondAscii((body) => fromUtf8(body).replace(/[^\0-\x7f]/gu, '?')) },
  { ...encoding, likelihood: 'rare', what: 'the body in Latin-1, with `?` for everything else',
    apply: beyondAscii((body) => latin1(fromUtf8(body).replace(/[^\0-\xff]/gu, '?'))) },
  { ...encoding, likelihood: 'uncommon', what: 'the body in Unicode normalization form C',
    apply: beyondAscii((body) => fromUtf8(body).normalize('NFC')) },
  { ...encoding, likelihood: 'uncommon', what: 'the body in Unicode normalization form D',
    apply: beyondAscii((body) => fromUtf8(body).normalize('NFD')) },
  { ...encoding, likelihood: 'uncommon', what: 'the body in UTF-16 (little-endian)', apply: (body) => utf16(fromUtf8(body), 'little-endian') },
  { ...encoding, likelihood: 'rare', what: 'the body in UTF-16 (little-endian) after a byte order mark',
    apply: (body) => utf16(`\ufeff${fromUtf8(body)}`, 'little-endian') },

  { ...twice, likelihood: 'common', what: 'the body as a JSON string, serialized twice', apply: text((body) => JSON.stringify(body)) },
  { ...asSent, likelihood: 'uncommon', what: 'the body in base64', apply: base64 },
  { ...asSent, likelihood: 'rare', what: 'the body in base64 as a JSON string', apply: (body) => `"${base64(body)}"` },
  { ...asSent, likelihood: 'uncommon', what: 'the body in hex', apply: hex },
  { ...asSent, likelihood: 'uncommon', what: "the body as Python prints bytes, `b'…'`", apply: forms.pythonBytes },
  { ...asSent, likelihood: 'rare', what: 'the bytes of the body as decimal numbers, as Go prints bytes', apply: (body) => `[${body.join(' ')}]` },
  { ...asSent, likelihood: 'rare', what: 'the body percent-encoded', apply: text((body) => encodeURIComponent(body.toWellFormed())) },
  { ...asSent, likelihood: 'rare', what: "the body percent-encoded except `/`, as Python's quote does",
    apply: text((body) => forms.percentEncode(body).replaceAll('%2F', '/')) },
  ...[':', ': '].map((colon): BodyHypothesis => ({
    ...inEnvelope, likelihood: 'uncommon', what: `the body as \`{"data"${colon}…}\``, apply: text((body) => `{"data"${colon}${body}}`),
  })),

  hashed('uncommon', 'sha256', 'SHA-256', 'in hex', hex),
  hashed('rare', 'md5', 'MD5', 'in base64', base64),

  { ...changed, likelihood: 'rare', what: "the body escaped as HTML, as PHP's htmlspecialchars does",
    apply: text((body) => forms.htmlEscape(body, '&quot;', '&#039;')) },
  { ...changed, likelihood: 'rare', what: "the body escaped as HTML, as Python's html.escape does",
    apply: text((body) => forms.htmlEscape(body, '&quot;', '&#x27;')) },
  { ...changed, likelihood: 'rare', what: 'the body without its quotes', apply: text((body) => body.replaceAll('"', '')) },

  ...constants('common', ['']),
  ...constants('uncommon', ['[object Object]', 'undefined', 'null', '{}', 'None']),
  ...constants('rare', ['Array']),
]

/** Bytes that were added or lost at the end of the body. */
export const BODY_ENDINGS: readonly BodyHypothesis[] = [
  { ...newline, likelihood: 'common', what: 'the body with a line feed (LF) after it', apply: (body) => concat(body, utf8('\n')) },
  { ...newline, likelihood: 'common', what: 'the body without the line break at its end', apply: text((body) => body.replace(/\r?\n$/, '')) },
  { ...newline, likelihood: 'uncommon', what: 'the body with a CRLF (carriage return and line feed) after it', apply: (body) => concat(body, utf8('\r\n')) },
  { ...newline, likelihood: 'rare', what: 'the body with a carriage return (CR) after it', apply: (body) => concat(body, utf8('\r')) },
  { ...newline, likelihood: 'rare', what: 'the body with a space after it', apply: (body) => concat(body, utf8(' ')) },
]
