import type { Clock } from '../../../../src/clock.js'
import type { WebhookRequest } from '../../../../src/request.js'
import { describeTime, findArrival } from '../../capture/arrival.js'
import { assertBody, type BodyRead, bodyOf, notTheBytes } from '../../capture/body.js'
import { CAPTURE_SHAPES } from '../../capture/capture-error.js'
import type { CapturedRequest } from '../../capture/captured-request.js'
import { type Header, parseHeader, valuesOf } from '../../capture/headers.js'
import { assertNotMasked } from '../../capture/masked.js'
import { readCapture } from '../../capture/read-capture.js'
import { signatureChecker } from '../../capture/signed-body.js'
import { NODE_PRIMITIVES } from '../../node-primitives.js'
import { countBytes } from '../../text.js'
import { type Call, type Context, type Options, UsageError } from '../command.js'
import { printable } from '../output/terminal.js'
import { readInput } from './read-input.js'

/** The options that describe a received request. */
export const RECEIVED_OPTIONS = {
  header: {
    value: "'Name: value'",
    kind: 'several',
    help: 'adds a header to the request, or replaces the header of that name in the capture',
  },
  'body-file': { value: 'PATH', help: 'the file that was sent, if the capture has no body (curl -v prints none)' },
  at: {
    value: 'TIME',
    help: 'when the request arrived: Unix time, ISO 8601, or timestamp (the time in X-Timestamp). Default: the time in the capture',
  },
} as const satisfies Options

/** The text about captures in the help. */
export const CAPTURE_NOTE = ['A capture is one of these:', ...CAPTURE_SHAPES.map((shape) => `- ${shape}`)].join('\n')

const UNKNOWN_TIME = 'Time of arrival: unknown. If you know when the request arrived, pass --at.'

/** The request of a call, as read. */
export interface Received {
  readonly request: WebhookRequest & { readonly headers: readonly Header[]; readonly body: Uint8Array }
  /** The sender's file, if the sent body differs from it. */
  readonly original: Uint8Array | undefined
  /** The clock of the arrival, or `undefined` if nothing says when the request arrived. */
  readonly clock: Clock | undefined
  /** How the request was read. */
  readonly notes: readonly string[]
  /** Why the bytes of the request may not be those that were sent. */
  readonly warnings: readonly string[]
  /** Whether the capture was standard input. */
  readonly isPiped: boolean
  readonly read: BodyRead
}

/** Reads the request of a call. Returns a function of the secrets, because they show which body of a capture is right. */
export async function readReceived(
  { values, operands: [path] }: Call<typeof RECEIVED_OPTIONS>,
  context: Context,
): Promise<(secrets: readonly string[]) => Received> {
  const given = parseHeaderOptions(values.header)
  const isCaptured = path !== undefined || given.length === 0
  const isPiped = isCaptured && (path === undefined || path === '-')
  const captured: CapturedRequest = isCaptured
    ? readCapture(await readInput(path, 'the captured request', context))
    : { headers: [], body: new Uint8Array() }
  const headers = replaceHeaders(captured.headers, given)
  assertNotMasked(headers)
  const bodyFile = values['body-file']
  const file = bodyFile === undefined ? undefined : await readInput(bodyFile, 'the body', context)
  assertBody(captured, headers, file)
  const requestLine = [':method', ':path'].flatMap((name) => valuesOf(headers, name)).join(' ')
  const arrival = findArrival(values.at, headers, captured.arrival, context.clock.now())
  return (secrets) => {
    const read = bodyOf(captured, headers, signatureChecker(NODE_PRIMITIVES, headers, secrets), file)
    return {
      request: { webhookId: 'the captured request', headers, body: read.body },
      original: read.original,
      clock: arrival && { now: () => arrival[0] },
      read,
      isPiped,
      warnings: read.doubt === undefined ? [] : [notTheBytes(read.doubt).message],
      notes: [
        `Read: ${printable(requestLine) || 'a request'}, body of ${countBytes(read.body.length)}.`,
        arrival === undefined ? UNKNOWN_TIME : `Time of arrival: ${describeTime(arrival[0])}, ${arrival[1]}.`,
        ...(captured.notes ?? []),
        ...read.notes,
      ],
    }
  }
}

/** Returns the headers in the values of `--header`. Throws if one is not a header. */
export function parseHeaderOptions(lines: readonly string[] = []): readonly Header[] {
  return lines.map((line) => {
    const header = parseHeader(line)
    if (header === undefined) throw new UsageError("--header is not a header. Pass --header 'Name: value'.")
    return header
  })
}

/** Returns the headers with `others` in place of the headers that have the same names. */
export function replaceHeaders(headers: readonly Header[], others: readonly Header[]): readonly Header[] {
  const names = new Set(others.map(([name]) => name.toLowerCase()))
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...others]
}
