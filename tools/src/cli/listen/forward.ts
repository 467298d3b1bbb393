import { createHash } from 'node:crypto'
import type { RejectionReason } from '../../../../src/index.js'
import { WINDOW_SECONDS } from '../../../../src/rules/timestamp.js'
import { fromUtf8, utf8 } from '../../bytes.js'
import { type Header, isOfConnection } from '../../capture/headers.js'
import { countBytes } from '../../text.js'
import { type EndpointResponse, exchange, isAccepted, isRejected, type RawResponse } from '../http-client.js'

/** How long to wait for the response of the endpoint, in seconds. */
const TIMEOUT_SECONDS = 30
/** How many bytes of the response are passed on. */
const MAX_RESPONSE_BYTES = 16 * 2 ** 20

/** A request to pass on to the endpoint. */
export interface Forwarded {
  readonly method: string
  /** The target of the request: `/hooks/42?a=b`. */
  readonly target: string
  readonly headers: readonly Header[]
  readonly body: Uint8Array
}

/**
 * Passes a request on with unchanged headers and bytes, and resolves to the response.
 *
 * @param endpoint - where to send the request. If this URL has no path, the path of the request is used.
 */
export function forward(request: Forwarded, endpoint: URL, signal: AbortSignal): Promise<RawResponse> {
  const { target, ...rest } = request
  const outgoing = { ...rest, url: endpoint, ...(keepsPath(endpoint) ? { target } : {}) }
  return exchange(outgoing, TIMEOUT_SECONDS, MAX_RESPONSE_BYTES, signal)
}

/** Returns whether requests keep their own path, because the URL of the endpoint has none. */
export function keepsPath(endpoint: URL): boolean {
  return endpoint.pathname === '/' && endpoint.search === ''
}

/** Returns the headers of a response to pass on, as names and values in turns. */
export function responseHeaders({ rawHeaders }: RawResponse): string[] {
  let isKept = false
  return rawHeaders.filter((text, index) => {
    if (index % 2 === 0) isKept = !isOfConnection(text)
    return isKept
  })
}

/** The listener's own result for a request that was passed on. */
export interface Verdict {
  /** `undefined` if the request was accepted. */
  readonly reason: RejectionReason | undefined
  readonly body: Uint8Array
  /** The number of bytes of the key that matched. */
  readonly keyLength: number | undefined
  /** When the endpoint responded, in milliseconds since the Unix epoch. */
  readonly answeredAt: number
}

/** Returns why the endpoint may have decided differently from `listen`, or an empty list if both decided in the same way. */
export function findDifferences(verdict: Verdict, response: EndpointResponse): string[] {
  const { reason } = verdict
  const { status } = response
  if (isAccepted(response)) return reason === undefined ? [] : wronglyAccepted(reason, verdict, response)
  if (isRejected(response)) return reason === undefined ? wronglyRejected(verdict, response) : []
  if (status === 0) return [`The endpoint gave ${response.statusText}.`]
  if (status >= 300 && status <= 399) {
    return [`The endpoint redirects${toLocation(response)}. The redirect was not followed. Pass the final URL.`]
  }
  if (status === 503)
    return [
      'The endpoint did not decide, maybe because the nonce store is down. The log of the endpoint has the error.',
    ]
  if (status >= 500) return ['The handler of the endpoint failed. The log of the endpoint has the error.']
  return ['Other code of the endpoint responded before verify: a route, a size limit or a body parser.']
}

function toLocation({ headers: { location } }: EndpointResponse): string {
  return location === undefined ? '' : ` to ${location}`
}

function wronglyRejected(verdict: Verdict, response: EndpointResponse): string[] {
  const { body, keyLength = 0 } = verdict
  const heading = `Accepted here, ${response.status} there. The endpoint got the same headers and bytes, so the mistake is in the receiver.`
  const drift = driftOf(verdict, response)
  if (isOutside(drift)) return [heading, `Its clock is ${describe(drift)}, as the Date of its response shows.`]
  const json = lengthAfterJson(body)
  return [
    heading,
    drift === undefined
      ? 'Its clock: the response has no Date. Compare the clock with a clock that you trust.'
      : `Not its clock: the Date of its response is ${describe(drift)}.`,
    `Its secret: the key that matched here has ${countBytes(keyLength)}. Log the length of the key in the endpoint.`,
    `Its body: log the length and the SHA-256 of the bytes that the endpoint verifies. Here: ${countBytes(body.length)}, ${createHash('sha256').update(body).digest('hex')}.`,
    ...(json === undefined
      ? []
      : [
          `If the endpoint parses the JSON and writes the JSON again, the length is ${countBytes(json)}. Pass the raw body.`,
        ]),
    'Its nonce store: the nonce is taken if the same request also reached the endpoint in another way.',
  ]
}

const WHY_ACCEPTED: { readonly [reason in RejectionReason]?: string } = {
  replayed_nonce:
    'The endpoint accepts replays: the endpoint has one nonce store per request or per process, was restarted, or did not accept the first copy.',
  signature_mismatch: 'The endpoint has another secret, or ignores the result of verify.',
}

function wronglyAccepted(reason: RejectionReason, verdict: Verdict, response: EndpointResponse): string[] {
  const drift = driftOf(verdict, response)
  const isClock = reason === 'timestamp_outside_window' && isOutside(drift)
  const why = isClock
    ? `Its clock is ${describe(drift)}, as the Date of its response shows.`
    : (WHY_ACCEPTED[reason] ??
      'The endpoint ignores the result of verify. Use await receive(…), and answer 401 if it throws.')
  return [`Refused here (${reason}), ${response.status} there. ${why}`]
}

/** Returns how many whole seconds the endpoint's clock is ahead, or `undefined` if its response has no valid `Date`. */
function driftOf({ answeredAt }: Verdict, { headers: { date = '' } }: EndpointResponse): number | undefined {
  const drift = Math.round((Date.parse(date) - answeredAt) / 1000)
  return Number.isNaN(drift) ? undefined : drift
}

function isOutside(drift: number | undefined): drift is number {
  return drift !== undefined && Math.abs(drift) > WINDOW_SECONDS
}

function describe(drift: number): string {
  if (Math.abs(drift) <= 1) return 'that of this machine'
  return `${Math.abs(drift)} s ${drift < 0 ? 'behind' : 'ahead of'} this machine`
}

/** Returns the length of a JSON body after parsing and writing it, or `undefined` if the body stays the same or is not JSON. */
function lengthAfterJson(body: Uint8Array): number | undefined {
  try {
    const text = fromUtf8(body)
    const written = JSON.stringify(JSON.parse(text))
    return written === text ? undefined : utf8(written).length
  } catch {
    return undefined
  }
}
