import { invalidType } from './errors.js'

/**
 * Tells the time. `Date` is a clock, and the default; `{ now: () => 1_700_000_000_000 }` is one for a test.
 */
export interface Clock {
  /** The time in milliseconds since the Unix epoch; fractions of a millisecond are welcome. */
  now(): number
}

/** @internal */
export function assertClock(clock: Clock): void {
  if (typeof clock?.now !== 'function') {
    throw invalidType('clock has no now(): pass Date or { now: () => milliseconds }')
  }
}

/**
 * What a clock reads, for a store, which throws rather than take anything else than a number for the time.
 *
 * @internal
 */
export function timeOf(clock: Clock): number {
  const now = clock.now()
  if (!Number.isFinite(now)) throw invalidType('clock.now() returned no number: make it return milliseconds')
  return now
}
