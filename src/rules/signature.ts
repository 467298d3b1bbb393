import { hmacSha256, isEqual } from './hmac.js'
import { canBeSplitDifferently } from './nonce.js'

/** The bytes `timestamp:nonce:body` that a signature covers. Timestamp and nonce are the header values, unchanged. */
export interface SignedMessage {
  readonly timestamp: string
  readonly nonce: string
  readonly body: Uint8Array
}

/** Returns the signature of a message in lowercase hex: HMAC-SHA256, keyed by the secret's UTF-8 bytes. */
export function signMessage({ timestamp, nonce, body }: SignedMessage, secret: string | Uint8Array): string {
  return hmacSha256(`${timestamp}:${nonce}:`, body, secret, 'hex')
}

export function isSignatureOf(message: SignedMessage, signature: string, secret: string): boolean {
  return isEqual(signature, signMessage(message, secret))
}

/**
 * Returns the keys to reserve for a message. If it can be split differently, its signature is reserved too, so that only one split is
 * accepted. The nonce is first, so that a replay does not reserve the signature. The space in the signature's key occurs in no nonce.
 */
export function reservationKeys(message: SignedMessage, signature: string): readonly string[] {
  return canBeSplitDifferently(message) ? [message.nonce, `signature ${signature}`] : [message.nonce]
}
