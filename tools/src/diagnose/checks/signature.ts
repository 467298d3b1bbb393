import type { ToolScheme } from '../../schemes.js'
import { quote } from '../../text.js'
import type { Draft, EvidenceLine } from '../draft.js'
import { describeUnfilled } from '../hypotheses/placeholders.js'
import type { Mask } from '../mask-secrets.js'
import { wholeForms } from '../signature-form.js'
import { ASYMMETRIC, formsOf, isAsymmetric, STANDARD_FORM } from '../standard-webhooks.js'

/** Returns whether one of the secrets is a public key that checks the signature. */
export function checksEd25519(signature: string, scheme: ToolScheme, secrets: readonly string[]): boolean {
  return scheme.ed25519In(signature).length > 0 && secrets.some((secret) => scheme.publicKeyOf(secret) !== undefined)
}

const NEEDS_SECRET: Draft = {
  code: 'signature_format',
  message: 'A public key verifies only v1a signatures of 64 bytes, and X-Signature has none.',
  fix: 'match_key',
}

const JWT = /\beyJ[\w-]{8,4096}\.[\w-]{2,4096}\.[\w-]{0,1024}$/

/** Returns a finding if the signature has a wrong format. This check runs only if nothing else explains the signature. */
export function checkSignatureFormat(
  signature: string,
  mask: Mask,
  scheme: ToolScheme,
  secrets: readonly string[] = [],
): Draft[] {
  if (checksEd25519(signature, scheme, secrets)) return []
  if (secrets.length > 0 && secrets.every((secret) => scheme.publicKeyOf(secret) !== undefined)) return [NEEDS_SECRET]
  if (scheme.digestsIn(signature).length > 0) return []
  const why = describeUnfilled(signature)
  const evidence: EvidenceLine[] = [['X-Signature', quote(mask(signature))], ...(why === undefined ? [] : [why])]
  const differences = formsOf(signature, mask, scheme, wholeForms)[0]?.differences ?? []
  const form = differences.length === 0 ? `is ${quote(mask(signature))}` : `has ${differences.join(', ')}`
  const right = scheme.isStandard ? STANDARD_FORM : '64 lowercase hex digits'
  const isKeyMissing = scheme.isStandard && isAsymmetric(signature)
  const what = isKeyMissing
    ? `is ${ASYMMETRIC}`
    : JWT.test(signature)
      ? 'is a JSON Web Token (JWT), which does not sign this request'
      : form
  return [
    {
      code: 'signature_format',
      message: `X-Signature is not ${right}: it ${what}.`,
      fix: isKeyMissing ? 'match_key' : why === undefined ? 'send_hex' : 'fill_in_value',
      evidence,
    },
  ]
}
