import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { HeaderValues } from '../../../src/rules/formats.js'
import { readHeaders } from '../../../src/rules/headers.js'
import { hex } from '../bytes.js'
import { findArrival } from '../capture/arrival.js'
import { valuesOf } from '../capture/headers.js'
import { readCapture } from '../capture/read-capture.js'
import { diagnoseCapture } from '../diagnose/diagnose-capture.js'
import { maskBytes, maskWith } from '../diagnose/mask-secrets.js'
import { runSteps } from '../diagnose/steps.js'
import { isSignedBy, receivedMessage, schemeOf, startOf, X_SIGNATURE } from '../schemes.js'
import { browserPrimitives } from './browser-primitives.js'
import { type CheckReport, checkRules } from './report.js'

export const MISSING_BODY = 'The capture has no body. Add the body under “The body is not in the capture”.'

export const signatureOf = (
  headers: Partial<HeaderValues>,
  body: Uint8Array,
  secret: string,
  scheme = X_SIGNATURE,
): string => hex(hmac(sha256, scheme.keyOf(secret), receivedMessage(headers, body, scheme)))

export interface CheckInput {
  readonly capture: Uint8Array
  readonly body: Uint8Array | undefined
  readonly secrets: readonly string[]
  /** The time of arrival, as for `--at`. `undefined` means the time in the capture. */
  readonly arrival: string | undefined
  readonly now: number
}

/** Returns the report on a captured request. Throws an `Error` if the capture cannot be read. */
export function check(input: CheckInput): CheckReport {
  const captured = readCapture(input.capture)
  if (input.body === undefined && captured.body === undefined) {
    throw new Error(MISSING_BODY)
  }
  const { headers: lines } = captured
  const { secrets, now } = input
  const arrival = findArrival(input.arrival, lines, captured.arrival, now)
  const platform = browserPrimitives()
  const capture = { captured, headers: lines, file: input.body, secrets, arrival, now }
  const { read, warnings, notes, ...diagnosis } = runSteps(diagnoseCapture(platform, capture))
  const mask = maskWith(secrets)
  // Without a copy, the whole memory of the capture would be sent to the page.
  const body = read.body.slice()
  const scheme = schemeOf(lines)
  const headers = readHeaders(lines, [scheme.headers])
  const masked = (value: string | undefined) => value && mask(value)
  const message = [receivedMessage(headers, body, scheme)]
  const isRight = isSignedBy(platform, scheme, String(headers.signature), message, secrets)
  return {
    ...diagnosis,
    request: mask([':method', ':path'].flatMap((name) => valuesOf(lines, name)).join(' ')) || 'A request',
    notes: [...warnings, ...notes],
    start: startOf(scheme, { timestamp: masked(headers.timestamp), nonce: masked(headers.nonce) }),
    body: maskBytes(body, secrets),
    signedMessage: diagnosis.signedMessage && maskBytes(diagnosis.signedMessage, secrets),
    arrival,
    rules: checkRules(headers, arrival, isRight, now, scheme),
  }
}
