import { type BodyRead, notTheBytes } from '../capture/body.js'
import type { Finding } from './finding.js'

/** Findings that compare the signed body with the received body. */
const OF_BODY = /^(body_|signature_mismatch$)/

/**
 * Returns the findings that hold for a captured request. If the body is not proved, no finding is about the body.
 * Throws a `CaptureError` if no other finding is left.
 */
export function provedFindings(
  findings: readonly Finding[],
  { doubt, isLineEndUnknown }: BodyRead,
): readonly Finding[] {
  const isSure = ({ code }: Finding) =>
    doubt === undefined ? code !== 'body_newline' || !isLineEndUnknown : !OF_BODY.test(code)
  const sure = findings.filter(isSure)
  if (doubt !== undefined && findings.length > 0 && sure.length === 0) throw notTheBytes(doubt)
  return sure.length === 0 ? findings : sure
}
