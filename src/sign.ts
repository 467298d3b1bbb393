import { randomUUID } from 'node:crypto'
import { assertOptions, invalidRange, invalidType, kindOf } from './arguments.js'
import { assertClock, type Clock, timeOf } from './clock.js'
import { assertSecret } from './request.js'
import { type Body, bytesOf } from './rules/body.js'
import { isNonce, MAX_NONCE_LENGTH } from './rules/nonce.js'
import { signMessage } from './rules/signature.js'
import { isTimestamp } from './rules/timestamp.js'

/** Options of {@link sign}, which uses the current time and a random nonce by default. */
export interface SignOptions {
  /** The timestamp: Unix time in whole seconds, until the year 9999. By default, the time of the clock. */
  timestamp?: number | undefined
  /** The value of `X-Nonce`, new for each attempt: 1 to 128 visible ASCII characters. By default, a random UUID. */
  nonce?: string | undefined
  /** The clock for the timestamp. By default, `Date`. */
  clock?: Clock | undefined
}

/** The three headers of a signed request, ready for `fetch`. */
export type SignedHeaders = { 'X-Timestamp': string; 'X-Nonce': string; 'X-Signature': string }

/**
 * Signs a body with HMAC-SHA256 (RFC 2104) and returns the three headers to send with the body.
 *
 * Sign each attempt again, because a request that is sent twice with the same nonce is rejected as a replay.
 *
 * @param body - exactly the bytes that you send. A string is encoded as UTF-8.
 * @param secret - the webhook's signing secret as text, without the newline of a file.
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid argument, such as an empty secret, a parsed body or
 * a timestamp in milliseconds.
 * @see {@link verify}
 *
 * @example
 * ```ts
 * import { sign } from 'inbound-webhook-auth'
 *
 * const headers = sign('{"event":"paid"}', 'a secret', { timestamp: 1700000000, nonce: 'abc' })
 *
 * console.log(headers['X-Signature'].slice(0, 16)) // f047d805fefcdb35
 * ```
 */
export function sign(body: Body, secret: string, options: SignOptions = {}): SignedHeaders {
  assertSecret(secret, 'secret')
  assertOptions(options, ['timestamp', 'nonce', 'clock'])
  const { nonce = randomUUID() } = options
  const timestamp = timestampToSign(options)
  assertNonce(nonce)
  return {
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': signMessage({ timestamp, nonce, body: bytesToSign(body) }, secret),
  }
}

/** Returns the option `timestamp` as text. If the option is absent, returns the time of the clock. */
export function timestampToSign(options: Pick<SignOptions, 'timestamp' | 'clock'>): string {
  const { clock = Date } = options
  assertClock(clock)
  const { timestamp = Math.floor(timeOf(clock) / 1000) } = options
  assertSeconds(timestamp)
  return String(timestamp)
}

export function bytesToSign(body: Body): Uint8Array {
  const bytes = bytesOf(body, 'body')
  if (bytes !== undefined) return bytes
  throw invalidType(`body is ${kindOf(body)}. Serialize the body once, then sign and send the same bytes.`)
}

/** The last second of the year 9999. A larger number is probably a time in milliseconds. */
export const MAX_SECONDS = 253_402_300_799

function assertSeconds(timestamp: unknown): void {
  if (typeof timestamp !== 'number') {
    throw invalidType(`timestamp is ${kindOf(timestamp)}. Pass Unix time in seconds as a number.`)
  }
  if (!isTimestamp(String(timestamp))) {
    throw invalidRange(
      'timestamp is not a whole number of seconds since the Unix epoch. Pass Math.floor(Date.now() / 1000).',
    )
  }
  if (timestamp > MAX_SECONDS) {
    throw invalidRange(
      `timestamp is ${timestamp}, after the year 9999. Pass seconds, not milliseconds: Math.floor(Date.now() / 1000).`,
    )
  }
}

function assertNonce(nonce: unknown): void {
  if (typeof nonce !== 'string') throw invalidType(`nonce is ${kindOf(nonce)}. Pass a string, such as a UUID.`)
  if (!isNonce(nonce)) {
    throw invalidRange(
      `nonce is not 1 to ${MAX_NONCE_LENGTH} visible ASCII characters (0x21 to 0x7E). Leave out nonce to use a random UUID.`,
    )
  }
}
