/** How long a nonce is reserved, in seconds (specification: 600 s, all the time in which its timestamp is in the window). */
export const NONCE_TTL_SECONDS = 600

/** The most characters a nonce may have (specification: 1 to 128). */
const MAX_NONCE_LENGTH = 128

const COLON = 0x3a

/** Whether a character code or byte is a visible, non-whitespace ASCII character (specification: 0x21 to 0x7E). */
function isVisible(code: number): boolean {
  return code >= 0x21 && code <= 0x7e
}

/**
 * Whether `value` has the format of `X-Nonce`: 1 to 128 visible ASCII characters.
 *
 * @internal
 */
export function isNonce(value: string): boolean {
  if (value.length < 1 || value.length > MAX_NONCE_LENGTH) return false
  for (let index = 0; index < value.length; index++) {
    if (!isVisible(value.charCodeAt(index))) return false
  }
  return true
}

/**
 * Whether the message `timestamp:nonce:body` is also the message of another valid nonce with another body.
 *
 * A nonce may contain `:`, so `1700000000:abc:{"a":1}` is nonce `abc` with body `{"a":1}` and, under the same
 * signature, nonce `abc:{"a"` with body `1}`. The timestamp ends at the first `:` in both.
 *
 * @internal
 */
export function hasAnotherCut(nonce: string, body: Uint8Array): boolean {
  // A shorter nonce ends at a `:` inside this one. At least one character stands before it: a nonce is not empty.
  if (nonce.includes(':', 1)) return true

  // A longer nonce is this one, the `:`, and the bytes of the body up to a `:` there.
  const end = Math.min(body.length, MAX_NONCE_LENGTH - nonce.length)
  for (let index = 0; index < end; index++) {
    const byte = body[index]
    if (byte === COLON) return true
    if (byte === undefined || !isVisible(byte)) return false
  }
  return false
}
