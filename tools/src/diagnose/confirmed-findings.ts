import { type BodyRead, notTheBytes } from '../capture/body.js'
import type { Diagnosis, Finding } from './finding.js'

/** Matches the codes of findings about the body. These findings are wrong if the capture changed the body. */
const OF_BODY = /^(body_|signature_mismatch$)/

/**
 * Returns the findings that are surely true for a captured request. If the body is not confirmed, findings about the body are left out.
 * Throws a `CaptureError` if no other finding is left, or if the headers are from free text and no signature confirms them.
 */
export function confirmedFindings(
  { valid, findings, signedMessage }: Diagnosis,
  { doubt, isNewlineUnknown, looseBodies }: BodyRead,
): readonly Finding[] {
  if (valid || (doubt === undefined && isNewlineUnknown !== true)) return findings
  const sure = findings.filter(({ code }) => (doubt === undefined ? code !== 'body_newline' : !OF_BODY.test(code)))
  // If the signature was explained without a change of the body, it confirms the headers and the body.
  const isMatch = signedMessage !== undefined && sure.length === findings.length
  if (doubt !== undefined && looseBodies !== undefined && !isMatch) throw notTheBytes(doubt)
  // `clock_unknown` does not explain a wrong signature, so another finding is needed.
  if (sure.some(({ code }) => code !== 'clock_unknown')) return sure
  if (doubt !== undefined && findings.length > 0) throw notTheBytes(doubt)
  return findings
}
