import { fromBase64, fromHex, fromLatin1, utf8 } from '../bytes.js'
import { jsonValue } from '../diagnose/json/parse.js'
import { arrivalOf } from './arrival.js'
import { CaptureError } from './capture-error.js'
import type { CapturedRequest, PossibleBody } from './captured-request.js'
import { anyNameOf, areOfRequest, contentLengthOf, type Header, parseHeader, valuesOf } from './headers.js'
import { parseHttpText } from './http-text.js'

// This file reads a request from JSON, such as a HAR file, an event of AWS Lambda, a line of a log, or an export of ngrok.

type Json = { readonly [name: string]: unknown }

/** An object, and the object that contains it. */
interface Place {
  readonly object: Json
  readonly outer?: Place
}

/**
 * The products whose JSON has other names or another form. Each function returns the request with the names below, or `undefined` for the
 * JSON of other programs.
 */
const PRODUCTS: readonly ((object: Json) => Json | undefined)[] = [
  // webhook.site writes times in UTC without the zone: `2023-11-14 22:13:20`.
  ({ token_id: tokenId, content: body, created_at: createdAt, ...request }) => {
    const time = typeof createdAt === 'string' ? `${createdAt}Z` : request['time']
    return tokenId === undefined ? undefined : { ...request, body, time }
  },
  // A HAR file
  ({ postData, ...request }) => {
    if (!isJsonObject(postData)) return undefined
    const { text: body, encoding, params } = postData
    return { ...request, body, encoding, params }
  },
  // `wrangler tail` of Cloudflare. The body can be in any line that the worker printed.
  ({ event, logs, eventTimestamp: time }) => {
    const request = Object(event)['request']
    if (!isJsonObject(request) || !Array.isArray(logs)) return undefined
    return { ...request, time, printed: logs.flatMap((line) => Object(line).message) }
  },
  // A trace of Application Insights has `prop__` before each name of a logged value.
  (object) => {
    const fields = Object.entries(object)
    if (!fields.some(([name]) => name.startsWith('prop__'))) return undefined
    const plain = (name: string) =>
      name
        .replace(/^prop__(timestamp|nonce|signature)$/i, 'x-$1')
        .replace(/^prop__(.)/, (_, first) => first.toLowerCase())
    return Object.fromEntries(fields.map(([name, value]) => [plain(name), value]))
  },
]

const plainOf = (object: Json): Json =>
  PRODUCTS.reduce<Json | undefined>((found, read) => found ?? read(object), undefined) ?? object

interface Found {
  readonly headers: readonly Header[]
  readonly place: Place
}

/** The names of each part of a request, the most specific name first. `a.b` is the field `b` of the object `a`. */
const NAMES = {
  headers: ['multiValueHeaders', 'headers', 'rawHeaders', 'requestHeaders', 'header', 'http_http_request_line'],
  method: 'method httpMethod requestContext.http.method verb http.request.method http_http_request_method'.split(' '),
  target: 'originalUrl url.path url rawPath path uri http_http_request_uri'.split(' '),
  time: [
    ...['requestContext.timeEpoch', 'requestContext.requestTimeEpoch', 'startedDateTime', '@timestamp'],
    ...['timestamp', 'time', 'ts', 'start'],
  ],
}

/** The names that only a request has, and no response. */
const OF_REQUESTS = [...NAMES.method, ...NAMES.target]

type Encoding = 'text' | 'base64' | 'hex'

const PASS_BODY = 'Pass the body with --body-file PATH.'

/** The names of a raw body, the most exact name first, as `simplify` writes them. */
const BODY_NAMES =
  'rawbodybase64 bodybase64 base64body rawbodyb64 bodyb64 rawbodyhex bodyhex rawbody bodyraw body requestbody requestbodycontent requestbodytext requestpayload filedata'.split(
    ' ',
  )
const encodingOf = (name: string): Encoding =>
  /b(ase)?64/.test(name) ? 'base64' : name.endsWith('hex') ? 'hex' : 'text'

/** Less exact names. A body with one of these names is a guess, which is used only if its length or the signature is right. */
const LIKELY_NAMES = ['data', 'content', 'payload', 'value', 'raw', 'input']

/** The names of a raw body inside an object that is called `body`, as in `"body": { "mimeType": "…", "text": "…" }`. */
const INNER_NAMES = ['as_bytes', 'rawBytes', 'raw', 'text', 'original', 'content', 'body', 'data']
const INNER_BASE64 = ['as_bytes', 'rawBytes']
/** An object with one of these fields describes a body. An object without them is probably the parsed body itself. */
const DESCRIPTIONS = ['mimeType', 'mode', 'type', 'contentType', 'charset', 'bytes', 'truncated', 'encoding']

/** Match the names of fields beside the body that say how the body is encoded: `isBase64Encoded: true` or `bodyEncoding: 'base64'`. */
const IS_BASE64 = /^(is)?base64(encoded)?$|^bodyisbase64$/
const ENCODING = /^(raw)?(body)?encoding$/

/** Returns the JSON documents in text: the whole text, or one document per line. Returns `undefined` for other text. */
export function parseDocuments(text: string): readonly unknown[] | undefined {
  const document = jsonValue(text)
  if (document !== undefined) return [document]
  const documents: unknown[] = []
  // A document of several lines, such as those of `wrangler tail`, is indented except for its first and last line.
  for (const one of text.trimEnd().split(/\n(?![ \t\r\n}\]])/)) {
    const value = jsonValue(one)
    // `JSON.parse` is slow if it throws, so the first line without JSON ends this loop.
    if (value === undefined) return undefined
    documents.push(value)
  }
  return documents
}

/** Returns the JSON documents after other text, such as the time in a log: one document per line, or one document of several lines. */
export function findDocuments(text: string): readonly unknown[] {
  const documents = parseDocuments(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  if (documents !== undefined) return documents
  // Lines that do not end with `}` are left out, because `JSON.parse` is slow if it throws.
  const lines = text.split('\n').filter((line) => /\{\s{0,40}"/.test(line) && line.trimEnd().endsWith('}'))
  return lines.map((line) => jsonValue(line.slice(line.indexOf('{')))).filter((line) => line !== undefined)
}

/** Returns the first request with X-Signature in JSON, or else the first request. Returns `undefined` if the JSON has no request. */
export function readDocuments(documents: readonly unknown[]): CapturedRequest | undefined {
  const found = findHeaders(documents)
  const [request = found[0]] = found.filter(isSigned)
  if (request === undefined) return undefined
  const count = `The capture has ${found.length} requests. Only one was read: the first with X-Signature, or else the first.`
  const notes = found.length === 1 ? [] : [count]
  const arrival = arrivalOf(lookUp(request.place, NAMES.time), 'from the time in the capture')
  const raw = readRaw(request.place.object)
  if (raw !== undefined) return { ...raw, arrival, notes }
  const headers = [...requestLine(request), ...request.headers]
  const body = findBody(request.place, headers)
  // A program may have printed the headers on one line, and the parsed body on the next.
  const index = documents.indexOf(request.place.object)
  const next = index === -1 || body.body !== undefined ? undefined : documents[index + 1]
  const printed = isJsonObject(next) ? { body: utf8(writeJson(next)), certainty: 'rewritten' as const } : body
  return { headers, arrival, notes, ...printed }
}

/** The fields that contain a line of a log: `log` in the files of Docker, and `message` in the events of CloudWatch. */
const LINE_NAMES = ['log', 'message'] as const

/** Returns the lines of a log that is in JSON, each with a newline. Returns `undefined` for other JSON. */
export function logLinesOf(documents: readonly unknown[]): readonly string[] | undefined {
  const entries = documents.flatMap((document) => Object(document).events ?? document)
  const lines = entries.map((entry) => lookUp({ object: Object(entry) }, LINE_NAMES))
  if (lines.length === 0 || !lines.every((line) => typeof line === 'string')) return undefined
  return lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`))
}

const SIGNATURE = new RegExp(`^${anyNameOf('signature')}$`, 'i')
const isSigned = ({ headers }: Found) => headers.some(([name]) => SIGNATURE.test(name))

/** Returns all objects that have headers of a request, the outermost first. */
function findHeaders(documents: unknown): Found[] {
  const inTexts: Place[] = []
  const found = findHeadersIn([{ object: { documents } }], inTexts)
  // A string in the JSON can contain another request. Strings are read only if the document itself has no signed request.
  return found.some(isSigned) ? found : [...found, ...findHeadersIn(inTexts, inTexts)]
}

/** Returns the objects in `pending` that have headers. If a string is the JSON of an object, adds this object to `inTexts`. */
function findHeadersIn(pending: Place[], inTexts: Place[]): Found[] {
  const found: Found[] = []
  for (const written of pending) {
    const object = plainOf(written.object)
    const place = { ...written, object }
    const headers = headerLinesOf(lookUp({ object }, NAMES.headers))
    // A logged response has headers too.
    const isRequest = headers.length > 0 && (areOfRequest(headers) || lookUp({ object }, OF_REQUESTS) !== undefined)
    if (isRequest) {
      found.push({ headers, place })
      continue
    }
    const own = ownHeaders(object)
    if (isSigned({ headers: own, place })) {
      found.push({ headers: own, place })
      continue
    }
    for (const [name, inner] of Object.entries(object)) {
      if (name === 'response') continue
      if (isJsonObject(inner)) pending.push({ object: inner, outer: place })
      // A queue puts an event as a string into a message. The fields of the message are not part of the event, so `outer` is not set.
      const event = typeof inner === 'string' && inner.startsWith('{') ? jsonValue(inner) : undefined
      if (isJsonObject(event)) inTexts.push({ object: event })
    }
  }
  return found
}

/** Matches the name of a header after a prefix of Traefik or OpenTelemetry: `request_X-Nonce`, `http.request.header.x-nonce`. */
const AFTER_PREFIX = new RegExp(
  `(?<=[._-])${anyNameOf('timestamp', 'nonce', 'signature')}$|(?<=request[._]headers?[._]).+$`,
  'i',
)

/** Returns the headers that are fields of an object. CGI, WSGI and nginx write `HTTP_X_NONCE` for the name `X-Nonce`. */
function ownHeaders(object: Json): Header[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const ofCgi = /^(?:http_)?([a-z]+(?:_[a-z]+)+)$/i.exec(name)?.[1]?.replaceAll('_', '-')
    const [ofPath] = AFTER_PREFIX.exec(name) ?? []
    return lines(ofPath?.replaceAll('_', '-') ?? ofCgi ?? name, value).filter(([one]) => parseHeader(`${one}:`))
  })
}

const isJsonObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Returns the value of the first name that the object has. If the object has none of the names, searches the objects around it. */
function lookUp(place: Place, names: readonly string[]): unknown {
  for (let next: Place | undefined = place; next !== undefined; next = next.outer) {
    for (const name of names) {
      const parts = name.includes('.') ? name.split('.') : [name]
      const value = parts.reduce<unknown>((inner, part) => Object(inner)[part], next.object)
      if (value !== undefined && value !== null) return value
    }
  }
  return undefined
}

/** Returns the request in the field `raw`, to which ngrok writes the whole request in base64. Returns `undefined` for other JSON. */
function readRaw({ raw }: Json): CapturedRequest | undefined {
  const bytes = typeof raw === 'string' ? fromBase64(raw) : undefined
  const request = bytes && parseHttpText(bytes, fromLatin1(bytes))
  return request && { ...request, certainty: 'exact' }
}

/** Returns the headers in a string, an object or a list. A list contains pairs, objects, or names that alternate with values. */
function headerLinesOf(value: unknown): Header[] {
  if (typeof value === 'string') {
    const document = jsonValue(value)
    if (isJsonObject(document)) return headerLinesOf(document)
    return value.split(/\r?\n/).flatMap((line) => [parseHeader(line)].filter((header) => header !== undefined))
  }
  if (!Array.isArray(value)) return Object.entries(Object(value)).flatMap(([name, one]) => lines(name, one))
  if (value.every((one) => typeof one === 'string')) {
    if (value[0]?.includes(':')) return headerLinesOf(value.join('\n'))
    return value.flatMap((name, index) => (index % 2 === 0 ? lines(name, value[index + 1]) : []))
  }
  return value.flatMap((one) => {
    const { name, key, value } = Object(one)
    return Array.isArray(one) ? lines(one[0], one[1]) : lines(name ?? key, value)
  })
}

function lines(name: unknown, value: unknown): Header[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (typeof name !== 'string') return []
  return values.flatMap((one): Header[] =>
    typeof one === 'string' || typeof one === 'number' ? [[name, String(one)]] : [],
  )
}

/** Returns the method and the target as pseudo-headers. Returns an empty list if the headers already contain them. */
function requestLine({ headers, place: { object } }: Found): Header[] {
  if (headers.some(([name]) => name === ':path')) return []
  const [target, query] = [lookUp({ object }, NAMES.target), object['rawQueryString']]
  const url = typeof target === 'string' && URL.canParse(target, 'http://a') ? new URL(target, 'http://a') : undefined
  const path = url && url.pathname + (typeof query === 'string' && query !== '' ? `?${query}` : url.search)
  return [...lines(':method', lookUp({ object }, NAMES.method)), ...lines(':path', path)]
}

type JsonBody = Pick<CapturedRequest, 'body' | 'whyNoBody' | 'otherBodies' | 'certainty' | 'isGuess'>

interface BodyField {
  readonly value: unknown
  readonly encoding: Encoding
  readonly object: Json
  readonly isGuess?: boolean | undefined
}

const WHY_FIELDS = 'has the fields of a form, but not the bytes of the body'

function findBody(place: Place, headers: readonly Header[]): JsonBody {
  const { object } = place
  const { printed } = object
  if (Array.isArray(printed) && printed.length > 0) return findPrinted(printed)
  const field = findBodyField(place)
  if (field === undefined) {
    if (Array.isArray(object['params'])) return { body: undefined, whyNoBody: WHY_FIELDS }
    // Lambda leaves out an empty body, or replaces it by `null`.
    const isEmpty = 'isBase64Encoded' in object || object['bodySize'] === 0 || contentLengthOf(headers) === 0
    return { body: isEmpty ? new Uint8Array() : undefined }
  }
  const isCompressed = valuesOf(headers, 'content-encoding').length > 0
  return { ...decodeBody(field, isCompressed), isGuess: field.isGuess }
}

/** Returns the printed values, each of which may be the body. A text can have a label before its JSON. Texts with JSON come first. */
function findPrinted(values: readonly unknown[]): JsonBody {
  const texts = values
    .flatMap((value) => (typeof value === 'string' ? [value, /[{[].*/s.exec(value)?.[0] ?? value] : []))
    .sort((one, other) => Number(/^[{[]/.test(other)) - Number(/^[{[]/.test(one)))
  const [first, ...otherBodies] = [
    ...[...new Set(texts)].map((text): PossibleBody => ({ body: utf8(text), certainty: 'exact' })),
    ...values
      .filter(isJsonObject)
      .map((value): PossibleBody => ({ body: utf8(writeJson(value)), certainty: 'rewritten' })),
  ]
  return { body: undefined, ...first, otherBodies, isGuess: true }
}

/** Returns the field of the body, which is beside the headers or in an object around them. An outer object with a response is not read. */
function findBodyField(place: Place): BodyField | undefined {
  let inner: Json | undefined
  for (let next: Place | undefined = place; next !== undefined; next = next.outer) {
    const { object } = next
    if (next !== place && 'response' in object) return undefined
    const fields = new Map(Object.entries(object).map(([name, value]) => [simplify(name), value]))
    // The object that contains the headers is not the body.
    const isValue = (value: unknown) => (value ?? null) !== null && value !== inner
    const found = BODY_NAMES.find((name) => isValue(fields.get(name)))
    if (found !== undefined) return { value: fields.get(found), encoding: encodingOf(found), object }
    const likely = LIKELY_NAMES.find((name) => isValue(fields.get(name)))
    if (likely !== undefined) return { value: fields.get(likely), encoding: 'text', object, isGuess: true }
    const request = fields.get('request')
    const body = Object(request)['body']
    if (isJsonObject(request) && isValue(body)) return { value: body, encoding: 'text', object: request }
    inner = object
  }
  return undefined
}

/** Returns a name in lowercase, without `_`, `-` and `.`, and without the `http` that OpenTelemetry and tshark write before the name. */
const simplify = (name: string) => name.toLowerCase().replace(/^(?:http[_.-]*)+|[_.-]/g, '')

function decodeBody({ value, encoding, object }: BodyField, isCompressed: boolean): JsonBody {
  if (typeof value === 'string') {
    const own = encoding === 'text' ? encodingIn(object) : encoding
    // For a compressed body, HAR files and many logs contain the decompressed text.
    return { body: decodeText(value, own), certainty: isCompressed && own === 'text' ? 'rewritten' : 'exact' }
  }
  if (!isJsonObject(value)) return { body: undefined }
  // JSON.stringify writes a Buffer as `{ type, data }`, and a Uint8Array as `{ 0: …, 1: … }`.
  const bytes = value['type'] === 'Buffer' ? value['data'] : '0' in value ? Object.values(value) : value
  if (Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
    return { body: Uint8Array.from(bytes), certainty: 'exact' }
  }
  // Envoy writes `truncated` if it kept only the beginning of the body. A parsed body can have this field too.
  if (value['truncated'] === true && ('as_bytes' in value || 'as_string' in value))
    return { body: undefined, whyNoBody: 'has only the beginning of the body' }
  const parsed = utf8(writeJson(value))
  const whole: PossibleBody = { body: parsed, certainty: 'rewritten' }
  const inner = INNER_NAMES.find((name) => typeof value[name] === 'string')
  if (inner === undefined) return whole
  const text = String(value[inner])
  // Hoppscotch writes each field of a form on its own line: `name: value`.
  if (value['contentType'] === 'application/x-www-form-urlencoded' && /^[^=&]*: /.test(text)) {
    return { body: undefined, whyNoBody: WHY_FIELDS }
  }
  const isDescription = DESCRIPTIONS.some((name) => name in value)
  const bytesOfText = decodeText(text, INNER_BASE64.includes(inner) ? 'base64' : encodingIn(value))
  const inText: PossibleBody = { body: bytesOfText, certainty: 'exact' }
  return isDescription ? { ...inText, otherBodies: [whole] } : { ...whole, otherBodies: [inText] }
}

function encodingIn(object: Json): Encoding {
  for (const [name, value] of Object.entries(object)) {
    if (value === true && IS_BASE64.test(simplify(name))) return 'base64'
    if ((value === 'base64' || value === 'hex') && ENCODING.test(simplify(name))) return value
  }
  return 'text'
}

function decodeText(text: string, encoding: Encoding): Uint8Array {
  if (encoding === 'text') return utf8(text)
  const digits = text.replace(/\s+/g, '')
  const bytes = encoding === 'base64' ? fromBase64(digits) : fromHex(digits)
  if (bytes === undefined && digits !== '') {
    throw new CaptureError(`The capture says that its body is ${encoding}, but the body is not. ${PASS_BODY}`)
  }
  return bytes ?? new Uint8Array()
}

function writeJson(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch {
    // `JSON.stringify` throws a RangeError for thousands of nested levels.
    throw new CaptureError(`The body is nested too deeply to write it as JSON. ${PASS_BODY}`)
  }
}
