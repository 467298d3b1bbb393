import { fromBase64, fromHex, fromLatin1, utf8 } from '../bytes.js'
import { arrivalOf } from './arrival.js'
import { CaptureError } from './capture-error.js'
import type { CapturedRequest } from './captured-request.js'
import { areOfRequest, contentLengthOf, type Header, parseHeader } from './headers.js'
import { parseHttpText } from './http-text.js'

// JSON that holds a request: a HAR file, one of its entries, or an event of AWS Lambda. Lines of logs, and exports of ngrok
// and webhook.site, are read too, because they differ only in names.

type Json = { readonly [name: string]: unknown }

/** An object, and the object that contains it. */
interface Place {
  readonly object: Json
  readonly outer?: Place
}

/** An object that has headers. */
interface Found {
  readonly headers: readonly Header[]
  readonly place: Place
}

/** The names of each part, the most exact one first. A dot leads into an object. */
const NAMES = {
  headers: ['multiValueHeaders', 'headers', 'rawHeaders', 'requestHeaders'],
  method: ['method', 'httpMethod', 'requestContext.http.method', 'verb'],
  target: ['originalUrl', 'url', 'rawPath', 'path', 'uri'],
  time: [
    'requestContext.timeEpoch',
    'requestContext.requestTimeEpoch',
    'startedDateTime',
    '@timestamp',
    'timestamp',
    'time',
    'ts',
    'start',
  ],
} as const

type Encoding = 'text' | 'base64' | 'hex'

/** The names of a raw body, in lowercase and without `_` and `-`. The most exact one first. */
const BODY_NAMES: readonly (readonly [name: string, encoding: Encoding])[] = [
  ['rawbodybase64', 'base64'],
  ['bodybase64', 'base64'],
  ['base64body', 'base64'],
  ['rawbodyb64', 'base64'],
  ['bodyb64', 'base64'],
  ['rawbodyhex', 'hex'],
  ['bodyhex', 'hex'],
  ['rawbody', 'text'],
  ['bodyraw', 'text'],
  ['body', 'text'],
  ['requestbody', 'text'],
]

/** Names beside a body that say how it is encoded: `isBase64Encoded: true` or `bodyEncoding: 'base64'`. */
const IS_BASE64 = /^(is)?base64(encoded)?$|^bodyisbase64$/
const ENCODING = /^(raw)?(body)?encoding$/

/** Parses JSON: one document, or lines with a document each. Returns `undefined` for other text. */
export function parseDocuments(text: string): readonly unknown[] | undefined {
  const document = parse(text)
  if (document !== undefined) return [document]
  const lines = text.trimEnd().split('\n').map(parse)
  return lines.includes(undefined) ? undefined : lines
}

/** Finds JSON that comes after something else, such as the prefix of a log: on each line, or once over several lines. */
export function findDocuments(text: string): readonly unknown[] {
  const start = text.indexOf('{')
  if (start === -1) return []
  const whole = parse(text.slice(start, text.lastIndexOf('}') + 1))
  if (whole !== undefined) return [whole]
  // A parse that fails takes long, so a line that does not end with `}` is not parsed.
  const lines = text.split('\n').filter((line) => line.includes('{') && line.trimEnd().endsWith('}'))
  return lines.map((line) => parse(line.slice(line.indexOf('{')))).filter((line) => line !== undefined)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads the request in JSON, or returns `undefined` if it has none. Of several requests, it reads the first one that
 * has X-Signature.
 */
export function readDocuments(documents: readonly unknown[]): CapturedRequest | undefined {
  const found = findHeaders(documents)
  const [request = found[0]] = found.filter(isSigned)
  if (request === undefined) return undefined
  const others =
    found.length === 1 ? [] : [`The capture has ${found.length} requests. The first with X-Signature was read.`]
  const arrival = arrivalOf(timeOf(request.place), 'from the time in the capture')
  const raw = readRaw(request.place.object)
  if (raw !== undefined) return { ...raw, arrival, notes: others }
  const headers = [...requestLine(request), ...request.headers]
  const { body, whyNoBody, notes } = findBody(request.place, headers)
  return { headers, body, whyNoBody, arrival, notes: [...others, ...notes] }
}

const isSigned = ({ headers }: Found) => headers.some(([name]) => /^x-signature$/i.test(name))

/** Finds all objects with headers of a request, the outermost first. */
function findHeaders(documents: unknown): Found[] {
  const inTexts: Place[] = []
  const found = findHeadersIn([{ object: { documents } }], inTexts)
  // A log may hold the text of another request, so texts are read only if the document itself has no signed request.
  return found.some(isSigned) ? found : [...found, ...findHeadersIn(inTexts, inTexts)]
}

/** Finds the objects with headers in `pending`, and adds the objects in their texts to `inTexts`. */
function findHeadersIn(pending: Place[], inTexts: Place[]): Found[] {
  const found: Found[] = []
  for (const place of pending) {
    const { object } = place
    const headers = headerLinesOf(lookUp({ object }, NAMES.headers))
    // A logged response has headers too, but no method and no target.
    const isRequest = areOfRequest(headers) || lookUp({ object }, [...NAMES.method, ...NAMES.target]) !== undefined
    if (headers.length > 0 && isRequest) {
      found.push({ headers, place })
      continue
    }
    for (const [name, inner] of Object.entries(object)) {
      if (name === 'response') continue
      if (isJsonObject(inner)) pending.push({ object: inner, outer: place })
      // A message of a queue has the event as a string. The queue's own fields are no part of the request, so they are left out.
      const message = typeof inner === 'string' && inner.startsWith('{') ? parse(inner) : undefined
      if (isJsonObject(message)) inTexts.push({ object: message })
    }
  }
  return found
}

const isJsonObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/**
 * Returns the value under the first of these names that an object has. It looks in the object first, then in those
 * around it.
 */
function lookUp(place: Place, names: readonly string[]): unknown {
  for (let next: Place | undefined = place; next !== undefined; next = next.outer) {
    for (const name of names) {
      const value = name
        .split('.')
        .reduce<unknown>((inner, part) => (isJsonObject(inner) ? inner[part] : undefined), next.object)
      if (value !== undefined && value !== null) return value
    }
  }
  return undefined
}

/** webhook.site writes times in UTC, but does not name the zone: `2023-11-14 22:13:20`. */
function timeOf(place: Place): unknown {
  const { token_id: tokenId, created_at: createdAt } = place.object
  return tokenId !== undefined && typeof createdAt === 'string' ? `${createdAt}Z` : lookUp(place, NAMES.time)
}

/** ngrok has the whole request as base64. */
function readRaw({ raw }: Json): CapturedRequest | undefined {
  const bytes = typeof raw === 'string' ? fromBase64(raw) : undefined
  return bytes && parseHttpText(bytes, fromLatin1(bytes))
}

/**
 * Returns the headers of a record, of pairs, of objects with `name` and `value`, or of names and values in turns. A string
 * may hold one of these as JSON, or the headers as HTTP text.
 */
function headerLinesOf(value: unknown): Header[] {
  if (typeof value === 'string') {
    const document = parse(value)
    if (isJsonObject(document)) return headerLinesOf(document)
    return value.split(/\r?\n/).flatMap((line) => [parseHeader(line)].filter((header) => header !== undefined))
  }
  if (!Array.isArray(value))
    return isJsonObject(value) ? Object.entries(value).flatMap(([name, one]) => lines(name, one)) : []
  if (value.every((one) => typeof one === 'string')) {
    return value.flatMap((name, index) => (index % 2 === 0 ? lines(name, value[index + 1]) : []))
  }
  return value.flatMap((one) =>
    Array.isArray(one) ? lines(one[0], one[1]) : isJsonObject(one) ? lines(one['name'], one['value']) : [],
  )
}

function lines(name: unknown, value: unknown): Header[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (typeof name !== 'string') return []
  return values.flatMap((one): Header[] =>
    typeof one === 'string' || typeof one === 'number' ? [[name, String(one)]] : [],
  )
}

/** Returns the method and the target as pseudo-headers, unless the headers already have them. */
function requestLine({ headers, place: { object } }: Found): Header[] {
  if (headers.some(([name]) => name === ':path')) return []
  const [target, query] = [lookUp({ object }, NAMES.target), object['rawQueryString']]
  const url = typeof target === 'string' && URL.canParse(target, 'http://a') ? new URL(target, 'http://a') : undefined
  const path = url && url.pathname + (typeof query === 'string' && query !== '' ? `?${query}` : url.search)
  return [...lines(':method', lookUp({ object }, NAMES.method)), ...lines(':path', path)]
}

interface JsonBody {
  readonly body: Uint8Array | undefined
  readonly whyNoBody?: string
  readonly notes: readonly string[]
}

/** A value that is a body, and the object that has it. */
interface BodyField {
  readonly value: unknown
  readonly encoding: Encoding
  readonly object: Json
}

function findBody(place: Place, headers: readonly Header[]): JsonBody {
  const field = findBodyField(place)
  if (field !== undefined && field.value === undefined && Array.isArray(field.object['params'])) {
    return { body: undefined, whyNoBody: 'has the fields of a form, but not the bytes of the body', notes: [] }
  }
  if (field !== undefined) return decodeBody(field)
  const { object } = place
  // Lambda leaves out an empty body, or replaces it by `null`.
  const isEmpty = 'isBase64Encoded' in object || object['bodySize'] === 0 || contentLengthOf(headers) === 0
  return { body: isEmpty ? new Uint8Array() : undefined, notes: [] }
}

/**
 * Looks beside the headers first, then in the objects around them. If an object also has a response, its body may be
 * that of the response.
 */
function findBodyField(place: Place): BodyField | undefined {
  for (let next: Place | undefined = place; next !== undefined; next = next.outer) {
    const { object } = next
    if (next !== place && 'response' in object) return undefined
    const { postData, token_id: tokenId, content } = object
    if (isJsonObject(postData)) return { value: postData['text'], encoding: 'text', object: postData }
    if (tokenId !== undefined) return { value: content, encoding: 'text', object }
    const fields = new Map(Object.entries(object).map(([name, value]) => [simplify(name), value]))
    const [found] = BODY_NAMES.filter(([name]) => (fields.get(name) ?? null) !== null)
    if (found !== undefined) return { value: fields.get(found[0]), encoding: found[1], object }
  }
  return undefined
}

const simplify = (name: string) => name.toLowerCase().replace(/[_-]/g, '')

function decodeBody({ value, encoding, object }: BodyField): JsonBody {
  if (typeof value === 'string')
    return { body: decodeText(value, encoding === 'text' ? encodingIn(object) : encoding), notes: [] }
  if (!isJsonObject(value)) return { body: undefined, notes: [] }
  const bytes = value['type'] === 'Buffer' ? value['data'] : value
  if (Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
    return { body: Uint8Array.from(bytes), notes: [] }
  }
  const note =
    'The capture has the parsed body, which was written as JSON again. The bytes received may differ: log the raw body.'
  return { body: utf8(writeJson(value)), notes: [note] }
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
    throw new CaptureError(
      `The capture says that its body is ${encoding}, but it is not. Pass the body with --body-file PATH.`,
    )
  }
  return bytes ?? new Uint8Array()
}

function writeJson(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch {
    // Thousands of nested levels overflow the stack.
    throw new CaptureError(
      'The body is nested too deeply to be written as JSON again. Pass the raw body with --body-file PATH.',
    )
  }
}
