import { Buffer } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The bytes `timestamp:nonce:body` that a signature covers. Timestamp and nonce are the header values, unchanged. */
export interface SignedMessage {
  readonly timestamp: string
  readonly nonce: string
  readonly body: Uint8Array
}

/** How many bytes are hashed at a time. OpenSSL accepts less than 2 GiB. */
const CHUNK_BYTES = 2 ** 24

/** Returns the signature of a message in lowercase hex: HMAC-SHA256 (RFC 2104, FIPS 180-4), keyed by the secret's UTF-8 bytes. */
export function signMessage({ timestamp, nonce, body }: SignedMessage, secret: string): string {
  const hmac = createHmac('sha256', secret).update(`${timestamp}:${nonce}:`)
  for (let start = 0; start < body.length; start += CHUNK_BYTES) hmac.update(body.subarray(start, start + CHUNK_BYTES))
  return hmac.digest('hex')
}

/**
 * Returns whether `signature` is the signature of `message` under `secret`. The comparison takes the same time wherever the first
 * difference is.
 */
export function isSignatureOf(message: SignedMessage, signature: string, secret: string): boolean {
  const received = Buffer.from(signature)
  const expected = Buffer.from(signMessage(message, secret))
  return received.length === expected.length && timingSafeEqual(received, expected)
}

/** Returns the key that reserves a signature. The key has a space, so it never equals a nonce. */
export function signatureKey(signature: string): string {
  return `signature ${signature}`
}
