import { createHash } from 'node:crypto'
import { describeCharacter } from '../hints/rejection.js'
import { hmacSha256 } from '../rules/hmac.js'
import type { SignedMessage } from '../rules/signature.js'

// The rules of Standard Webhooks. In a `SignedMessage`, `nonce` is `webhook-id`, and the signature covers the bytes `id.timestamp.body`.

/** How long `webhook-id` may be. The specification sets no limit. */
export const MAX_ID_LENGTH = 256

/** How many signatures of a request are tried. A sender has two while it replaces a secret. */
const MAX_SIGNATURES = 8

/**
 * Returns whether a value can be a `webhook-id`: 1 to 256 visible ASCII characters, but no full stop. With a full stop in the ID, a
 * message could be split in two ways: `a.1.2.x` would be ID `a`, or ID `a.1`.
 */
export function isMessageId(value: string): boolean {
  return value.length <= MAX_ID_LENGTH && /^[!-\-/-~]+$/.test(value)
}

/** Returns the signature of a message, without its version: HMAC-SHA256 in base64, 44 characters. */
export function signMessage({ nonce: id, timestamp, body }: SignedMessage, key: Uint8Array): string {
  return hmacSha256(`${id}.${timestamp}.`, body, key).toString('base64')
}

/** One signature of version 1: canonical base64 of 32 bytes, in which the last four bits of the 43rd character are in use. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/

/**
 * Returns the signatures of version 1 in `webhook-signature`, a list that is separated by spaces. Other versions are ignored, for
 * example `v1a`, which is asymmetric. A header that arrived twice is joined with `, `, and has no signature.
 */
export function listSignatures(value: string): string[] {
  if (value.includes(', ')) return []
  const signatures = value.split(' ').map((entry) => SIGNATURE.exec(entry)?.[1])
  return signatures.filter((signature) => signature !== undefined).slice(0, MAX_SIGNATURES)
}

/**
 * Returns the key that reserves an attempt. The ID alone would refuse each retry, because a retry has the same ID. A signature alone
 * would accept a message twice while two secrets are in use, because an attacker can remove one of its signatures. The key has a space,
 * so it never equals a nonce.
 */
export function attemptKey({ nonce: id, timestamp }: SignedMessage): string {
  return `attempt ${createHash('sha256').update(`${id}.${timestamp}`).digest('hex')}`
}

/** Returns what is wrong with a `webhook-id`. */
export function describeMessageId(value: string): string {
  if (value === '') return 'it is empty'
  if (value.length > MAX_ID_LENGTH) return `it has ${value.length} characters`
  return value.includes('.') && /^[!-~]+$/.test(value) ? 'it has a full stop' : describeCharacter(value, /[^!-~]/u)
}

/** Returns what is wrong with a `webhook-signature` that has no signature of version 1. */
export function describeSignatures(value: string): string {
  if (value === '') return 'it is empty'
  if (value.includes(', ')) return 'it has two values'
  if (/(^| )v1a,/.test(value) && !/(^| )v1,/.test(value)) return 'it has v1a signatures only, which are not supported'
  return /(^| )v1,/.test(value) ? 'no v1 signature is base64 of 32 bytes' : 'no entry begins with v1,'
}
