import {
  areEqual,
  base64,
  bytesOf,
  concat,
  fromLatin1,
  fromUtf8,
  fromWindows1252,
  hex,
  isAscii,
  isUtf8,
  latin1,
  utf8,
  windows1252,
  withCrlf,
  withoutLineBreaks,
} from '../../bytes.js'
import { COMPRESSION_FORMATS, type HashAlgorithm } from '../../primitives.js'
import { DistinctValues } from '../distinct-values.js'
import { ENCODINGS, isTriedOn, MAX_TEXT, inText as text } from '../encodings.js'
import type { JsonText } from '../json/parse.js'
import * as forms from './body-formats.js'
import {
  type Applied,
  type Bytes,
  type Hypothesis,
  hypothesesOf,
  type Likelihood,
  type RequestContext,
  several,
  type Variant,
  type Variants,
} from './hypothesis.js'
import { parseBody } from './json.js'
import { placeholdersFor } from './placeholders.js'
import { changesOf, encodingsOf } from './text-changes.js'

// This file lists the mistakes in the body. The search combines the three lists in this order:
// - sources: the body was changed after it was signed, for example compressed.
// - changes: the body was changed only for the signature, for example encoded as base64.
// - endings: a newline at the end was added or removed.
// The mistakes in json.ts come after the sources.

type BodyHypothesis = Hypothesis<Uint8Array, Bytes>

/** The maximum number of bytes of a body after decompression. A longer body is not tried. */
const MAX_INFLATED = 2 ** 24

/** Returns a function that changes a body only if it is JSON in UTF-8. */
const ofJson = (change: (json: JsonText) => Applied<Bytes>) => (body: Uint8Array) => {
  const json = isUtf8(body) ? parseBody(body) : undefined
  return json && change(json)
}
const inJson = (find: (json: JsonText) => Variants<Bytes>['variants']) => ofJson((json) => ({ variants: find(json) }))
/** Returns a function that changes a body only if it is not ASCII, because ASCII is the same in the other encodings. */
const beyondAscii = (change: (body: Uint8Array) => Applied<Bytes>) => (body: Uint8Array) =>
  isAscii(body) ? undefined : change(body)
const ifUtf8 = (expected: boolean, bytes: Uint8Array | undefined) =>
  bytes !== undefined && isUtf8(bytes) === expected ? bytes : undefined
const toLatin1 = (body: string) => (/^[\0-\xff]*$/.test(body) ? latin1(body) : undefined)

const kind = hypothesesOf<Uint8Array, Bytes>
/** Returns a function that makes hypotheses that change the body as text. */
const inText =
  (make: ReturnType<typeof kind>) =>
  (likelihood: Likelihood, what: string, change: Parameters<typeof text>[0]): BodyHypothesis =>
    make(likelihood, what, text(change))
const compressed = kind({ code: 'body_compressed', fix: 'sign_compressed' })
const hashed = kind({ code: 'body_hashed', fix: 'sign_body_not_hash' })
const notSigned = kind({ code: 'body_not_signed', fix: 'sign_body' })
const unfilled = kind({ code: 'body_not_signed', fix: 'fill_in_value' })
const encoding = kind({ code: 'body_encoding', fix: 'encode_once' })
const newline = kind({ code: 'body_newline', fix: 'keep_newlines' })
const marked = kind({ code: 'body_encoding', fix: 'no_byte_order_mark' })
const asSent = kind({ code: 'body_wrapped', fix: 'sign_as_sent' })
const inEnvelope = kind({ code: 'body_wrapped', fix: 'sign_envelope' })
const twice = kind({ code: 'body_wrapped', fix: 'serialize_once' })
const reparsed = kind({ code: 'body_json', fix: 'serialize_once' })
const otherOptions = kind({ code: 'body_json', fix: 'same_options' })
const changed = kind({ code: 'body_changed', fix: 'same_bytes' })
const asData = kind({ code: 'body_changed', fix: 'pass_as_data', side: 'sender' })
const slashed = kind({ code: 'body_changed', fix: 'without_slashes' })

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
      `${one === '' ? 'nothing' : `the text \`${one}\``} in place of the body`,
      // The text is the same for every changed body, so it is proposed only for the body as received.
      (body, { body: received }) => (body === received ? one : undefined),
    ),
  )

/** Returns hypotheses for a sender that signed a file, but whose HTTP client changed the bytes of the file. */
export const originalHypotheses = (original: Uint8Array): readonly BodyHypothesis[] => [
  newline('common', "the whole file, from which curl's -d removed the newlines", (body) =>
    areEqual(withoutLineBreaks(original), body) ? original : undefined,
  ),
  changed('common', 'the original body', () => original),
]

/** The maximum number of decoders one after the other, and of bodies that they return. */
const MAX_CHAIN = 3
const MAX_DECODED = 32

/** What gateways and logs write in place of a character. */
const ESCAPES = ['HTML entities', 'escapes such as `\\n`']
const isInflater = (name: string) => COMPRESSION_FORMATS.some((format) => format === name)
const kindOfChain = (names: readonly string[]) =>
  names.some(isInflater) ? 'compressed' : names.some((name) => ESCAPES.includes(name)) ? 'escaped' : 'encoded'

/** Returns what decoders make of the body, one after the other: for example base64 and then gzip. */
const decodings =
  (kind: ReturnType<typeof kindOfChain>): BodyHypothesis['apply'] =>
  (body, context) => ({ variants: decode(body, context, kind) })

function* decode(
  body: Uint8Array,
  { primitives, spend }: RequestContext,
  kind: ReturnType<typeof kindOfChain>,
): Iterable<Variant<Bytes>> {
  const distinct = new DistinctValues([body])
  const all: { value: Uint8Array; names: readonly string[] }[] = [{ value: body, names: [] }]
  const inflaters = COMPRESSION_FORMATS.map((name) => {
    return { name, decode: (value: Uint8Array) => primitives.inflate(name, value, MAX_INFLATED) }
  })
  for (const { value, names } of all) {
    if (names.length === MAX_CHAIN) return
    const tried = ENCODINGS.filter((encoding) => isTriedOn(encoding, value.length))
    for (const { name, decode } of [...inflaters, ...tried]) {
      const result = decode?.(value)
      const next = result && bytesOf(result)
      if (!next || next.length === 0 || all.length > MAX_DECODED || !distinct.add(next)) continue
      spend(next.length)
      const through = [...names, name]
      all.push({ value: next, names: through })
      if (kindOfChain(through) === kind) yield { detail: through.join(' of '), value: next }
    }
  }
}

export const BODY_SOURCES: readonly BodyHypothesis[] = [
  inText(twice)('common', 'the text inside the JSON string received', forms.stringInside),
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
  marked('common', 'the body without its byte order mark', (body) =>
    hex(body.subarray(0, 3)) === 'efbbbf' ? body.subarray(3) : undefined,
  ),

  compressed('common', 'the uncompressed body (the body arrived as <detail>)', decodings('compressed')),
  asSent('uncommon', 'the body decoded from <detail>', decodings('encoded')),
  slashed('uncommon', 'the unescaped body (the body arrived with <detail>)', decodings('escaped')),
  inEnvelope('uncommon', 'the <detail> in the body received', inJson(forms.jsonParts)),

  inText(twice)('uncommon', 'the fields of the form as JSON', forms.formAsJson),

  ...Object.entries(forms.OTHER_VALUES).map(([how, change]) =>
    otherOptions('rare', `the JSON with ${how}`, ofJson(change)),
  ),
  reparsed(
    'uncommon',
    'the JSON with each string of digits as a number',
    ofJson((json) => several(forms.stringsAsNumbers(json))),
  ),
  reparsed('uncommon', 'the JSON with each number as a string', ofJson(forms.numbersAsStrings)),
  reparsed('rare', 'the JSON with <detail> as a string, not as a number', inJson(forms.oneNumberAsString)),
  reparsed('rare', 'the JSON with <detail>, from which a parser removed zeros', inJson(forms.restoredFloats)),
  inText(slashed)(
    'uncommon',
    'the body with `\\uXXXX` for each `uXXXX`, whose backslash was lost',
    forms.restoreUnicodeEscapes,
  ),
  inText(newline)('common', "the body with the newlines that curl's -d removes", forms.restoreLineBreaks),
]

export const BODY_CHANGES: readonly BodyHypothesis[] = [
  newline('common', 'the body with CRLF for each LF', (body) => latin1(withCrlf(fromLatin1(body)))),
  newline('common', 'the body with LF for each CRLF', (body) => latin1(fromLatin1(body).replaceAll('\r\n', '\n'))),
  newline('uncommon', 'the body without its newlines', (body) =>
    latin1(fromLatin1(body).replaceAll('\n', '').replaceAll('\r', '')),
  ),
  inText(newline)('uncommon', 'the body without the white space around it', (body) => body.trim()),
  inText(newline)('uncommon', 'the body with single spaces, as a shell expands $BODY without quotes', (body) =>
    body.replace(/[ \t\n\v\f\r]+/g, ' ').replace(/^ | $/g, ''),
  ),

  marked('common', 'the body with a byte order mark before it', (body) => concat(utf8('\ufeff'), body)),
  encoding(
    'common',
    'the body in Latin-1 or Windows-1252',
    beyondAscii((body) => ifUtf8(false, windows1252(fromUtf8(body)))),
  ),
  encoding('common', 'the body decoded to text, with U+FFFD for what is not UTF-8', beyondAscii(fromUtf8)),
  asSent('rare', 'the body in base64 as a JSON string', (body) => `"${base64(body)}"`),
  ...encodingsOf<Uint8Array>(
    'the body',
    {
      encoded: { code: 'body_wrapped', fix: 'sign_as_sent' },
      escaped: { code: 'body_wrapped', fix: 'sign_as_sent' },
      printed: { code: 'body_wrapped', fix: 'write_body' },
      serialized: { code: 'body_wrapped', fix: 'serialize_once' },
      charset: { code: 'body_encoding', fix: 'encode_once' },
      normalized: { code: 'body_encoding', fix: 'encode_once' },
    },
    (body) => body,
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

  inText(slashed)('uncommon', "the body with a backslash before its quotes, by PHP's addslashes", forms.addSlashes),
  ...Object.entries(forms.READ_AS_CODE).map(([how, change]) =>
    asData('uncommon', `the body ${how}`, (body) =>
      several(isUtf8(body) && body.length <= MAX_TEXT ? change(fromUtf8(body)) : []),
    ),
  ),
  inText(changed)('rare', 'the body without its quotes', (body) => body.replaceAll('"', '')),

  ...['{}', '[]', 'null'].map((one) =>
    notSigned('common', `the text \`${one}\`, and sent no body`, (body) => (body.length === 0 ? one : undefined)),
  ),
  ...constants('common', ''),
  ...constants('uncommon', '[object Object]', 'undefined', 'null', '{}', 'None'),
  ...constants('rare', 'Array', 'nil', 'NaN', '[object Promise]', 'System.Net.Http.StringContent'),
  unfilled('many', 'the placeholder `<detail>` in place of the body', (body, context) =>
    body === context.body ? placeholdersFor('body', 'BODY', 'payload', 'PAYLOAD', 'data', 'rawBody') : undefined,
  ),
  ...changesOf<Uint8Array>(
    'the body',
    {
      'space added': { code: 'body_newline', fix: 'keep_newlines' },
      'space removed': { code: 'body_newline', fix: 'keep_newlines' },
      'quotes added': { code: 'body_wrapped', fix: 'write_body' },
      case: { code: 'body_changed', fix: 'same_bytes' },
    },
    // Compressed bytes are not text. Without their control characters, a few of them are the signed text by chance.
    (change) => {
      const inBody = text((body) => change(body) as string | undefined)
      return (body) => (isUtf8(body) ? inBody(body) : undefined)
    },
    'last',
  ),
]

export const BODY_ENDINGS: readonly BodyHypothesis[] = [
  newline('common', 'the body with a line feed (LF) after it', (body) => concat(body, utf8('\n'))),
  newline('common', 'the body without the newline at its end', (body) =>
    latin1(fromLatin1(body).replace(/\r?\n$/, '')),
  ),
  newline('uncommon', 'the body with a CRLF after it', (body) => concat(body, utf8('\r\n'))),
  newline('rare', 'the body with a carriage return (CR) after it', (body) => concat(body, utf8('\r'))),
  newline('rare', 'the body with a space after it', (body) => concat(body, utf8(' '))),
]
