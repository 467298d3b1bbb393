import type { FindingCode } from './finding.js'

// This file finds the time that a timestamp means, in any unit, epoch or format. Instants are milliseconds since the Unix epoch.

const DAY = 86_400_000

/** A unit or an epoch for numbers that mean a time. */
export interface Scale {
  readonly code: Extract<FindingCode, 'timestamp_unit' | 'timestamp_epoch'>
  readonly what: string
  readonly toInstant: (value: number) => number
}

const unit = (name: string, milliseconds: number): Scale => ({
  code: 'timestamp_unit',
  what: `in ${name}, not in seconds`,
  toInstant: (value) => value * milliseconds,
})
const since = (epoch: string, milliseconds: number, what: string): Scale => ({
  code: 'timestamp_epoch',
  what: `in ${what}`,
  toInstant: (value) => value * milliseconds + Date.parse(epoch),
})

/** The scales that senders use by mistake instead of Unix time in seconds, the most common first. */
const SCALES = [
  unit('milliseconds', 1),
  unit('microseconds', 1e-3),
  unit('nanoseconds', 1e-6),
  unit('minutes', 60_000),
  since('0001-01-01', 1e-4, 'ticks of 100 ns since the year 1 (DateTime.Ticks of .NET)'),
  since('1601-01-01', 1e-4, 'ticks of 100 ns since 1601 (a FILETIME of Windows)'),
  since('2001-01-01', 1e3, 'seconds since 2001 (the epoch of Apple)'),
  since('1899-12-30', DAY, 'days since 1899-12-30 (a date of a spreadsheet)'),
]

/** The maximum difference between a time and the time of the diagnosis, in milliseconds: ten years, because a capture may be old. */
export const NEAR = 3650 * DAY

/** Returns the scale that makes a number a plausible time, or `undefined` if the number is plausible as seconds or on no scale. */
export function scaleOf(value: number, now: number): Scale | undefined {
  // From 2001 to 2286, Unix time has 13 digits in milliseconds, 16 digits in microseconds, and 19 digits in nanoseconds.
  const place = [1e12, 1e15, 1e18].findIndex((least) => value >= least && value < least * 10)
  if (place !== -1) return SCALES[place]
  // Tests often use a clock close to 1970, where one number is plausible both as seconds and as milliseconds.
  if (Math.abs(value * 1000 - now) < NEAR) return undefined
  return SCALES.find((scale) => Math.abs(scale.toInstant(value) - now) < NEAR)
}

const COMPACT =
  /^(\d{4})-?(\d\d)-?(\d\d)[T_ -]?(\d\d):?(\d\d):?(\d\d)(?:[.,](\d{1,9}))?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i

/** Returns the instant of a date and time, or NaN for other text. A text without a time zone is read as UTC. */
export function instantOfDate(text: string): number {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = COMPACT.exec(text) ?? []
  if (year !== undefined) {
    const offset = /^[+-]/.test(zone) ? zone.replace(/^(...):?/, '$1:') : 'Z'
    const milliseconds = fraction.padEnd(3, '0').slice(0, 3)
    return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`)
  }
  // RFC 1123 and the output of date(1) have the name of a month, or slashes.
  if (!/[a-z]{3}|\d\/\d/i.test(text)) return Number.NaN
  return Date.parse(/(z|utc|gmt|[+-]\d{4}|[+-]\d\d:\d\d)\b/i.test(text) ? text : `${text} UTC`)
}

/** The start of December 9999, in milliseconds since the Unix epoch. A later instant is not a plausible time. */
const LAST = Date.parse('9999-12-01')

/** Returns the instant that a timestamp means, or `undefined` if the text is not a time. */
export function instantOf(timestamp: string, now: number): number | undefined {
  const text = timestamp.slice(0, 64).replace(/^[\s"'[{(]+|[\s"'\]})s,]+$/g, '')
  const date = instantOfDate(text)
  if (date >= 0 && date < LAST) return date
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return undefined
  const number = Number(text)
  const instant = scaleOf(number, now)?.toInstant(number) ?? number * 1000
  return instant >= 0 && instant < LAST ? instant : undefined
}

/** Returns a date and time in ISO 8601 with whole seconds: `2023-11-14T22:13:20` and then `zone`. */
export function writeIso(instant: number, zone: string, separator = 'T'): string {
  return new Date(instant).toISOString().slice(0, 19).replace('T', separator) + zone
}
