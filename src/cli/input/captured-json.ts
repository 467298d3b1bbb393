import { fromBase64, utf8 } from '../../diagnose/bytes.js'
import type { HeaderLine } from '../output/http.js'
import { UsageError } from '../usage-error.js'
import { arrivalOf, type CapturedRequest, contentLengthOf } from './captured-request.js'

// JSON that holds a request: a HAR file or one of its entries, an event of AWS Lambda, or a line of a log. They differ in names only.

type Json = { readonly [name: string]: unknown }

/** An object, and the one around it. */
interface Place {
  readonly object: Json
  readonly outer?: Place
}

/** An object that has headers. */
interface Found {
  readonly headers: readonly HeaderLine[]
  readonly place: Place
}

/** The names of each part, the most exact one first. A dot leads into an object. */
const NAMES = {
  headers: ['multiValueHeaders', 'headers', 'rawHeaders', 'requestHeaders'],
  method: ['method', 'httpMethod', 'requestContext.http.method', 'verb'],
  target: ['originalUrl', 'url', 'rawPath', 'path', 'uri'],
  body: ['rawBody', 'body', 'postData.text', 'requestBody', 'payload'],
  time: [
    'requestContext.timeEpoch',
    'requestContext.requestTimeEpoch',
    'startedDateTime',
    '@timestamp',
    'timestamp',
    'time',
    'ts',
  ],
} as const

/** Parses a JSON document, or lines with a document each. */
export function parseJsonCapture(text: string): CapturedRequest {
  const found = findHeaders(parseDocuments(text))
  const signed = found.filter(({ headers }) => headers.some(([name]) => /^x-signature$/i.test(name)))
  const [request] = signed.length === 0 ? found : signed
  if (request === undefined) {
    throw new UsageError(
      'The capture is JSON, but not a request. Pass a HAR entry, an event of AWS Lambda, or an object with headers and body.',
    )
  }
  const headers = [...requestLine(request), ...request.headers]
  const others =
    found.length === 1 ? [] : [`The capture has ${found.length} requests. The first with X-Signature was read.`]
  const { body, notes } = jsonBodyOf(request.place, headers)
  return {
    headers,
    body,
    arrival: arrivalOf(lookUp(request.place, NAMES.time), 'from the time in the capture'),
    notes: [...others, ...notes],
  }
}

function parseDocuments(text: string): unknown {
  for (const documents of [[text], text.trimEnd().split('\n')]) {
    try {
      return documents.map((document) => JSON.parse(document))
    } catch {}
  }
  throw new UsageError('The capture begins as JSON, but is not valid JSON. Pass one document, or one per line.')
}

/** Finds all objects with headers of a request, the outermost first. */
function findHeaders(document: unknown): Found[] {
  const found: Found[] = []
  const pending: Place[] = [{ object: { document } }]
  for (const place of pending) {
    const headers = headerLinesOf(lookUp({ object: place.object }, NAMES.headers))
    if (headers.length > 0) {
      found.push({ headers, place })
      continue
    }
    for (const [name, object] of Object.entries(place.object)) {
      if (isJsonObject(object) && name !== 'response') pending.push({ object, outer: place })
    }
  }
  return found
}

const isJsonObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** The first value under one of the names, in the first object that has one. */
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

/** Headers as a record, pairs, objects with `name` and `value`, or names and values in turns. */
function headerLinesOf(value: unknown): HeaderLine[] {
  if (!Array.isArray(value))
    return isJsonObject(value) ? Object.entries(value).flatMap(([name, one]) => lines(name, one)) : []
  if (value.every((one) => typeof one === 'string')) {
    return value.flatMap((name, index) => (index % 2 === 0 ? lines(name, value[index + 1]) : []))
  }
  return value.flatMap((one) =>
    Array.isArray(one) ? lines(one[0], one[1]) : isJsonObject(one) ? lines(one['name'], one['value']) : [],
  )
}

function lines(name: unknown, value: unknown): HeaderLine[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (typeof name !== 'string') return []
  return values.flatMap((one): HeaderLine[] =>
    typeof one === 'string' || typeof one === 'number' ? [[name, String(one)]] : [],
  )
}

/** Method and target as pseudo-headers, unless the headers have them. */
function requestLine({ headers, place: { object } }: Found): HeaderLine[] {
  if (headers.some(([name]) => name === ':path')) return []
  const [target, query] = [lookUp({ object }, NAMES.target), object['rawQueryString']]
  const url = typeof target === 'string' && URL.canParse(target, 'http://a') ? new URL(target, 'http://a') : undefined
  const path = url && url.pathname + (typeof query === 'string' && query !== '' ? `?${query}` : url.search)
  return [...lines(':method', lookUp({ object }, NAMES.method)), ...lines(':path', path)]
}

function jsonBodyOf(place: Place, headers: readonly HeaderLine[]): { body: Uint8Array | undefined; notes: string[] } {
  const value = lookUp(place, NAMES.body)
  const { object } = place
  if (typeof value === 'string') {
    const isBase64 = object['isBase64Encoded'] === true || lookUp({ object }, ['postData.encoding']) === 'base64'
    return { body: (isBase64 ? fromBase64(value) : undefined) ?? utf8(value), notes: [] }
  }
  if (!isJsonObject(value)) {
    // Lambda leaves out or nulls an empty body.
    const isEmpty = 'isBase64Encoded' in object || object['bodySize'] === 0 || contentLengthOf(headers) === 0
    return { body: isEmpty ? new Uint8Array() : undefined, notes: [] }
  }
  const bytes = value['type'] === 'Buffer' ? value['data'] : value
  if (Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
    return { body: Uint8Array.from(bytes), notes: [] }
  }
  const note =
    'The capture has the parsed body, which was written as JSON again. The bytes received may differ: log the raw body.'
  return { body: utf8(JSON.stringify(value)), notes: [note] }
}
