import { type BodyRead, notTheBytes } from '../capture/body.js'
import type { Diagnosis, Finding } from './finding.js'

/** Findings that compare the signed body with the received body. */
const OF_BODY = /^(body_|signature_mismatch$)/

/**
 * Returns the findings that are true for a captured request. If the body is not confirmed, findings about the body are left out. Throws a
 * `CaptureError` if no other finding is left, or if nothing confirms that the headers are whole.
 */
export function confirmedFindings(
  { valid, findings, signedMessage }: Diagnosis,
  { doubt, isNewlineUnknown, looseBodies }: BodyRead,
): readonly Finding[] {
  if (valid || (doubt === undefined && isNewlineUnknown !== true)) return findings
  const sure = findings.filter(({ code }) => (doubt === undefined ? code !== 'body_newline' : !OF_BODY.test(code)))
  // A matching signature confirms the headers and the body, unless the match needed a changed body.
  const isMatch = signedMessage !== undefined && sure.length === findings.length
  if (doubt !== undefined && looseBodies !== undefined && !isMatch) throw notTheBytes(doubt)
  // An unknown time of arrival does not explain a wrong signature, so `clock_unknown` alone does not count.
  if (sure.some(({ code }) => code !== 'clock_unknown')) return sure
  if (doubt !== undefined && findings.length > 0) throw notTheBytes(doubt)
  return findings
}
