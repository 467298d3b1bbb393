import { invalidRange } from '../invalid-argument.js'

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
