import { Buffer } from 'node:buffer'
import { isNonce } from '../rules/nonce.js'
import type { Finding } from './finding.js'
import { quoted } from './headers.js'
import { describeCharacter } from './text.js'

/** The most offending characters that are listed. */
const MOST_LISTED = 10

const FIX =
  "On the sender's side: send 1 to 128 visible ASCII characters, best a new UUID with every attempt: Node: crypto.randomUUID(), Python: str(uuid.uuid4()), Go: uuid.NewString(), shell: openssl rand -hex 16"

/** What is wrong with a nonce. */
export function nonceFormat(nonce: string): Finding | undefined {
  if (isNonce(nonce)) return undefined
  if (nonce === '') {
    return { code: 'nonce_length', message: 'X-Nonce is empty: a nonce has 1 to 128 characters.', fix: FIX }
  }
  const offending: string[] = []
  let count = 0
  let position = 0
  for (const character of nonce) {
    if (!isNonce(character)) {
      if (++count <= MOST_LISTED) offending.push(`position ${position}: ${describeCharacter(character)}`)
    }
    position += character.length
  }
  if (count === 0) {
    return {
      code: 'nonce_length',
      message: `X-Nonce has ${nonce.length} characters: at most 128 are allowed.`,
      fix: FIX,
      evidence: `X-Nonce: ${quoted(nonce)}`,
    }
  }
  // What is no ASCII arrives as the bytes of UTF-8, each taken for a character of Latin-1.
  const sent = Buffer.from(nonce, 'latin1').toString('utf8')
  const asSent =
    /^[\0-\xff]*$/.test(nonce) && sent !== nonce && !sent.includes('\ufffd')
      ? `\nDecoded as UTF-8: ${quoted(sent)}`
      : ''
  const rest = count > MOST_LISTED ? `\n… and ${count - MOST_LISTED} more` : ''
  const tooLong = nonce.length > 128 ? `, and it has ${nonce.length} characters, where at most 128 are allowed` : ''
  const characters = count === 1 ? 'a character' : `${count} characters`
  return {
    code: 'nonce_characters',
    message: `X-Nonce has ${characters} other than visible ASCII (0x21 to 0x7E)${tooLong}.`,
    fix: FIX,
    evidence: `X-Nonce: ${quoted(nonce)}\n${offending.join('\n')}${rest}${asSent}`,
  }
}
