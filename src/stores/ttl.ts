import { invalidRange } from '../invalid-argument.js'

/** @internal */
export function assertTtl(ttlSeconds: number): void {
  if (!Number.isFinite(ttlSeconds) || ttlSeconds <= 0) {
    throw invalidRange('ttlSeconds is not a positive number: pass how long to keep the key, in seconds')
  }
}

/**
 * For how many whole milliseconds of its own clock an engine keeps a key: the TTL and one more, for the reservation may
 * have begun at the end of one millisecond, and at exactly its TTL the key is still taken.
 *
 * @internal
 */
export function ttlMilliseconds(ttlSeconds: number): number {
  assertTtl(ttlSeconds)
  return Math.ceil(ttlSeconds * 1000) + 1
}
