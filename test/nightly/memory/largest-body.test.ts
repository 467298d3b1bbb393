import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { signMessage } from '../../../src/rules/signature.js'
import { NONCE, SECRET, TIMESTAMP } from '../../support/request.js'

// This takes 2 GiB of memory and some seconds.
it('signs a body of 2 GiB, which OpenSSL accepts in chunks only', () => {
  const body = Buffer.alloc(2 ** 31, 'x')
  const expected = createHmac('sha256', SECRET).update(`${TIMESTAMP}:${NONCE}:`)
  for (let part = 0; part < 32; part++) expected.update(body.subarray(part * 2 ** 26, (part + 1) * 2 ** 26))
  expect(signMessage({ timestamp: TIMESTAMP, nonce: NONCE, body }, SECRET)).toBe(expected.digest('hex'))
})
