import { hash, randomUUID } from 'node:crypto'
import { assertWellFormed, invalidRange } from '../arguments.js'

/** Joins a webhook's ID and a key to a string that differs for every pair, such as ID `a` with key `b:c`, and ID `a:b` with key `c`. */
export function scopedKey(webhookId: string, key: string): string {
  // All lone surrogates would have the same hash.
  assertWellFormed(webhookId, 'webhookId')
  return `${webhookId.length}:${webhookId}${key}`
}

/** Returns the SHA-256 of webhook and key in hex, for engines that limit a key's length or treat some characters specially. */
export function scopedKeyHash(webhookId: string, key: string): string {
  return hash('sha256', scopedKey(webhookId, key))
}

export function hashesOf(webhookId: string, keys: readonly string[]): string[] {
  return keys.map((key) => scopedKeyHash(webhookId, key))
}

/** The length of a claim's mark. A column of an existing table has room for 16 bytes, and MySQL can cut longer values without an error. */
export const CLAIM_BYTES = 15

export function ownerHash(owner: string): string {
  return hash('sha256', owner).slice(0, 32)
}

/** Returns the mark of a claim in hex: the beginning of the owner's hash, one byte shorter than the mark of a reservation. */
export function claimMark(hashOfOwner: string): string {
  return hashOfOwner.slice(0, 2 * CLAIM_BYTES)
}

/** Returns a token for one call, which a client may send twice. The token starts with the owner's hash, by which a release finds it. */
export function newToken(owner: string | undefined): string {
  return (owner === undefined ? '' : ownerHash(owner)) + randomUUID()
}

/** Returns a hash of the webhook and the key up to its first `:`. This part of a nonce is the same in every split of a signed message. */
export function sharedTag(webhookId: string, key: string): string {
  return scopedKeyHash(webhookId, key.replace(/:.*/s, '')).slice(0, 8)
}

export function ttlMilliseconds(ttlSeconds: number): number {
  if (!Number.isFinite(ttlSeconds) || ttlSeconds <= 0) {
    throw invalidRange('ttlSeconds is not a positive number. Pass how long to keep the key, in seconds.')
  }
  return Math.ceil(ttlSeconds * 1000)
}

/** Returns how long a database keeps a key: 1 ms longer than the TTL, because a clock in whole milliseconds rounds down. */
export function engineTtlMilliseconds(ttlSeconds: number): number {
  return ttlMilliseconds(ttlSeconds) + 1
}
