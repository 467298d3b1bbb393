import { types } from 'node:util'
import { hasMethod, invalidType, kindOf } from '../arguments.js'
import { HEADERS, type HeaderNames, type NamedValues, parseContentLength } from './formats.js'

/**
 * A request's headers: Fetch `Headers`, Node's `IncomingHttpHeaders` or another record, a `Map`, or `[name, value]` pairs. Names can be in
 * any case, and values can be lists.
 */
export type HeadersInput =
  | {
      /** Returns the value of a header, or `null` if it is absent. The case of `name` makes no difference. */
      get(name: string): string | null
    }
  | { readonly [name: string]: string | readonly string[] | undefined }
  | Iterable<readonly [string, string | readonly string[]]>

/**
 * Returns the values of the three headers, unchanged.
 *
 * The values of a repeated header are joined with `, ` (RFC 9110, section 5.3). The joined value then breaks the format rule.
 *
 * @param sets - the sets of header names that a signing scheme can use. Only one set is read: the first set with a header in the request. So
 * two sets are never mixed.
 */
export function readHeaders(headers: HeadersInput, sets: readonly HeaderNames[] = [HEADERS]): NamedValues {
  const wanted = sets.flatMap(({ timestamp, nonce, signature }) => [timestamp, nonce, signature])
  const values: { [name: string]: string | undefined } = {}
  for (const [anyCase, value] of pairsOf(headers, wanted)) {
    const name = anyCase.toLowerCase()
    if (wanted.includes(name)) values[name] = joined(values[name], value, name)
  }
  const isUsed = ({ timestamp, nonce, signature }: HeaderNames) =>
    (values[timestamp] ?? values[nonce] ?? values[signature]) !== undefined
  const names = sets.find(isUsed) ?? (sets[0] as HeaderNames)
  const { timestamp, nonce, signature } = names
  return { names, timestamp: values[timestamp], nonce: values[nonce], signature: values[signature] }
}

/** Returns at least the headers whose lowercase name is in `names`. If `headers` is a list of pairs, returns all pairs. */
function pairsOf(headers: HeadersInput, names: readonly string[]): Iterable<readonly [name: string, value: unknown]> {
  // A Map is read as pairs, because get() of a Map is case-sensitive, unlike get() of Headers.
  if (isFetchHeaders(headers)) return names.map((name) => [name, headers.get(name)])
  if (!(Symbol.iterator in headers)) {
    const found = Object.keys(headers).filter((name) => names.includes(name.toLowerCase()))
    return found.map((name) => [name, headers[name]])
  }
  return Array.from<unknown, [string, unknown]>(headers as Iterable<unknown>, (pair) => {
    if (Array.isArray(pair) && typeof pair[0] === 'string') return [pair[0], pair[1]]
    throw invalidType('request.headers is a list, but not of pairs. Pass [name, value] pairs.', 'no_pairs')
  })
}

function isFetchHeaders(headers: HeadersInput): headers is { get(name: string): string | null } {
  return hasMethod(headers, 'get') && !types.isMap(headers)
}

function joined(before: string | undefined, value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return before
  if (Array.isArray(value)) return value.reduce((all, one) => joined(all, one, name), before)
  if (typeof value !== 'string') throw invalidType(`${name} is ${kindOf(value)}. Pass a string.`)
  return before === undefined ? value : `${before}, ${value}`
}

/** Returns `Content-Length`, or `undefined` if the header is absent or cannot be read. */
export function contentLengthOf(headers: HeadersInput): number | undefined {
  return parseContentLength([findHeader(headers, 'content-length') ?? ''])
}

/** Returns the value of the header with the lowercase name `wanted`, or `undefined` if the header is absent or cannot be read. */
export function findHeader(headers: HeadersInput, wanted: string): string | undefined {
  try {
    const pairs = [...pairsOf(headers, [wanted])]
    return String(pairs.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '') || undefined
  } catch {
    return undefined
  }
}
