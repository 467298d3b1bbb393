import { describeTime, findArrival } from '../../capture/arrival.js'
import { bodyOf, bodyOfFile } from '../../capture/body.js'
import { CAPTURE_SHAPES } from '../../capture/capture-error.js'
import type { CapturedRequest } from '../../capture/captured-request.js'
import { type Header, parseHeader, valuesOf } from '../../capture/headers.js'
import { readCapture } from '../../capture/read-capture.js'
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

/**
 * Reads the request of a call. If the sent body differs from the sender's file, `original` is that file. `clock` returns the time
 * at which the request arrived, and is `undefined` if that time is unknown. The notes say how the request was read. The warnings say
 * why these may not be the bytes that were sent. `isPiped` says whether the capture was standard input.
 */
export async function readReceived({ values, operands: [path] }: Call<typeof RECEIVED_OPTIONS>, context: Context) {
  const given = parseHeaderOptions(values.header)
  const isCaptured = path !== undefined || given.length === 0
  const isPiped = isCaptured && (path === undefined || path === '-')
  const captured: CapturedRequest = isCaptured
    ? readCapture(await readInput(path, 'the captured request', context))
    : { headers: [], body: new Uint8Array() }
  const headers = replaceHeaders(captured.headers, given)

  const bodyFile = values['body-file']
  const { body, original, notes, warning } =
    bodyFile === undefined
      ? bodyOf(captured, headers)
      : bodyOfFile(await readInput(bodyFile, 'the body', context), headers, captured.isFileJoined)
  const requestLine = [':method', ':path'].flatMap((name) => valuesOf(headers, name)).join(' ')
  const arrival = findArrival(values.at, headers, captured.arrival, context.clock.now())
  return {
    request: { webhookId: 'the captured request', headers, body },
    original,
    clock: arrival && { now: () => arrival[0] },
    isPiped,
    warnings: warning === undefined ? [] : [warning],
    notes: [
      `Read: ${printable(requestLine) || 'a request'}, body of ${countBytes(body.length)}.`,
      arrival === undefined ? UNKNOWN_TIME : `Time of arrival: ${describeTime(arrival[0])}, ${arrival[1]}.`,
      ...(captured.notes ?? []),
      ...notes,
    ],
  }
}

/** Parses the values of `--header`. */
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
