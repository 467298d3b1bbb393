import { types } from 'node:util'
import { invalidType, kindOf } from './invalid-argument.js'

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

const NAMES: readonly HeaderName[] = ['x-timestamp', 'x-nonce', 'x-signature']

const FIX = "pass Node's request.headers, Fetch Headers, a record of names to values, a Map or [name, value] pairs"

/**
 * The values of the three headers, verbatim. One that arrived more than once is joined with `, ` as HTTP does
 * (RFC 9110, section 5.3), and so fails its format rule.
 *
 * @internal
 */
export function readHeaders(headers: HeadersInput): { readonly [name in HeaderName]?: string } {
  const values: { [name in HeaderName]?: string } = {}
  for (const [anyCase, value] of entriesOf(headers)) {
    const lowercase = anyCase.toLowerCase()
    const name = NAMES.find((known) => known === lowercase)
    if (name === undefined) continue
    for (const line of linesOf(name, value)) {
      const before = values[name]
      values[name] = before === undefined ? line : `${before}, ${line}`
    }
  }
  return values
}

/** Names and values, whatever the shape that holds them. */
function entriesOf(headers: unknown): Iterable<readonly [string, unknown]> {
  if (!isObject(headers)) throw invalidType(`request.headers is ${kindOf(headers)}: ${FIX}`)
  // The get() of Headers ignores the case of a name, that of a Map does not: a Map is read as pairs.
  if (hasGet(headers) && !types.isMap(headers)) return NAMES.map((name) => [name, headers.get(name)])
  if (isIterable(headers)) return pairsOf(headers)
  if (types.isPromise(headers)) throw invalidType(`request.headers is a promise: await it, then ${FIX}`)
  // In a record, a header that a sender names "headers" is a string or a list of strings, never such an object.
  if ('headers' in headers && isObject(headers.headers) && !Array.isArray(headers.headers)) {
    throw invalidType('request.headers is a whole request: pass its .headers')
  }
  return Object.entries(headers)
}

function* pairsOf(headers: Iterable<unknown>): Iterable<readonly [string, unknown]> {
  for (const pair of headers) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') {
      throw invalidType(`request.headers is a list of something else than pairs, as rawHeaders is: ${FIX}`)
    }
    yield [pair[0], pair[1]]
  }
}

/** The values of one header: none when it is absent, several when it arrived more than once. */
function linesOf(name: HeaderName, value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  const lines: readonly unknown[] = Array.isArray(value) ? value : [value]
  return lines.map((line) => {
    if (typeof line !== 'string') throw invalidType(`${name} is ${kindOf(line)}: pass the header's value as a string`)
    return line
  })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function hasGet(headers: object): headers is { get(name: string): unknown } {
  return 'get' in headers && typeof headers.get === 'function'
}

function isIterable(headers: object): headers is Iterable<unknown> {
  return Symbol.iterator in headers
}
