import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { describeNonce } from '../hints/rejection.js'
import { hmacSha256, isEqual } from '../rules/hmac.js'
import type { SignedMessage } from '../rules/signature.js'
import { isSignedWith } from './ed25519.js'
import { MAX_ID_LENGTH } from './message-id.js'
import type { StandardKey } from './secret.js'
import { listSignatures } from './signature-list.js'

// The rules of Standard Webhooks. In a `SignedMessage`, `nonce` is `webhook-id`, and the signature covers `id.timestamp.body`.

/** Returns the signature of a message, without its version: HMAC-SHA256 in base64, 44 characters. */
export function signMessage({ nonce: id, timestamp, body }: SignedMessage, key: Uint8Array): string {
  return hmacSha256(`${id}.${timestamp}.`, body, key, 'base64')
}

/** Returns the bytes that a signature covers. For Ed25519, Node needs these bytes in one piece. */
export function signedBytes({ nonce: id, timestamp, body }: SignedMessage): Buffer {
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
}

/** Returns a function that returns whether `webhook-signature` has a signature of a message under a key. */
export function signatureMatcher(message: SignedMessage, value: string): (key: StandardKey) => boolean {
  let signed: Buffer | undefined
  return ({ version, bytes: key }) => {
    const signatures = listSignatures(value, version)
    if (signatures.length === 0) return false
    if (version === 'v1') {
      const expected = signMessage(message, key)
      return signatures.some((signature) => isEqual(signature, expected))
    }
    // The body is copied once, however many keys and signatures there are.
    signed ??= signedBytes(message)
    return isSignedWith(signed, signatures, key)
  }
}

/**
 * Returns the key to reserve for an attempt. With only the ID as the key, every retry would be refused, because a retry has the same ID.
 * With only a signature as the key, a message with two signatures could be accepted twice, because an attacker can remove either signature.
 * The key contains a space, so the key never equals a nonce.
 */
export function attemptKey({ nonce: id, timestamp }: SignedMessage): string {
  return `attempt ${hash('sha256', `${id}.${timestamp}`)}`
}

export function describeMessageId(value: string): string {
  if (value.length <= MAX_ID_LENGTH && value.includes('.') && /^[!-~]+$/.test(value)) return 'it has a full stop'
  return describeNonce(value, MAX_ID_LENGTH)
}

/** Returns what is wrong with a `webhook-signature` that has no signature of a known version. */
export function describeSignatures(value: string): string {
  if (value === '') return 'it is empty'
  if (value.includes(', ')) return 'it has two values'
  if (/(^| )v1,/.test(value)) return 'no v1 signature is base64 of 32 bytes'
  return /(^| )v1a,/.test(value) ? 'no v1a signature is base64 of 64 bytes' : 'no entry begins with v1, or v1a,'
}
