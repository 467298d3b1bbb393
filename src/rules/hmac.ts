import { Buffer } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'

/** How many bytes are hashed at a time. OpenSSL accepts less than 2 GiB. */
const CHUNK_BYTES = 2 ** 24

/** Returns the HMAC-SHA256 (RFC 2104, FIPS 180-4) of `start` and the bytes of a body. The UTF-8 bytes of a text are the key. */
export function hmacSha256(start: string, body: Uint8Array, key: string | Uint8Array): Buffer {
  const hmac = createHmac('sha256', key).update(start)
  for (let at = 0; at < body.length; at += CHUNK_BYTES) hmac.update(body.subarray(at, at + CHUNK_BYTES))
  return hmac.digest()
}

/** Returns whether two texts are equal. The comparison takes the same time wherever the first difference is. */
export function isEqual(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
