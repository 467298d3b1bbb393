import { spell } from '../../../src/rules/formats.js'
import { isTimestamp } from '../../../src/rules/timestamp.js'
import { schemeOf } from '../schemes.js'
import { CaptureError } from './capture-error.js'
import { type Header, valuesOf } from './headers.js'

/** When a request arrived, and where this time comes from, for example `from the Date of the response`. */
export type Arrival = readonly [milliseconds: number, source: string]

/** Returns the arrival for a date with a time zone, or for Unix time in seconds or milliseconds. Returns `undefined` for other values. */
export function arrivalOf(time: unknown, source: string): Arrival | undefined {
  // `String` throws for an object of a capture that has a field named `toString`.
  if (typeof time !== 'string' && typeof time !== 'number') return undefined
  const text = String(time)
  const number = Number(text) * (Number(text) < 1e11 ? 1000 : 1)
  const milliseconds = /^\d{9,13}(\.\d+)?$/.test(text) ? Math.floor(number) : parseDate(text)
  return Number.isNaN(milliseconds) ? undefined : [milliseconds, source]
}

/** Returns a date in milliseconds. Returns NaN if the date has no time zone, because each machine would then use its own time zone. */
function parseDate(text: string): number {
  return /:.*(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN
}

const DAY_MILLISECONDS = 86_400_000

/** Returns when the request arrived. With `at` (the value of `--at`), the time in the capture is not used. */
export function findArrival(
  at: string | undefined,
  headers: readonly Header[],
  arrival: Arrival | undefined,
  now: number,
): Arrival | undefined {
  if (at === 'timestamp') {
    const name = schemeOf(headers).headers.timestamp
    const timestamp = valuesOf(headers, name).join(', ')
    const milliseconds = Number(timestamp) * 1000
    // Without this limit, a timestamp in milliseconds would be a time in the far future.
    const isPast = isTimestamp(timestamp) && milliseconds <= now + DAY_MILLISECONDS
    return isPast ? [milliseconds, `from ${spell(name)}`] : undefined
  }
  if (at !== undefined) return [parseTime(at), 'from --at']
  return arrival ?? arrivalOf(valuesOf(headers, 'date')[0], 'from the Date of the request')
}

/** The maximum length of Unix time in seconds. A longer number is in milliseconds. Today, seconds have 10 digits, and milliseconds have 13. */
const MAX_DIGITS_OF_SECONDS = 11

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

/** Returns a time such as `2023-11-14T22:13:20Z`. JavaScript has no dates after the year 275760, so later times are returned as Unix time. */
export function describeTime(milliseconds: number): string {
  if (Math.abs(milliseconds) > 8.64e15) return String(milliseconds / 1000)
  return new Date(milliseconds).toISOString().replace('.000', '')
}
