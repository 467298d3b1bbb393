import { isInWindow, isTimestamp, WINDOW_SECONDS } from '../../../../src/rules/timestamp.js'
import { quote } from '../../text.js'
import type { Draft, EvidenceLine } from '../draft.js'
import { describeUnfilled } from '../hypotheses/placeholders.js'
import { instantOf, instantOfDate, NEAR, scaleOf } from '../instant.js'
import type { Mask } from '../mask-secrets.js'
import { rereadDigits } from '../signature-form.js'

const ZONES = [
  1, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 5.75, 6, 6.5, 7, 8, 8.75, 9, 9.5, 10, 10.5, 11, 12, 12.75, 13, 13.75, 14,
]

/** The maximum distance from an offset in `ZONES`, in seconds, at which a time zone explains a difference from server time. */
const ZONE_TOLERANCE = 60

const DIGITS = 10

/** Returns whether a timestamp has only decimal digits, and is not a date such as `20231114221320`. */
const isSeconds = (timestamp: string) => isTimestamp(timestamp) && Number.isNaN(instantOfDate(timestamp))

/** Returns the wrong scale of a timestamp, such as milliseconds. Days often have a fraction. */
const wrongScaleOf = (timestamp: string, now: number) =>
  isSeconds(timestamp) || /^\d+\.\d+$/.test(timestamp) ? scaleOf(Number(timestamp), now) : undefined

export function checkTimestampFormat(
  timestamp: string | undefined,
  now: number,
  mask: Mask,
  isCaptured = false,
): Draft[] {
  if (timestamp === undefined || isSeconds(timestamp) || wrongScaleOf(timestamp, now) !== undefined) return []
  const instant = instantOf(timestamp, now)
  const message = `X-Timestamp is ${quote(mask(timestamp))}, not Unix time in seconds as decimal digits.`
  const why = describeUnfilled(timestamp)
  if (why !== undefined) return [{ code: 'timestamp_format', message, fix: 'fill_in_value', evidence: [why] }]
  const evidence: EvidenceLine[] =
    instant === undefined ? [] : [['In seconds', mask(String(Math.floor(instant / 1000)))]]
  const reread = rereadDigits(timestamp)
  if (isCaptured && reread !== timestamp && isInWindow(Number(reread), now)) {
    const meant = `If white space is removed, and letters are read as digits, X-Timestamp is ${mask(reread)}.`
    return [{ code: 'timestamp_format', message, fix: 'whole_value', evidence: [meant] }]
  }
  return [{ code: 'timestamp_format', message, fix: 'send_seconds', evidence }]
}

/** Returns a finding if X-Timestamp is outside the window: in `unit` for a wrong unit or epoch, or in `drift` for a time zone or a clock. */
export function checkTimestampWindow(
  timestamp: string | undefined,
  now: number,
  isArrivalKnown: boolean,
  mask: Mask,
): { readonly unit: readonly Draft[]; readonly drift: readonly Draft[] } {
  const none = { unit: [], drift: [] }
  const scale = timestamp && wrongScaleOf(timestamp, now)
  const instant = timestamp && (isSeconds(timestamp) ? Number(timestamp) * 1000 : instantOf(timestamp, now))
  if (!timestamp || instant === undefined) return none
  if (scale) {
    const seconds = Math.floor(scale.toInstant(Number(timestamp)) / 1000)
    const evidence = [['X-Timestamp', quote(mask(timestamp))] as const, ['In seconds', mask(String(seconds))] as const]
    const message = `X-Timestamp is ${scale.what}.`
    return { ...none, unit: [{ code: scale.code, message, fix: 'send_seconds', evidence }] }
  }
  const seconds = Math.floor(Number(instant) / 1000)
  if (isInWindow(seconds, now)) return none
  const impossible = isSeconds(timestamp) ? checkDigits(timestamp, now, mask) : undefined
  if (impossible !== undefined) return { ...none, unit: [impossible] }
  const received: EvidenceLine = ['X-Timestamp', `${quote(mask(String(seconds)))}${inIso(seconds * 1000)}`]
  const drift = isArrivalKnown ? checkDrift(seconds, now, received) : unknownArrival(seconds, received, mask)
  return { ...none, drift: [drift] }
}

/** Returns a finding if no wrong clock can explain X-Timestamp: it has too few or too many digits, or is more than ten years ahead. */
function checkDigits(timestamp: string, now: number, mask: Mask): Draft | undefined {
  const { length } = timestamp.replace(/^0+(?=\d)/, '')
  const isFarAhead = Number(timestamp) * 1000 - now > NEAR
  if (length === DIGITS ? !isFarAhead : Math.abs(Number(timestamp) * 1000 - now) < NEAR) return undefined
  const evidence: EvidenceLine[] = [['X-Timestamp', quote(mask(timestamp))]]
  const first = timestamp.slice(0, DIGITS)
  if (Math.abs(Number(first) * 1000 - now) < NEAR) {
    evidence.push(`The first ${DIGITS} digits are a Unix time${inIso(Number(first) * 1000)}.`)
  }
  const count = length === 1 ? '1 digit' : `${length} digits`
  const why =
    length > DIGITS
      ? 'the unit is wrong, or there are too many digits'
      : 'digits are missing, or the time was never set'
  const what =
    length === DIGITS
      ? 'is more than ten years ahead, so it is not the current Unix time'
      : `has ${count}, but Unix time in seconds has ${DIGITS}, so ${why}`
  const code = length > DIGITS ? 'timestamp_unit' : 'timestamp_epoch'
  return { code, message: `X-Timestamp ${what}.`, fix: 'send_seconds', evidence }
}

function unknownArrival(seconds: number, received: EvidenceLine, mask: Mask): Draft {
  const [from, to] = [seconds - WINDOW_SECONDS, seconds + WINDOW_SECONDS].map(
    (end) => `${mask(String(end))}${inIso(end * 1000)}`,
  )
  return {
    code: 'clock_unknown',
    message: 'The time of arrival is unknown, so X-Timestamp cannot be compared with it.',
    fix: 'know_arrival',
    evidence: [received, `X-Timestamp is valid if the request arrived between ${from} and ${to}.`],
  }
}

function checkDrift(seconds: number, now: number, received: EvidenceLine): Draft {
  const offset = (seconds * 1000 - now) / 1000
  const evidence: EvidenceLine[] = [
    received,
    ['Server time', `${Math.floor(now / 1000)}${inIso(now)}`],
    ['Difference', `${Math.abs(offset)} s ${offset < 0 ? 'behind' : 'ahead'}`],
  ]
  const direction = offset < 0 ? 'behind' : 'ahead of'
  const zone = ZONES.find((hours) => Math.abs(Math.abs(offset) - hours * 3600) <= ZONE_TOLERANCE)
  if (zone !== undefined) {
    const retry = 'a retry was not signed again, or local time was used as UTC'
    const cause = offset < 0 ? retry : 'local time was probably used as UTC'
    const message = `X-Timestamp is ${zone} h ${direction} server time: ${cause}.`
    return { code: 'clock_time_zone', message, fix: 'sign_when_sent', evidence }
  }
  const message = `X-Timestamp is ${describeDuration(offset)} ${direction} server time (limit: ${WINDOW_SECONDS} s).`
  return offset > 0
    ? { code: 'clock_ahead', message, fix: 'set_clocks', evidence }
    : { code: 'clock_behind', message, fix: 'sign_when_sent', evidence }
}

/** Returns a duration: `301 s`, `26.5 h` or `40 d`. Up to an hour, it is in seconds, because the window is in seconds too. */
function describeDuration(seconds: number): string {
  const length = Math.abs(seconds)
  const rounded = (unit: number) => Math.round((length / unit) * 10) / 10
  if (length < 3600) return `${length} s`
  if (length < 2 * 86_400) return `${rounded(3600)} h`
  return length < 2 * 31_536_000 ? `${rounded(86_400)} d` : `${rounded(31_536_000)} years`
}

function inIso(instant: number): string {
  return Math.abs(instant) <= 8.64e15 ? ` (${new Date(instant).toISOString()})` : ''
}
