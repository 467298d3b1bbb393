import { utf8 } from '../../bytes.js'
import { writeIso } from '../instant.js'
import { type Bytes, type Hypothesis, hypothesesOf, type Variants } from './hypothesis.js'
import { placeholdersFor } from './placeholders.js'
import { changesOf, encodingsOf } from './text-changes.js'

// This file lists the mistakes in the timestamp that was signed.

/** The maximum difference between the signed and the sent time if the sender reads the clock twice, in seconds. */
const MAX_DRIFT = 60

const seconds = (instant: number) => Math.floor(instant / 1000)
const unfilled = hypothesesOf<number, Bytes>({ code: 'message_timestamp', fix: 'fill_in_value' })
const ONCE = { code: 'message_timestamp', fix: 'values_once' } as const
const other = hypothesesOf<number, Bytes>(ONCE)

/** The input of these hypotheses is the time in X-Timestamp, in milliseconds since the Unix epoch. */
export const TIMESTAMP_HYPOTHESES: readonly Hypothesis<number, Bytes>[] = [
  other('common', 'the timestamp in milliseconds', (instant) => String(Math.floor(instant))),
  other('uncommon', 'a timestamp that is <detail> than in the header', shifted(1, 2)),
  other('many', 'another time, which is <detail> than in the header', shifted(3, MAX_DRIFT)),
  other('uncommon', 'the timestamp in ISO 8601', (instant) => writeIso(instant, 'Z')),
  other('uncommon', 'the timestamp in ISO 8601 with milliseconds', (instant) => writeIso(instant, '.000Z')),
  other('uncommon', 'the timestamp in ISO 8601 with `+00:00`', (instant) => writeIso(instant, '+00:00')),
  other('rare', 'the timestamp as Go prints a time', (instant) => writeIso(instant, ' +0000 UTC', ' ')),
  other('rare', 'the timestamp as Ruby prints a time', (instant) => writeIso(instant, ' UTC', ' ')),
  other('uncommon', 'the timestamp without its leading zeros', (instant) => String(seconds(instant))),
  other('uncommon', 'the timestamp as a float', (instant) => `${seconds(instant)}.0`),
  other('uncommon', 'the timestamp in nanoseconds', (instant) => `${seconds(instant)}000000000`),
  other('uncommon', 'an empty timestamp', () => ''),
  other('many', 'the timestamp in milliseconds, with the fraction <detail>', (instant) =>
    fractions((milliseconds) => seconds(instant) + milliseconds),
  ),
  other('many', 'the timestamp with the fraction <detail>', (instant) =>
    fractions((milliseconds) => `${seconds(instant)}.${milliseconds.replace(/0+$/, '')}`),
  ),
  other('many', 'the timestamp in ISO 8601, with the fraction <detail>', (instant) =>
    fractions((milliseconds) => writeIso(instant, `.${milliseconds}Z`)),
  ),
  unfilled('last', 'the placeholder `<detail>` for the timestamp', () =>
    placeholdersFor('timestamp', 'TIMESTAMP', '$timestamp', 'ts', 'now'),
  ),
  other('rare', 'U+FFFD for the timestamp (Go: string(number))', () => '\ufffd'),
  ...changesOf<number>(
    'the timestamp',
    { 'space added': ONCE, 'quotes added': ONCE, replaced: ONCE },
    (change) => (instant) => change(String(seconds(instant))),
    'last',
  ),
  ...encodingsOf<number>(
    'the timestamp',
    { encoded: ONCE, printed: ONCE },
    (instant) => utf8(String(seconds(instant))),
    'last',
  ),
]

/** Returns a timestamp for each fraction of a second, from 1 to 999 ms. */
function fractions(write: (milliseconds: string) => string): Variants<string> {
  return {
    variants: Array.from({ length: 999 }, (_, index) => {
      const detail = String(index + 1).padStart(3, '0')
      return { detail, value: write(detail) }
    }),
  }
}

/** Returns a function that returns all timestamps that are `from` to `to` seconds before or after an instant. */
function shifted(from: number, to: number): (instant: number) => Variants<string> {
  return (instant) => ({
    variants: Array.from({ length: to - from + 1 }, (_, index) => index + from).flatMap((distance) => [
      { detail: `${distance} s earlier`, value: String(seconds(instant) - distance) },
      { detail: `${distance} s later`, value: String(seconds(instant) + distance) },
    ]),
  })
}
