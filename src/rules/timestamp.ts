/** The maximum distance of `X-Timestamp` from server time, before or after, in seconds (specification: ±300 s). */
export const WINDOW_SECONDS = 300

/** Returns whether a value has the format of `X-Timestamp`: one or more ASCII digits. */
export function isTimestamp(value: string): boolean {
  return /^[0-9]+$/.test(value)
}

/** Returns whether a timestamp is in the window. Compares milliseconds, because whole seconds would make the window 601 s wide. */
export function isInWindow(seconds: number, now: number): boolean {
  return Number.isFinite(now) && Math.abs(now - seconds * 1000) <= WINDOW_SECONDS * 1000
}
