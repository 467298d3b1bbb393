import { types } from 'node:util'
import { invalidType, kindOf } from '../arguments.js'
import { HEADER_NAMES, type HeaderName, type HeaderValues, parseContentLength } from './formats.js'

/**
 * A request's headers in one of the shapes of Node services: Fetch `Headers`, Node's `IncomingHttpHeaders` or another
 * record, a `Map`, or `[name, value]` pairs. Names may be in any case. Values may be lists.
 */
export type HeadersInput =
  | {
      /** Returns the value of a header, or `null` if it is absent. The case of `name` makes no difference. */
      get(name: string): string | null
    }
  | { readonly [name: string]: string | readonly string[] | undefined }
  | Iterable<readonly [string, string | readonly string[]]>

export { HEADER_NAMES, type HeaderName, type HeaderValues }

/**
 * Returns the values of the three headers, unchanged.
 *
 * A repeated header is joined with `, ` (RFC 9110, section 5.3), and so fails its format rule.
 */
export function readHeaders(headers: HeadersInput): HeaderValues {
  const values: Values = { timestamp: undefined, nonce: undefined, signature: undefined }
  // get() of Headers ignores the case of a name, but get() of a Map does not. So a Map is read as pairs.
  if ('get' in headers && typeof headers.get === 'function' && !types.isMap(headers)) {
    for (const name of HEADER_NAMES) add(values, name, headers.get(name))
  } else if (Symbol.iterator in headers) {
    for (const pair of headers as Iterable<unknown>) {
      if (!Array.isArray(pair) || typeof pair[0] !== 'string') {
        throw invalidType('request.headers is a list, but not of pairs. Pass [name, value] pairs.', 'no_pairs')
      }
      add(values, pair[0], pair[1])
    }
  } else {
    const record: Properties = headers
    for (const name in record) {
      // Looking up and lowercasing every header would cost a tenth of a `verify`.
      if ((name.length === 7 || name.length === 11) && Object.hasOwn(record, name)) add(values, name, record[name])
    }
  }
  return values
}

type Values = { -readonly [name in keyof HeaderValues]: HeaderValues[name] }

type Properties = { readonly [name: string]: unknown }

function add(values: Values, anyCase: string, value: unknown): void {
  const name = anyCase.toLowerCase()
  if (name === 'x-timestamp') values.timestamp = joined(values.timestamp, value, name)
  else if (name === 'x-nonce') values.nonce = joined(values.nonce, value, name)
  else if (name === 'x-signature') values.signature = joined(values.signature, value, name)
}

function joined(before: string | undefined, value: unknown, name: HeaderName): string | undefined {
  if (value === undefined || value === null) return before
  if (Array.isArray(value)) return value.reduce((all, one) => joined(all, one, name), before)
  if (typeof value !== 'string') throw invalidType(`${name} is ${kindOf(value)}. Pass a string.`)
  return before === undefined ? value : `${before}, ${value}`
}

/** Returns `Content-Length`, or `undefined` if there is none or the headers cannot be read. */
export function contentLengthOf(headers: HeadersInput): number | undefined {
  return parseContentLength([findHeader(headers, 'content-length') ?? ''])
}

/** Returns the value of a header whose name, in lowercase, is `wanted`. Returns `undefined` if the headers cannot be read again. */
export function findHeader(headers: HeadersInput, wanted: string): string | undefined {
  try {
    return String(valueIn(headers, wanted) ?? '') || undefined
  } catch {
    return undefined
  }
}

function valueIn(headers: HeadersInput, wanted: string): unknown {
  if ('get' in headers && typeof headers.get === 'function' && !types.isMap(headers)) return headers.get(wanted)
  const isWanted = (name: string) => name.length === wanted.length && name.toLowerCase() === wanted
  if (Symbol.iterator in headers) return [...headers].find(([name]) => isWanted(name))?.[1]
  // Node writes the names in lowercase.
  const name = wanted in headers ? wanted : Object.keys(headers).find(isWanted)
  return name === undefined ? undefined : Reflect.get(headers, name)
}
