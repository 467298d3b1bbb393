import { writeIso, writeRfc1123 } from '../checks/instant.js'
import type { Hypothesis, Variants } from './hypothesis.js'

// Mistakes in the timestamp that was signed.

/** The header's value, and the instant that it means in milliseconds since the Unix epoch, if it means one. */
export interface SentTimestamp {
  readonly value: string
  readonly instant: number | undefined
}

type TimestampHypothesis = Hypothesis<SentTimestamp, string>

/** How far a second look at the clock may be from the first, in seconds. */
const MAX_DRIFT = 60

/** A spelling of the instant. */
const spelled = <T>(spell: (instant: number) => T) => ({ instant }: SentTimestamp) => instant === undefined ? undefined : spell(instant)
const seconds = (instant: number) => Math.floor(instant / 1000)
const row = { code: 'message_timestamp', fix: 'timestamp_once' } as const

export const TIMESTAMP_HYPOTHESES: readonly TimestampHypothesis[] = [
  { id: 'timestamp_milliseconds', ...row, likelihood: 'common', what: 'the timestamp in milliseconds',
    apply: spelled((instant) => `${seconds(instant)}000`), example: ['1700000000', '1700000000000'] },
  { id: 'timestamp_milliseconds_exact', ...row, likelihood: 'common', what: 'the timestamp in milliseconds',
    apply: spelled((instant) => String(Math.floor(instant))), example: ['1700000000.25', '1700000000250'] },
  { id: 'timestamp_off_by_one', ...row, likelihood: 'uncommon', what: 'a timestamp {} than in the header', apply: spelled(shifted(1, 2)), example: ['1700000000', '1700000001'] },
  { id: 'timestamp_off_by_more', ...row, likelihood: 'rare', what: 'a timestamp {} than in the header', apply: spelled(shifted(3, MAX_DRIFT)), example: ['1700000000', '1699999960'] },
  { id: 'timestamp_iso', ...row, likelihood: 'uncommon', what: 'the timestamp in ISO 8601',
    apply: spelled((instant) => writeIso(instant, 'Z')), example: ['1700000000', '2023-11-14T22:13:20Z'] },
  { id: 'timestamp_iso_milliseconds', ...row, likelihood: 'uncommon', what: 'the timestamp in ISO 8601 with milliseconds',
    apply: spelled((instant) => writeIso(instant, '.000Z')), example: ['1700000000', '2023-11-14T22:13:20.000Z'] },
  { id: 'timestamp_iso_offset', ...row, likelihood: 'uncommon', what: 'the timestamp in ISO 8601 with `+00:00`',
    apply: spelled((instant) => writeIso(instant, '+00:00')), example: ['1700000000', '2023-11-14T22:13:20+00:00'] },
  { id: 'timestamp_go', ...row, likelihood: 'rare', what: 'the timestamp as Go prints a time',
    apply: spelled((instant) => writeIso(instant, ' +0000 UTC', ' ')), example: ['1700000000', '2023-11-14 22:13:20 +0000 UTC'] },
  { id: 'timestamp_ruby', ...row, likelihood: 'rare', what: 'the timestamp as Ruby prints a time',
    apply: spelled((instant) => writeIso(instant, ' UTC', ' ')), example: ['1700000000', '2023-11-14 22:13:20 UTC'] },
  { id: 'timestamp_rfc_1123', ...row, likelihood: 'uncommon', what: 'the timestamp in RFC 1123',
    apply: spelled(writeRfc1123), example: ['1700000000', 'Tue, 14 Nov 2023 22:13:20 GMT'] },
  { id: 'timestamp_float', ...row, likelihood: 'uncommon', what: 'the timestamp as a float',
    apply: spelled((instant) => `${seconds(instant)}.0`), example: ['1700000000', '1700000000.0'] },
  { id: 'timestamp_nanoseconds', ...row, likelihood: 'uncommon', what: 'the timestamp in nanoseconds',
    apply: spelled((instant) => `${seconds(instant)}000000000`), example: ['1700000000', '1700000000000000000'] },
  { id: 'timestamp_empty', ...row, likelihood: 'uncommon', what: 'an empty timestamp', apply: () => '', example: ['1700000000', ''] },
  { id: 'timestamp_replacement', ...row, likelihood: 'rare', what: 'U+FFFD for the timestamp (Go: string(number))', apply: () => '\ufffd', example: ['1700000000', '\ufffd'] },
  { id: 'timestamp_lf_after', ...row, likelihood: 'uncommon', what: 'the timestamp with a line feed (LF) after it',
    apply: ({ value }) => `${value}\n`, example: ['1700000000', '1700000000\n'] },
]

/** Timestamps from `from` to `to` seconds earlier and later. */
function shifted(from: number, to: number): (instant: number) => Variants<string> {
  return (instant) => ({
    variants: Array.from({ length: to - from + 1 }, (_, index) => index + from).flatMap((distance) => [
      { detail: `${distance} s earlier`, value: String(seconds(instant) - distance) },
      { detail: `${distance} s later`, value: String(seconds(instant) + distance) },
    ]),
  })
}
