import { invalidType, kindOf } from '../../../src/arguments.js'
import { assertClock, type Clock, timeOf } from '../../../src/clock.js'
import { type Body, bytesOf } from '../../../src/rules/body.js'
import { type HeadersInput, readHeaders } from '../../../src/rules/headers.js'
import { concat, utf8 } from '../bytes.js'
import type { Header } from './headers.js'
import { listHeaders, pairsOf, withoutIterator } from './headers.js'
import { httpText, markOf } from './write-request.js'

/** The head of a request. Node's `IncomingMessage`, a Fetch `Request`, and the requests of most frameworks have these fields. */
export interface RequestHead {
  readonly method?: string | undefined
  /** The path with the query, or the whole URL, as in a Fetch `Request`. */
  readonly url?: string | undefined
  /** The path as received. In Express, `url` lacks the path of the router. */
  readonly originalUrl?: string | undefined
  readonly headers: HeadersInput
  /** The headers as Node received them: a list in which names and values alternate. */
  readonly rawHeaders?: readonly string[] | undefined
}

/**
 * Returns a received request as text, with the time of arrival. `inbound-webhook-tools diagnose` and the workbench can read this text
 * without loss of a byte.
 *
 * The text contains all headers and the whole body, so protect the text as you protect the request.
 *
 * @param request - Node's `IncomingMessage`, a Fetch `Request`, or an object with `method`, `url` and `headers`.
 * @param body - the raw body: the bytes as received.
 * @param clock - returns the time of arrival, by default the time now. Call `captureRequest` as soon as the request arrives.
 * @returns the text as bytes. Save these bytes unchanged, because the body in them may not be text.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` if the body is parsed, a header has a line break, or the clock does not
 *   return a finite number.
 *
 * @example
 * ```ts
 * import { captureRequest } from 'inbound-webhook-tools'
 *
 * const request = { method: 'POST', url: '/hooks/42', headers: { 'X-Nonce': 'abc' } }
 * const clock = { now: () => 1_700_000_000_000 }
 *
 * const text = captureRequest(request, 'a body', clock)
 *
 * console.log(new TextDecoder().decode(text).split('\r\n')[0]) // # Received at 2023-11-14T22:13:20.000Z with a body of 6 bytes
 * ```
 */
export function captureRequest(request: RequestHead, body: Body, clock: Clock = Date): Uint8Array {
  if (typeof request !== 'object' || request === null) {
    throw invalidType(`request is ${kindOf(request)}. Pass the request: an object with method, url and headers.`)
  }
  const bytes = bytesOf(body, 'body')
  if (bytes === undefined) throw invalidType(`body is ${kindOf(body)}. Pass the bytes as received.`)
  assertClock(clock)
  const time = timeOf(clock)
  if (Math.abs(time) > MAX_TIME) throw invalidType('clock.now() is after the year 275760. Return milliseconds.')
  const mark = markOf(time, bytes.length)
  const { method = 'POST' } = request
  return concat(utf8(`${mark}\r\n`), ...httpText(method, targetOf(request), headerLinesOf(request), bytes))
}

/** The last time that JavaScript can write as a date, in milliseconds. A later time is probably in nanoseconds. */
const MAX_TIME = 8.64e15

/** Returns the path and the query, even if the request contains the whole URL. */
function targetOf({ originalUrl, url = '' }: RequestHead): string {
  const target = originalUrl ?? url
  if (URL.canParse(target)) {
    const { pathname, search } = new URL(target)
    return pathname + search
  }
  return /^[!-~\x80-\xff]+$/.test(target) ? target : encodeURI(target.toWellFormed()) || '/'
}

function headerLinesOf({ headers, rawHeaders }: RequestHead): readonly Header[] {
  const lines = rawHeaders === undefined ? listValidHeaders(headers) : pairsOf(rawHeaders)
  for (const [name, value] of lines) {
    // A line break would begin a new header. A character after U+00FF does not fit into one byte of Latin-1.
    if (/[\n\r\u0100-\uffff]/.test(name + value)) {
      throw invalidType(
        `A header of the request has a newline or a character after U+00FF. Pass the headers as received.`,
      )
    }
  }
  return lines
}

function listValidHeaders(headers: HeadersInput): readonly Header[] {
  const listed = withoutIterator(headers)
  // This function throws for what cannot be the headers of a request, such as a list of names and values.
  readHeaders(listed)
  return listHeaders(listed)
}
