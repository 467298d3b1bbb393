import { Buffer } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The bytes `timestamp:nonce:body` that a signature covers. Timestamp and nonce are the header values, unchanged. */
export interface SignedMessage {
  readonly timestamp: string
  readonly nonce: string
  readonly body: Uint8Array
}

/** Written for each comparison. Two new buffers cost a twentieth of a `verify`. */
const RECEIVED = /* @__PURE__ */ Buffer.alloc(64)
const EXPECTED = /* @__PURE__ */ Buffer.alloc(64)

/** How many bytes are hashed at a time. OpenSSL accepts less than 2 GiB. */
const CHUNK_BYTES = 2 ** 24

/**
 * Computes HMAC-SHA256 (RFC 2104, FIPS 180-4) of `text` and then `bytes`, keyed by the secret's UTF-8 bytes.
 *
 * @internal
 */
export function hmacSha256(secret: string, text: string, bytes: Uint8Array): string {
  const hmac = createHmac('sha256', secret).update(text)
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    hmac.update(bytes.subarray(start, start + CHUNK_BYTES))
  }
  return hmac.digest('hex')
}

/**
 * Computes the signature of a message in lowercase hex.
 *
 * @internal
 */
export function signMessage({ timestamp, nonce, body }: SignedMessage, secret: string): string {
  return hmacSha256(secret, `${timestamp}:${nonce}:`, body)
}

/**
 * Checks the format of `X-Signature`: 64 lowercase hex digits.
 *
 * @internal
 */
export function isSignature(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value)
}

/**
 * Checks that `signature` is the signature of `message` under `secret`. The comparison takes the same time wherever the
 * first difference is.
 *
 * @internal
 */
export function isSignatureOf(message: SignedMessage, signature: string, secret: string): boolean {
  if (!isSignature(signature)) return false
  RECEIVED.write(signature, 'latin1')
  EXPECTED.write(signMessage(message, secret), 'latin1')
  return timingSafeEqual(RECEIVED, EXPECTED)
}

/**
 * Returns the key that reserves a signature. It has a space, so it never equals a nonce.
 *
 * @internal
 */
export function signatureKey(signature: string): string {
  return `signature ${signature}`
}
