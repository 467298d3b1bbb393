import { randomUUID } from 'node:crypto'
import { assertClock, type Clock, timeOf } from './clock.js'
import { assertOptions, invalidRange, invalidType, kindOf } from './errors.js'
import { assertSecret } from './generate-secret.js'
import { type Body, bodyBytes } from './rules/body.js'
import { isNonce } from './rules/nonce.js'
import { signatureOf } from './rules/signature.js'
import { isTimestamp } from './rules/timestamp.js'

/** What {@link sign} takes from its caller instead of from the clock and the random generator. */
export interface SignOptions {
  /** Unix time in whole seconds. By default, the clock's. */
  timestamp?: number | undefined
  /** 1 to 128 visible ASCII characters. By default, a random UUID. */
  nonce?: string | undefined
  /** What the timestamp is read from. By default, `Date`. */
  clock?: Clock | undefined
}

/** The three headers of a signed request, ready for `fetch`. */
export type SignedHeaders = { 'X-Timestamp': string; 'X-Nonce': string; 'X-Signature': string }

/**
 * Signs a body as a sender does, and returns the three headers to send with it.
 *
 * Sign every attempt anew: a request that is sent again with the same nonce is rejected as a replay.
 *
 * @param body - exactly the bytes that will be sent; a string is encoded as UTF-8.
 * @param secret - the webhook's signing secret, as text.
 * @param options - see {@link SignOptions}.
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for what `verify` would refuse: an empty secret, a
 * body that is not raw, a timestamp that is not a whole number of seconds, an invalid nonce.
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
  assertOptions(options)
  const { clock = Date, nonce = randomUUID() } = options
  assertClock(clock)
  const { timestamp = Math.floor(timeOf(clock) / 1000) } = options
  assertSendable(timestamp, nonce)

  const bytes = bodyBytes(body, 'body')
  if (bytes === undefined) {
    throw invalidType(
      `body is ${kindOf(body)}: pass exactly the bytes that will be sent; serialize once, sign the result and send the same`,
    )
  }

  return {
    'X-Timestamp': String(timestamp),
    'X-Nonce': nonce,
    'X-Signature': signatureOf(String(timestamp), nonce, bytes, secret),
  }
}

function assertSendable(timestamp: unknown, nonce: unknown): void {
  if (typeof timestamp !== 'number') {
    throw invalidType(`timestamp is ${kindOf(timestamp)}: pass Unix time in seconds as a number`)
  }
  if (!isTimestamp(String(timestamp))) {
    throw invalidRange(
      'timestamp is not a whole number of seconds since the Unix epoch: pass Math.floor(Date.now() / 1000)',
    )
  }
  if (typeof nonce !== 'string') throw invalidType(`nonce is ${kindOf(nonce)}: pass a string, such as a UUID`)
  if (!isNonce(nonce)) {
    throw invalidRange(
      'nonce is not 1 to 128 visible ASCII characters (0x21 to 0x7E): pass such a string, or none for a UUID',
    )
  }
}
