import { Buffer } from 'node:buffer'
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

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

/**
 * What is signed is the two header values verbatim and the body's bytes, written `timestamp:nonce:body`.
 *
 * @internal
 */
export function signatureOf(timestamp: string, nonce: string, body: Uint8Array, secret: string): string {
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
