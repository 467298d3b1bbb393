import { UsageError } from '../usage-error.js'

/** Unix time has 10 digits in seconds until the year 2286, and 13 in milliseconds. */
const MOST_DIGITS_OF_SECONDS = 11

/** A date with its time and zone, as ISO 8601 writes it. */
const ISO_8601 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i

/**
 * The moment of `--at`, in milliseconds since the Unix epoch: Unix time in seconds or milliseconds, or ISO 8601.
 */
export function momentOf(text: string): number {
  const moment = /^\d{1,15}$/.test(text)
    ? Number(text) * (text.length > MOST_DIGITS_OF_SECONDS ? 1 : 1000)
    : ISO_8601.test(text)
      ? Date.parse(text.replace(' ', 'T'))
      : Number.NaN
  if (Number.isNaN(moment)) {
    throw new UsageError(
      '--at is no time: pass Unix time in seconds (1700000000) or milliseconds, ISO 8601 with its zone (2023-11-14T22:13:20Z), or timestamp for the time that the request itself states',
    )
  }
  return moment
}

/** A moment for a reader: `2023-11-14T22:13:20Z`. */
export function inWords(milliseconds: number): string {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? 'a time beyond all calendars' : date.toISOString().replace('.000', '')
}
