import { Buffer } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'

/** How many bytes to hash per call. OpenSSL accepts less than 2 GiB per call. */
const CHUNK_BYTES = 2 ** 24

/** Returns the HMAC-SHA256 (RFC 2104, FIPS 180-4) of `start` and the bytes of a body. A string `key` is encoded as UTF-8. */
export function hmacSha256(
  start: string,
  body: Uint8Array,
  key: string | Uint8Array,
  encoding: 'hex' | 'base64',
): string {
  const hmac = createHmac('sha256', key).update(start)
  if (body.length <= CHUNK_BYTES) hmac.update(body)
  else for (let at = 0; at < body.length; at += CHUNK_BYTES) hmac.update(body.subarray(at, at + CHUNK_BYTES))
  return hmac.digest(encoding)
}

/** Returns whether two strings are equal. The comparison is constant-time for strings of the same length. */
export function isEqual(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
