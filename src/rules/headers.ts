import { types } from 'node:util'
import { invalidType, kindOf } from '../errors.js'

/**
 * A request's headers in any of the shapes in which Node services meet them: Fetch `Headers`, Node's
 * `IncomingHttpHeaders` and other records, a `Map`, or `[name, value]` pairs. Names may be in any case; values may be lists.
 */
export type HeadersInput =
  | {
      /** The value of a header, whatever the case of its name; `null` if it is absent. */
      get(name: string): string | null
    }
  | { readonly [name: string]: string | readonly string[] | undefined }
  | Iterable<readonly [string, string | readonly string[]]>

/** The three headers that authenticate a request, as a rejection names them. */
export type HeaderName = 'x-timestamp' | 'x-nonce' | 'x-signature'

/** The values of the three headers, verbatim; `undefined` for one that is absent. */
interface HeaderValues {
  timestamp: string | undefined
  nonce: string | undefined
  signature: string | undefined
}

const FIX = "pass Node's request.headers, Fetch Headers, a record, a Map or [name, value] pairs"

/**
 * The values of the three headers, verbatim. One that arrived more than once is joined with `, ` as HTTP does
 * (RFC 9110, section 5.3), and so fails its format rule.
 *
 * @internal
 */
export function readHeaders(headers: HeadersInput): Readonly<HeaderValues> {
  assertHeaders(headers)
  const values: HeaderValues = { timestamp: undefined, nonce: undefined, signature: undefined }
  // The get() of Headers ignores the case of a name, that of a Map does not: a Map is read as pairs.
  if (hasGet(headers) && !types.isMap(headers)) {
    add(values, 'x-timestamp', headers.get('x-timestamp'))
    add(values, 'x-nonce', headers.get('x-nonce'))
    add(values, 'x-signature', headers.get('x-signature'))
  } else if (isIterable(headers)) {
    for (const pair of headers) {
      if (!Array.isArray(pair) || typeof pair[0] !== 'string') {
        throw invalidType(`request.headers is a list, but not of pairs: ${FIX}`)
      }
      if (hasLengthOfName(pair[0])) addNamed(values, pair[0], pair[1])
    }
  } else {
    for (const anyCase of Object.keys(headers)) {
      // A property is found several times as fast by a name that stands in the code. Most servers write names in lower case.
      if (anyCase === 'x-timestamp') add(values, anyCase, headers['x-timestamp'])
      else if (anyCase === 'x-nonce') add(values, anyCase, headers['x-nonce'])
      else if (anyCase === 'x-signature') add(values, anyCase, headers['x-signature'])
      else if (hasLengthOfName(anyCase)) addNamed(values, anyCase, headers[anyCase])
    }
  }
  return values
}

type Properties = { readonly [name: string]: unknown }

function assertHeaders(headers: unknown): asserts headers is Properties {
  if (!isObject(headers) || types.isPromise(headers)) {
    throw invalidType(`request.headers is ${kindOf(headers)}: ${FIX}`)
  }
  // In a record, what a sender names so is a string or a list of strings, never such an object.
  if (isRecord(headers['headers']) || isRecord(headers['req']) || isRecord(headers['raw'])) {
    throw invalidType('request.headers is a whole request: pass its .headers (Hono: c.req.raw.headers)')
  }
}

function add(values: HeaderValues, name: HeaderName, value: unknown): void {
  if (value === undefined || value === null) return
  if (Array.isArray(value)) {
    for (const line of value) add(values, name, line)
    return
  }
  if (typeof value !== 'string') throw invalidType(`${name} is ${kindOf(value)}: pass a string`)
  if (name === 'x-timestamp') values.timestamp = joined(values.timestamp, value)
  else if (name === 'x-nonce') values.nonce = joined(values.nonce, value)
  else values.signature = joined(values.signature, value)
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

/** Most headers have another length than the three. */
function hasLengthOfName(name: string): boolean {
  return name.length === 7 || name.length === 11
}

/** Adds a value, if `anyCase` is the name of one of the three headers. */
function addNamed(values: HeaderValues, anyCase: string, value: unknown): void {
  const name = anyCase.toLowerCase()
  if (name === 'x-timestamp' || name === 'x-nonce' || name === 'x-signature') add(values, name, value)
}

function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null
}

function isRecord(value: unknown): boolean {
  return isObject(value) && !Array.isArray(value)
}

function hasGet(headers: Properties): headers is Properties & { get(name: string): unknown } {
  return typeof headers['get'] === 'function'
}

function isIterable(headers: object): headers is Iterable<unknown> {
  return Symbol.iterator in headers
}
