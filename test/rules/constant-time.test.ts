import { expect, it, vi } from 'vitest'
import { isSignatureOf } from '../../src/rules/signature.js'
import { NONCE, SECRET, signatureOf, TIMESTAMP } from '../support/request.js'

/** The arguments that `timingSafeEqual` compared. */
const compared = vi.hoisted((): [string, string][] => [])
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:crypto')>()
  return {
    ...original,
    timingSafeEqual(one: Buffer, other: Buffer) {
      compared.push([one.toString('latin1'), other.toString('latin1')])
      return original.timingSafeEqual(one, other)
    },
  }
})

const message = { timestamp: TIMESTAMP, nonce: NONCE, body: Buffer.from('a body') }
const expected = signatureOf(TIMESTAMP, NONCE, 'a body', SECRET)

it.each([
  ['the right signature', expected, true],
  ['a wrong first digit', (expected[0] === '0' ? '1' : '0') + expected.slice(1), false],
  ['a wrong last digit', expected.slice(0, -1) + (expected.at(-1) === '0' ? '1' : '0'), false],
])('timingSafeEqual compares all 64 digits of %s', (_, signature, isEqual) => {
  compared.length = 0
  expect(isSignatureOf(message, signature, SECRET)).toBe(isEqual)
  expect(compared).toEqual([[signature, expected]])
})
