import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { utf8 } from '../../../src/bytes.js'
import { digestHypotheses, RIGHT_DIGEST, wrongDigests } from '../../../src/diagnose/hypotheses/digest.js'
import { signatureForms } from '../../../src/diagnose/signature-form.js'
import { CONTEXT, rowNamed, variantsOf } from './proposals.js'

const sha1 = (text: string | Buffer) => createHash('sha1').update(text)
const hmac = (message: string | Buffer, key = 'key') => createHmac('sha1', key).update(message).digest('hex')

it.each([
  ['SHA-1 of the secret and then the message, without HMAC', sha1('keyamé').digest('hex')],
  ['SHA-1 of the message and then the secret, without HMAC', sha1('amékey').digest('hex')],
  ['SHA-1 of the secret, a colon and the message, without HMAC', sha1('key:amé').digest('hex')],
  ['SHA-1 of the message, a colon and the secret, without HMAC', sha1('amé:key').digest('hex')],
  ['SHA-1 of the message alone, without the secret', sha1('amé').digest('hex')],
  ['an HMAC with its arguments swapped: the message as the key, the secret as the message', hmac('key', 'amé')],
  ["an HMAC of the message's SHA-1 in hex", hmac(sha1('amé').digest('hex'))],
  ['an HMAC of the HMAC in hex', hmac(hmac('amé'))],
])('%s', (what, expected) => {
  const row = rowNamed(wrongDigests('sha1', 'SHA-1'), what)
  const [{ value } = { value: RIGHT_DIGEST }] = variantsOf(row, RIGHT_DIGEST)
  expect(value.make(utf8('key'), [utf8('a'), utf8('mé')], CONTEXT)).toBe(expected)
  expect(value.isKeyed).toBe(!what.endsWith('without the secret'))
})

it('the length of a whole one shows the algorithm, and a cut one is SHA-256', () => {
  const likely = (signature: string) =>
    digestHypotheses(signatureForms(signature, String))
      .filter(({ likelihood, what }) => likelihood !== 'rare' && what.includes('alone, without the secret'))
      .map(({ what }) => what.split(' ')[0])
  expect(likely('ab'.repeat(20))).toEqual(['SHA-1'])
  expect(likely('ab'.repeat(10))).toEqual(['SHA-256'])
})
