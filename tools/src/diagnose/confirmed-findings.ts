import { areEqual, fromUtf8 } from '../bytes.js'
import { type BodyRead, notTheBytes } from '../capture/body.js'
import { writeFinding } from './draft.js'
import { compareBodies, PROOF } from './explain.js'
import type { Diagnosis, Finding } from './finding.js'
import { jsonValue } from './json/parse.js'
import { maskWith } from './mask-secrets.js'

/** Matches the codes of findings about the body. These findings are wrong if the capture changed the body. */
const OF_BODY = /^(body_|signature_mismatch$)/

export type Confirmed = Pick<Diagnosis, 'valid' | 'findings'> & {
  /** Why the body is not what arrived, if no finding explains the signature. */
  readonly doubt?: string | undefined
}

/**
 * Returns the findings that are surely true for a captured request. If the body is in doubt, findings about the body are left out. A request
 * whose signature is right only for a restored body is not valid, because nobody knows whether the capture or the sender changed the body.
 * Throws a `CaptureError` if no finding is left, or if the headers are from free text and no signature confirms them.
 */
export function confirm(diagnosis: Diagnosis, read: BodyRead, secrets: readonly string[]): Confirmed {
  const { valid, findings, signedMessage } = diagnosis
  const { body, guess, signed, isLoose } = read
  const doubt = read.doubt ?? (isExplained(diagnosis) && !mayHaveArrived(diagnosis, read) ? undefined : guess)
  const sure = doubt === undefined ? findings : findings.filter(({ code }) => !OF_BODY.test(code))
  const isSame = signed !== undefined && areEqual(signed.body, body)
  if (
    doubt === undefined
      ? isExplained(diagnosis)
      : signedMessage !== undefined && !isSame && sure.length === findings.length
  ) {
    // If the signature was explained without a change of the body, it confirms the headers and the body.
    return { valid, findings }
  }
  if (valid || signed !== undefined) {
    const others = sure.filter(({ code }) => !OF_BODY.test(code))
    return { valid: false, findings: [...others, otherBodySigned(read, secrets)] }
  }
  if (doubt !== undefined && isLoose) throw notTheBytes(doubt)
  // `clock_unknown` does not explain a wrong signature, so another finding is needed.
  if (doubt === undefined || sure.some(({ code }) => code !== 'clock_unknown')) return { valid, findings: sure, doubt }
  throw notTheBytes(doubt)
}

/** Returns whether the signed JSON may be what arrived: the capture wrote the JSON again, and the signed JSON has the same length. */
function mayHaveArrived({ signedMessage = new Uint8Array(), findings }: Diagnosis, read: BodyRead): boolean {
  const { length } = read.body
  const ends = [signedMessage.subarray(0, length), signedMessage.subarray(-length)]
  const isOfBody = findings.some(({ code }) => OF_BODY.test(code))
  return read.certainty === 'rewritten' && isOfBody && ends.some((end) => jsonValue(fromUtf8(end)) !== undefined)
}

export const isExplained = ({ valid, signedMessage }: Diagnosis): boolean => valid || signedMessage !== undefined

function otherBodySigned({ body, doubt, signed }: BodyRead, secrets: readonly string[]): Finding {
  const isSame = signed === undefined || areEqual(signed.body, body)
  const which = isSame
    ? `for the body in the capture, which is not what arrived: ${doubt}`
    : `for a body that is not in the capture, because the capture ${signed.what}`
  const message = `The signature is valid ${which}. The sender signed bytes that it did not send, or the capture changed the body.`
  const evidence = [...(isSame ? [] : compareBodies(signed.body, body, maskWith(secrets))), PROOF]
  return writeFinding({ code: 'body_changed', message, fix: 'same_bytes', evidence })
}
