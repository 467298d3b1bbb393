import { Buffer } from 'node:buffer'
import { createHmac, createSecretKey, type KeyObject, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Body, bodyBytes } from './body.js'
import { assertClock, type Clock, timeOf } from './clock.js'
import { assertOptions, invalidRange, invalidType, kindOf } from './invalid-argument.js'
import { isNonce } from './nonce.js'
import { assertSecret } from './secret.js'
import { isTimestamp } from './timestamp.js'

/**
 * HMAC-SHA256 (RFC 2104, FIPS 180-4) of `text` and then `bytes`, keyed by the secret's UTF-8 bytes, in lowercase hex.
 *
 * @internal
 */
export function hmacSha256(secret: string, text: string, bytes: Uint8Array): string {
  const hmac = createHmac('sha256', keyOf(secret)).update(text)
  let rest = bytes
  for (; rest.length > MOST_BYTES; rest = rest.subarray(MOST_BYTES)) hmac.update(rest.subarray(0, MOST_BYTES))
  return hmac.update(rest).digest('hex')
}

/** How much is hashed at a time: OpenSSL takes less than 2 GiB. */
const MOST_BYTES = 2 ** 24

let latestSecret = ''
let latestKey: KeyObject | undefined

/** A secret that comes again and again is made a key once: a tenth of the time of a short message's HMAC. */
function keyOf(secret: string): string | KeyObject {
  if (secret !== latestSecret) {
    latestSecret = secret
    latestKey = undefined
    return secret
  }
  latestKey ??= createSecretKey(secret, 'utf8')
  return latestKey
}

/** What is signed is the two header values verbatim and the body's bytes, written `timestamp:nonce:body`. */
function signatureOf(timestamp: string, nonce: string, body: Uint8Array, secret: string): string {
  return hmacSha256(secret, `${timestamp}:${nonce}:`, body)
}

/**
 * Whether `value` has the format of `X-Signature`: 64 lowercase hex digits.
 *
 * @internal
 */
export function isDigest(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value)
}

/**
 * Under which of the secrets `signature` is that of the message: its place in the list, or -1. The comparison takes the same
 * time wherever the first difference is; only what cannot be a signature, by its length, is told without an HMAC.
 *
 * @internal
 */
export function secretIndexOf(
  signature: string,
  timestamp: string,
  nonce: string,
  body: Uint8Array,
  secrets: readonly string[],
): number {
  if (signature.length !== SIGNATURE_LENGTH) return -1
  return secrets.findIndex((secret) => {
    // The digits are compared as they are: to decode them would cost more than to compare them, and forgive upper case.
    EXPECTED.write(signatureOf(timestamp, nonce, body, secret))
    return RECEIVED.write(signature) === SIGNATURE_LENGTH && timingSafeEqual(RECEIVED, EXPECTED)
  })
}

/** In hex digits. */
const SIGNATURE_LENGTH = 64

/** Written anew for each comparison. */
const RECEIVED = /* @__PURE__ */ Buffer.alloc(64)
const EXPECTED = /* @__PURE__ */ Buffer.alloc(64)

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
