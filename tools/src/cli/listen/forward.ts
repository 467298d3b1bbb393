import { createHash } from 'node:crypto'
import type { RejectionReason } from '../../../../src/index.js'
import { WINDOW_SECONDS } from '../../../../src/rules/timestamp.js'
import { fromUtf8, utf8 } from '../../bytes.js'
import { type Header, isOfConnection } from '../../capture/headers.js'
import { countBytes } from '../../text.js'
import { type EndpointResponse, exchange, isAccepted, isRejected, type RawResponse } from '../http-client.js'

const TIMEOUT_SECONDS = 30
const MAX_RESPONSE_BYTES = 16 * 2 ** 20

export interface Forwarded {
  readonly method: string
  /** The path with the query: `/hooks/42?a=b`. */
  readonly target: string
  readonly headers: readonly Header[]
  readonly body: Uint8Array
}

export function forward(request: Forwarded, endpoint: URL, signal: AbortSignal): Promise<RawResponse> {
  const { target, ...rest } = request
  const outgoing = { ...rest, url: endpoint, ...(keepsPath(endpoint) ? { target } : {}) }
  return exchange(outgoing, TIMEOUT_SECONDS, MAX_RESPONSE_BYTES, signal)
}

/** Returns whether the URL of the endpoint has no path, so that requests keep their own path. */
export function keepsPath(endpoint: URL): boolean {
  return endpoint.pathname === '/' && endpoint.search === ''
}

/** Returns the headers of the response to pass on, as a list in which names and values alternate. */
export function responseHeaders({ rawHeaders }: RawResponse): string[] {
  let isKept = false
  return rawHeaders.filter((text, index) => {
    if (index % 2 === 0) isKept = !isOfConnection(text)
    return isKept
  })
}

interface Verdict {
  readonly reason: RejectionReason | undefined
  readonly body: Uint8Array
  readonly keyLength: number | undefined
  /** When the endpoint responded, in milliseconds since the Unix epoch. */
  readonly answeredAt: number
}

/** Returns why the endpoint may have decided differently from the listener. Returns an empty list if both decided in the same way. */
export function findDifferences(verdict: Verdict, response: EndpointResponse): string[] {
  const { reason } = verdict
  const { status } = response
  if (isAccepted(response)) return reason === undefined ? [] : wronglyAccepted(reason, verdict, response)
  if (isRejected(response)) return reason === undefined ? wronglyRejected(verdict, response) : []
  if (status === 0) return [`The endpoint gave ${response.statusText}.`]
  if (status <= 399) {
    return [`The endpoint redirects${toLocation(response)}. The redirect was not followed. Pass the final URL.`]
  }
  if (status === 503)
    return [
      'The endpoint did not decide, maybe because the nonce store is down. See the log of the endpoint for the error.',
    ]
  if (status >= 500) return ['The handler of the endpoint failed. See the log of the endpoint for the error.']
  return ['Other code of the endpoint responded before verify: a route, a size limit or a body parser.']
}

function toLocation({ headers: { location } }: EndpointResponse): string {
  return location === undefined ? '' : ` to ${location}`
}

function wronglyRejected(verdict: Verdict, response: EndpointResponse): string[] {
  const { body, keyLength = 0 } = verdict
  const heading = `Accepted here, but the endpoint responded ${response.status}. The endpoint got the same headers and bytes, so the mistake is in the endpoint.`
  const drift = driftOf(verdict, response)
  if (isOutside(drift)) return [heading, clockText(drift)]
  const json = lengthAfterJson(body)
  return [
    heading,
    Number.isNaN(drift)
      ? 'Check the clock of the endpoint, because its response has no Date.'
      : `The clock of the endpoint is right: the Date of its response is ${describe(drift)}.`,
    `Check its secret: log the length of the key in the endpoint. The key that matched here has ${countBytes(keyLength)}.`,
    `Check its body: log the length and the SHA-256 of the bytes that the endpoint verifies. Here: ${countBytes(body.length)}, ${createHash('sha256').update(body).digest('hex')}.`,
    ...(json === undefined ? [] : [`${REWRITES}, the length is ${countBytes(json)}. Pass the raw body.`]),
    'Check its nonce store: if the endpoint also received this request directly from the sender, the nonce is already stored.',
  ]
}

const REWRITES = 'If the endpoint parses the JSON and writes the JSON again'

const WHY_ACCEPTED: { readonly [reason in RejectionReason]?: string } = {
  replayed_nonce:
    'The endpoint accepts replays. It has one nonce store per request or per process, was restarted, or did not accept the first copy.',
  signature_mismatch: 'The endpoint has another secret, or ignores the result of verify.',
}

function wronglyAccepted(reason: RejectionReason, verdict: Verdict, response: EndpointResponse): string[] {
  const drift = driftOf(verdict, response)
  const isClock = reason === 'timestamp_outside_window' && isOutside(drift)
  const why = isClock
    ? clockText(drift)
    : (WHY_ACCEPTED[reason] ??
      'The endpoint ignores the result of verify. Use await receive(…), and return 401 if it throws.')
  return [`Refused here (${reason}), but the endpoint responded ${response.status}. ${why}`]
}

const clockText = (drift: number) =>
  `The clock of the endpoint is ${describe(drift)}, as the Date of its response shows.`

/** Returns how many seconds the clock of the endpoint is ahead, or `NaN` if the response has no valid `Date`. */
function driftOf({ answeredAt }: Verdict, { headers }: EndpointResponse): number {
  return Math.round((Date.parse(String(headers.date)) - answeredAt) / 1000)
}

function isOutside(drift: number): boolean {
  return Math.abs(drift) > WINDOW_SECONDS
}

function describe(drift: number): string {
  if (Math.abs(drift) <= 1) return 'that of this machine'
  return `${Math.abs(drift)} s ${drift < 0 ? 'behind' : 'ahead of'} this machine`
}

/** Returns the length of the body after `JSON.stringify(JSON.parse(body))`, or `undefined` if this does not change the body. */
function lengthAfterJson(body: Uint8Array): number | undefined {
  try {
    const text = fromUtf8(body)
    const written = JSON.stringify(JSON.parse(text))
    return written === text ? undefined : utf8(written).length
  } catch {
    return undefined
  }
}
