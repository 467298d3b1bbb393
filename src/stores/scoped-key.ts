import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'

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
