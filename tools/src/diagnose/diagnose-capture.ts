import { readHeaders } from '../../../src/rules/headers.js'
import type { Arrival } from '../capture/arrival.js'
import { assertBody, type BodyRead, bodyOf, notTheBytes } from '../capture/body.js'
import type { CapturedRequest } from '../capture/captured-request.js'
import { type Header, listHeaders } from '../capture/headers.js'
import { assertNotMasked } from '../capture/masked.js'
import { signatureChecker } from '../capture/signed-body.js'
import type { Platform } from '../primitives.js'
import { schemeOf } from '../schemes.js'
import { confirm, isExplained } from './confirmed-findings.js'
import { diagnoseInSteps, MAX_HASHES } from './engine.js'
import type { Diagnosis } from './finding.js'
import type { Steps } from './steps.js'

export interface CaptureToDiagnose {
  readonly captured: CapturedRequest
  /** The headers of the capture, after `--header` has replaced some of them. */
  readonly headers: readonly Header[]
  /** The file of `--body-file`, which replaces the body of the capture. */
  readonly file?: Uint8Array | undefined
  readonly secrets: readonly string[]
  readonly arrival: Arrival | undefined
  /** The time on this machine, in milliseconds since the Unix epoch. */
  readonly now: number
}

/** The maximum number of hashes for each body, if several parts of the capture may be the body. */
const MAX_HASHES_EACH = 3000

export interface CaptureDiagnosis extends Diagnosis {
  readonly read: BodyRead
  /** Why the bytes of the capture may differ from the bytes that were sent. */
  readonly warnings: readonly string[]
  /** Remarks for the user on how the capture was read. */
  readonly notes: readonly string[]
}

/** Returns why a captured request does not verify. Throws a `CaptureError` if the body is too uncertain for any finding. */
export function* diagnoseCapture(
  platform: Platform,
  capture: CaptureToDiagnose,
  maxHashes = MAX_HASHES,
): Steps<CaptureDiagnosis> {
  const { captured, headers, file, secrets, arrival, now } = capture
  assertNotMasked(headers)
  assertBody(captured, headers, file)
  const read = bodyOf(captured, headers, signatureChecker(platform, headers, secrets), file)
  const request = {
    ...readHeaders(headers, [schemeOf(headers).headers]),
    headers: listHeaders(headers),
    secrets,
    now: arrival?.[0] ?? now,
    isArrivalKnown: arrival !== undefined,
    isCaptured: captured.bodyLength === undefined,
  }
  const { others = [] } = read
  const hashes = Math.min(maxHashes, MAX_HASHES_EACH)
  let chosen = read
  let diagnosis = yield* diagnoseInSteps(platform, { ...request, ...read }, read.isLoose ? hashes : maxHashes)
  for (const other of others) {
    if (isExplained(diagnosis)) break
    const next = yield* diagnoseInSteps(platform, { ...request, ...other }, hashes)
    if (!isExplained(next)) continue
    chosen = other
    diagnosis = next
  }
  const { doubt, ...confirmed } = confirm(diagnosis, chosen, secrets)
  return {
    ...diagnosis,
    ...confirmed,
    read: chosen,
    // If the signature is explained, nothing in the capture is in doubt.
    warnings: doubt === undefined ? [] : [notTheBytes(doubt).message],
    notes: [...(captured.notes ?? []), ...chosen.notes],
  }
}
