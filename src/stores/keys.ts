import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { invalidRange } from '../errors.js'

/**
 * A webhook and a key as one string that no other webhook and key give: the length in front keeps webhook `a` with key
 * `b:c` apart from webhook `a:b` with key `c`.
 *
 * @internal
 */
export function scopedKey(webhookId: string, key: string): string {
  return `${webhookId.length}:${webhookId}${key}`
}

/**
 * The same as 32 bytes, for engines that limit a key's length, refuse a character, or read a meaning into one.
 *
 * @internal
 */
export function scopedKeyHash(webhookId: string, key: string): Buffer {
  return createHash('sha256').update(scopedKey(webhookId, key)).digest()
}

/**
 * A TTL in whole milliseconds, rounded up.
 *
 * @internal
 */
export function ttlMilliseconds(ttlSeconds: number): number {
  if (!Number.isFinite(ttlSeconds) || ttlSeconds <= 0) {
    throw invalidRange('ttlSeconds is not a positive number: pass how long to keep the key, in seconds')
  }
  return Math.ceil(ttlSeconds * 1000)
}

/**
 * For how many whole milliseconds of its own clock an engine keeps a key: the TTL and one more, for the reservation may
 * have begun at the end of one millisecond, and at exactly its TTL the key is still taken.
 *
 * @internal
 */
export function engineTtlMilliseconds(ttlSeconds: number): number {
  return ttlMilliseconds(ttlSeconds) + 1
}
