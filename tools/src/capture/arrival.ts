import { isTimestamp } from '../../../src/rules/timestamp.js'
import { CaptureError } from './capture-error.js'
import { type Header, valuesOf } from './headers.js'

/** A time of arrival, and the source of this time, such as `from the Date of the response`. */
export type Arrival = readonly [milliseconds: number, source: string]

/**
 * Returns the arrival for a date with its time zone, or for Unix time in seconds or milliseconds. Returns `undefined` for any other
 * value.
 */
export function arrivalOf(time: unknown, source: string): Arrival | undefined {
  const isUnixTime = /^\d{9,13}(\.\d+)?$/.test(String(time))
  const number = Number(time) * (Number(time) < 1e11 ? 1000 : 1)
  const milliseconds = isUnixTime ? Math.floor(number) : parseDate(time)
  return Number.isNaN(milliseconds) ? undefined : [milliseconds, source]
}

/** Returns a date in milliseconds, or NaN if the text has no zone, because the time would then depend on this machine. */
function parseDate(text: unknown): number {
  return typeof text === 'string' && /:.*(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN
}

const DAY_MILLISECONDS = 86_400_000

/**
 * Returns when the request arrived, with the source of this time, or `undefined` if the time is unknown.
 *
 * @param at - the value of `--at`.
 * @param arrival - the time in the capture.
 * @param now - the time on this machine. A `timestamp` after this time cannot be the time of arrival.
 */
export function findArrival(
  at: string | undefined,
  headers: readonly Header[],
  arrival: Arrival | undefined,
  now: number,
): Arrival | undefined {
  if (at === 'timestamp') {
    const timestamp = valuesOf(headers, 'x-timestamp').join(', ')
    const milliseconds = Number(timestamp) * 1000
    // A timestamp in milliseconds would be a time in the far future.
    const isPast = isTimestamp(timestamp) && milliseconds <= now + DAY_MILLISECONDS
    return isPast ? [milliseconds, 'from X-Timestamp'] : undefined
  }
  if (at !== undefined) return [parseTime(at), 'from --at']
  return arrival ?? arrivalOf(valuesOf(headers, 'date')[0], 'from the Date of the request')
}

/** Unix time has 10 digits in seconds until the year 2286, and 13 in milliseconds. */
const MAX_DIGITS_OF_SECONDS = 11

/** Returns the value of `--at` in milliseconds since the Unix epoch. Throws a `CaptureError` if the value is not a time. */
export function parseTime(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text) * (text.length > MAX_DIGITS_OF_SECONDS ? 1 : 1000)
  const milliseconds = parseDate(text)
  if (Number.isNaN(milliseconds)) {
    throw new CaptureError(
      '--at is not a time. Use Unix time (1700000000), ISO 8601 with a zone (2023-11-14T22:13:20Z), or timestamp for the time in X-Timestamp.',
    )
  }
  return milliseconds
}

/** Returns a time as `2023-11-14T22:13:20Z`. A time after the year 275760 is returned as Unix time. */
export function describeTime(milliseconds: number): string {
  if (Math.abs(milliseconds) > 8.64e15) return String(milliseconds / 1000)
  return new Date(milliseconds).toISOString().replace('.000', '')
}
