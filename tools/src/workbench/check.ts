import { readHeaders } from '../../../src/rules/headers.js'
import { findArrival } from '../capture/arrival.js'
import { bodyOf, notTheBytes } from '../capture/body.js'
import { listHeaders, valuesOf } from '../capture/headers.js'
import { assertNotMasked } from '../capture/masked.js'
import { readCapture } from '../capture/read-capture.js'
import { signatureChecker } from '../capture/signed-body.js'
import { diagnoseWith } from '../diagnose/engine.js'
import { provedFindings } from '../diagnose/proved-findings.js'
import { browserPrimitives } from './browser-primitives.js'
import { type CheckReport, checkRules } from './report.js'
import { signatureOf } from './sign.js'

export const MISSING_BODY = 'The capture has no body. Add it under “The body is not in the capture”.'

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
  const { headers: lines } = captured
  if (input.body === undefined && captured.body === undefined) {
    throw new Error(MISSING_BODY)
  }
  assertNotMasked(lines)
  let isBrotliNotTried = valuesOf(lines, 'content-encoding').some((value) => /\bbr\b/i.test(value))
  const primitives = browserPrimitives(() => {
    isBrotliNotTried = true
  })
  const read = bodyOf(captured, lines, signatureChecker(primitives, lines, input.secrets), input.body)
  // The body is copied, because a part of the capture would take the whole capture along into the answer.
  const body = read.body.slice()
  const headers = readHeaders(lines)
  const arrival = findArrival(input.arrival, lines, captured.arrival, input.now)
  const {
    genuine,
    findings: all,
    language,
    signedMessage,
  } = diagnoseWith(primitives, {
    ...headers,
    headers: listHeaders(lines),
    body,
    original: read.original,
    secrets: input.secrets,
    now: arrival?.[0] ?? input.now,
    isArrivalKnown: arrival !== undefined,
  })
  const findings = provedFindings(all, read)
  const isUnexplained = findings.some(({ code }) => code === 'signature_mismatch')
  const expected = input.secrets.map((secret) =>
    signatureOf(headers.timestamp ?? '', headers.nonce ?? '', body, secret),
  )
  return {
    request: [':method', ':path'].flatMap((name) => valuesOf(lines, name)).join(' ') || 'A request',
    notes: [
      ...(read.doubt === undefined ? [] : [notTheBytes(read.doubt).message]),
      ...(captured.notes ?? []),
      ...read.notes,
    ],
    headers,
    body,
    arrival,
    rules: checkRules(headers, arrival, expected, input.now),
    expected,
    genuine,
    findings,
    language,
    signedMessage,
    isBrotliNotTried: isUnexplained && isBrotliNotTried,
  }
}
