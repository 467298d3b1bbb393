import type { SignedMessage } from './signature.js'

/** How long a nonce is reserved, in seconds (specification: 600 s). No timestamp stays in the window for longer. */
export const NONCE_TTL_SECONDS = 600

/** Specification: 1 to 128 characters. */
export const MAX_NONCE_LENGTH = 128

const COLON = 0x3a

/** Returns whether a value has the format of `X-Nonce`: 1 to 128 visible ASCII characters. */
export function isNonce(value: string): boolean {
  return value.length <= MAX_NONCE_LENGTH && /^[!-~]+$/.test(value)
}

/**
 * Returns whether the signed message is also the signed message of another valid nonce with another body.
 *
 * A nonce may contain `:`. So `1700000000:abc:{"a":1}` is nonce `abc` with body `{"a":1}`, and also nonce `abc:{"a"` with
 * body `1}`, with the same signature. A timestamp has no `:`, so it is the same in every split.
 */
export function canBeSplitDifferently({ nonce, body }: SignedMessage): boolean {
  // A shorter nonce ends before a `:` of this nonce. That `:` is not the first character, because a nonce is not empty.
  if (nonce.includes(':', 1)) return true

  // A longer nonce is this nonce, the `:` after it, and visible bytes of the body up to a `:`.
  const end = Math.min(body.length, MAX_NONCE_LENGTH - nonce.length)
  for (let index = 0; index < end; index++) {
    const byte = body[index] as number
    if (byte === COLON) return true
    if (byte < 0x21 || byte > 0x7e) return false
  }
  return false
}
