import { parseContentLength } from '../../../src/rules/formats.js'
import type { HeadersInput } from '../../../src/rules/headers.js'

/** One header with one value. The name keeps the capitals of the capture, but {@link listHeaders} returns lowercase names. */
export type Header = readonly [name: string, value: string]

/**
 * Returns the header in a line `Name: value`, or `undefined` for another line. The name may begin with a colon, as a pseudo-header
 * of HTTP/2 does.
 */
export function parseHeader(line: string): Header | undefined {
  const [, name, value] = /^(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s.exec(line) ?? []
  // White space around a value does not belong to the value (RFC 9110, section 5.5). The lookbehind makes the pattern run in linear time.
  return name && value !== undefined ? [name, value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')] : undefined
}

/** Returns the headers of a list in which names and values alternate, such as `rawHeaders` of Node. */
export function pairsOf(rawHeaders: readonly string[]): Header[] {
  return rawHeaders.flatMap((name, index): Header[] => (index % 2 === 0 ? [[name, String(rawHeaders[index + 1])]] : []))
}

/** The names to try if the headers cannot be listed. */
const ASKED_NAMES = [
  ...['x-timestamp', 'x-nonce', 'x-signature', 'webhook-timestamp', 'webhook-id', 'webhook-signature'],
  ...['x-hub-signature-256', 'authorization', 'date', 'content-length', 'content-encoding', 'transfer-encoding'],
]

/** Returns every header, once per value, with its name in lowercase. Values that are not text are left out. */
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

/** Returns the values of a header, whose name is lowercase. */
export function valuesOf(headers: readonly Header[], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

/** Returns `Content-Length`, or `undefined` if the header is absent, or if two values differ. */
export function contentLengthOf(headers: readonly Header[]): number | undefined {
  return parseContentLength(valuesOf(headers, 'content-length'))
}

/** Returns whether the body was sent in chunks: `chunked` is then the last coding (RFC 9112, section 6.1). */
export function isChunked(headers: readonly Header[]): boolean {
  return valuesOf(headers, 'transfer-encoding').some((value) => /(^|[\s,])chunked\s*$/i.test(value))
}

/** Headers that only requests have. */
const OF_REQUESTS = /^(:method|:path|host|user-agent|accept)$|signature|nonce|^x-(.+-)?timestamp$/i

/** Returns whether at least one of the headers occurs only in requests, because other text has lines of names and values too. */
export function areOfRequest(headers: readonly Header[]): boolean {
  return headers.some(([name]) => OF_REQUESTS.test(name))
}

const OF_CONNECTION = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length)$/i

/**
 * Returns whether a header belongs to one connection (RFC 9110, section 7.6.1), or is the length, which Node writes. A program
 * that sends a message again leaves these headers out.
 */
export function isOfConnection(name: string): boolean {
  return OF_CONNECTION.test(name)
}

/** The headers that proxies, gateways and tunnels add. */
const OF_PROXIES =
  /^(via|forwarded|x-(forwarded|real|original|amzn|amz-cf|envoy|azure|kong|arr|cloud-trace)-.+|cf-.+|cdn-loop|fly-.+)$/

/** Returns whether the request passed a proxy, which may have changed the request. The names are in lowercase. */
export function passedProxy(headers: readonly Header[]): boolean {
  return headers.some(([name]) => OF_PROXIES.test(name))
}
