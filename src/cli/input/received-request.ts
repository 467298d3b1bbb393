import { withoutLineBreaks } from '../../diagnose/bytes.js'
import { countBytes } from '../../diagnose/text.js'
import { isTimestamp } from '../../rules/timestamp.js'
import type { HeaderLine } from '../output/http.js'
import { UsageError } from '../usage-error.js'
import {
  type Arrival,
  arrivalOf,
  type CapturedRequest,
  contentLengthOf,
  extractBody,
  noteOnLength,
  valuesOf,
} from './captured-request.js'

// The body and the time of a captured request. No module of Node, so that this runs in a browser too.

/** The body of a request, as read. */
export interface BodyRead {
  readonly body: Uint8Array
  /** The file, if it is not what was sent. */
  readonly original?: Uint8Array
  readonly notes: readonly string[]
}

/** Returns the body of a capture. */
export function bodyOf({ body, isHttpText }: CapturedRequest, headers: readonly HeaderLine[]): BodyRead {
  if (body === undefined) {
    throw new UsageError('The capture has no body. Pass the file that was sent with --body-file PATH.')
  }
  return isHttpText ? extractBody(body, headers) : { body, notes: noteOnLength(body, headers) }
}

/** Returns what was sent of the file of `--body-file`, which the sender may have signed as a whole. */
export function bodyOfFile(file: Uint8Array, headers: readonly HeaderLine[], isJoined = false): BodyRead {
  const length = contentLengthOf(headers)
  const joined = withoutLineBreaks(file)
  if (joined.length !== file.length && (isJoined || length === joined.length)) {
    const note = `curl -d sent ${countBytes(joined.length)}: the file without its line breaks. The file has ${countBytes(file.length)}.`
    return { body: joined, original: file, notes: [note] }
  }
  return { body: file, notes: noteOnLength(file, headers) }
}

const DAY_MILLISECONDS = 86_400_000

/** Returns the time at which the request arrived, and where it comes from. */
export function findArrivalTime(
  at: string | undefined,
  headers: readonly HeaderLine[],
  arrival: Arrival | undefined,
  now: number,
): Arrival {
  if (at === 'timestamp') {
    const timestamp = valuesOf(headers, 'x-timestamp').join(', ')
    const milliseconds = Number(timestamp) * 1000
    // A timestamp in milliseconds would be a time in the far future.
    return isTimestamp(timestamp) && milliseconds <= now + DAY_MILLISECONDS
      ? [milliseconds, 'from X-Timestamp']
      : [now, 'now, because X-Timestamp is not a Unix time of the past']
  }
  if (at !== undefined) return [parseTime(at), 'from --at']
  const date = arrivalOf(valuesOf(headers, 'date')[0], 'from the Date of the request')
  return arrival ?? date ?? [now, 'now. Pass --at if the request arrived earlier']
}

/** Unix time has 10 digits in seconds until the year 2286, and 13 in milliseconds. */
const MAX_DIGITS_OF_SECONDS = 11

/** Parses the value of `--at` into milliseconds since the Unix epoch. */
export function parseTime(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text) * (text.length > MAX_DIGITS_OF_SECONDS ? 1 : 1000)
  // A time without a zone would depend on the zone of this machine.
  const milliseconds = /:.*(Z|GMT|[+-]\d\d:?\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(milliseconds)) {
    throw new UsageError(
      '--at is not a time. Use Unix time (1700000000), ISO 8601 with a zone (2023-11-14T22:13:20Z), or timestamp for the time in X-Timestamp.',
    )
  }
  return milliseconds
}

/** Returns a time as `2023-11-14T22:13:20Z`. */
export function describeTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000', '')
}
