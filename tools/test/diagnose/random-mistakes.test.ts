import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signatureOf, TIMESTAMP } from '../../../test/support/request.js'
import { diagnoseBriefly } from './brief-search.js'

// Mistakes without a realistic cause, from a seed. `diagnose` must not invent one.

const BODY = '{"event":"invoice.paid","id":"in_42","customer":"Zo\u00eb","amount":12.5,"lines":[1,2]}'

/** Returns random bytes that depend only on the seed. */
const randomBytes = (seed: string) => createHash('sha256').update(seed).digest()

/** Returns the text with a few random letters in the middle. */
function disturb(text: string, seed: string): string {
  const [place = 0, count = 0] = randomBytes(seed)
  const at = 3 + (place % (text.length - 6))
  const letters = randomBytes(`${seed} letters`)
    .toString('base64url')
    .slice(0, 3 + (count % 5))
  return text.slice(0, at) + letters + text.slice(at)
}

const KINDS: Readonly<Record<string, (seed: string) => string>> = {
  'a disturbed secret': (seed) => signatureOf(TIMESTAMP, NONCE, BODY, disturb(SECRET, seed)),
  'a disturbed body': (seed) => signatureOf(TIMESTAMP, NONCE, disturb(BODY, seed), SECRET),
  'a disturbed nonce': (seed) => signatureOf(TIMESTAMP, disturb(NONCE, seed), BODY, SECRET),
  'a random signature': (seed) => randomBytes(seed).toString('hex'),
}

describe.each(Object.entries(KINDS))('no cause is invented for %s', (kind, signatureWith) => {
  it.each([0, 1])('%i', async (index) => {
    const headers = {
      'x-timestamp': TIMESTAMP,
      'x-nonce': NONCE,
      'x-signature': signatureWith(`${kind} ${index}`),
      'content-length': String(Buffer.byteLength(BODY)),
      'content-type': 'application/json',
    }
    const request = { webhookId: '42', headers, body: BODY }
    const { findings } = await diagnoseBriefly(request, SECRET, { now: () => NOW })
    expect(findings.map(({ code, side }) => [code, side])).toEqual([['signature_mismatch', 'unknown']])
  })
})
