import { invalidType } from './arguments.js'

/** A source of the current time. The default is `Date`. In a test, pass `{ now: () => 1_700_000_000_000 }`. */
export interface Clock {
  /** Returns the time in milliseconds since the Unix epoch. Fractions of a millisecond are allowed. */
  now(): number
}

export function assertClock(clock: Clock): void {
  if (typeof clock?.now !== 'function') {
    throw invalidType('clock has no now(). Pass Date or { now: () => milliseconds }.')
  }
}

/** Returns the time of `clock`. Throws if this time is not a finite number. */
export function timeOf(clock: Clock): number {
  const now = clock.now()
  if (!Number.isFinite(now)) throw invalidType('clock.now() must return a finite number of milliseconds.')
  return now
}
