import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { NONCE, SECRET, signatureOf, TIMESTAMP } from '../../../test/support/request.js'
import { utf8 } from '../../src/bytes.js'
import type { Header } from '../../src/capture/headers.js'
import { signatureChecker } from '../../src/capture/signed-body.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

const HEX = signatureOf(TIMESTAMP, NONCE, 'a body', SECRET)
const BASE64 = Buffer.from(HEX, 'hex').toString('base64')
const named = (timestamp: string, nonce: string, signature: string): Header[] => [
  ['X-Timestamp', timestamp],
  ['X-Nonce', nonce],
  ['X-Signature', signature],
]

it.each([
  ['hex', HEX, true],
  ['hex in capitals', HEX.toUpperCase(), true],
  ['hex after a comma', `a,${HEX}`, true],
  ['base64', BASE64, true],
  ['hex after other digits', `0${HEX}`, false],
])('the signature is found in the form of %s', (_, signature, expected) => {
  const isSigned = signatureChecker(NODE_PRIMITIVES, named(TIMESTAMP, NONCE, signature), ['another', SECRET])
  expect([isSigned(utf8('a body')), isSigned(utf8('a bod'))]).toEqual([expected, false])
})

it('a request without its three headers, or signed with another secret, is not signed', () => {
  for (const missing of ['X-Timestamp', 'X-Nonce', 'X-Signature']) {
    const headers = named(TIMESTAMP, NONCE, HEX).filter(([name]) => name !== missing)
    expect(signatureChecker(NODE_PRIMITIVES, headers, [SECRET])(utf8('a body'))).toBe(false)
  }
  expect(signatureChecker(NODE_PRIMITIVES, named(TIMESTAMP, NONCE, HEX), ['another'])(utf8('a body'))).toBe(false)
  expect(signatureChecker(NODE_PRIMITIVES, named(TIMESTAMP, NONCE, HEX), [])(utf8('a body'))).toBe(false)
})

it('a signature of Standard Webhooks is checked by its own rules', () => {
  const key = Buffer.alloc(24, 7)
  const digest = createHmac('sha256', key).update('msg_1.1700000000.a body').digest('base64')
  const headers: Header[] = [
    ['webhook-id', 'msg_1'],
    ['webhook-timestamp', '1700000000'],
    ['webhook-signature', `v1,${digest}`],
  ]
  const isSigned = signatureChecker(NODE_PRIMITIVES, headers, [`whsec_${key.toString('base64')}`])
  expect([isSigned(utf8('a body')), isSigned(utf8('a bod'))]).toEqual([true, false])
})
