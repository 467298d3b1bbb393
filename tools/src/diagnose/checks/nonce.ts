import { MAX_NONCE_LENGTH } from '../../../../src/rules/nonce.js'
import { MAX_ID_LENGTH } from '../../../../src/standard-webhooks/message-id.js'
import type { ToolScheme } from '../../schemes.js'
import { listCharacters, quote } from '../../text.js'
import type { Draft } from '../draft.js'
import { describeUnfilled } from '../hypotheses/placeholders.js'
import type { Mask } from '../mask-secrets.js'

export function checkNonce(nonce: string | undefined, mask: Mask, scheme: ToolScheme, isCaptured = false): Draft[] {
  if (nonce === undefined || scheme.isNonce(nonce)) return []
  const { length } = nonce
  const maxLength = scheme.isStandard ? MAX_ID_LENGTH : MAX_NONCE_LENGTH
  const evidence = [['X-Nonce', quote(mask(nonce))] as const]
  const wrong = [...nonce].filter((character) => !scheme.isNonce(character))
  if (wrong.length === 0) {
    const message = `X-Nonce has ${length} characters, but a nonce has 1 to ${maxLength}.`
    return [{ code: 'nonce_length', message, fix: 'send_nonce', evidence }]
  }
  const tooLong = length > maxLength ? ` It has ${length} characters, and at most ${maxLength} are allowed.` : ''
  const message = `X-Nonce has characters other than visible ASCII (0x21 to 0x7E)${scheme.isStandard ? ' without the full stop' : ''}: ${listCharacters(wrong)}.${tooLong}`
  // A mail or a terminal may have wrapped the nonce.
  const fix = isCaptured && /\S\s+\S/.test(nonce) ? 'whole_value' : 'send_nonce'
  return [{ code: 'nonce_characters', message, fix, evidence }]
}

/** Returns a finding if the nonce is a placeholder such as `{{nonce}}`. The signature can be right, but every request has this nonce. */
export function checkUnfilledNonce(nonce: string | undefined, mask: Mask): Draft[] {
  const why = describeUnfilled(nonce ?? '')
  if (why === undefined) return []
  const message = `X-Nonce is the text \`${mask(String(nonce))}\`, not a value, so every request has the same nonce and only the first is accepted.`
  return [{ code: 'message_nonce', message, fix: 'fill_in_value', evidence: [why] }]
}
