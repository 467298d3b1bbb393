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
import { asciiString, phpString, pythonString, type StringStyle } from './json-strings.js'

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
export const NEWLINE = `${SAME_BYTES}: shell: printf %s "$BODY" | openssl …, not echo, and curl --data-binary @body.json, not -d, which takes line breaks out; Go: json.Marshal, not json.NewEncoder, whose Encode adds a line feed. ${RAW}, if something trimmed them or converted line breaks.`
const COMPRESSED = `${SAME_BYTES}: sign after compressing, or do not compress. ${RAW}, before anything inflates them (Express: express.raw({ type: () => true, inflate: false })).`
const ENCODED = `${SAME_BYTES}, in no other encoding. ${RAW} (AWS Lambda: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')).`
const FORM = `${SAME_BYTES}: one text, in one format, for both (Python: requests.post(url, data=body) with text, not a dict, which is sent as a form; PHP: CURLOPT_POSTFIELDS => $body with text, not an array; Node: body: JSON.stringify(event), not URLSearchParams; curl: --data-binary @body.json). ${RAW}, not put together again from parsed fields.`
export const ENVELOPE = `${SAME_BYTES}: sign after the event was put into its envelope, or send the event without it. ${RAW}, not a part of them (a queue or a function's event holds them as text, such as the \`body\` of AWS Lambda and SQS).`
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

/** The body with another line break for each LF and CRLF. In bytes: as text, a body of line breaks would take seconds. */
const lineBreaks =
  (as: string): BodyChange =>
  (body) => {
    const made = Buffer.allocUnsafe(body.length + (as.length - 1) * countOf(body, LF))
    let length = 0
    for (let position = 0; position < body.length; position++) {
      const byte = body[position] as number
      if (byte === CR && body[position + 1] === LF) continue
      if (byte !== LF) made[length++] = byte
      else for (let index = 0; index < as.length; index++) made[length++] = as.charCodeAt(index)
    }
    return made.subarray(0, length)
  }

/** The body as curl's `-d @file` sends it. */
export const withoutLineBreaks = (body: Buffer): Buffer => {
  const made = Buffer.allocUnsafe(body.length)
  let length = 0
  for (let position = 0; position < body.length; position++) {
    const byte = body[position] as number
    if (byte !== CR && byte !== LF) made[length++] = byte
  }
  return made.subarray(0, length)
}

/** The characters that `echo` of dash, and `printf %b`, put in the place of an escape. */
const ECHOED = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['\\', '\\'],
])

/** The body with its escapes as a shell expands them, and an end; nothing if it has no escape. */
const echoed = (end: string) =>
  text((body) => {
    const printed = body.replace(/\\([ntrbf\\])/g, (_, letter: string) => ECHOED.get(letter) as string)
    return printed === body ? undefined : printed + end
  })

const LF = 0x0a
const CR = 0x0d

function countOf(body: Buffer, byte: number): number {
  let count = 0
  for (let position = 0; position < body.length; position++) if (body[position] === byte) count++
  return count
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

function compressed(cost: number, format: string, compress: BodyChange): BodyChoice {
  const what = `the body as ${format} (it arrived inflated)`
  return { ...choice(cost, 'body_compressed', what, COMPRESSED, compress), work: 64 }
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

const fromWindows1252 = (body: Buffer) =>
  body.toString('latin1').replace(/[\x80-\x9f]/g, (one) => WINDOWS_1252[one.charCodeAt(0) - 0x80] as string)

/** Between the quotes of `key=`, as GitHub and Slack post a form with the JSON in one field. */
const formField = (name: string) => text((body) => new URLSearchParams(body).get(name) ?? undefined)

const LITERAL = /^(-?(0|[1-9]\d*)(\.\d+)?|true|false|null)$/

/** A field of a form as JSON: what reads as a number or a word of JSON, or as one of Python's, may have been one. */
const literal =
  (string: StringStyle): StringStyle =>
  (value) =>
    LITERAL.test(value) ? value : (PYTHON_WORDS.get(value) ?? string(value))

/** The same as Python prints it: its words stay. */
const pythonLiteral: StringStyle = (value) =>
  LITERAL.test(value) || PYTHON_WORDS.has(value) ? value : pythonString(value)

const PYTHON_WORDS = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

/** The members of a form as JSON, and the other way round. */
const formAsJson = (spaced: boolean, string: StringStyle = JSON.stringify, write = string) =>
  text((body) => {
    if (!/^[^{["\s]+=\S*$/.test(body)) return undefined
    const members = [...new URLSearchParams(body)].map(([name, value]) => [string(name), write(value)])
    return `{${members.map((member) => member.join(spaced ? ': ' : ':')).join(spaced ? ', ' : ',')}}`
  })

/** The fields of a form as languages write them by default, which escape more than JSON asks for, or print a map. */
function writtenForms(): BodyChoice[] {
  const separated = ' with `, ` and `: ` as separators'
  const styles: readonly (readonly [how: string, spaced: boolean, string: StringStyle, written: StringStyle])[] = [
    [`,${separated} and characters beyond ASCII as \\uXXXX`, true, asciiString, literal(asciiString)],
    [', with characters beyond ASCII as \\uXXXX', false, asciiString, literal(asciiString)],
    [', with `/` as `\\/` and characters beyond ASCII as \\uXXXX', false, phpString, literal(phpString)],
    [", as Python's str() prints a dict", true, pythonString, pythonLiteral],
  ]
  return styles.flatMap(([how, spaced, string, written]) => [
    choice(5, 'body_wrapped', `the fields of the form as JSON${how}`, FORM, formAsJson(spaced, string)),
    choice(
      5,
      'body_wrapped',
      `the fields of the form as JSON, with its numbers and words${how}`,
      FORM,
      formAsJson(spaced, string, written),
    ),
  ])
}

type Field = readonly [name: string, value: string]

const jsonAsForm = (change: { sort?: boolean; encode?: (part: string) => string; brackets?: boolean; words?: Words }) =>
  text((body) => {
    const fields = fieldsOf(body, change.brackets ?? true, change.words ?? 'json')
    if (fields === undefined) return undefined
    const { encode = (part) => new URLSearchParams({ '': part }).toString().slice(1) } = change
    const sorted = change.sort ? fields.sort(([one], [other]) => (one < other ? -1 : 1)) : fields
    return sorted.map((field) => field.map(encode).join('=')).join('&')
  })

/** The members of a JSON object as the fields of a form. */
function fieldsOf(body: string, brackets: boolean, words: Words): Field[] | undefined {
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
    if (words === 'php' && value === null) continue
    if (typeof value !== 'object' || value === null) fields.push([name, fieldText(value, words)])
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

/** Whose words stand for true, false and null in a form: PHP writes 1 and 0, and leaves null out. */
type Words = 'json' | 'php' | 'python'

function fieldText(value: unknown, words: Words): string {
  if (words === 'php' && typeof value === 'boolean') return value ? '1' : '0'
  const text = value === null && words === 'json' ? '' : String(value)
  return words === 'python' ? ([...PYTHON_WORDS].find(([, json]) => json === text)?.[0] ?? text) : text
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

const htmlEscaped = (double: string, single: string) => (body: string) =>
  body.replace(/[&<>"']/g, (one) => {
    const quote = one === '"' ? double : single
    return { '&': '&amp;', '<': '&lt;', '>': '&gt;' }[one] ?? (quote === '' ? one : quote)
  })

function htmlUnescaped(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase()
  if (/34|22|quot/.test(name)) return '"'
  return { lt: '<', gt: '>', amp: '&' }[name] ?? "'"
}

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

/** The longest first line of a multipart body: two dashes and a boundary (RFC 2046, section 5.1.1). */
const LONGEST_BOUNDARY = 72

/** The parts of a multipart body that are taken for what was signed. */
const MOST_MULTIPART = 8

/** The content of one part of a multipart body, whose first line is its boundary. */
const multipartPart =
  (index: number): BodyChange =>
  (body) => {
    const [boundary] = /^--[^\r\n]+(?=\r\n)/.exec(body.toString('latin1', 0, LONGEST_BOUNDARY + 2)) ?? []
    if (boundary === undefined) return undefined
    const delimiter = `\r\n${boundary}`
    let from = 0
    for (let before = 0; before < index && from !== -1; before++) from = body.indexOf(delimiter, from + 1, 'latin1')
    const start = from === -1 ? -1 : body.indexOf('\r\n\r\n', from + 1)
    const end = start === -1 ? -1 : body.indexOf(delimiter, start + 4, 'latin1')
    return end === -1 ? undefined : body.subarray(start + 4, end)
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

/** The body as the only member of an object, as JSON or as text, with and without a space after the colon. */
function envelopes(cost: number, name: string, write: (body: string) => string): BodyChoice[] {
  return [':', ': '].map((colon) => {
    const member = `{"${name}"${colon}`
    const what = `an object with the body as its member \`${name}\`${write('"') === '"' ? '' : ', as text'}`
    return choice(
      cost,
      'body_wrapped',
      what,
      ENVELOPE,
      text((body) => `${member}${write(body)}}`),
    )
  })
}

const MULTIPART = `${SAME_BYTES}: the whole multipart body with its boundaries, encoded once (Python: request = requests.Request('POST', url, files=files).prepare(), sign request.body and send the same request), or send the content alone. ${RAW}, before a parser of multipart takes it apart (multer, busboy).`
const MARSHALLED = `${SAME_BYTES}: serialize once (Go: body, err := json.Marshal(event); sign body and send bytes.NewReader(body), not what json.Marshal makes of bytes: it encodes them in base64). ${RAW}.`

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
  ...['body.json', 'payload.json', 'event.json', 'data.json'].flatMap((file) =>
    ['', '@', './', '@./'].map((before) =>
      constant(
        7,
        'body_not_signed',
        before + file,
        `the name of a file, \`${before}${file}\`, in the place of the body`,
      ),
    ),
  ),
  constant(6, 'body_not_signed', '@-', 'the text `@-` in the place of the body'),
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

  choice(3, 'body_newline', 'the body with CRLF line breaks instead of LF', NEWLINE, lineBreaks('\r\n')),
  choice(3, 'body_newline', 'the body with LF line breaks instead of CRLF', NEWLINE, lineBreaks('\n')),
  choice(
    5,
    'body_newline',
    'the body with the line breaks before its indentation, which were taken out',
    NEWLINE,
    text((body) => body.replace(/(?<![ \t])(?: {2,}|\t+)(?=\S)|[}\]]$/g, '\n$&')),
  ),
  choice(4, 'body_newline', 'the body without its line breaks', NEWLINE, withoutLineBreaks),
  choice(
    4,
    'body_newline',
    'the body without the white space around it',
    NEWLINE,
    text((body) => body.trim()),
  ),
  choice(6, 'body_newline', 'the body with CR line breaks', NEWLINE, lineBreaks('\r')),
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
    4,
    'body_newline',
    'the body as the `echo` of sh prints it, with its escapes (`\\n`) expanded and a line feed (LF) after it',
    NEWLINE,
    echoed('\n'),
  ),
  choice(5, 'body_newline', 'the body with its escapes (`\\n`) expanded, as a shell does', NEWLINE, echoed('')),
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
  beyondAscii(
    4,
    'the body in UTF-8, which arrived in Windows-1252',
    (body) => ifUtf8(false, body) && Buffer.from(fromWindows1252(body)),
  ),
  beyondAscii(
    5,
    'the body in UTF-8 twice, the second time as Windows-1252 (€ as â‚¬)',
    (body) => ifUtf8(true, body) && Buffer.from(fromWindows1252(body)),
  ),
  beyondAscii(4, 'the body in UTF-8, which arrived encoded twice by way of Windows-1252 (€ as â‚¬)', (body) =>
    ifUtf8(true, windows1252(body.toString('utf8'))),
  ),
  beyondAscii(4, 'the body in Windows-1252 instead of UTF-8', (body) =>
    ifUtf8(false, windows1252(body.toString('utf8'))),
  ),
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
  choice(4, 'body_wrapped', 'the bytes for which the JSON string received, as base64, stands', MARSHALLED, (body) => {
    const [, encoded = ''] = /^"([A-Za-z0-9+/]+={0,2})"\n?$/.exec(body.toString('latin1')) ?? []
    return encoded === '' ? undefined : Buffer.from(encoded, 'base64')
  }),
  choice(5, 'body_wrapped', 'the body in base64 as a JSON string', MARSHALLED, (body) =>
    Buffer.from(`"${body.toString('base64')}"`),
  ),
  choice(
    5,
    'body_wrapped',
    "the body as Python prints bytes, `b'…'`",
    `${SAME_BYTES}: Python: body.decode() or, better, hmac.update(body) with the bytes, not str(body) or f"{body}".`,
    pythonBytes,
  ),
  choice(
    4,
    'body_wrapped',
    'an array with the body as its only element',
    ENVELOPE,
    text((body) => `[${body}]`),
  ),
  choice(4, 'body_wrapped', 'the only element of the array received', ENVELOPE, (body) =>
    body.length > 2 && body[0] === 0x5b && body.at(-1) === 0x5d ? body.subarray(1, -1) : undefined,
  ),
  ...['data', 'body', 'payload', 'event', 'message', 'Message', 'detail'].flatMap((name, index) =>
    [(body: string) => body, JSON.stringify].flatMap((write) => envelopes(index < 3 ? 5 : 6, name, write)),
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
    "the body percent-encoded but for `/`, as Python's quote does",
    ENCODED,
    text((body) => rawUrlEncoded(body).replaceAll('%2F', '/')),
  ),
  choice(
    5,
    'body_wrapped',
    "the body percent-encoded, and `!`, `*`, `'`, `(` and `)` too",
    ENCODED,
    text(rawUrlEncoded),
  ),
  choice(
    6,
    'body_wrapped',
    "the body percent-encoded as PHP's urlencode and Go's QueryEscape do",
    ENCODED,
    text((body) => new URLSearchParams({ '': body }).toString().slice(1).replaceAll('*', '%2A')),
  ),
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
  choice(4, 'body_wrapped', 'the JSON in the field `payload` of the form', FORM, formField('payload')),
  choice(5, 'body_wrapped', 'the value of the field `data` of the form', FORM, formField('data')),
  choice(6, 'body_wrapped', 'the value of the field `body` of the form', FORM, formField('body')),
  choice(
    5,
    'body_wrapped',
    'the body in the field `payload` of a form',
    FORM,
    text((body) => new URLSearchParams({ payload: body }).toString()),
  ),
  choice(4, 'body_wrapped', 'the fields of the form as JSON', FORM, formAsJson(false)),
  choice(4, 'body_wrapped', 'the fields of the form as JSON with `, ` and `: ` as separators', FORM, formAsJson(true)),
  choice(
    4,
    'body_wrapped',
    'the fields of the form as JSON, with its numbers and words',
    FORM,
    formAsJson(false, JSON.stringify, literal(JSON.stringify)),
  ),
  choice(
    4,
    'body_wrapped',
    'the fields of the form as JSON, with its numbers and words, and with `, ` and `: ` as separators',
    FORM,
    formAsJson(true, JSON.stringify, literal(JSON.stringify)),
  ),
  ...writtenForms(),
  ...Array.from({ length: MOST_MULTIPART }, (_, index) =>
    choice(
      index < 2 ? 4 : 5,
      'body_wrapped',
      `the content of part ${index + 1} of the multipart body`,
      MULTIPART,
      multipartPart(index),
    ),
  ),
  // Of the libraries that compress, only Node's gives what Node's gives: the others' bytes cannot be made here.
  ...[6, 9, 1].flatMap((level) => [
    compressed(5, 'gzip', (body) => gzipSync(body, { level })),
    compressed(5, 'deflate', (body) => deflateSync(body, { level })),
    compressed(6, 'raw deflate', (body) => deflateRawSync(body, { level })),
  ]),
  compressed(6, 'brotli', (body) => brotliCompressSync(body)),

  { ...choice(4, 'body_wrapped', 'the members of the JSON as a form', FORM, jsonAsForm({})), work: 32 },
  choice(
    5,
    'body_wrapped',
    "the members of the JSON as PHP's http_build_query writes them",
    FORM,
    jsonAsForm({ words: 'php' }),
  ),
  choice(
    5,
    'body_wrapped',
    "the members of the JSON as Python's urlencode writes them",
    FORM,
    jsonAsForm({ words: 'python' }),
  ),
  choice(5, 'body_wrapped', 'the members of the JSON as a form, sorted', FORM, jsonAsForm({ sort: true })),
  choice(
    5,
    'body_wrapped',
    'the members of the JSON as a form, a space as `%20`',
    FORM,
    jsonAsForm({ encode: rawUrlEncoded }),
  ),
  choice(
    5,
    'body_wrapped',
    'the members of the JSON as a form, not encoded',
    FORM,
    jsonAsForm({ encode: (part) => part }),
  ),
  choice(
    6,
    'body_wrapped',
    'the members of the JSON as a form, sorted and not encoded',
    FORM,
    jsonAsForm({ sort: true, encode: (part) => part }),
  ),
  choice(
    6,
    'body_wrapped',
    'the members of the JSON as a form, without brackets',
    FORM,
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
  ...(
    [
      ['', ''],
      ['&quot;', ''],
      ['&quot;', '&#39;'],
      ['&quot;', '&#039;'],
      ['&quot;', '&#x27;'],
      ['&#34;', '&#39;'],
      ['', '&#39;'],
    ] as const
  ).map(([double, single]) => {
    const quotes = [double, single].filter((one) => one !== '').map((one) => `\`${one}\``)
    const what = `the body escaped as HTML: \`&amp;\`, \`&lt;\` and \`&gt;\`${quotes.length === 0 ? '' : `, and ${quotes.join(' and ')} for quotes`}`
    return choice(double === '' ? 5 : 6, 'body_changed', what, SAME_BYTES, text(htmlEscaped(double, single)))
  }),
  choice(
    5,
    'body_changed',
    'the body before it was escaped as HTML (`&quot;` for a quote)',
    `${SAME_BYTES}. ${RAW}, before anything escapes them for a page (PHP: file_get_contents('php://input'), without htmlspecialchars or filter_input).`,
    text((body) => body.replace(/&(?:#0*34|#x22|quot|#0*39|#x27|apos|lt|gt|amp);/gi, htmlUnescaped)),
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

const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= CR)

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
  adding(4, 'a CRLF (carriage return and line feed)', '\r\n'),
  adding(6, 'two line feeds', '\n\n'),
  adding(5, 'a carriage return (CR)', '\r'),
  adding(5, '`\\n`, as two characters,', '\\n'),
  adding(6, 'a space', ' '),
  adding(6, 'two spaces', '  '),
  adding(6, 'a tab', '\t'),
  {
    cost: 2,
    deviation: { code: 'body_newline', what: 'without the white space at its end', fix: NEWLINE },
    value: (body) => {
      let end = body.length
      while (end > 0 && isSpace(body[end - 1] as number)) end--
      return [body.subarray(0, end), '']
    },
  },
]
