import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, expect, it, vi } from 'vitest'
import { isSignatureOf } from '../../src/rules/signature.js'
import { NONCE, SECRET, signatureOf, TIMESTAMP } from '../support/request.js'

const timingSafeEqual = vi.spyOn(crypto, 'timingSafeEqual')
// Modules that were loaded before call the spy too.
syncBuiltinESMExports()
afterAll(() => {
  timingSafeEqual.mockRestore()
  syncBuiltinESMExports()
})

const message = { timestamp: TIMESTAMP, nonce: NONCE, body: Buffer.from('a body') }
const expected = signatureOf(TIMESTAMP, NONCE, 'a body', SECRET)

it.each([
  ['the right signature', expected, true],
  ['a wrong first digit', (expected[0] === '0' ? '1' : '0') + expected.slice(1), false],
  ['a wrong last digit', expected.slice(0, -1) + (expected.at(-1) === '0' ? '1' : '0'), false],
])('timingSafeEqual compares all 64 digits of %s', (_, signature, isEqual) => {
  timingSafeEqual.mockClear()
  expect(isSignatureOf(message, signature, SECRET)).toBe(isEqual)
  expect(timingSafeEqual.mock.calls.map((compared) => compared.map(String))).toEqual([[signature, expected]])
})
