import type { SignedMessage } from './signature.js'

/** How long a nonce is reserved, in seconds (specification: 600 s). No timestamp is valid for longer. */
export const NONCE_TTL_SECONDS = 600

/** The maximum length of a nonce (specification: 1 to 128 characters). */
export const MAX_NONCE_LENGTH = 128

const COLON = 0x3a

/** Returns whether a value has the format of `X-Nonce`: 1 to 128 visible ASCII characters. */
export function isNonce(value: string): boolean {
  return value.length <= MAX_NONCE_LENGTH && /^[!-~]+$/.test(value)
}

/**
 * Returns whether the signed message can also be split into another valid nonce and another body.
 *
 * A nonce can contain `:`. Therefore `1700000000:abc:{"a":1}` can be nonce `abc` with body `{"a":1}`, or nonce `abc:{"a"` with body `1}`.
 * Both have the same signature. A timestamp has no `:`, so the timestamp is the same in every split.
 */
export function canBeSplitDifferently({ nonce, body }: SignedMessage): boolean {
  // A shorter nonce would end before a `:` of this nonce. A `:` at the start of this nonce does not count, because a nonce is not empty.
  if (nonce.includes(':', 1)) return true

  // A longer nonce would be this nonce, `:`, and the beginning of the body up to a `:`. All of these bytes must be visible ASCII.
  const end = Math.min(body.length, MAX_NONCE_LENGTH - nonce.length)
  for (let index = 0; index < end; index++) {
    const byte = body[index] as number
    if (byte === COLON) return true
    if (byte < 0x21 || byte > 0x7e) return false
  }
  return false
}
