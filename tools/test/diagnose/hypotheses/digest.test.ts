import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { utf8 } from '../../../src/bytes.js'
import { digestHypotheses, RIGHT_DIGEST, wrongDigests } from '../../../src/diagnose/hypotheses/digest.js'
import { signatureForms } from '../../../src/diagnose/signature-form.js'
import { CONTEXT, rowNamed, variantsOf } from './proposals.js'

const sha1 = (text: string | Buffer) => createHash('sha1').update(text)
const hmac = (message: string | Buffer, key = 'key') => createHmac('sha1', key).update(message).digest('hex')
const wide = Buffer.from('amé', 'utf16le')

it.each([
  ['SHA-1 of the secret and then the message, without HMAC', sha1('keyamé').digest('hex')],
  ['SHA-1 of the message and then the secret, without HMAC', sha1('amékey').digest('hex')],
  ['SHA-1 of the secret, a colon and the message, without HMAC', sha1('key:amé').digest('hex')],
  ['SHA-1 of the message, a colon and the secret, without HMAC', sha1('amé:key').digest('hex')],
  ['SHA-1 of the message alone, without the secret', sha1('amé').digest('hex')],
  ['an HMAC with its arguments swapped: the message as the key, the secret as the message', hmac('key', 'amé')],
  ["an HMAC of the message's SHA-1 in hex", hmac(sha1('amé').digest('hex'))],
  ["an HMAC of the message's SHA-1, as bytes", hmac(sha1('amé').digest())],
  ['an HMAC of the message in base64', hmac(Buffer.from('amé').toString('base64'))],
  ['an HMAC of the HMAC in hex', hmac(hmac('amé'))],
  ['an HMAC of the whole message in UTF-16 (little-endian) instead of UTF-8', hmac(wide)],
  [
    'an HMAC of the whole message in UTF-16 (big-endian) after a byte order mark',
    hmac(Buffer.concat([Buffer.of(0xfe, 0xff), Buffer.from(wide).swap16()])),
  ],
])('%s', (what, expected) => {
  const row = rowNamed(wrongDigests('sha1', 'SHA-1'), what)
  const [{ value } = { value: RIGHT_DIGEST }] = variantsOf(row, RIGHT_DIGEST)
  const spent: number[] = []
  const context = { ...CONTEXT, spend: (bytes: number) => void spent.push(bytes) }
  expect(value.make(utf8('key'), [utf8('a'), utf8('mé')], context)).toBe(expected)
  expect(value.isKeyed).toBe(!what.endsWith('without the secret'))
  // A change of the whole message costs its length.
  expect(spent).toEqual(/base64|UTF-16/.test(what) ? [4] : [])
})

it('the length of a whole one shows the algorithm, and a cut one is SHA-256', () => {
  const likely = (signature: string) =>
    digestHypotheses(signatureForms(signature, String))
      .filter(({ likelihood, what }) => likelihood !== 'rare' && what.includes('alone, without the secret'))
      .map(({ what }) => what.split(' ')[0])
  expect(likely('ab'.repeat(20))).toEqual(['SHA-1'])
  expect(likely('ab'.repeat(10))).toEqual(['SHA-256'])
})
