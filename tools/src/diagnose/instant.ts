import type { FindingCode } from './finding.js'

// This file reads a time that was written in a wrong unit or format. An instant is a time in milliseconds since the Unix epoch.

const DAY = 86_400_000

/** A wrong way to write a time as a number, such as milliseconds, or seconds since 2001. */
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

/** The scales that senders use by mistake, the most common first. */
const SCALES = [
  unit('milliseconds', 1),
  unit('microseconds', 1e-3),
  unit('nanoseconds', 1e-6),
  unit('minutes', 60_000),
  unit('hours', 3_600_000),
  unit('days', DAY),
  since('0001-01-01', 1e-4, 'ticks of 100 ns since the year 1 (.NET DateTime.Ticks)'),
  since('1601-01-01', 1e-4, 'ticks of 100 ns since 1601 (a FILETIME of Windows)'),
  since('1900-01-01', 1e3, 'seconds since 1900 (the epoch of NTP)'),
  since('1904-01-01', 1e3, 'seconds since 1904 (the epoch of old Macs)'),
  since('2001-01-01', 1e3, 'seconds since 2001 (the epoch of Apple)'),
  since('-004713-11-24T12:00:00Z', DAY, 'Julian days'),
  since('1899-12-30', DAY, 'days since 1899-12-30 (an OLE date, as in spreadsheets)'),
]

/** The maximum distance of a plausible time from the time of the diagnosis: ten years, because a capture can be old. */
export const NEAR = 3650 * DAY

/** Returns the scale on which a number is a plausible time. Returns `undefined` if there is none, or if seconds are plausible. */
export function scaleOf(value: number, now: number): Scale | undefined {
  // From 2001 to 2286, Unix time has 13 digits in milliseconds, 16 digits in microseconds, and 19 digits in nanoseconds.
  const place = [1e12, 1e15, 1e18].findIndex((least) => value >= least && value < least * 10)
  if (place !== -1) return SCALES[place]
  // Tests often use a clock close to 1970, where one number is plausible both as seconds and as milliseconds.
  if (Math.abs(value * 1000 - now) < NEAR) return undefined
  const distanceOf = (scale: Scale) => Math.abs(scale.toInstant(value) - now)
  return SCALES.filter((scale) => distanceOf(scale) < NEAR).sort((one, other) => distanceOf(one) - distanceOf(other))[0]
}

const COMPACT =
  /^(\d{4})-?(\d\d)-?(\d\d)[T_ -]?(\d\d):?(\d\d):?(\d\d)(?:[.,](\d{1,9}))?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i

/** Returns the instant of a date with a time, or NaN for other text. Without a time zone, the text is read as UTC. */
export function instantOfDate(text: string): number {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = COMPACT.exec(text) ?? []
  if (year !== undefined) {
    const offset = /^[+-]/.test(zone) ? zone.replace(/^(...):?/, '$1:') : 'Z'
    const milliseconds = fraction.padEnd(3, '0').slice(0, 3)
    return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`)
  }
  // `Tue, 14 Nov 2023 22:13:20 GMT` contains the name of a month, and `11/14/2023` contains slashes. `Date.parse` also accepts much other text.
  if (!/[a-z]{3}|\d\/\d/i.test(text)) return Number.NaN
  return Date.parse(/(z|utc|gmt|[+-]\d{4}|[+-]\d\d:\d\d)\b/i.test(text) ? text : `${text} UTC`)
}

/** The limit for instants. A number after this instant is not read as a time. */
const LAST = Date.parse('9999-12-01')

/** Matches text with one number in it, such as `1700000000Z` or `t=1700000000`. */
const ONE_NUMBER = /^[^\d.]*(\d{9,20})(?:[^\d.-][^\d]*)?$/

/** Returns the instant in a timestamp of any format, or `undefined` if the text is not a time. */
export function instantOf(timestamp: string, now: number): number | undefined {
  const text = timestamp.slice(0, 64).replace(/^[\s"'[{(]+|[\s"'\]})s,]+$/g, '')
  const date = instantOfDate(text)
  if (date >= 0 && date < LAST) return date
  const isNumber = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)
  const number = Number(isNumber ? text : (ONE_NUMBER.exec(text)?.[1] ?? Number.NaN))
  const instant = scaleOf(number, now)?.toInstant(number) ?? number * 1000
  return instant >= 0 && instant < LAST ? instant : undefined
}

/** Returns an instant in ISO 8601 with whole seconds, and then `zone`: `2023-11-14T22:13:20Z`. */
export function writeIso(instant: number, zone: string, separator = 'T'): string {
  return new Date(instant).toISOString().slice(0, 19).replace('T', separator) + zone
}
