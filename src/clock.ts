import { invalidType } from './invalid-argument.js'

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
    throw invalidType(
      'clock has no now() method: pass an object whose now() returns milliseconds, as Date does, or nothing',
    )
  }
}
