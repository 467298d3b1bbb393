import { Buffer } from 'node:buffer'
import { isNonce } from '../../rules/nonce.js'

/** A body that differs in one byte; a byte more, if it has none. In JSON a digit, so that it stays JSON. */
export function tampered(body: Uint8Array): Uint8Array {
  if (body.length === 0) return Buffer.from('0')
  const changed = Buffer.from(body)
  const digit = changed.findLastIndex((byte) => byte >= 0x30 && byte <= 0x39)
  const at = digit === -1 ? changed.length >> 1 : digit
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
  return changed
}

/** Where a message is cut into nonce and body. */
export interface Cut {
  readonly nonce: string
  readonly body: Uint8Array
}

/**
 * The same message, `timestamp:nonce:body`, cut at a later colon: the nonce takes the body's beginning up to its first
 * colon. `undefined` where that makes no nonce, for the first colon is too far or something invisible stands before it.
 */
export function recut({ nonce, body }: Cut): Cut | undefined {
  const colon = Buffer.from(body).indexOf(':')
  const longer = `${nonce}:${Buffer.from(body.subarray(0, Math.max(colon, 0))).toString('latin1')}`
  return colon === -1 || !isNonce(longer) ? undefined : { nonce: longer, body: body.subarray(colon + 1) }
}
