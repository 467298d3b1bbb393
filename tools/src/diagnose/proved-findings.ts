import { type BodyRead, notTheBytes } from '../capture/body.js'
import type { Finding } from './finding.js'

/** Findings that compare the signed body with the received body. */
const OF_BODY = /^(body_|signature_mismatch$)/

/**
 * Returns the findings that hold for a captured request. If the body is not proved, findings about the body are left out.
 * Throws a `CaptureError` if no other finding is left.
 */
export function provedFindings(
  findings: readonly Finding[],
  { doubt, isLineEndUnknown }: BodyRead,
): readonly Finding[] {
  if (doubt === undefined && isLineEndUnknown !== true) return findings
  const sure = findings.filter(({ code }) => (doubt === undefined ? code !== 'body_newline' : !OF_BODY.test(code)))
  // An unknown time of arrival does not explain a wrong signature, so `clock_unknown` alone does not count.
  if (sure.some(({ code }) => code !== 'clock_unknown')) return sure
  if (doubt !== undefined && findings.length > 0) throw notTheBytes(doubt)
  return findings
}
