import { countBytes } from '../../diagnose/text.js'
import { type Call, type Context, type Options, UsageError } from '../command.js'
import type { HeaderLine } from '../output/http.js'
import { printable } from '../output/terminal.js'
import { type CapturedRequest, parseCapture, parseHeader, valuesOf } from './captured-request.js'
import { readInput } from './read-input.js'
import { bodyOf, bodyOfFile, describeTime, findArrivalTime } from './received-request.js'

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
    help: 'when the request arrived: Unix time, ISO 8601, or timestamp (the time in X-Timestamp). Default: the time in the capture, or else now',
  },
} as const satisfies Options

/** The text about captures in the help. */
export const CAPTURE_NOTE = `A capture is one of these:
  - HTTP text: head, blank line and the exact bytes of the body
  - the output of curl -v, with --body-file
  - a HAR file, or one of its entries
  - an event of AWS Lambda
  - a line of a JSON log with headers and body
  - a command that a browser copied: cURL (bash) or PowerShell`

/**
 * Reads the request of a call. `original` is the body as the sender has it, if it is not what was sent. `clock` returns the time
 * at which the request arrived. The notes say what was read, and which time is assumed.
 */
export async function readReceived({ values, operands: [path] }: Call<typeof RECEIVED_OPTIONS>, context: Context) {
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

/** Parses the values of `--header`. */
export function parseHeaderOptions(lines: readonly string[] = []): readonly HeaderLine[] {
  return lines.map((line) => {
    const header = parseHeader(line)
    if (header === undefined) throw new UsageError("--header is not a header. Pass --header 'Name: value'.")
    return header
  })
}

/** Adds `others` to the headers, and removes the headers that have the same names. */
export function replaceHeaders(headers: readonly HeaderLine[], others: readonly HeaderLine[]): readonly HeaderLine[] {
  const names = new Set(others.map(([name]) => name.toLowerCase()))
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...others]
}
