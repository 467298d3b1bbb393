import { readHeaders } from '../../../src/rules/headers.js'
import { findArrival } from '../capture/arrival.js'
import { valuesOf } from '../capture/headers.js'
import { readCapture } from '../capture/read-capture.js'
import { diagnoseCapture } from '../diagnose/diagnose-capture.js'
import { runSteps } from '../diagnose/steps.js'
import { browserPrimitives } from './browser-primitives.js'
import { type CheckReport, checkRules } from './report.js'
import { signatureOf } from './sign.js'

export const MISSING_BODY = 'The capture has no body. Add the body under “The body is not in the capture”.'

/** What the page sends to the Worker. */
export interface CheckInput {
  readonly capture: Uint8Array
  /** The body, if the capture has none. */
  readonly body: Uint8Array | undefined
  readonly secrets: readonly string[]
  /** When the request arrived: a time, `timestamp` for the time in `X-Timestamp`, or `undefined` for the time in the capture. */
  readonly arrival: string | undefined
  readonly now: number
}

/**
 * Returns the report on a capture: whether each rule holds, and why the request does not verify. Throws an `Error` for a capture that
 * cannot be read.
 */
export function check(input: CheckInput): CheckReport {
  const captured = readCapture(input.capture)
  if (input.body === undefined && captured.body === undefined) {
    throw new Error(MISSING_BODY)
  }
  const { headers: lines } = captured
  let isBrotliNotTried = valuesOf(lines, 'content-encoding').some((value) => /\bbr\b/i.test(value))
  const primitives = browserPrimitives(() => {
    isBrotliNotTried = true
  })
  const { secrets, now } = input
  const arrival = findArrival(input.arrival, lines, captured.arrival, now)
  const capture = { captured, headers: lines, file: input.body, secrets, arrival, now }
  const { read, findings, warnings, notes, ...diagnosis } = runSteps(diagnoseCapture(primitives, capture))
  // The body is copied, because otherwise the whole capture would be sent to the page with the body.
  const body = read.body.slice()
  const headers = readHeaders(lines)
  const expected = secrets.map((secret) => signatureOf(headers, body, secret))
  return {
    ...diagnosis,
    request: [':method', ':path'].flatMap((name) => valuesOf(lines, name)).join(' ') || 'A request',
    notes: [...warnings, ...notes],
    headers,
    body,
    arrival,
    rules: checkRules(headers, arrival, expected, now),
    findings,
    // Brotli hardly changes a small body, so a search without Brotli may find another change that matches.
    isBrotliNotTried: isBrotliNotTried && !diagnosis.valid,
  }
}
