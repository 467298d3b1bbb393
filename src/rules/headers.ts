import { types } from 'node:util'
import { invalidType, isObject, kindOf } from '../arguments.js'
import { notHeaders } from '../hints/headers.js'
import { HEADERS, type HeaderNames, type NamedValues, parseContentLength } from './formats.js'

/**
 * A request's headers: Fetch `Headers`, Node's `IncomingHttpHeaders` or another record, a `Map`, or `[name, value]` pairs. Names can be in
 * any case (RFC 9110, section 5.1), and values can be lists.
 */
export type HeadersInput =
  | {
      /** Returns the value of a header, or `null` if it is absent. The case of `name` makes no difference. */
      get(name: string): string | null
    }
  | { readonly [name: string]: string | readonly string[] | undefined }
  | Iterable<readonly [string, string | readonly string[]]>

/**
 * Returns the values of the three headers, unchanged. The values of a repeated header are joined with `, ` (RFC 9110, section 5.3), and then
 * break the format rule. Only the first set of names with a header in the request is read, so two sets are never mixed.
 */
export function readHeaders(headers: HeadersInput, sets: readonly HeaderNames[] = [HEADERS]): NamedValues {
  const read = readerOf(headers)
  let first: NamedValues | undefined
  for (const names of sets) {
    const [timestamp, nonce, signature] = [read(names.timestamp), read(names.nonce), read(names.signature)]
    const values = { names, timestamp, nonce, signature }
    if ((timestamp ?? nonce ?? signature) !== undefined) return values
    first ??= values
  }
  return first as NamedValues
}

/** Returns a function that returns the value of the header with a lowercase name, or `undefined` if the header is absent. */
function readerOf(headers: HeadersInput): (wanted: string) => string | undefined {
  if (!isObject(headers)) throw notHeaders(headers)
  // A Map is read as pairs, because get() of a Map is case-sensitive, unlike get() of Headers.
  if (isFetchHeaders(headers)) return (wanted) => joined(undefined, headers.get(wanted), wanted)
  if (!(Symbol.iterator in headers)) {
    const names = Object.keys(headers)
    return (wanted) => {
      let value: string | undefined
      for (const name of names) if (isNamed(name, wanted)) value = joined(value, headers[name], wanted)
      return value
    }
  }
  // An iterator can be read only once.
  const pairs = Array.from(headers as Iterable<unknown>, assertPair)
  return (wanted) => {
    let value: string | undefined
    for (const [name, one] of pairs) if (isNamed(name, wanted)) value = joined(value, one, wanted)
    return value
  }
}

function isFetchHeaders(headers: HeadersInput): headers is { get(name: string): string | null } {
  return 'get' in headers && typeof headers.get === 'function' && !types.isMap(headers)
}

function assertPair(pair: unknown): [name: string, value: unknown] {
  if (Array.isArray(pair) && typeof pair[0] === 'string') return [pair[0], pair[1]]
  throw invalidType('request.headers is a list, but not of pairs. Pass [name, value] pairs.')
}

/** Returns whether `name`, in any case, is the lowercase name `wanted`. */
function isNamed(name: string, wanted: string): boolean {
  return name === wanted || (name.length === wanted.length && name.toLowerCase() === wanted)
}

function joined(before: string | undefined, value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return before
  if (Array.isArray(value)) return value.reduce((all, one) => joined(all, one, name), before)
  if (typeof value !== 'string') throw invalidType(`${name} is ${kindOf(value)}. Pass a string.`)
  return before === undefined ? value : `${before}, ${value}`
}

/** Returns `Content-Length`, or `undefined` if the header is absent or cannot be read. */
export function contentLengthOf(headers: HeadersInput): number | undefined {
  return parseContentLength(findHeader(headers, 'content-length') ?? '')
}

/** Returns the value of the header with the lowercase name `wanted`, or `undefined` if the header is absent or cannot be read. */
export function findHeader(headers: HeadersInput, wanted: string): string | undefined {
  try {
    return readerOf(headers)(wanted)
  } catch {
    return undefined
  }
}
