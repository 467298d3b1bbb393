import { isInWindow, isTimestamp, WINDOW_SECONDS } from '../rules/timestamp.js'
import type { Finding } from './finding.js'
import { quoted } from './headers.js'
import { instantOf, scaleOf } from './instant.js'

const SECONDS =
  'send Unix time in decimal digits only: Node: String(Math.floor(Date.now() / 1000)), Python: str(int(time.time())), Go: strconv.FormatInt(time.Now().Unix(), 10), Java: Instant.now().getEpochSecond(), Ruby: Time.now.to_i.to_s, PHP: (string) time(), not date() or microtime(true), Perl: time, C#: DateTimeOffset.UtcNow.ToUnixTimeSeconds(), shell: date +%s'

/** The offsets of the world's time zones from UTC, in hours. */
const ZONES = [1, 2, 3, 3.5, 4, 4.5, 5, 5.5, 5.75, 6, 6.5, 7, 8, 8.75, 9, 9.5, 10, 10.5, 11, 12, 12.75, 13, 14]

/** How far from a time zone's offset a timestamp is still taken for one in that zone, in seconds. */
const ZONE_TOLERANCE = 60

/** Some three years after the epoch, in seconds: longer than machines run, and long before anybody sent a webhook. */
const FIRST_PLAUSIBLE = 1e8

/** For whoever diagnoses a request later than it arrived; a command line says it in its own way. */
export const WHEN_CAPTURED =
  'If this is a captured request that you diagnose later, pass the time at which it arrived: diagnose(request, secret, { now: () => arrivedAtMilliseconds }).'

/** What is wrong with the format of a timestamp. */
export function timestampFormat(timestamp: string, now: number): Finding | undefined {
  if (isTimestamp(timestamp)) return undefined
  const instant = instantOf(timestamp, now)
  const seconds = instant === undefined ? undefined : Math.floor(instant / 1000)
  return {
    code: 'timestamp_format',
    message: `X-Timestamp is ${formatOf(timestamp)}, not Unix time in seconds as decimal digits.`,
    fix: `On the sender's side: ${SECONDS}`,
    evidence:
      seconds === undefined
        ? `X-Timestamp: ${quoted(timestamp)}`
        : `X-Timestamp: ${quoted(timestamp)}\nIn seconds: ${seconds}`,
  }
}

function formatOf(timestamp: string): string {
  if (timestamp === '') return 'empty'
  const trimmed = timestamp.trim()
  if (trimmed !== timestamp && isTimestamp(trimmed)) return 'a number with white space around it'
  if (/^["'].*["']$/s.test(timestamp)) return 'between quotes'
  if (/^\d+\.\d*$/.test(timestamp)) return 'a number with a fraction'
  if (/^[+-]\d+$/.test(timestamp)) return 'a number with a sign'
  if (/^\d[\d.]*e[+-]?\d+$/i.test(timestamp)) return 'a number in scientific notation'
  if (/^\d{1,3}([,._ ]\d{3})+$/.test(timestamp)) return 'a number with separators'
  if (/^(0x)?[0-9a-f]+$/i.test(timestamp)) return 'a number in hex'
  if (/^\d{4}-\d\d-\d\d[T ]/.test(timestamp)) return 'a date in ISO 8601'
  if (/^[A-Z][a-z]{2}, \d/.test(timestamp)) return 'a date in RFC 1123'
  if (instantOf(timestamp, 0) !== undefined) return 'a date in text'
  return /^(undefined|null|none|nil|nan)$/i.test(timestamp) ? `the text \`${timestamp}\`` : 'no number'
}

/** Why a timestamp is outside of the window. */
export function timestampOutside(timestamp: string, now: number): Finding | undefined {
  if (!Number.isFinite(now)) {
    return {
      code: 'clock_unreadable',
      message: 'clock.now() returned no number, so that every timestamp is outside of the window.',
      fix: "On the receiver's side: pass a clock whose now() returns milliseconds since the Unix epoch, or none for Date",
    }
  }
  const instant = instantOf(timestamp, now)
  // A format that tells the time has a finding of its own, and so has the scale of one that is not in seconds.
  if (isTimestamp(timestamp)) {
    if (isInWindow(timestamp, now)) return undefined
    const scale = scaleOf(Number(timestamp), now)
    if (instant !== undefined && /^\d{14}$/.test(timestamp) && scale?.code !== 'timestamp_unit')
      return dateInDigits(timestamp)
    if (scale !== undefined) {
      return {
        code: scale.code,
        message: `X-Timestamp is ${scale.what}.`,
        fix: `On the sender's side: send Unix time in seconds: ${scale.fix}`,
        evidence: [
          `X-Timestamp: ${quoted(timestamp)}`,
          `In seconds since the Unix epoch: ${Math.floor(scale.toMilliseconds(Number(timestamp)) / 1000)}`,
          `Server time: ${Math.floor(now / 1000)}`,
        ].join('\n'),
      }
    }
  }
  if (instant === undefined && !isTimestamp(timestamp)) return undefined
  const seconds = isTimestamp(timestamp) ? timestamp : String(Math.floor((instant as number) / 1000))
  return isInWindow(seconds, now) ? undefined : clockOff(seconds, now)
}

function dateInDigits(timestamp: string): Finding {
  return {
    code: 'timestamp_format',
    message: 'X-Timestamp is a date and time in digits (YYYYMMDDhhmmss), not Unix time in seconds.',
    fix: `On the sender's side: ${SECONDS}`,
    evidence: `X-Timestamp: ${quoted(timestamp)}`,
  }
}

function clockOff(seconds: string, now: number): Finding {
  const offset = (Number(seconds) * 1000 - now) / 1000
  const hours = Math.abs(offset) / 3600
  const zone = ZONES.find((one) => Math.abs(hours - one) * 3600 <= ZONE_TOLERANCE)
  const evidence = [
    `X-Timestamp: ${quoted(seconds)}${written(Number(seconds) * 1000)}`,
    `Server time: ${Math.floor(now / 1000)}${written(now)}`,
    `Difference: ${duration(offset)} ${offset < 0 ? 'behind' : 'ahead'}`,
  ].join('\n')
  const from = offset < 0 ? 'behind' : 'ahead of'
  const stands = `X-Timestamp is ${aboutAsLong(offset)} ${from} server time`
  if (Number(seconds) < FIRST_PLAUSIBLE) {
    return {
      code: 'timestamp_epoch',
      message: `X-Timestamp is ${Number(seconds)}, which is no Unix time of today: it was left unset, or counts from the start of a machine or process, as a monotonic clock does.`,
      fix: `On the sender's side: ${SECONDS}`,
      evidence,
    }
  }
  if (zone !== undefined) {
    return {
      code: 'clock_time_zone',
      message: `X-Timestamp is ${zone} h ${from} server time, as a local time taken for UTC makes it.`,
      fix: `On the sender's side: take Unix time, which has no time zone, not a local date without one (Python: time.time(), not datetime.utcnow().timestamp(); C#: DateTimeOffset.UtcNow, not a DateTime of unknown kind; PHP: time()). ${WHEN_CAPTURED}`,
      evidence,
    }
  }
  if (offset > 0) {
    return {
      code: 'clock_ahead',
      message: `${stands}, more than the ${WINDOW_SECONDS} s allowed: the sender's clock is fast, or this server's clock is slow.`,
      fix: `On either side: ask both machines for the time, date -u +%s, and compare with a third; set the one that is off by NTP (timedatectl set-ntp true). ${WHEN_CAPTURED}`,
      evidence,
    }
  }
  return {
    code: 'clock_behind',
    message: `${stands}, more than the ${WINDOW_SECONDS} s allowed: the request was signed long before it arrived, the sender's clock is slow, or this server's clock is fast.`,
    fix: `On the sender's side: sign every attempt anew when it is sent, not when it is put into a queue. On either side, if it was sent at once: compare date -u +%s with a third clock, and set the one that is off by NTP. ${WHEN_CAPTURED}`,
    evidence,
  }
}

/** A time as people write it, for what has one. */
function written(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? ` (${new Date(milliseconds).toISOString()})` : ''
}

/** A number of seconds as a sentence has it: as seconds while they can be compared with the window, in words above an hour. */
export function aboutAsLong(offset: number): string {
  return Math.abs(offset) < 3600 ? `${Math.abs(offset)} s` : duration(offset, 2)
}

/** In seconds, without the leap days: nobody sets a clock by it. */
const YEAR = 365 * 86_400

/** A number of seconds in words, in its largest units: `2 d 3 h 4 min 5 s`. */
function duration(offset: number, units = 5): string {
  const total = Math.round(Math.abs(offset))
  const years = Math.floor(total / YEAR)
  if (years > 9999) return 'more than 9999 years'
  const parts = [
    [years, years === 1 ? 'year' : 'years'],
    [Math.floor((total % YEAR) / 86_400), 'd'],
    [Math.floor(total / 3600) % 24, 'h'],
    [Math.floor(total / 60) % 60, 'min'],
    [total % 60, 's'],
  ] as const
  const text = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return text.slice(0, units).join(' ')
}
