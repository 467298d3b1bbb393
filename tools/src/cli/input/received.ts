import { describeTime, findArrival } from '../../capture/arrival.js'
import { assertBody } from '../../capture/body.js'
import { CAPTURE_SHAPES } from '../../capture/capture-error.js'
import type { CapturedRequest } from '../../capture/captured-request.js'
import { type Header, parseHeader, valuesOf } from '../../capture/headers.js'
import { assertNotMasked } from '../../capture/masked.js'
import { readCapture } from '../../capture/read-capture.js'
import type { CaptureDiagnosis, CaptureToDiagnose } from '../../diagnose/diagnose-capture.js'
import type { Mask } from '../../diagnose/mask-secrets.js'
import { countBytes } from '../../text.js'
import { type Call, type Context, type Options, quote, UsageError } from '../command.js'
import { printable } from '../output/terminal.js'
import { readInput } from './read-input.js'

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

export const CAPTURE_NOTE = ['A capture is one of these:', ...CAPTURE_SHAPES.map((shape) => `- ${shape}`)].join('\n')

const UNKNOWN_TIME = 'Time of arrival: unknown. Pass --at if you know when the request arrived.'

export type Received = Omit<CaptureToDiagnose, 'secrets'>

export async function readReceived(
  { values, operands: [path] }: Call<typeof RECEIVED_OPTIONS>,
  context: Context,
): Promise<Received> {
  const given = parseHeaderOptions(values.header)
  const isCaptured = path !== undefined || given.length === 0
  const captured: CapturedRequest = isCaptured
    ? readCapture(await readInput(path, 'the captured request', context))
    : { headers: [], body: new Uint8Array() }
  const headers = replaceHeaders(captured.headers, given)
  assertNotMasked(headers)
  const bodyFile = values['body-file']
  const file = bodyFile === undefined ? undefined : await readInput(bodyFile, 'the body', context)
  assertBody(captured, headers, file)
  const now = context.clock.now()
  return { captured, headers, file, arrival: findArrival(values.at, headers, captured.arrival, now), now }
}

export function describeRead(
  { headers, arrival }: Received,
  { read, notes }: Pick<CaptureDiagnosis, 'read' | 'notes'>,
  mask: Mask,
) {
  const requestLine = [':method', ':path'].flatMap((name) => valuesOf(headers, name)).join(' ')
  return [
    `Read: ${printable(mask(requestLine)) || 'a request'}, body of ${countBytes(read.body.length)}.`,
    arrival === undefined ? UNKNOWN_TIME : `Time of arrival: ${describeTime(arrival[0])}, ${arrival[1]}.`,
    ...notes,
  ]
}

export function parseHeaderOptions(lines: readonly string[] = []): readonly Header[] {
  return lines.map((line) => {
    const header = parseHeader(line)
    if (header === undefined) {
      throw new UsageError(`--header${quote(line)} is not a header. Pass --header 'Name: value'.`)
    }
    return header
  })
}

/** Parses headers to send. Throws if a value has a character that HTTP does not allow, such as a newline. */
export function parseHeadersToSend(lines?: readonly string[]): readonly Header[] {
  const headers = parseHeaderOptions(lines)
  const wrong = headers.find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value))
  if (wrong === undefined) return headers
  throw new UsageError(
    `The value of --header${quote(wrong[0])} has a newline or another character that a header cannot have. Remove it.`,
  )
}

/** Returns `headers` and `others`. If a name is in both, only the headers of `others` with this name are returned. */
export function replaceHeaders(headers: readonly Header[], others: readonly Header[]): readonly Header[] {
  const names = new Set(others.map(([name]) => name.toLowerCase()))
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...others]
}
