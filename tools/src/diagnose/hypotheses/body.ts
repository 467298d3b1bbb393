import {
  areEqual,
  base64,
  concat,
  fromBase64,
  fromHex,
  fromWindows1252,
  hex,
  latin1,
  utf8,
  utf16,
  windows1252,
  withoutLineBreaks,
} from '../../bytes.js'
import type { CompressionFormat, HashAlgorithm } from '../../primitives.js'
import { fromLatin1, fromUtf8, isAscii, isUtf8 } from '../body-text.js'
import type { JsonText } from '../json/parse.js'
import { rubyString } from '../json/styles.js'
import { isSteps, type Steps } from '../steps.js'
import * as forms from './body-formats.js'
import { type Applied, type Bytes, type Hypothesis, hypothesesOf, type Likelihood } from './hypothesis.js'
import { parseBody } from './json.js'
import { placeholdersFor } from './placeholders.js'
import { changesOf } from './text-changes.js'

// This file lists the mistakes in the body. The search combines the three lists in this order:
// - sources: the body was changed after it was signed, for example compressed.
// - changes: the body was changed only for the signature, for example encoded as base64.
// - endings: a newline at the end was added or removed.
// The mistakes in json.ts come after the sources.

type BodyHypothesis = Hypothesis<Uint8Array, Bytes>

/** The maximum number of bytes of a body after decompression. A longer body is not tried. */
const MAX_INFLATED = 2 ** 24

/** Returns a function that decodes the body, changes the text, and encodes it again. A body that is not UTF-8 is decoded as Latin-1. */
const text =
  (change: (body: string) => string | undefined) =>
  (body: Uint8Array): Uint8Array | undefined => {
    const isText = isUtf8(body)
    const before = isText ? fromUtf8(body) : fromLatin1(body)
    const changed = change(before)
    return changed === undefined || changed === before ? undefined : isText ? utf8(changed) : latin1(changed)
  }
/** Returns a function that changes a body only if it is JSON in UTF-8. */
const ofJson = (change: (json: JsonText) => Applied<Bytes> | Steps<Applied<Bytes>>) =>
  function* (body: Uint8Array): Steps<Applied<Bytes>> {
    const json = isUtf8(body) ? yield* parseBody(body) : undefined
    const changed = json && change(json)
    return isSteps(changed) ? yield* changed : changed
  }
/** Returns a function that changes a body only if it is not ASCII, because ASCII is the same in the other encodings. */
const beyondAscii = (change: (body: Uint8Array) => Bytes | undefined) => (body: Uint8Array) =>
  isAscii(body) ? undefined : change(body)
const ifUtf8 = (expected: boolean, bytes: Uint8Array | undefined) =>
  bytes !== undefined && isUtf8(bytes) === expected ? bytes : undefined
const toLatin1 = (body: string) => (/^[\0-\xff]*$/.test(body) ? latin1(body) : undefined)

const kind = hypothesesOf<Uint8Array, Bytes>
/** Returns a function that makes hypotheses that change the body as text. */
const inText =
  (make: ReturnType<typeof kind>) =>
  (likelihood: Likelihood, what: string, change: (body: string) => string | undefined): BodyHypothesis =>
    make(likelihood, what, text(change))
const compressed = kind({ code: 'body_compressed', fix: 'sign_compressed' })
const hashed = kind({ code: 'body_hashed', fix: 'sign_body_not_hash' })
const notSigned = kind({ code: 'body_not_signed', fix: 'sign_body' })
const unfilled = kind({ code: 'body_not_signed', fix: 'fill_in_value' })
const notSent = kind({ code: 'body_not_signed', fix: 'send_signed_text' })
const encoding = kind({ code: 'body_encoding', fix: 'encode_once' })
const newline = kind({ code: 'body_newline', fix: 'keep_newlines' })
const marked = kind({ code: 'body_encoding', fix: 'no_byte_order_mark' })
const normalized = kind({ code: 'body_encoding', fix: 'normalize_once' })
const printed = kind({ code: 'body_wrapped', fix: 'write_body' })
const asSent = kind({ code: 'body_wrapped', fix: 'sign_as_sent' })
const oneFormat = kind({ code: 'body_wrapped', fix: 'one_format' })
const inEnvelope = kind({ code: 'body_wrapped', fix: 'sign_envelope' })
const twice = kind({ code: 'body_wrapped', fix: 'serialize_once' })
const inMultipart = kind({ code: 'body_wrapped', fix: 'sign_multipart' })
const reparsed = kind({ code: 'body_json', fix: 'serialize_once' })
const recased = kind({ code: 'body_json', fix: 'same_options' })
const changed = kind({ code: 'body_changed', fix: 'same_bytes' })
const slashed = kind({ code: 'body_changed', fix: 'without_slashes' })

const inflated = (likelihood: Likelihood, format: CompressionFormat) =>
  compressed(likelihood, `the uncompressed body (the body arrived as ${format})`, (body, { primitives }) =>
    primitives.inflate(format, body, MAX_INFLATED),
  )
const hashOf =
  (algorithm: HashAlgorithm, write: (digest: Uint8Array) => Bytes): BodyHypothesis['apply'] =>
  (body, { primitives }) => {
    const digest = primitives.hash(algorithm, [body])
    return digest && write(digest)
  }
/** Returns a hypothesis for each text that may have been signed instead of the body. */
const constants = (likelihood: Likelihood, ...texts: readonly string[]) =>
  texts.map((one) =>
    notSigned(
      likelihood,
      `${one === '' ? 'nothing' : `the text \`${one}\``} in the place of the body`,
      // The text is the same for every changed body, so it is proposed only for the body as received.
      (body, { body: received }) => (body === received ? one : undefined),
    ),
  )

/** Returns hypotheses for a sender that signed a file, but whose HTTP client changed the bytes of the file. */
export const originalHypotheses = (original: Uint8Array): readonly BodyHypothesis[] => [
  newline('common', "the whole file, from which curl's -d removed the line breaks", (body) =>
    areEqual(withoutLineBreaks(original), body) ? original : undefined,
  ),
  changed('common', 'the original body', () => original),
]

/** Hypotheses that the body was changed after it was signed. */
export const BODY_SOURCES: readonly BodyHypothesis[] = [
  inText(twice)('common', 'the text inside the JSON string received', forms.stringInside),
  inflated('common', 'gzip'),
  inflated('common', 'deflate'),
  inflated('uncommon', 'brotli'),
  encoding(
    'common',
    'the body in UTF-8, which arrived in Latin-1 or Windows-1252',
    beyondAscii((body) => ifUtf8(false, body) && fromWindows1252(body)),
  ),
  encoding(
    'common',
    'the body in UTF-8, which arrived encoded twice (é as Ã©)',
    beyondAscii((body) => ifUtf8(true, toLatin1(fromUtf8(body)))),
  ),
  encoding('uncommon', 'the body in UTF-8, which arrived in UTF-16', (body) =>
    body[1] === 0 ? new TextDecoder('utf-16le').decode(body) : undefined,
  ),
  inText(marked)('common', 'the body without its byte order mark', (body) =>
    body.startsWith('\ufeff') ? body.slice(1) : undefined,
  ),

  asSent('uncommon', 'the body decoded from base64', (body) => fromBase64(fromLatin1(body).trim())),
  asSent('uncommon', 'the body decoded from hex', (body) => fromHex(fromLatin1(body))),
  asSent('uncommon', 'the body decoded from the base64 in the JSON string received', (body) =>
    fromBase64(forms.stringInside(fromLatin1(body)) ?? ''),
  ),
  inEnvelope('uncommon', 'the <detail> in the body received', ofJson(forms.jsonParts)),
  inEnvelope('uncommon', 'the field `<detail>` of the form received', (body) => ({
    variants: forms.formFields(fromLatin1(body)),
  })),
  inMultipart('uncommon', 'the content of <detail> of the multipart body', (body) => ({
    variants: forms.multipartParts(fromLatin1(body)),
  })),

  inText(oneFormat)('uncommon', 'the fields of the form as JSON', (body) => forms.formAsJson(body, JSON.stringify)),
  inText(oneFormat)('uncommon', 'the fields of the form as JSON, without quotes around numbers and words', (body) =>
    forms.formAsJson(body, forms.literalOrString),
  ),
  inText(oneFormat)('uncommon', 'the body as it was before it was percent-encoded', (body) =>
    body.startsWith('%') ? forms.percentDecode(body.replaceAll('+', ' ')) : undefined,
  ),
  inText(oneFormat)('uncommon', 'the fields of the form, with a space as `%20`', (body) =>
    forms.encodeFormAgain(body, forms.percentEncode),
  ),
  inText(oneFormat)('uncommon', 'the fields of the form, with a space as `+`', (body) =>
    forms.encodeFormAgain(body, forms.formEncode),
  ),
  oneFormat(
    'uncommon',
    'the members of the JSON as a form',
    ofJson((json) => forms.jsonAsForm(json)),
  ),

  recased(
    'uncommon',
    'the JSON with an empty array for each empty object, as PHP keeps it',
    ofJson(forms.withoutEmptyObjects),
  ),
  recased('uncommon', 'the JSON with its keys in <detail>', ofJson(forms.recasedKeys)),
  inEnvelope('rare', 'the JSON without its member `<detail>`', ofJson(forms.withoutMember)),
  reparsed('uncommon', 'the JSON with each string of digits as a number', ofJson(forms.stringsAsNumbers)),
  reparsed('uncommon', 'the JSON with each number as a string', ofJson(forms.numbersAsStrings)),
  reparsed('rare', 'the JSON with <detail> as a string, not as a number', ofJson(forms.oneNumberAsString)),
  reparsed('rare', 'the JSON with <detail>, from which a parser removed zeros', ofJson(forms.restoredFloats)),
  inText(slashed)('uncommon', "the body without the backslashes that PHP's addslashes adds", forms.removeSlashes),
  inText(newline)(
    'common',
    "the body with its line breaks, which curl's -d removes from a file",
    forms.restoreLineBreaks,
  ),
]

const inBrackets = (write: (body: Uint8Array) => string) => (body: Uint8Array) => `[${write(body)}]`

/** Hypotheses that the sender changed the body only for the signature. */
export const BODY_CHANGES: readonly BodyHypothesis[] = [
  inText(newline)('common', 'the body with CRLF for each LF', (body) => body.replace(/\r?\n/g, '\r\n')),
  inText(newline)('common', 'the body with LF for each CRLF', (body) => body.replaceAll('\r\n', '\n')),
  inText(newline)('uncommon', 'the body without its line breaks', (body) => body.replace(/[\r\n]/g, '')),
  inText(newline)('uncommon', 'the body without the white space around it', (body) => body.trim()),
  inText(newline)(
    'uncommon',
    'the body with one space for all white space between words, as a shell expands $BODY without quotes',
    (body) => body.replace(/[ \t\n\v\f\r]+/g, ' ').replace(/^ | $/g, ''),
  ),

  marked('common', 'the body with a byte order mark before it', (body) => concat(utf8('\ufeff'), body)),
  encoding(
    'common',
    'the body in Latin-1 or Windows-1252',
    beyondAscii((body) => ifUtf8(false, windows1252(fromUtf8(body)))),
  ),
  encoding(
    'uncommon',
    'the body in UTF-8 twice (é as Ã©)',
    beyondAscii((body) => ifUtf8(true, body) && fromLatin1(body)),
  ),
  encoding('common', 'the body decoded to text, with U+FFFD for what is not UTF-8', beyondAscii(fromUtf8)),
  encoding(
    'uncommon',
    'the body in ASCII, with `?` for everything else',
    beyondAscii((body) => (isUtf8(body) ? fromUtf8(body).replace(/[^\0-\x7f]/gu, '?') : undefined)),
  ),
  encoding(
    'last',
    'the body in ASCII, with `??` for each emoji and `?` for everything else, as Java and C# write it',
    beyondAscii((body) => (isUtf8(body) ? fromUtf8(body).replace(/[^\0-\x7f]/g, '?') : undefined)),
  ),
  encoding(
    'rare',
    'the body in Latin-1, with `?` for everything else',
    beyondAscii((body) => (isUtf8(body) ? latin1(fromUtf8(body).replace(/[^\0-\xff]/gu, '?')) : undefined)),
  ),
  normalized(
    'uncommon',
    'the body in Unicode normalization form C',
    beyondAscii((body) => fromUtf8(body).normalize('NFC')),
  ),
  normalized(
    'uncommon',
    'the body in Unicode normalization form D',
    beyondAscii((body) => fromUtf8(body).normalize('NFD')),
  ),
  encoding('uncommon', 'the body in UTF-16 (little-endian)', (body) => utf16(fromUtf8(body), 'little-endian')),
  encoding('rare', 'the body in UTF-16 (little-endian) after a byte order mark', (body) =>
    utf16(`\ufeff${fromUtf8(body)}`, 'little-endian'),
  ),

  inText(twice)('common', 'the body as a JSON string, serialized twice', (body) => JSON.stringify(body)),
  asSent('uncommon', 'the body in base64', base64),
  asSent('rare', 'the body in base64 as a JSON string', (body) => `"${base64(body)}"`),
  asSent('uncommon', 'the body in hex', hex),
  printed('uncommon', "the body as Python prints bytes, `b'…'`", forms.pythonBytes),
  printed(
    'rare',
    'the bytes of the body as decimal numbers, as Go prints bytes',
    inBrackets(forms.byteWriter(String, ' ')),
  ),
  inText(asSent)('rare', 'the body percent-encoded', (body) => encodeURIComponent(body.toWellFormed())),
  inText(asSent)('rare', "the body percent-encoded except `/`, as Python's quote does", (body) =>
    forms.percentEncode(body).replaceAll('%2F', '/'),
  ),
  printed(
    'rare',
    "the bytes of the body as signed decimal numbers, as Java's Arrays.toString prints them",
    inBrackets(forms.byteWriter((byte) => String((byte << 24) >> 24), ', ')),
  ),
  inText(printed)('rare', "the body between quotes, as Ruby's inspect prints it", rubyString),
  printed(
    'uncommon',
    'the bytes of the body as numbers between commas, as JavaScript prints a Uint8Array',
    forms.byteWriter(String, ','),
  ),
  inText(inEnvelope)(
    'rare',
    'the body as the field `payload` of a form',
    (body) => `payload=${forms.formEncode(body)}`,
  ),
  inText(inEnvelope)('uncommon', 'the body as `{"data": …}`', (body) => `{"data": ${body}}`),

  hashed('uncommon', 'the SHA-256 of the body, in hex', hashOf('sha256', hex)),
  hashed('rare', 'the SHA-256 of the body, in base64', hashOf('sha256', base64)),
  hashed('rare', 'the MD5 of the body, in hex', hashOf('md5', hex)),
  hashed('rare', 'the MD5 of the body, in base64', hashOf('md5', base64)),

  inText(slashed)(
    'uncommon',
    "the body with a backslash before its quotes, as PHP's addslashes writes it",
    forms.addSlashes,
  ),
  inText(changed)('rare', 'the body without its quotes', (body) => body.replaceAll('"', '')),

  ...['{}', '[]', 'null'].map((one) =>
    notSent('common', `the text \`${one}\`, and sent no body`, (body) => (body.length === 0 ? one : undefined)),
  ),
  ...constants('common', ''),
  ...constants('uncommon', '[object Object]', 'undefined', 'null', '{}', 'None'),
  ...constants('rare', 'Array', '[object Promise]', 'System.Net.Http.StringContent'),
  unfilled('last', 'the placeholder `<detail>` in the place of the body', (body, context) =>
    body === context.body ? placeholdersFor('body', 'BODY', 'payload', 'PAYLOAD', 'data', 'rawBody') : undefined,
  ),
  ...changesOf<Uint8Array>(
    'the body',
    {
      'space added': { code: 'body_newline', fix: 'keep_newlines' },
      'space removed': { code: 'body_newline', fix: 'keep_newlines' },
      'quotes added': { code: 'body_wrapped', fix: 'write_body' },
      case: { code: 'body_changed', fix: 'same_bytes' },
      replaced: { code: 'body_not_signed', fix: 'sign_body' },
    },
    (change) => text((body) => change(body) as string | undefined),
    'last',
  ),
]

/** Hypotheses that a newline or a space was added or removed at the end of the body. */
export const BODY_ENDINGS: readonly BodyHypothesis[] = [
  newline('common', 'the body with a line feed (LF) after it', (body) => concat(body, utf8('\n'))),
  inText(newline)('common', 'the body without the line break at its end', (body) => body.replace(/\r?\n$/, '')),
  newline('uncommon', 'the body with a CRLF (carriage return and line feed) after it', (body) =>
    concat(body, utf8('\r\n')),
  ),
  newline('rare', 'the body with a carriage return (CR) after it', (body) => concat(body, utf8('\r'))),
  newline('rare', 'the body with a space after it', (body) => concat(body, utf8(' '))),
]
