import { isInWindow, isTimestamp } from '../../rules/timestamp.js'
import { type Draft, type EvidenceLine, quote } from '../text.js'
import { instantOf, scaleOf } from './instant.js'

/** The offsets of time zones from UTC, in hours. */
const ZONES = [1, 2, 3, 3.5, 4, 4.5, 5, 5.5, 5.75, 6, 6.5, 7, 8, 8.75, 9, 9.5, 10, 10.5, 11, 12, 12.75, 13, 14]

/** How far from the offset of a time zone a timestamp may be, in seconds. */
const ZONE_TOLERANCE = 60

/** About three years after the epoch, in seconds. A clock that was never set, or that counts from the start of the machine, returns less. */
const FIRST_PLAUSIBLE = 1e8

/** Reports how X-Timestamp breaks its format. */
export function checkTimestampFormat(timestamp: string | undefined, now: number): Draft[] {
  if (timestamp === undefined || isTimestamp(timestamp)) return []
  const instant = instantOf(timestamp, now)
  const evidence: EvidenceLine[] = [['X-Timestamp', quote(timestamp)]]
  if (instant !== undefined) evidence.push(['In seconds', String(Math.floor(instant / 1000))])
  const params = { form: describeFormat(timestamp) }
  return [{ code: 'timestamp_format', kind: 'timestampFormat', params, fix: 'send_seconds', evidence }]
}

/** The formats of timestamps. The first pattern that fits counts. */
const FORMS: readonly (readonly [pattern: RegExp, form: string])[] = [
  [/^$/, 'empty'],
  [/^\s+\d+\s*$|^\d+\s+$/, 'a number with white space around it'],
  [/^["'].*["']$/s, 'between quotes'],
  [/^\d+\.\d*$/, 'a number with a fraction'],
  [/^[+-]\d+$/, 'a number with a sign'],
  [/^\d[\d.]*e[+-]?\d+$/i, 'a number in scientific notation'],
  [/^\d{1,3}([,._ ]\d{3})+$/, 'a number with separators'],
  [/^(0x)?[0-9a-f]+$/i, 'a number in hex'],
  [/^\d{4}-\d\d-\d\d[T ]/, 'a date in ISO 8601'],
  [/^[A-Z][a-z]{2}, \d/, 'a date in RFC 1123'],
  [/^(undefined|null|none|nil|nan)$/i, 'text that stands for a missing value'],
]

function describeFormat(timestamp: string): string {
  const known = FORMS.find(([pattern]) => pattern.test(timestamp))?.[1]
  return known ?? (instantOf(timestamp, 0) === undefined ? 'not a number' : 'a date as text')
}

/** Why X-Timestamp is outside the window. */
export function checkTimestampWindow(timestamp: string | undefined, now: number): Draft[] {
  if (timestamp === undefined) return []
  if (!Number.isFinite(now))
    return [{ code: 'clock_unreadable', kind: 'clockUnreadable', params: {}, fix: 'pass_clock' }]
  if (!isTimestamp(timestamp)) {
    const instant = instantOf(timestamp, now)
    return instant === undefined ? [] : checkDrift(Math.floor(instant / 1000), now)
  }

  const scale = scaleOf(Number(timestamp), now)
  const evidence: EvidenceLine[] = [['X-Timestamp', quote(timestamp)]]
  if (/^\d{14}$/.test(timestamp) && instantOf(timestamp, now) !== undefined && scale?.code !== 'timestamp_unit') {
    const params = { form: 'a date and time in digits (YYYYMMDDhhmmss)' }
    return [{ code: 'timestamp_format', kind: 'timestampFormat', params, fix: 'send_seconds', evidence }]
  }
  if (scale === undefined) return checkDrift(Number(timestamp), now)
  const seconds = Math.floor(scale.toInstant(Number(timestamp)) / 1000)
  evidence.push(['In seconds since the Unix epoch', String(seconds)], ['Server time', String(Math.floor(now / 1000))])
  return [{ code: scale.code, kind: 'timestampScale', params: { what: scale.what }, fix: 'send_seconds', evidence }]
}

function checkDrift(seconds: number, now: number): Draft[] {
  if (isInWindow(seconds, now)) return []
  const offset = (seconds * 1000 - now) / 1000
  const evidence: EvidenceLine[] = [
    ['X-Timestamp', `${quote(String(seconds))}${inIso(seconds * 1000)}`],
    ['Server time', `${Math.floor(now / 1000)}${inIso(now)}`],
    ['Difference', `${Math.abs(offset)} s ${offset < 0 ? 'behind' : 'ahead'}`],
  ]
  if (seconds < FIRST_PLAUSIBLE) {
    return [{ code: 'timestamp_epoch', kind: 'timestampUnset', params: { seconds }, fix: 'send_seconds', evidence }]
  }
  const zone = ZONES.find((hours) => Math.abs(Math.abs(offset) - hours * 3600) <= ZONE_TOLERANCE)
  if (zone !== undefined) {
    return [
      { code: 'clock_time_zone', kind: 'clockTimeZone', params: { zone, offset }, fix: 'use_unix_time', evidence },
    ]
  }
  return [
    {
      code: offset > 0 ? 'clock_ahead' : 'clock_behind',
      kind: 'clockOff',
      params: { offset },
      fix: offset > 0 ? 'set_clocks' : 'sign_when_sent',
      evidence,
    },
  ]
}

function inIso(instant: number): string {
  return Math.abs(instant) <= 8.64e15 ? ` (${new Date(instant).toISOString()})` : ''
}
