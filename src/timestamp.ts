/** How far `X-Timestamp` may be from server time, either way, in seconds (specification: plus or minus 300 s). */
export const WINDOW_SECONDS = 300

/**
 * Whether `value` has the format of `X-Timestamp`: one or more ASCII digits, Unix time in seconds.
 *
 * @internal
 */
export function isTimestamp(value: string): boolean {
  return /^[0-9]+$/.test(value)
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
  if (!Number.isFinite(now)) return 'compared with a clock whose now() gives no number'
  const milliseconds = timestamp * 1000 - now
  return `${Math.abs(milliseconds) / 1000} s ${milliseconds < 0 ? 'behind' : 'ahead of'} server time`
}
