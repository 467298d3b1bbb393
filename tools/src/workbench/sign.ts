import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hex, utf8 } from '../bytes.js'

/** Returns the signature of `timestamp:nonce:body` in lowercase hex. */
export function signatureOf(timestamp: string, nonce: string, body: Uint8Array, secret: string): string {
  return hex(
    hmac
      .create(sha256, utf8(secret))
      .update(utf8(`${timestamp}:${nonce}:`))
      .update(body)
      .digest(),
  )
}

/** Returns a random UUID. `crypto.randomUUID` is missing on a page that came over plain HTTP. */
export function randomNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
