import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSignature } from '../../src/rules/formats.js'
import { isSignatureOf, reservationKeys, signMessage } from '../../src/rules/signature.js'
import { NONCE, SECRET, signatureOf, TIMESTAMP } from '../support/request.js'

const message = { timestamp: TIMESTAMP, nonce: NONCE, body: Buffer.from('a body') }

describe('signMessage', () => {
  it('signs timestamp, nonce and body with colons between them', () => {
    expect(signMessage(message, SECRET)).toBe(signatureOf(TIMESTAMP, NONCE, 'a body', SECRET))
  })

  it('hashes all chunks of a large body', () => {
    const body = randomBytes(2 ** 25 + 1)
    const expected = createHmac('sha256', SECRET).update(`${TIMESTAMP}:${NONCE}:`).update(body).digest('hex')
    expect(signMessage({ ...message, body }, SECRET)).toBe(expected)
  })
})

describe('isSignatureOf', () => {
  const signature = signatureOf(TIMESTAMP, NONCE, 'a body', SECRET)

  it('accepts only the signature of the message under the secret', () => {
    expect(isSignatureOf(message, signature, SECRET)).toBe(true)
    expect(isSignatureOf(message, signature, 'another secret')).toBe(false)
    expect(isSignatureOf({ ...message, nonce: 'another' }, signature, SECRET)).toBe(false)
    expect(isSignatureOf(message, signature.toUpperCase(), SECRET)).toBe(false)
  })

  it.each(['', `${signature}0`, signature.slice(1), `${signature.slice(0, 63)}\u00e9`])('refuses %j', (other) => {
    expect(isSignatureOf(message, other, SECRET)).toBe(false)
  })
})

it.each([
  ['0123456789abcdef'.repeat(4), true],
  ['0123456789abcdef'.repeat(4).slice(1), false],
  [`0${'0123456789abcdef'.repeat(4)}`, false],
  ['0123456789abcdeF'.repeat(4), false],
  [`${'0'.repeat(64)}\n`, false],
  ['', false],
])('isSignature(%j) is %s', (value, expected) => {
  expect(isSignature(value)).toBe(expected)
})

it('the key of a signature has a space, which no nonce has', () => {
  const signature = '0'.repeat(64)
  const message = { timestamp: '1', nonce: 'a:b', body: new Uint8Array() }
  expect(reservationKeys(message, signature)).toEqual(['a:b', `signature ${signature}`])
})
