import type { Clock } from '../../clock.js'
import { countBytes } from '../../diagnose/text.js'
import type { WebhookRequest } from '../../index.js'
import { isTimestamp } from '../../rules/timestamp.js'
import { type Call, type Context, type Options, UsageError } from '../command.js'
import type { HeaderLine } from '../output/http.js'
import { printable } from '../output/printable.js'
import { type CapturedRequest, extractBody, parseCapture, parseHeaderOption, valuesOf } from './captured-request.js'
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
  readonly request: WebhookRequest & { readonly headers: readonly HeaderLine[]; readonly body: Buffer }
  /** The same without the line end after the body, if nothing says whether it was sent. */
  readonly requestWithoutLineEnd: Received['request'] | undefined
  /** Method and path as pseudo-headers of HTTP/2, if known. A sender may have signed them. */
  readonly target: readonly HeaderLine[]
  /** Returns the time at which the request arrived. */
  readonly clock: Clock
  /** Whether that time is now because the call does not say it. */
  readonly isNow: boolean
  /** What was read, at which time, and remarks on it. */
  readonly notes: readonly string[]
}

export async function readReceived(
  { values, operands }: Call<typeof RECEIVED_OPTIONS>,
  context: Context,
): Promise<Received> {
  const { header = [], 'body-file': bodyFile, at } = values
  const [path] = operands
  const given = header.map(parseHeaderOption)
  const names = new Set(given.map(([name]) => name.toLowerCase()))
  const isCaptured = path !== undefined || given.length === 0
  const captured = isCaptured ? parseCapture(await readInput(path, 'the captured request', context)) : NO_CAPTURE
  const headers = [...captured.headers.filter(([name]) => !names.has(name.toLowerCase())), ...given]

  const { body, bodyWithoutLineEnd, notes } =
    bodyFile === undefined ? captured : extractBody(await readInput(bodyFile, 'the body', context), headers)
  if (body === undefined) {
    throw new UsageError(
      'The capture has no body, because curl -v prints none. Pass the file that was sent with --body-file PATH.',
    )
  }
  const requestWith = (bytes: Buffer) => ({ webhookId: 'the captured request', headers, body: bytes })
  const { requestLine, respondedAt } = captured
  const [method, target] = requestLine?.split(' ') ?? []
  const [time, source] = findArrivalTime(at, headers, respondedAt, context.clock)
  return {
    request: requestWith(body),
    requestWithoutLineEnd: bodyWithoutLineEnd && requestWith(bodyWithoutLineEnd),
    target: method && target ? Object.entries({ ':method': method, ':path': target }) : [],
    clock: { now: () => time },
    isNow: at === undefined && respondedAt === undefined,
    notes: [
      `Read: ${printable(requestLine ?? 'a request')}, body of ${countBytes(body.length)}.`,
      `Time assumed: ${describeTime(time)}, ${source}.`,
      ...notes,
    ],
  }
}

/** Stands in for the capture when options have the whole request. */
const NO_CAPTURE: CapturedRequest = {
  requestLine: undefined,
  headers: [],
  respondedAt: undefined,
  ...extractBody(Buffer.alloc(0), []),
}

const DAY_MILLISECONDS = 86_400_000

/** Returns the time at which the request arrived, and where it comes from. */
function findArrivalTime(
  at: string | undefined,
  headers: readonly HeaderLine[],
  respondedAt: number | undefined,
  clock: Clock,
): readonly [milliseconds: number, source: string] {
  if (at === 'timestamp') {
    const timestamp = valuesOf(headers, 'x-timestamp').join(', ')
    if (!isTimestamp(timestamp)) return [clock.now(), 'now, because X-Timestamp is not Unix time']
    const milliseconds = Number(timestamp) * 1000
    return milliseconds > clock.now() + DAY_MILLISECONDS
      ? [clock.now(), 'now, because X-Timestamp is in the future']
      : [milliseconds, 'from X-Timestamp']
  }
  if (at !== undefined) return [parseTime(at), 'from --at']
  return respondedAt === undefined ? [clock.now(), 'now'] : [respondedAt, 'from the Date of the response']
}

/** Unix time has 10 digits in seconds until the year 2286, and 13 in milliseconds. */
const MAX_DIGITS_OF_SECONDS = 11

/** A date with its time and zone. */
const ISO_8601 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i

/** Parses the value of `--at` into milliseconds since the Unix epoch. */
export function parseTime(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text) * (text.length > MAX_DIGITS_OF_SECONDS ? 1 : 1000)
  const milliseconds = ISO_8601.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  if (Number.isNaN(milliseconds)) {
    throw new UsageError(
      '--at is not a time. Use Unix time (1700000000), ISO 8601 with a zone (2023-11-14T22:13:20Z), or timestamp for the time in X-Timestamp.',
    )
  }
  return milliseconds
}

/** Returns a time as `2023-11-14T22:13:20Z`. */
export function describeTime(milliseconds: number): string {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? 'out of range' : date.toISOString().replace('.000', '')
}
