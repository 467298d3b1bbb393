import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { signMessage } from '../../../src/rules/signature.js'
import { isSignedWith } from '../../../src/standard-webhooks/ed25519.js'
import { NONCE, SECRET, TIMESTAMP } from '../../support/request.js'
import { ED25519_SIGNATURE, PUBLIC_KEY } from '../../support/standard-webhooks.js'

// This takes 2 GiB of memory and some seconds.
it('signs a body of 2 GiB, which OpenSSL accepts in chunks only', () => {
  const body = Buffer.alloc(2 ** 31, 'x')
  const expected = createHmac('sha256', SECRET).update(`${TIMESTAMP}:${NONCE}:`)
  for (let part = 0; part < 32; part++) expected.update(body.subarray(part * 2 ** 26, (part + 1) * 2 ** 26))
  expect(signMessage({ timestamp: TIMESTAMP, nonce: NONCE, body }, SECRET)).toBe(expected.digest('hex'))
})

it('refuses an Ed25519 signature of 2 GiB, for which Node would throw', () => {
  const [key, signature] = [Buffer.from(PUBLIC_KEY.slice(5), 'base64'), ED25519_SIGNATURE.slice(4)]
  for (const length of [2 ** 31 - 1, 2 ** 31]) {
    expect(isSignedWith(Buffer.alloc(length), [signature], key)).toBe(false)
  }
})
