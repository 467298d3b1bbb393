import { Buffer, isAscii, isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib'
import type { Choice } from './choice.js'
import type { FindingCode } from './finding.js'

/** Makes the body that was signed of the body received; `undefined` where that cannot be. */
export type BodyChange = (body: Buffer) => Buffer | undefined

/** A hypothesis about the body; a constant one does not depend on the body received. */
export interface BodyChoice extends Choice<BodyChange> {
  readonly isConstant?: boolean
}

/** What a compressed body may inflate to, in bytes. */
const MAX_INFLATED = 2 ** 24

const SAME_BYTES = "On the sender's side: sign the very bytes that you send"
const RAW = "On the receiver's side: pass the raw bytes as received"

const BYTES = `${SAME_BYTES}: encode once (Node: Buffer.from(text), Python: text.encode(), Java: text.getBytes(StandardCharsets.UTF_8), C#: Encoding.UTF8.GetBytes(text)), sign these bytes and send these bytes. ${RAW}, if something decoded and encoded them again.`
const NEWLINE = `${SAME_BYTES}: shell: printf %s "$BODY" | openssl …, not echo, and curl --data-binary @body.json, not -d, which takes line breaks out. ${RAW}, if something trimmed them or converted line breaks.`
const COMPRESSED = `${SAME_BYTES}: sign after compressing, or do not compress. ${RAW}, before anything inflates them (Express: express.raw({ type: () => true, inflate: false })).`
const ENCODED = `${SAME_BYTES}, in no other encoding. ${RAW} (AWS Lambda: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')).`
const HASH =
  "On the sender's side: sign the body itself, not its hash: hmac.update(timestamp + ':' + nonce + ':').update(body)"
const NOT_SIGNED = `${SAME_BYTES}: the body's bytes, read to their end, at the moment of signing (Node: const body = JSON.stringify(event), not the object; Python: request.body, not a stream that was read already). On the receiver's side: pass the raw body, read before any parser.`

/** A change of the text; what is no UTF-8 is taken for Latin-1, which no change spoils. */
const text =
  (change: (body: string) => string | undefined): BodyChange =>
  (body) => {
    const encoding = isUtf8(body) ? 'utf8' : 'latin1'
    const changed = change(body.toString(encoding))
    return changed === undefined ? undefined : Buffer.from(changed, encoding)
  }

function choice(cost: number, code: FindingCode, what: string, fix: string, value: BodyChange): BodyChoice {
  return { cost, value, deviation: { code, what, fix } }
}

/** Another encoding, which leaves ASCII as it is. */
function beyondAscii(cost: number, what: string, change: BodyChange): BodyChoice {
  return choice(cost, 'body_encoding', what, BYTES, (body) => (isAscii(body) ? undefined : change(body)))
}

/** What was signed in the place of the body, whatever the body. */
function constant(cost: number, code: FindingCode, signed: string, what: string): BodyChoice {
  return { ...choice(cost, code, what, NOT_SIGNED, () => Buffer.from(signed)), isConstant: true }
}

/** An inflation that gives nothing for what is not compressed so, or too much. */
const inflated =
  (inflate: (body: Buffer, options: { maxOutputLength: number }) => Buffer): BodyChange =>
  (body) => {
    try {
      return inflate(body, { maxOutputLength: MAX_INFLATED })
    } catch {
      return undefined
    }
  }

function hashed(
  cost: number,
  what: string,
  algorithm: string,
  encoding: 'hex' | 'HEX' | 'base64' | 'bytes',
): BodyChoice {
  const value: BodyChange = (body) => {
    const digest = createHash(algorithm).update(body).digest()
    if (encoding === 'bytes') return digest
    if (encoding === 'HEX') return Buffer.from(digest.toString('hex').toUpperCase())
    return Buffer.from(digest.toString(encoding))
  }
  return { ...choice(cost, 'body_hashed', what, HASH, value), work: 2, hashes: 1 }
}

const latin1 = (body: string) => (/^[\0-\xff]*$/.test(body) ? Buffer.from(body, 'latin1') : undefined)

/** Bytes that are UTF-8, or that are not: the same change undoes one mistake or makes another. */
const ifUtf8 = (expected: boolean, bytes: Buffer | undefined) =>
  bytes !== undefined && isUtf8(bytes) === expected ? bytes : undefined

/** The characters in which Windows-1252 differs from Latin-1, from 0x80. */
const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

const windows1252 = (body: string) =>
  latin1(
    body.replace(/[\u0152-\u2122]/g, (character) => {
      const index = WINDOWS_1252.indexOf(character)
      return index === -1 ? character : String.fromCharCode(0x80 + index)
    }),
  )

/** Between the quotes of `key=`, as GitHub and Slack post a form with the JSON in one field. */
const formField = (name: string) => text((body) => new URLSearchParams(body).get(name) ?? undefined)

/** The members of a form as JSON, and the other way round. */
const formAsJson = (spaced: boolean) =>
  text((body) => {
    if (!/^[^{["\s]+=\S*$/.test(body)) return undefined
    const members = [...new URLSearchParams(body)].map(([name, value]) =>
      [name, value].map((part) => JSON.stringify(part)),
    )
    return `{${members.map((member) => member.join(spaced ? ': ' : ':')).join(spaced ? ', ' : ',')}}`
  })

type Field = readonly [name: string, value: string]

const jsonAsForm = (change: { sort?: boolean; encode?: (part: string) => string; brackets?: boolean; php?: boolean }) =>
  text((body) => {
    const fields = fieldsOf(body, change.brackets ?? true, change.php ?? false)
    if (fields === undefined) return undefined
    const { encode = (part) => new URLSearchParams({ '': part }).toString().slice(1) } = change
    const sorted = change.sort ? fields.sort(([one], [other]) => (one < other ? -1 : 1)) : fields
    return sorted.map((field) => field.map(encode).join('=')).join('&')
  })

/** The members of a JSON object as the fields of a form. */
function fieldsOf(body: string, brackets: boolean, php: boolean): Field[] | undefined {
  if (!body.trimStart().startsWith('{')) return undefined
  let parsed: object
  try {
    parsed = JSON.parse(body)
  } catch {
    return undefined
  }
  const fields: Field[] = []
  const pending: [string, unknown][] = Object.entries(parsed).reverse()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, value] = next
    // PHP leaves null out and writes 1 and 0 for true and false.
    if (php && value === null) continue
    if (typeof value !== 'object' || value === null) fields.push([name, fieldText(value, php)])
    else if (name.length > 1000) return undefined
    else {
      const inner = Object.entries(value).map(([key, one]): [string, unknown] => [
        brackets ? `${name}[${key}]` : name,
        one,
      ])
      pending.push(...inner.reverse().slice(0, 10_000))
    }
  }
  return fields
}

function fieldText(value: unknown, php: boolean): string {
  if (php && typeof value === 'boolean') return value ? '1' : '0'
  return value === null ? '' : String(value)
}

const reencodedForm = (encode: (part: string) => string) =>
  text((body) => {
    if (!/[%+]/.test(body) || !/^[^{["\s]+=\S*$/.test(body)) return undefined
    return [...new URLSearchParams(body)].map((field) => field.map(encode).join('=')).join('&')
  })

const percentEncoded = (part: string) => encodeURIComponent(part.toWellFormed())
const rawUrlEncoded = (part: string) =>
  percentEncoded(part).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
const lowercasePercent = (body: string) => body.replace(/%[0-9A-F]{2}/g, (one) => one.toLowerCase())

function percentDecoded(body: string): string | undefined {
  try {
    return decodeURIComponent(body)
  } catch {
    return undefined
  }
}

function stringInside(body: string): string | undefined {
  if (!/^\s*"/.test(body)) return undefined
  try {
    return JSON.parse(body) as string
  } catch {
    return undefined
  }
}

/** A body in base64 as the bytes that it stands for. */
const fromBase64 = text((body) => {
  const bytes = body.trim()
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(bytes) ? bytes : undefined
})

const PYTHON_ESCAPES: { readonly [character: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

const pythonBytes = (body: Buffer) => {
  const quote = body.includes("'") && !body.includes('"') ? '"' : "'"
  const escaped = body.toString('latin1').replace(/[\\\n\r\t'"]|[^ -~]/g, (character) => {
    const short = PYTHON_ESCAPES[character]
    if (short !== undefined) return short
    if (character === '"' || character === "'") return character === quote ? `\\${character}` : character
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return Buffer.from(`b${quote}${escaped}${quote}`)
}

/** Where one byte was replaced by U+FFFD, the bytes that a Latin-1 letter is in its place. */
function restoredBytes(): BodyChoice[] {
  return Array.from({ length: 128 }, (_, index) => {
    const byte = 0x80 + index
    const what = `the body with the byte 0x${byte.toString(16)} wherever U+FFFD was received`
    return choice(byte >= 0xc0 ? 6 : 7, 'body_encoding', what, BYTES, (body) =>
      body.includes('\ufffd')
        ? Buffer.from(body.toString('latin1').replaceAll('\xef\xbf\xbd', String.fromCharCode(byte)), 'latin1')
        : undefined,
    )
  })
}

const CHANGES: readonly BodyChoice[] = [
  constant(3, 'body_not_signed', '', 'an empty body'),
  constant(4, 'body_not_signed', '[object Object]', 'the text `[object Object]` in the place of the body'),
  constant(4, 'body_not_signed', 'undefined', 'the text `undefined` in the place of the body'),
  constant(4, 'body_not_signed', 'null', 'the text `null` in the place of the body'),
  constant(4, 'body_not_signed', '{}', 'an empty object, `{}`, in the place of the body'),
  constant(5, 'body_not_signed', 'None', 'the text `None` in the place of the body'),
  constant(5, 'body_not_signed', "b''", "Python's text for no bytes, `b''`, in the place of the body"),
  constant(6, 'body_not_signed', '""', 'an empty JSON string, `""`, in the place of the body'),
  constant(6, 'body_not_signed', '[]', 'an empty array, `[]`, in the place of the body'),
  constant(6, 'body_not_signed', 'Array', "PHP's text for an array, `Array`, in the place of the body"),
  constant(6, 'body_not_signed', 'nil', 'the text `nil` in the place of the body'),
  constant(6, 'body_not_signed', '<nil>', 'the text `<nil>` in the place of the body'),
  constant(6, 'body_not_signed', '[object Promise]', 'the text `[object Promise]` in the place of the body'),
  constant(6, 'body_not_signed', '[object Buffer]', 'the text `[object Buffer]` in the place of the body'),
  constant(5, 'body_not_signed', '[object ArrayBuffer]', 'the text `[object ArrayBuffer]` in the place of the body'),
  constant(6, 'body_not_signed', '[object Uint8Array]', 'the text `[object Uint8Array]` in the place of the body'),
  constant(6, 'body_not_signed', '[object FormData]', 'the text `[object FormData]` in the place of the body'),
  constant(6, 'body_not_signed', '[object Blob]', 'the text `[object Blob]` in the place of the body'),
  constant(
    6,
    'body_not_signed',
    '[object ReadableStream]',
    'the text `[object ReadableStream]` in the place of the body',
  ),
  constant(6, 'body_not_signed', 'false', 'the text `false` in the place of the body'),
  constant(6, 'body_not_signed', 'System.Byte[]', "C#'s text for bytes, `System.Byte[]`, in the place of the body"),
  constant(
    7,
    'body_not_signed',
    'System.Collections.Generic.Dictionary`2[System.String,System.Object]',
    "C#'s text for a dictionary in the place of the body",
  ),

  choice(
    3,
    'body_newline',
    'the body with CRLF line breaks instead of LF',
    NEWLINE,
    text((body) => body.replace(/\r?\n/g, '\r\n')),
  ),
  choice(
    3,
    'body_newline',
    'the body with LF line breaks instead of CRLF',
    NEWLINE,
    text((body) => body.replaceAll('\r\n', '\n')),
  ),
  choice(
    5,
    'body_newline',
    'the body with the line breaks before its indentation, which were taken out',
    NEWLINE,
    text((body) => body.replace(/(?<![ \t])(?: {2,}|\t+)(?=\S)|[}\]]$/g, '\n$&')),
  ),
  choice(
    4,
    'body_newline',
    'the body without its line breaks',
    NEWLINE,
    text((body) => body.replace(/[\r\n]/g, '')),
  ),
  choice(
    4,
    'body_newline',
    'the body without the white space around it',
    NEWLINE,
    text((body) => body.trim()),
  ),
  choice(
    6,
    'body_newline',
    'the body with CR line breaks',
    NEWLINE,
    text((body) => body.replace(/\r?\n/g, '\r')),
  ),
  choice(
    6,
    'body_newline',
    'the body with a line break as two characters, `\\n`',
    NEWLINE,
    text((body) => body.replaceAll('\n', '\\n')),
  ),
  choice(
    6,
    'body_newline',
    'the body with a line break instead of `\\n`',
    NEWLINE,
    text((body) => body.replaceAll('\\n', '\n')),
  ),
  choice(
    6,
    'body_changed',
    'the body without any white space',
    SAME_BYTES,
    text((body) => body.replace(/\s/g, '')),
  ),
  choice(
    6,
    'body_changed',
    'the body with one space for each run of white space',
    SAME_BYTES,
    text((body) => body.replace(/\s+/g, ' ')),
  ),

  choice(3, 'body_encoding', 'the body with a byte order mark before it', BYTES, (body) =>
    Buffer.concat([Buffer.from('\ufeff'), body]),
  ),
  choice(3, 'body_encoding', 'the body without its byte order mark', BYTES, (body) =>
    body.indexOf('\ufeff') === 0 ? body.subarray(3) : undefined,
  ),
  beyondAscii(3, 'the body in Latin-1 instead of UTF-8', (body) => ifUtf8(false, latin1(body.toString('utf8')))),
  beyondAscii(3, 'the body in UTF-8, which arrived encoded twice (é as Ã©)', (body) =>
    ifUtf8(true, latin1(body.toString('utf8'))),
  ),
  beyondAscii(4, 'the body in Windows-1252 instead of UTF-8', (body) => windows1252(body.toString('utf8'))),
  beyondAscii(3, 'the body decoded to text, in which U+FFFD stands for what is no UTF-8', (body) =>
    Buffer.from(body.toString('utf8')),
  ),
  beyondAscii(
    4,
    'the body in UTF-8 twice (é as Ã©)',
    (body) => ifUtf8(true, body) && Buffer.from(body.toString('latin1')),
  ),
  beyondAscii(
    3,
    'the body in UTF-8, which arrived in Latin-1',
    (body) => ifUtf8(false, body) && Buffer.from(body.toString('latin1')),
  ),
  beyondAscii(4, 'the body in ASCII, in which `?` stands for all else', (body) =>
    Buffer.from(body.toString('utf8').replace(/[^\0-\x7f]/gu, '?')),
  ),
  beyondAscii(5, 'the body in ASCII, in which `?` stands for each unit of UTF-16', (body) =>
    Buffer.from(body.toString('utf8').replace(/[^\0-\x7f]/g, '?')),
  ),
  beyondAscii(5, 'the body in ASCII, in which `?` stands for each byte of all else', (body) =>
    Buffer.from(body.toString('latin1').replace(/[^\0-\x7f]/g, '?')),
  ),
  beyondAscii(5, 'the body in Latin-1, in which `?` stands for all else', (body) =>
    Buffer.from(body.toString('utf8').replace(/[^\0-\xff]/gu, '?'), 'latin1'),
  ),
  beyondAscii(5, 'the body decoded as ASCII, in which U+FFFD stands for each byte of all else', (body) =>
    Buffer.from(body.toString('latin1').replace(/[^\0-\x7f]/g, '\ufffd')),
  ),
  beyondAscii(5, 'the body without its characters beyond ASCII', (body) =>
    Buffer.from(body.toString('utf8').replace(/[^\0-\x7f]/g, '')),
  ),
  beyondAscii(6, 'the low byte of each character of the body', (body) => Buffer.from(body.toString('utf8'), 'latin1')),
  beyondAscii(6, 'the low seven bits of each byte of the body', (body) => Buffer.from(body.map((byte) => byte & 0x7f))),
  beyondAscii(4, 'the body in Unicode normalisation form C', (body) =>
    Buffer.from(body.toString('utf8').normalize('NFC')),
  ),
  beyondAscii(4, 'the body in Unicode normalisation form D', (body) =>
    Buffer.from(body.toString('utf8').normalize('NFD')),
  ),
  beyondAscii(5, 'the body in Unicode normalisation form KC', (body) =>
    Buffer.from(body.toString('utf8').normalize('NFKC')),
  ),
  beyondAscii(5, 'the body in Unicode normalisation form KD', (body) =>
    Buffer.from(body.toString('utf8').normalize('NFKD')),
  ),
  choice(4, 'body_encoding', 'the body in UTF-16 (little-endian)', BYTES, (body) =>
    Buffer.from(body.toString('utf8'), 'utf16le'),
  ),
  choice(5, 'body_encoding', 'the body in UTF-16 (big-endian)', BYTES, (body) =>
    Buffer.from(body.toString('utf8'), 'utf16le').swap16(),
  ),
  choice(5, 'body_encoding', 'the body in UTF-16 (little-endian) after a byte order mark', BYTES, (body) =>
    Buffer.from(`\ufeff${body}`, 'utf16le'),
  ),
  choice(5, 'body_encoding', 'the body in UTF-16 (big-endian) after a byte order mark', BYTES, (body) =>
    Buffer.from(`\ufeff${body}`, 'utf16le').swap16(),
  ),
  choice(5, 'body_encoding', 'the body in UTF-8, which arrived in UTF-16', BYTES, (body) =>
    body.length % 2 === 0 && body.includes(0)
      ? Buffer.from(body.toString('utf16le').replace(/^\ufeff/, ''))
      : undefined,
  ),
  choice(5, 'body_encoding', 'the body up to its first NUL', BYTES, (body) => {
    const end = body.indexOf(0)
    return end === -1 ? undefined : body.subarray(0, end)
  }),

  choice(4, 'body_wrapped', 'the body in base64', ENCODED, (body) => Buffer.from(body.toString('base64'))),
  choice(4, 'body_wrapped', 'the body decoded from base64', ENCODED, (body) => {
    const encoded = fromBase64(body)
    return encoded && Buffer.from(encoded.toString('latin1'), 'base64')
  }),
  choice(5, 'body_wrapped', 'the body in base64url', ENCODED, (body) => Buffer.from(body.toString('base64url'))),
  choice(6, 'body_wrapped', 'the body in base64, in lines of 76 characters', ENCODED, (body) =>
    Buffer.from(body.toString('base64').replace(/.{76}(?=.)/g, '$&\n')),
  ),
  choice(5, 'body_wrapped', 'the body in hex', ENCODED, (body) => Buffer.from(body.toString('hex'))),
  choice(6, 'body_wrapped', 'the body in uppercase hex', ENCODED, (body) =>
    Buffer.from(body.toString('hex').toUpperCase()),
  ),
  choice(5, 'body_wrapped', 'the body decoded from hex', ENCODED, (body) =>
    /^([0-9a-f]{2})+$/i.test(body.toString('latin1')) ? Buffer.from(body.toString('latin1'), 'hex') : undefined,
  ),
  choice(
    3,
    'body_wrapped',
    'the body as a JSON string, encoded twice',
    `${SAME_BYTES}: serialize once (Node: JSON.stringify(event), not JSON.stringify of what is text already). ${RAW}.`,
    text((body) => JSON.stringify(body)),
  ),
  choice(
    4,
    'body_wrapped',
    'the body as a JSON string with `/` and characters beyond ASCII escaped',
    `${SAME_BYTES}: serialize once. ${RAW}.`,
    text((body) =>
      JSON.stringify(body)
        .replaceAll('/', '\\/')
        .replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
  ),
  choice(
    4,
    'body_wrapped',
    'the body as a JSON string with characters beyond ASCII escaped',
    `${SAME_BYTES}: serialize once. ${RAW}.`,
    text((body) =>
      JSON.stringify(body).replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
  ),
  choice(
    3,
    'body_wrapped',
    'the text inside the JSON string received, which was encoded twice for sending',
    `${SAME_BYTES}: serialize once (Python: requests.post(url, data=body), not json=body with a body that is text already). ${RAW}.`,
    text(stringInside),
  ),
  choice(
    5,
    'body_wrapped',
    "the body as Python prints bytes, `b'…'`",
    `${SAME_BYTES}: Python: body.decode() or, better, hmac.update(body) with the bytes, not str(body) or f"{body}".`,
    pythonBytes,
  ),
  choice(
    6,
    'body_wrapped',
    'the body between quotes',
    ENCODED,
    text((body) => `"${body}"`),
  ),
  choice(
    6,
    'body_wrapped',
    'the body between single quotes',
    ENCODED,
    text((body) => `'${body}'`),
  ),
  choice(
    5,
    'body_wrapped',
    'the bytes of the body as decimal numbers, as JavaScript prints a Uint8Array',
    BYTES,
    (body) => Buffer.from(body.join(',')),
  ),
  choice(6, 'body_wrapped', 'the bytes of the body as decimal numbers, as Go prints bytes', BYTES, (body) =>
    Buffer.from(`[${body.join(' ')}]`),
  ),
  choice(6, 'body_wrapped', 'the body as JavaScript writes a Buffer in JSON', BYTES, (body) =>
    Buffer.from(JSON.stringify(body)),
  ),
  choice(5, 'body_wrapped', 'the body percent-encoded', ENCODED, text(percentEncoded)),
  choice(
    5,
    'body_wrapped',
    'the body encoded as a form does',
    ENCODED,
    text((body) => new URLSearchParams({ '': body }).toString().slice(1)),
  ),
  choice(4, 'body_wrapped', 'the body percent-decoded', ENCODED, text(percentDecoded)),
  choice(
    4,
    'body_wrapped',
    'the body percent-decoded, with a space for each `+`',
    ENCODED,
    text((body) => percentDecoded(body.replaceAll('+', ' '))),
  ),
  choice(5, 'body_wrapped', 'the body with lowercase percent-encoding', ENCODED, text(lowercasePercent)),
  choice(
    4,
    'body_wrapped',
    'the form with each field encoded anew, a space as `%20`',
    ENCODED,
    reencodedForm(rawUrlEncoded),
  ),
  choice(
    5,
    'body_wrapped',
    "the form with each field encoded anew, as JavaScript's encodeURIComponent does",
    ENCODED,
    reencodedForm(percentEncoded),
  ),
  choice(
    4,
    'body_wrapped',
    'the form with each field encoded anew, a space as `+`',
    ENCODED,
    reencodedForm((part) => new URLSearchParams({ '': part }).toString().slice(1)),
  ),
  choice(
    5,
    'body_wrapped',
    'the form with its fields sorted',
    ENCODED,
    text((body) => (body.includes('=') && !body.startsWith('{') ? body.split('&').sort().join('&') : undefined)),
  ),
  choice(4, 'body_wrapped', 'the JSON in the field `payload` of the form', ENCODED, formField('payload')),
  choice(5, 'body_wrapped', 'the value of the field `data` of the form', ENCODED, formField('data')),
  choice(6, 'body_wrapped', 'the value of the field `body` of the form', ENCODED, formField('body')),
  choice(
    5,
    'body_wrapped',
    'the body in the field `payload` of a form',
    ENCODED,
    text((body) => new URLSearchParams({ payload: body }).toString()),
  ),
  choice(4, 'body_wrapped', 'the fields of the form as JSON', ENCODED, formAsJson(false)),
  choice(
    4,
    'body_wrapped',
    'the fields of the form as JSON with `, ` and `: ` as separators',
    ENCODED,
    formAsJson(true),
  ),
  // Of the libraries that compress, only Node's gives what Node's gives: the others' bytes cannot be made here.
  ...[6, 9, 1].flatMap((level) => [
    choice(5, 'body_compressed', 'the body as gzip (it arrived inflated)', COMPRESSED, (body) =>
      gzipSync(body, { level }),
    ),
    choice(5, 'body_compressed', 'the body as deflate (it arrived inflated)', COMPRESSED, (body) =>
      deflateSync(body, { level }),
    ),
    choice(6, 'body_compressed', 'the body as raw deflate (it arrived inflated)', COMPRESSED, (body) =>
      deflateRawSync(body, { level }),
    ),
  ]),
  choice(6, 'body_compressed', 'the body as brotli (it arrived inflated)', COMPRESSED, (body) =>
    brotliCompressSync(body),
  ),

  { ...choice(4, 'body_wrapped', 'the members of the JSON as a form', ENCODED, jsonAsForm({})), work: 32 },
  choice(
    5,
    'body_wrapped',
    "the members of the JSON as PHP's http_build_query writes them",
    ENCODED,
    jsonAsForm({ php: true }),
  ),
  choice(5, 'body_wrapped', 'the members of the JSON as a form, sorted', ENCODED, jsonAsForm({ sort: true })),
  choice(
    5,
    'body_wrapped',
    'the members of the JSON as a form, a space as `%20`',
    ENCODED,
    jsonAsForm({ encode: rawUrlEncoded }),
  ),
  choice(
    5,
    'body_wrapped',
    'the members of the JSON as a form, not encoded',
    ENCODED,
    jsonAsForm({ encode: (part) => part }),
  ),
  choice(
    6,
    'body_wrapped',
    'the members of the JSON as a form, sorted and not encoded',
    ENCODED,
    jsonAsForm({ sort: true, encode: (part) => part }),
  ),
  choice(
    6,
    'body_wrapped',
    'the members of the JSON as a form, without brackets',
    ENCODED,
    jsonAsForm({ brackets: false }),
  ),

  choice(3, 'body_compressed', 'the body inflated (it arrived as gzip)', COMPRESSED, inflated(gunzipSync)),
  choice(3, 'body_compressed', 'the body inflated (it arrived as deflate)', COMPRESSED, inflated(inflateSync)),
  choice(4, 'body_compressed', 'the body inflated (it arrived as raw deflate)', COMPRESSED, inflated(inflateRawSync)),
  choice(3, 'body_compressed', 'the body inflated (it arrived as brotli)', COMPRESSED, inflated(brotliDecompressSync)),
  hashed(4, 'the SHA-256 of the body, in hex', 'sha256', 'hex'),
  hashed(5, 'the SHA-256 of the body, in base64', 'sha256', 'base64'),
  hashed(5, "the bytes of the body's SHA-256", 'sha256', 'bytes'),
  hashed(6, 'the SHA-256 of the body, in uppercase hex', 'sha256', 'HEX'),
  hashed(5, 'the MD5 of the body, in hex', 'md5', 'hex'),
  hashed(5, 'the MD5 of the body, in base64', 'md5', 'base64'),
  hashed(6, 'the SHA-1 of the body, in hex', 'sha1', 'hex'),
  hashed(6, 'the SHA-512 of the body, in hex', 'sha512', 'hex'),

  choice(
    6,
    'body_changed',
    'the body in lowercase',
    SAME_BYTES,
    text((body) => body.toLowerCase()),
  ),
  choice(
    6,
    'body_changed',
    'the body in uppercase',
    SAME_BYTES,
    text((body) => body.toUpperCase()),
  ),
  choice(
    6,
    'body_changed',
    'the body with `&`, `<`, `>` and quotes escaped as HTML',
    SAME_BYTES,
    text((body) => body.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one] ?? '&quot;')),
  ),
  choice(
    5,
    'body_changed',
    'the body before it was escaped as HTML (`&quot;` for a quote)',
    SAME_BYTES,
    text((body) =>
      body.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    ),
  ),
  choice(
    6,
    'body_changed',
    'the body with a backslash before each quote',
    SAME_BYTES,
    text((body) => body.replace(/["'\\]/g, '\\$&')),
  ),
  choice(
    5,
    'body_changed',
    'the body without its backslashes',
    SAME_BYTES,
    text((body) => body.replaceAll('\\', '')),
  ),
  choice(
    5,
    'body_changed',
    'the body without its quotes',
    SAME_BYTES,
    text((body) => body.replaceAll('"', '')),
  ),
  choice(6, 'body_changed', 'the body without its last byte', SAME_BYTES, (body) => body.subarray(0, -1)),
  choice(6, 'body_changed', 'the body without its first byte', SAME_BYTES, (body) => body.subarray(1)),
  choice(6, 'body_changed', 'the body twice', SAME_BYTES, (body) => Buffer.concat([body, body])),
  choice(6, 'body_changed', 'the body with a NUL after it', SAME_BYTES, (body) =>
    Buffer.concat([body, Buffer.alloc(1)]),
  ),
  ...restoredBytes(),
]

/**
 * What may have happened to the body's bytes between signing and receiving.
 *
 * @param isLarge - whether the body is too large for the rare ones: the search ends before it comes to them.
 */
export function bodyChanges(isLarge: boolean): readonly BodyChoice[] {
  return isLarge ? CHANGES.filter(({ cost }) => cost <= 4) : CHANGES
}

/** The end of a body: what remains of the body, and what was added after it. */
export type Ending = (body: Buffer) => readonly [kept: Buffer, added: string]

const NOTHING: Ending = (body) => [body, '']

const adding = (cost: number, what: string, added: string): Choice<Ending> => ({
  cost,
  deviation: { code: 'body_newline', what: `with ${what} after it`, fix: NEWLINE },
  value: (body) => [body, added],
})

/** What may have been added after the body, or lost there. */
export const ENDINGS: readonly Choice<Ending>[] = [
  { cost: 0, value: NOTHING },
  adding(2, 'a line feed (LF)', '\n'),
  {
    cost: 2,
    deviation: { code: 'body_newline', what: 'without the line break at its end', fix: NEWLINE },
    value: (body) => {
      if (body.at(-1) !== 0x0a) return [body, '']
      return [body.subarray(0, body.at(-2) === 0x0d ? -2 : -1), '']
    },
  },
  adding(5, 'a CRLF (carriage return and line feed)', '\r\n'),
  adding(6, 'two line feeds', '\n\n'),
  adding(6, 'a space', ' '),
]
