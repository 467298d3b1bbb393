import { readHeaders } from '../../../src/rules/headers.js'
import type { Arrival } from '../capture/arrival.js'
import { assertBody, type BodyRead, bodyOf, notTheBytes } from '../capture/body.js'
import type { CapturedRequest } from '../capture/captured-request.js'
import { type Header, listHeaders } from '../capture/headers.js'
import { assertNotMasked } from '../capture/masked.js'
import { signatureChecker } from '../capture/signed-body.js'
import type { Primitives } from '../primitives.js'
import { diagnoseInSteps } from './engine.js'
import type { Diagnosis } from './finding.js'
import { provedFindings } from './proved-findings.js'
import type { Steps } from './steps.js'

/** A captured request, and what is known besides. */
export interface CaptureToDiagnose {
  readonly captured: CapturedRequest
  /** The headers of the capture, some of which the user may have replaced. */
  readonly headers: readonly Header[]
  /** The file that was sent, if the capture has no body. */
  readonly file?: Uint8Array | undefined
  readonly secrets: readonly string[]
  readonly arrival: Arrival | undefined
  /** The time on this machine, in milliseconds since the Unix epoch. */
  readonly now: number
}

/** Why a captured request does not verify, and how it was read. */
export interface CaptureDiagnosis extends Diagnosis {
  readonly read: BodyRead
  /** Why the bytes of the capture may not be those that were sent. */
  readonly warnings: readonly string[]
  /** How the capture was read. */
  readonly notes: readonly string[]
}

/**
 * Returns why a captured request does not verify. Throws a `CaptureError` if a header is masked, if there is no body, or if nothing can be
 * said because the capture does not hold the bytes that arrived.
 */
export function* diagnoseCapture(platform: Primitives, capture: CaptureToDiagnose): Steps<CaptureDiagnosis> {
  const { captured, headers, file, secrets, arrival, now } = capture
  assertNotMasked(headers)
  assertBody(captured, headers, file)
  const read = bodyOf(captured, headers, signatureChecker(platform, headers, secrets), file)
  const diagnosis = yield* diagnoseInSteps(platform, {
    ...readHeaders(headers),
    headers: listHeaders(headers),
    body: read.body,
    original: read.original,
    secrets,
    now: arrival?.[0] ?? now,
    isArrivalKnown: arrival !== undefined,
  })
  return {
    ...diagnosis,
    findings: provedFindings(diagnosis.findings, read),
    read,
    warnings: read.doubt === undefined ? [] : [notTheBytes(read.doubt).message],
    notes: [...(captured.notes ?? []), ...read.notes],
  }
}
