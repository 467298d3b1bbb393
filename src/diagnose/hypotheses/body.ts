import {
  base64, concat, fromBase64, fromHex, fromLatin1, fromUtf8, fromWindows1252, hex, isAscii, isUtf8, latin1, utf8, utf16, windows1252,
} from '../bytes.js'
import * as forms from './body-formats.js'
import type { Bytes, CompressionFormat, HashAlgorithm, Hypothesis, Likelihood } from './hypothesis.js'

// Mistakes in the body, in three steps:
// - sources: the body was received in another form than it was signed.
// - changes: the body was signed in another form than it was sent.
// - endings: the end of the body was lost or added.
// Between sources and changes, JSON may have been written twice: see json.ts.

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

const inflated = (format: CompressionFormat, likelihood: Likelihood, example: BodyHypothesis['example']): BodyHypothesis => ({
  id: `body_inflated_${format}`, likelihood, code: 'body_compressed', fix: 'sign_compressed',
  what: `the body inflated (it arrived as ${format})`,
  apply: (body, { primitives }) => primitives.inflate(format, body, MAX_INFLATED), example })
const hashed = (
  likelihood: Likelihood, algorithm: HashAlgorithm, name: string, how: string, write: (digest: Uint8Array) => Bytes, output: string,
): BodyHypothesis => ({
  id: `body_${algorithm}_${how}`, likelihood, code: 'body_hashed', fix: 'sign_body_not_hash', what: `the ${name} of the body, ${how}`,
  apply: (body, { primitives }) => { const digest = primitives.hash(algorithm, [body]); return digest && write(digest) },
  example: ['{"a":1}', output] })
const envelope = (name: string): BodyHypothesis[] =>
  [':', ': '].map((colon) => ({
    id: `body_in_${name}${colon}`, likelihood: 'uncommon', ...inEnvelope, what: `an object with the body as its member \`${name}\``,
    apply: text((body) => `{"${name}"${colon}${body}}`), example: ['[1]', `{"${name}"${colon}[1]}`] }))
/** What was signed whatever the body is. */
const constants = (likelihood: Likelihood, texts: readonly (string | readonly [signed: string, what: string])[]): BodyHypothesis[] =>
  texts.map((one) => {
    const [signed, what] = typeof one === 'string' ? [one, `the text \`${one}\``] : one
    return { id: `body_is_${signed}`, likelihood, code: 'body_not_signed', fix: 'sign_body', what: `${what} in the place of the body`,
      apply: () => signed, example: ['{"a":1}', signed] }
  })
const encoding = { code: 'body_encoding', fix: 'encode_once' } as const
const newline = { code: 'body_newline', fix: 'keep_newlines' } as const
const asSent = { code: 'body_wrapped', fix: 'sign_as_sent' } as const
const oneFormat = { code: 'body_wrapped', fix: 'one_format' } as const
const inEnvelope = { code: 'body_wrapped', fix: 'sign_envelope' } as const
const twice = { code: 'body_wrapped', fix: 'serialize_once' } as const
const recased = { code: 'body_json', fix: 'same_options' } as const
const changed = { code: 'body_changed', fix: 'same_bytes' } as const

/** The body was received in another form than it was signed. */
export const BODY_SOURCES: readonly BodyHypothesis[] = [
  { ...twice, id: 'body_from_json_string', likelihood: 'common',
    what: 'the text inside the JSON string received', apply: text(forms.stringInside), example: ['"{\\"a\\":1}"', '{"a":1}'] },
  inflated('gzip', 'common', ['hex:1f8b0800000000000003ab564a54b232ac0500afac1b5607000000', '{"a":1}']),
  inflated('deflate', 'common', ['hex:789cab564a54b232ac0500082a0209', '{"a":1}']),
  inflated('brotli', 'uncommon', ['hex:0b03807b2261223a317d03', '{"a":1}']),
  inflated('raw deflate', 'uncommon', ['hex:ab564a54b232ac0500', '{"a":1}']),
  { ...encoding, id: 'body_from_windows_1252', likelihood: 'common', what: 'the body in UTF-8, which arrived in Latin-1 or Windows-1252',
    apply: beyondAscii((body) => ifUtf8(false, body) && fromWindows1252(body)), example: ['hex:3580', '5€'] },
  { ...encoding, id: 'body_from_double_utf8', likelihood: 'common', what: 'the body in UTF-8, which arrived encoded twice (é as Ã©)',
    apply: beyondAscii((body) => ifUtf8(true, toLatin1(fromUtf8(body)))), example: ['ZoÃ«', 'Zoë'] },
  { ...encoding, id: 'body_restored', likelihood: 'rare', what: 'the body with the byte {} wherever U+FFFD was received',
    apply: (body) => ({ variants: forms.restoredBytes(body) }), example: ['Zo\ufffd', 'hex:5a6feb'] },
  { ...encoding, id: 'body_without_bom', likelihood: 'common', what: 'the body without its byte order mark',
    apply: text((body) => (body.startsWith('\ufeff') ? body.slice(1) : undefined)), example: ['\ufeff{}', '{}'] },

  { ...asSent, id: 'body_from_base64', likelihood: 'uncommon', what: 'the body decoded from base64',
    apply: (body) => fromBase64(fromLatin1(body).trim()), example: ['eyJhIjoxfQ==\n', '{"a":1}'] },
  { ...asSent, id: 'body_from_hex', likelihood: 'uncommon', what: 'the body decoded from hex', apply: (body) => fromHex(fromLatin1(body)), example: ['7b7D', '{}'] },
  { ...asSent, id: 'body_from_base64_string', likelihood: 'uncommon', what: 'the body decoded from the base64 in the JSON string received',
    apply: (body) => { const inside = forms.stringInside(fromLatin1(body)); return inside === undefined ? undefined : fromBase64(inside) }, example: ['"eyJhIjoxfQ=="', '{"a":1}'] },
  { ...inEnvelope, id: 'body_part', likelihood: 'uncommon', what: 'the {} in the body received',
    apply: (body) => ({ variants: forms.jsonParts(fromUtf8(body)) }), example: ['{"id":7,"data":{"a": 1}}', '{"a": 1}'] },
  { id: 'body_multipart', likelihood: 'uncommon', code: 'body_wrapped', fix: 'sign_multipart', what: 'the content of {} of the multipart body',
    apply: (body) => ({ variants: forms.multipartParts(fromLatin1(body)) }),
    example: ['--x\r\nContent-Type: text/plain\r\n\r\nabc\r\n--x--\r\n', 'abc'] },

  { ...oneFormat, id: 'form_as_json', likelihood: 'uncommon', what: 'the fields of the form as JSON',
    apply: text((body) => forms.formAsJson(body, JSON.stringify)), example: ['a=1&b=x+y', '{"a":"1","b":"x y"}'] },
  { ...oneFormat, id: 'form_as_json_literals', likelihood: 'uncommon', what: 'the fields of the form as JSON, with its numbers and words',
    apply: text((body) => forms.formAsJson(body, forms.literalOrString)), example: ['a=1&b=True&c=x', '{"a":1,"b":true,"c":"x"}'] },
  { ...oneFormat, id: 'form_percent20', likelihood: 'uncommon', what: 'the form encoded again, with a space as `%20`',
    apply: text((body) => forms.encodeFormAgain(body, forms.percentEncode)), example: ['a=x+y', 'a=x%20y'] },
  { ...oneFormat, id: 'json_as_form', likelihood: 'uncommon', what: 'the members of the JSON as a form',
    apply: text((body) => forms.jsonAsForm(body, forms.jsonWord)), example: ['{"a":{"b":true},"c":null}', 'a%5Bb%5D=true&c='] },
  { ...oneFormat, id: 'json_as_form_php', likelihood: 'uncommon', what: "the members of the JSON as PHP's http_build_query writes them",
    apply: text((body) => forms.jsonAsForm(body, forms.phpWord)), example: ['{"a":true,"b":false,"c":null}', 'a=1&b=0'] },
  { ...oneFormat, id: 'json_as_form_python', likelihood: 'uncommon', what: "the members of the JSON as Python's urlencode writes them",
    apply: text((body) => forms.jsonAsForm(body, forms.pythonWord)), example: ['{"a":true,"c":null}', 'a=True&c=None'] },

  { ...recased, id: 'json_empty_arrays', likelihood: 'uncommon', what: 'the JSON with an empty array for each empty object, as PHP keeps it',
    apply: text((body) => forms.withEmpty(body, ['[]', '[]'])), example: ['{"a":{}}', '{"a":[]}'] },
  { id: 'json_float', likelihood: 'rare', code: 'body_json', fix: 'serialize_once', what: 'the JSON with {}, of which a parser kept less',
    apply: (body) => ({ variants: forms.restoredFloats(fromUtf8(body)) }), example: ['{"a":100}', '{"a":100.0}'] },
  { ...newline, id: 'json_restored_lines', likelihood: 'common', what: "the body with its line breaks, which curl's -d removes from a file",
    apply: text(forms.restoreLineBreaks), example: ['{  "a": 1}', '{\n  "a": 1\n}'] },
]

/** The body was signed in another form than it was sent. */
export const BODY_CHANGES: readonly BodyHypothesis[] = [
  { ...newline, id: 'body_crlf', likelihood: 'common', what: 'the body with CRLF line breaks instead of LF',
    apply: text((body) => body.replace(/\r?\n/g, '\r\n')), example: ['a\nb', 'a\r\nb'] },
  { ...newline, id: 'body_lf', likelihood: 'common', what: 'the body with LF line breaks instead of CRLF',
    apply: text((body) => body.replaceAll('\r\n', '\n')), example: ['a\r\nb', 'a\nb'] },
  { ...newline, id: 'body_without_lines', likelihood: 'uncommon', what: 'the body without its line breaks',
    apply: text((body) => body.replace(/[\r\n]+/g, '')), example: ['a\r\nb\n', 'ab'] },
  { ...newline, id: 'body_trimmed', likelihood: 'uncommon', what: 'the body without the white space around it', apply: text((body) => body.trim()), example: [' a b\n', 'a b'] },
  { ...newline, id: 'body_echo', likelihood: 'uncommon', what: 'the body as the `echo` of sh prints it, with its escapes (`\\n`) expanded and a line feed (LF) after it',
    apply: text((body) => forms.expandEscapes(body, '\n')), example: ['a\\nb', 'a\nb\n'] },
  { ...newline, id: 'body_printf', likelihood: 'uncommon', what: 'the body with its escapes (`\\n`) expanded, as a shell does',
    apply: text((body) => forms.expandEscapes(body, '')), example: ['a\\nb', 'a\nb'] },

  { ...encoding, id: 'body_bom', likelihood: 'common', what: 'the body with a byte order mark before it', apply: (body) => concat(utf8('\ufeff'), body), example: ['{}', '\ufeff{}'] },
  { ...encoding, id: 'body_latin1', likelihood: 'common', what: 'the body in Latin-1 instead of UTF-8',
    apply: beyondAscii((body) => ifUtf8(false, toLatin1(fromUtf8(body)))), example: ['Zoë', 'hex:5a6feb'] },
  { ...encoding, id: 'body_windows_1252', likelihood: 'uncommon', what: 'the body in Windows-1252 instead of UTF-8',
    apply: beyondAscii((body) => ifUtf8(false, windows1252(fromUtf8(body)))), example: ['5€', 'hex:3580'] },
  { ...encoding, id: 'body_double_utf8', likelihood: 'uncommon', what: 'the body in UTF-8 twice (é as Ã©)',
    apply: beyondAscii((body) => ifUtf8(true, body) && fromLatin1(body)), example: ['Zoë', 'ZoÃ«'] },
  { ...encoding, id: 'body_decoded', likelihood: 'common', what: 'the body decoded to text, with U+FFFD for what is not UTF-8',
    apply: beyondAscii(fromUtf8), example: ['hex:5a6feb', 'Zo\ufffd'] },
  { ...encoding, id: 'body_ascii', likelihood: 'uncommon', what: 'the body in ASCII, with `?` for everything else',
    apply: beyondAscii((body) => fromUtf8(body).replace(/[^\0-\x7f]/gu, '?')), example: ['Zoë', 'Zo?'] },
  { ...encoding, id: 'body_latin1_lossy', likelihood: 'rare', what: 'the body in Latin-1, with `?` for everything else',
    apply: beyondAscii((body) => latin1(fromUtf8(body).replace(/[^\0-\xff]/gu, '?'))), example: ['ë€', 'hex:eb3f'] },
  { ...encoding, id: 'body_nfc', likelihood: 'uncommon', what: 'the body in Unicode normalization form C',
    apply: beyondAscii((body) => fromUtf8(body).normalize('NFC')), example: ['e\u0301', '\u00e9'] },
  { ...encoding, id: 'body_nfd', likelihood: 'uncommon', what: 'the body in Unicode normalization form D',
    apply: beyondAscii((body) => fromUtf8(body).normalize('NFD')), example: ['\u00e9', 'e\u0301'] },
  { ...encoding, id: 'body_utf16', likelihood: 'uncommon', what: 'the body in UTF-16 (little-endian)',
    apply: (body) => utf16(fromUtf8(body), 'little-endian'), example: ['Aë', 'hex:4100eb00'] },
  { ...encoding, id: 'body_utf16_bom', likelihood: 'rare', what: 'the body in UTF-16 (little-endian) after a byte order mark',
    apply: (body) => utf16(`\ufeff${fromUtf8(body)}`, 'little-endian'), example: ['A', 'hex:fffe4100'] },

  { ...twice, id: 'body_json_string', likelihood: 'common', what: 'the body as a JSON string, serialized twice',
    apply: text((body) => JSON.stringify(body)), example: ['{"a":1}', '"{\\"a\\":1}"'] },
  { ...asSent, id: 'body_base64', likelihood: 'uncommon', what: 'the body in base64', apply: base64, example: ['{"a":1}', 'eyJhIjoxfQ=='] },
  { ...asSent, id: 'body_base64_string', likelihood: 'rare', what: 'the body in base64 as a JSON string',
    apply: (body) => `"${base64(body)}"`, example: ['{"a":1}', '"eyJhIjoxfQ=="'] },
  { ...asSent, id: 'body_hex', likelihood: 'uncommon', what: 'the body in hex', apply: hex, example: ['{}', '7b7d'] },
  { ...asSent, id: 'body_python_bytes', likelihood: 'uncommon', what: "the body as Python prints bytes, `b'…'`",
    apply: forms.pythonBytes, example: ["{\"a\":'ë'}", "b'{\"a\":\\'\\xc3\\xab\\'}'"] },
  { ...asSent, id: 'body_go_bytes', likelihood: 'rare', what: 'the bytes of the body as decimal numbers, as Go prints bytes',
    apply: (body) => `[${body.join(' ')}]`, example: ['{}', '[123 125]'] },
  { ...asSent, id: 'body_percent_encoded', likelihood: 'rare', what: 'the body percent-encoded',
    apply: text((body) => encodeURIComponent(body.toWellFormed())), example: ['a b/(', 'a%20b%2F('] },
  { ...asSent, id: 'body_python_quote', likelihood: 'rare', what: "the body percent-encoded except `/`, as Python's quote does",
    apply: text((body) => forms.percentEncode(body).replaceAll('%2F', '/')), example: ['a b/(', 'a%20b/%28'] },
  ...envelope('data'), ...envelope('body'), ...envelope('payload'),

  hashed('uncommon', 'sha256', 'SHA-256', 'in hex', hex, '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862'),
  hashed('rare', 'md5', 'MD5', 'in base64', base64, 'u2y1xo30ZSlByvZSo2by2A=='),

  { ...changed, id: 'body_html_php', likelihood: 'rare', what: "the body escaped as HTML, as PHP's htmlspecialchars does",
    apply: text((body) => forms.htmlEscape(body, '&quot;', '&#039;')), example: ["\"<'", '&quot;&lt;&#039;'] },
  { ...changed, id: 'body_html_python', likelihood: 'rare', what: "the body escaped as HTML, as Python's html.escape does",
    apply: text((body) => forms.htmlEscape(body, '&quot;', '&#x27;')), example: ["\"<'", '&quot;&lt;&#x27;'] },
  { ...changed, id: 'body_without_quotes', likelihood: 'rare', what: 'the body without its quotes', apply: text((body) => body.replaceAll('"', '')), example: ['{"a":1}', '{a:1}'] },

  ...constants('common', [['', 'nothing']]),
  ...constants('uncommon', ['[object Object]', 'undefined', 'null', '{}', 'None']),
  ...constants('rare', [['Array', "PHP's text for an array, `Array`,"], ['body.json', 'the name of a file, `body.json`,']]),
]

/** What was added or lost at the end of the body. */
export const BODY_ENDINGS: readonly BodyHypothesis[] = [
  { ...newline, id: 'end_lf', likelihood: 'common', what: 'the body with a line feed (LF) after it', apply: (body) => concat(body, utf8('\n')), example: ['a', 'a\n'] },
  { ...newline, id: 'end_without_line_break', likelihood: 'common', what: 'the body without the line break at its end',
    apply: text((body) => body.replace(/\r?\n$/, '')), example: ['a\n\r\n', 'a\n'] },
  { ...newline, id: 'end_without_space', likelihood: 'uncommon', what: 'the body without the white space at its end', apply: text((body) => body.trimEnd()), example: ['a \n\n', 'a'] },
  { ...newline, id: 'end_crlf', likelihood: 'uncommon', what: 'the body with a CRLF (carriage return and line feed) after it', apply: (body) => concat(body, utf8('\r\n')), example: ['a', 'a\r\n'] },
  { ...newline, id: 'end_cr', likelihood: 'rare', what: 'the body with a carriage return (CR) after it', apply: (body) => concat(body, utf8('\r')), example: ['a', 'a\r'] },
  { ...newline, id: 'end_space', likelihood: 'rare', what: 'the body with a space after it', apply: (body) => concat(body, utf8(' ')), example: ['a', 'a '] },
]
