import { HEADERS, type HeaderNames, parseContentLength } from '../../../src/rules/formats.js'
import type { HeadersInput } from '../../../src/rules/headers.js'

/** One header with one value. The name can contain capital letters, but {@link listHeaders} returns lowercase names. */
export type Header = readonly [name: string, value: string]

/** Returns the header in a line such as `Name: value`, or `undefined` for other lines. HTTP/2 has names such as `:path`. */
export function parseHeader(line: string): Header | undefined {
  const [, name, value] = /^(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)/s.exec(line) ?? []
  // White space around a value is not part of the value (RFC 9110, section 5.5). The lookbehind keeps the search fast if there are many spaces.
  return value === undefined ? undefined : [String(name), value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')]
}

/** Returns the headers of a list in which names and values alternate, as in `rawHeaders` of Node. */
export function pairsOf(rawHeaders: readonly string[]): Header[] {
  return rawHeaders.flatMap((name, index): Header[] => (index % 2 === 0 ? [[name, String(rawHeaders[index + 1])]] : []))
}

/** The names of the three headers in each scheme. In Standard Webhooks, the older names begin with `svix-`. */
export const SCHEME_HEADERS: readonly HeaderNames[] = [
  HEADERS,
  ...['webhook', 'svix'].map((start) => ({
    ...{ timestamp: `${start}-timestamp`, nonce: `${start}-id`, signature: `${start}-signature` },
  })),
]

/** Returns a part of a pattern that matches the names of these headers in all schemes, also with `_` for `-`. */
export function anyNameOf(...fields: readonly (keyof HeaderNames)[]): string {
  const names = SCHEME_HEADERS.flatMap((headers) => fields.map((field) => headers[field]))
  return `(?:${names.join('|').replaceAll('-', '[-_]')})`
}

const SIGNATURE = new RegExp(anyNameOf('signature'), 'i')

export const hasSignature = (text: string): boolean => SIGNATURE.test(text)

/** The headers to look up in an object that has only the method `get`, and so cannot list its headers. */
const ASKED_NAMES = [
  ...SCHEME_HEADERS.flatMap((names) => Object.values(names)),
  ...['x-hub-signature-256', 'authorization', 'date', 'content-length', 'content-encoding', 'transfer-encoding'],
]

/** Returns all headers with lowercase names, without values that are not strings. A header with two values is listed twice. */
export function listHeaders(headers: HeadersInput): Header[] {
  const listed: Header[] = []
  const add = (name: unknown, values: unknown) => {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (typeof name === 'string' && typeof value === 'string') listed.push([name.toLowerCase(), value])
    }
  }
  if (Symbol.iterator in headers) for (const [name, value] of headers) add(name, value)
  else if (typeof headers.get === 'function') for (const name of ASKED_NAMES) add(name, headers.get(name))
  else for (const [name, value] of Object.entries(headers)) add(name, value)
  return listed
}

/** Returns the values of a header. `wanted` is the name in lowercase. */
export function valuesOf(headers: readonly Header[], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

/** Returns `Content-Length`, or `undefined` if the header is absent or invalid, or if two values differ (RFC 9110, section 8.6). */
export function contentLengthOf(headers: readonly Header[]): number | undefined {
  const [length, ...others] = new Set(valuesOf(headers, 'content-length').map(parseContentLength))
  return others.length === 0 ? length : undefined
}

/** Returns whether the body was sent in chunks. In this case, `Transfer-Encoding` ends with `chunked` (RFC 9112, section 6.1). */
export function isChunked(headers: readonly Header[]): boolean {
  return valuesOf(headers, 'transfer-encoding').some((value) => /(^|[\s,])chunked\s*$/i.test(value))
}

const OF_REQUESTS = /^(:method|:path|host|user-agent|accept)$|signature|nonce|^x-(.+-)?timestamp$/i

/** Returns whether the headers belong to a request. Other text can have lines such as `Note: …`, which look like headers. */
export function areOfRequest(headers: readonly Header[]): boolean {
  return headers.some(([name]) => OF_REQUESTS.test(name))
}

const OF_CONNECTION = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length)$/i

/** Returns whether a header is only for one connection, so that a copy of the message must not have it (RFC 9110, section 7.6.1). */
export function isOfConnection(name: string): boolean {
  return OF_CONNECTION.test(name)
}

const OF_PROXIES =
  /^(via|forwarded|x-(forwarded|real|original|amzn|amz-cf|envoy|azure|kong|arr|cloud-trace)-.+|cf-.+|cdn-loop|fly-.+)$/

/** Returns whether the request passed a proxy, which may have changed the request. The names must be in lowercase. */
export function passedProxy(headers: readonly Header[]): boolean {
  return headers.some(([name]) => OF_PROXIES.test(name))
}

/** Returns headers that can be read again: a list in place of an iterator, which can be read only once. */
export function withoutIterator(headers: HeadersInput): HeadersInput {
  // An object of headers may have a header with the name `next`.
  const isIterator = 'next' in Object(headers) && Symbol.iterator in Object(headers)
  return isIterator ? [...(headers as Iterable<readonly [string, string]>)] : headers
}
