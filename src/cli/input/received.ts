import type { Clock } from '../../clock.js'
import { countBytes } from '../../diagnose/text.js'
import type { WebhookRequest } from '../../request.js'
import { readHeaders } from '../../rules/headers.js'
import { isTimestamp } from '../../rules/timestamp.js'
import type { Surroundings } from '../command.js'
import type { HeaderLine } from '../output/http-text.js'
import { printable } from '../output/printable.js'
import { UsageError } from '../usage-error.js'
import type { Options, Parsed } from './arguments.js'
import { type CapturedRequest, framed, parseCapture, parseHeaderLine } from './captured-request.js'
import { inWords, momentOf } from './moment.js'
import { readInput } from './read-input.js'

/** The options that say what was received, and when. */
export const RECEIVED_OPTIONS = {
  header: {
    type: 'string',
    multiple: true,
    value: "'Name: value'",
    help: 'a header, instead of those of that name in the capture;\nwithout a capture, one of the request',
  },
  'body-file': {
    type: 'string',
    value: 'PATH',
    help: 'the body, if the capture lacks it (curl -v shows none)',
  },
  at: {
    type: 'string',
    value: 'TIME',
    help: 'when it arrived: Unix time in seconds or milliseconds, ISO 8601,\nor timestamp for the time that the request states. By default the\nDate of the answer in a capture of curl -v, otherwise now',
  },
} as const satisfies Options

/** The inputs of a call that may be standard input. */
export function inputsOf({ values, operands }: Parsed<typeof RECEIVED_OPTIONS>): readonly (string | undefined)[] {
  return [operands[0] ?? (values.header === undefined ? '-' : undefined), values['body-file']]
}

/** A request that was received, and all that is known about how. */
export interface Received {
  readonly request: WebhookRequest & { readonly headers: readonly HeaderLine[]; readonly body: Buffer }
  /** The same with the body without the line end after it, where nothing says whether that was sent. */
  readonly requestWithoutLineEnd: Received['request'] | undefined
  /** Its method and path, as far as they are known, in the way of HTTP/2: a sender may have signed them. */
  readonly target: readonly HeaderLine[]
  readonly clock: Clock
  /** Whether that is now, for want of anything better. */
  readonly isNow: boolean
  /** The time assumed, in words. */
  readonly assumedTime: string
  /** What was read, in words: `POST /hooks/42, 24 bytes of body`. */
  readonly description: string
  readonly notes: readonly string[]
}

export async function readReceived(
  { values, operands }: Parsed<typeof RECEIVED_OPTIONS>,
  surroundings: Surroundings,
): Promise<Received> {
  const { header = [], 'body-file': bodyFile, at } = values
  const [path] = operands
  if (path === '-' && bodyFile === '-') {
    throw new UsageError('standard input can be read once: it is either the capture or the body')
  }
  const given = header.map((line) =>
    parseHeaderLine(line, () => new UsageError("--header takes 'Name: value', with a colon between name and value")),
  )
  const names = new Set(given.map(([name]) => name.toLowerCase()))
  const isCaptured = path !== undefined || given.length === 0
  const captured = isCaptured ? parseCapture(await readInput(path, 'the captured request', surroundings)) : NOTHING
  const headers = [...captured.headers.filter(([name]) => !names.has(name.toLowerCase())), ...given]

  const { body, bodyWithoutLineEnd, notes } =
    bodyFile === undefined ? captured : framed(await readInput(bodyFile, 'the body', surroundings), headers)
  if (body === undefined) {
    throw new UsageError(
      'the capture shows no body, as curl -v does not: pass the file that was sent (the one of --data-binary) with --body-file PATH',
    )
  }
  const requestWith = (bytes: Buffer) => ({ webhookId: 'the captured request', headers, body: bytes })
  return {
    request: requestWith(body),
    requestWithoutLineEnd: bodyWithoutLineEnd && requestWith(bodyWithoutLineEnd),
    target: targetOf(captured),
    ...timeOf(at, headers, captured, surroundings.clock),
    description: `${printable(captured.requestLine ?? 'a request')}, ${countBytes(body.length)} of body`,
    notes,
  }
}

function targetOf({ requestLine = '' }: CapturedRequest): readonly HeaderLine[] {
  const [method = '', path] = requestLine.split(' ')
  if (path === undefined) return []
  return [
    [':method', method],
    [':path', path],
  ]
}

/** What there is to a request whose headers are all given as options. */
const NOTHING: CapturedRequest = {
  requestLine: undefined,
  headers: [],
  body: Buffer.alloc(0),
  bodyWithoutLineEnd: undefined,
  answeredAt: undefined,
  notes: [],
}

/** In milliseconds. */
const DAY = 86_400_000

/** The clock that stands at the moment to assume. */
function timeOf(
  at: string | undefined,
  headers: readonly HeaderLine[],
  { answeredAt }: CapturedRequest,
  clock: Clock,
): Pick<Received, 'clock' | 'isNow' | 'assumedTime'> {
  if (at === 'timestamp') {
    const { timestamp = '' } = readHeaders(headers)
    // What is no timestamp is rejected for that, whatever the time.
    if (!isTimestamp(timestamp)) return standing(clock.now(), 'now, for the request states none')
    if (Number(timestamp) * 1000 > clock.now() + DAY) {
      return standing(clock.now(), 'now, for the request states none that has come')
    }
    return standing(Number(timestamp) * 1000, 'the time that the request states')
  }
  if (at !== undefined) return standing(momentOf(at), 'as given with --at')
  if (answeredAt !== undefined) return standing(answeredAt, 'the Date of the answer in the capture')
  return { ...standing(clock.now(), 'now'), isNow: true }
}

function standing(moment: number, why: string): Pick<Received, 'clock' | 'isNow' | 'assumedTime'> {
  return {
    isNow: false,
    clock: { now: () => moment },
    assumedTime: `${inWords(moment)}, ${why}`,
  }
}
