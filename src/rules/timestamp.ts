/** How far `X-Timestamp` may be from server time, either way, in seconds (specification: plus or minus 300 s). */
export const WINDOW_SECONDS = 300

/**
 * The seconds that an `X-Timestamp` tells: one or more ASCII digits, Unix time in seconds. NaN if it has another format.
 *
 * @internal
 */
export function secondsOf(value: string): number {
  let seconds = value === '' ? Number.NaN : 0
  for (let index = 0; index < value.length; index++) {
    const digit = value.charCodeAt(index) - 0x30
    seconds = digit >= 0 && digit <= 9 ? seconds * 10 + digit : Number.NaN
  }
  return seconds
}

/**
 * Whether `value` has the format of `X-Timestamp`.
 *
 * @internal
 */
export function isTimestamp(value: string): boolean {
  return !Number.isNaN(secondsOf(value))
}

/**
 * Whether `timestamp`, in seconds, is within the window around `now`, in milliseconds since the Unix epoch, both ends included.
 *
 * Milliseconds, because server time floored to seconds would stretch the window to 601 s, one second longer than a nonce
 * is kept. A `now` that is no number is within no window.
 *
 * @internal
 */
export function isWithinWindow(timestamp: number, now: number): boolean {
  return Number.isFinite(now) && Math.abs(now - timestamp * 1000) <= WINDOW_SECONDS * 1000
}

/**
 * Where `timestamp` stands, seen from `now`, for a message: `301 s behind server time`.
 *
 * @internal
 */
export function offsetFrom(now: number, timestamp: number): string {
  if (!Number.isFinite(now)) return 'compared with a clock that gives no number'
  const milliseconds = timestamp * 1000 - now
  return `${Math.abs(milliseconds) / 1000} s ${milliseconds < 0 ? 'behind' : 'ahead of'} server time`
}
