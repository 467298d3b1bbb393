import { Buffer } from 'node:buffer'
import type { Clock } from '../../clock.js'
import { countBytes } from '../../diagnose/text.js'
import type { WebhookRequest } from '../../index.js'
import { isTimestamp } from '../../rules/timestamp.js'
import { type Call, type Context, type Options, UsageError } from '../command.js'
import type { HeaderLine } from '../output/http.js'
import { printable } from '../output/text.js'
import { extractBody, parseCapture, parseHeader, valuesOf } from './captured-request.js'
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
    help: 'the body, if the capture has none (curl -v prints none)',
  },
  at: {
    type: 'string',
    value: 'TIME',
    help: 'the time at which the request arrived: Unix time in seconds or milliseconds, ISO 8601, or timestamp for the time in X-Timestamp. Default: the Date of the response in the output of curl -v, or now',
  },
} as const satisfies Options

/** A received request. */
export interface Received {
  readonly request: WebhookRequest
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
  const captured = isCaptured
    ? parseCapture(await readInput(path, 'the captured request', context))
    : { headers: [], body: Buffer.alloc(0), respondedAt: Number.NaN }
  const headers = replaceHeaders(captured.headers, given)

  const bodyFile = values['body-file']
  const bytes = bodyFile === undefined ? captured.body : await readInput(bodyFile, 'the body', context)
  if (bytes === undefined) {
    throw new UsageError(
      'The capture has no body: curl -v prints none, and a curl command may name a file. Pass the file that was sent with --body-file PATH.',
    )
  }
  const { body, notes } = extractBody(bytes, headers)
  const requestLine = [':method', ':path'].flatMap((name) => valuesOf(headers, name)).join(' ')
  const [time, source] = findArrivalTime(values.at, headers, captured.respondedAt, context.clock.now())
  return {
    request: { webhookId: 'the captured request', headers, body },
    clock: { now: () => time },
    notes: [
      `Read: ${printable(requestLine) || 'a request'}, body of ${countBytes(body.length)}.`,
      `Time assumed: ${describeTime(time)}, ${source}.`,
      ...notes,
    ],
  }
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
  respondedAt: number,
  now: number,
): readonly [milliseconds: number, source: string] {
  if (at === 'timestamp') {
    const timestamp = valuesOf(headers, 'x-timestamp').join(', ')
    const milliseconds = Number(timestamp) * 1000
    // A timestamp in milliseconds would be a time in the far future.
    return isTimestamp(timestamp) && milliseconds <= now + DAY_MILLISECONDS
      ? [milliseconds, 'from X-Timestamp']
      : [now, 'now, because X-Timestamp is not a Unix time of the past']
  }
  if (at !== undefined) return [parseTime(at), 'from --at']
  return Number.isNaN(respondedAt)
    ? [now, 'now. Pass --at if the request arrived earlier']
    : [respondedAt, 'from the Date of the response']
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
