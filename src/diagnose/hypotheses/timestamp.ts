import { writeIso, writeRfc1123 } from '../checks/instant.js'
import type { Hypothesis, Variants } from './hypothesis.js'

// Mistakes in the timestamp that was signed.

/** The header's value, and the instant that it means in milliseconds since the Unix epoch, if it means one. */
export interface SentTimestamp {
  readonly value: string
  readonly instant: number | undefined
}

type TimestampHypothesis = Hypothesis<SentTimestamp, string>

/** The longest time between two readings of the clock, in seconds. */
const MAX_DRIFT = 60

/** A spelling of the instant. */
const spelled = <T>(spell: (instant: number) => T) => ({ instant }: SentTimestamp) => instant === undefined ? undefined : spell(instant)
const seconds = (instant: number) => Math.floor(instant / 1000)
const row = { code: 'message_timestamp', fix: 'timestamp_once' } as const

export const TIMESTAMP_HYPOTHESES: readonly TimestampHypothesis[] = [
  { ...row, likelihood: 'common', what: 'the timestamp in milliseconds', apply: spelled((instant) => String(Math.floor(instant))) },
  { ...row, likelihood: 'uncommon', what: 'a timestamp {} than in the header', apply: spelled(shifted(1, 2)) },
  { ...row, likelihood: 'rare', what: 'a timestamp of another moment, {} than in the header', apply: spelled(shifted(3, MAX_DRIFT)) },
  { ...row, likelihood: 'uncommon', what: 'the timestamp in ISO 8601', apply: spelled((instant) => writeIso(instant, 'Z')) },
  { ...row, likelihood: 'uncommon', what: 'the timestamp in ISO 8601 with milliseconds', apply: spelled((instant) => writeIso(instant, '.000Z')) },
  { ...row, likelihood: 'uncommon', what: 'the timestamp in ISO 8601 with `+00:00`', apply: spelled((instant) => writeIso(instant, '+00:00')) },
  { ...row, likelihood: 'rare', what: 'the timestamp as Go prints a time', apply: spelled((instant) => writeIso(instant, ' +0000 UTC', ' ')) },
  { ...row, likelihood: 'rare', what: 'the timestamp as Ruby prints a time', apply: spelled((instant) => writeIso(instant, ' UTC', ' ')) },
  { ...row, likelihood: 'uncommon', what: 'the timestamp in RFC 1123', apply: spelled(writeRfc1123) },
  { ...row, likelihood: 'uncommon', what: 'the timestamp as a float', apply: spelled((instant) => `${seconds(instant)}.0`) },
  { ...row, likelihood: 'uncommon', what: 'the timestamp in nanoseconds', apply: spelled((instant) => `${seconds(instant)}000000000`) },
  { ...row, likelihood: 'uncommon', what: 'an empty timestamp', apply: () => '' },
  { ...row, likelihood: 'rare', what: 'U+FFFD for the timestamp (Go: string(number))', apply: () => '\ufffd' },
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
