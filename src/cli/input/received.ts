import type { Clock } from '../../clock.js'
import { withoutLineBreaks } from '../../diagnose/bytes.js'
import { countBytes } from '../../diagnose/text.js'
import type { WebhookRequest } from '../../index.js'
import { isTimestamp } from '../../rules/timestamp.js'
import { type Call, type Context, type Options, UsageError } from '../command.js'
import type { HeaderLine } from '../output/http.js'
import { printable } from '../output/text.js'
import {
  type Arrival,
  arrivalOf,
  type CapturedRequest,
  contentLengthOf,
  extractBody,
  noteOnLength,
  parseCapture,
  parseHeader,
  valuesOf,
} from './captured-request.js'
import { readInput } from './read-input.js'

/** The options that describe a received request. */
export const RECEIVED_OPTIONS = {
  header: {
    type: 'string',
    multiple: true,
    value: "'Name: value'",
    help: 'a header of the request.\nIt replaces the headers of that name in the capture',
  },
  'body-file': {
    type: 'string',
    value: 'PATH',
    help: 'the file that was sent, if the capture has no body (curl -v prints none)',
  },
  at: {
    type: 'string',
    value: 'TIME',
    help: 'the time at which the request arrived: Unix time in seconds or milliseconds, ISO 8601, or timestamp for the time in X-Timestamp. Default: the time or the Date in the capture, or now',
  },
} as const satisfies Options

/** What the help says about captures. */
export const CAPTURE_NOTE =
  'The capture is HTTP text (head, blank line, exact bytes of the body), the output of curl -v, a HAR file or entry, an event of AWS Lambda, a line of a JSON log with headers and body, or a command that a browser copied (cURL for bash, or PowerShell).'

/** A received request. */
export interface Received {
  readonly request: WebhookRequest
  /** The body as the sender has it, if it is not what was sent. */
  readonly original: Uint8Array | undefined
  /** Returns the time at which the request arrived. */
  readonly clock: Clock
  /** What was read, at which time, and remarks on it. */
  readonly notes: readonly string[]
}

export async function readReceived(
  { values, operands: [path] }: Call<typeof RECEIVED_OPTIONS>,
  context: Context,
): Promise<Received> {
  const given = parseHeaderOptions(values.header)
  const isCaptured = path !== undefined || given.length === 0
  const captured: CapturedRequest = isCaptured
    ? parseCapture(await readInput(path, 'the captured request', context))
    : { headers: [], body: new Uint8Array() }
  const headers = replaceHeaders(captured.headers, given)

  const bodyFile = values['body-file']
  const { body, original, notes } =
    bodyFile === undefined
      ? bodyOf(captured, headers)
      : bodyOfFile(await readInput(bodyFile, 'the body', context), headers, captured.isFileJoined)
  const requestLine = [':method', ':path'].flatMap((name) => valuesOf(headers, name)).join(' ')
  const [time, source] = findArrivalTime(values.at, headers, captured.arrival, context.clock.now())
  return {
    request: { webhookId: 'the captured request', headers, body },
    original,
    clock: { now: () => time },
    notes: [
      `Read: ${printable(requestLine) || 'a request'}, body of ${countBytes(body.length)}.`,
      `Time assumed: ${describeTime(time)}, ${source}.`,
      ...(captured.notes ?? []),
      ...notes,
    ],
  }
}

interface BodyRead {
  readonly body: Uint8Array
  /** The file, if it is not what was sent. */
  readonly original?: Uint8Array
  readonly notes: readonly string[]
}

function bodyOf({ body, isHttpText }: CapturedRequest, headers: readonly HeaderLine[]): BodyRead {
  if (body === undefined) {
    throw new UsageError('The capture has no body. Pass the file that was sent with --body-file PATH.')
  }
  return isHttpText ? extractBody(body, headers) : { body, notes: noteOnLength(body, headers) }
}

/** Returns what was sent of the file of `--body-file`, which the sender may have signed as a whole. */
function bodyOfFile(file: Uint8Array, headers: readonly HeaderLine[], isJoined = false): BodyRead {
  const length = contentLengthOf(headers)
  const joined = withoutLineBreaks(file)
  if (joined.length !== file.length && (isJoined || length === joined.length)) {
    const note = `curl -d sent ${countBytes(joined.length)}: the file without its line breaks. The file has ${countBytes(file.length)}.`
    return { body: joined, original: file, notes: [note] }
  }
  return { body: file, notes: noteOnLength(file, headers) }
}

/** Parses the values of `--header`. */
export function parseHeaderOptions(lines: readonly string[] = []): readonly HeaderLine[] {
  return lines.map((line) => {
    const header = parseHeader(line)
    if (header === undefined) throw new UsageError("--header is not a header. Pass --header 'Name: value'.")
    return header
  })
}

/** Returns headers with others in the place of those that have the same name. */
export function replaceHeaders(headers: readonly HeaderLine[], others: readonly HeaderLine[]): readonly HeaderLine[] {
  const names = new Set(others.map(([name]) => name.toLowerCase()))
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...others]
}

const DAY_MILLISECONDS = 86_400_000

/** Returns the time at which the request arrived, and where it comes from. */
function findArrivalTime(
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
