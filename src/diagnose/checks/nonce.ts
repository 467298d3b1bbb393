import { isNonce, MAX_NONCE_LENGTH } from '../../rules/nonce.js'
import { fromUtf8, latin1 } from '../bytes.js'
import type { Draft } from '../text.js'
import { describeCharacter, quote } from '../text.js'

const MAX_LISTED = 10

/** Reports how X-Nonce breaks its rule. */
export function checkNonce(nonce: string | undefined): Draft[] {
  if (nonce === undefined || isNonce(nonce)) return []
  const evidence = [['X-Nonce', quote(nonce)] as const]
  const offending: string[] = []
  let position = 0
  for (const character of nonce) {
    if (!isNonce(character)) offending.push(`position ${position}: ${describeCharacter(character)}`)
    position += character.length
  }
  if (offending.length === 0) {
    return [
      { code: 'nonce_length', kind: 'nonceLength', params: { length: nonce.length }, fix: 'send_nonce', evidence },
    ]
  }
  const more = offending.length > MAX_LISTED ? [`… and ${offending.length - MAX_LISTED} more`] : []
  const isTooLong = nonce.length > MAX_NONCE_LENGTH
  return [
    {
      code: 'nonce_characters',
      kind: 'nonceCharacters',
      params: { count: offending.length, tooLong: isTooLong ? nonce.length : undefined },
      fix: 'send_nonce',
      evidence: [...evidence, ...[...offending.slice(0, MAX_LISTED), ...more], ...decoded(nonce)],
    },
  ]
}

/** Node reads headers as Latin-1, so UTF-8 arrives as one character per byte. */
function decoded(nonce: string): [label: string, value: string][] {
  const sent = /^[\0-\xff]*$/.test(nonce) ? fromUtf8(latin1(nonce)) : nonce
  return sent === nonce || sent.includes('\ufffd') ? [] : [['Decoded as UTF-8', quote(sent)]]
}
