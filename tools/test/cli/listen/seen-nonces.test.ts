import { expect, it } from 'vitest'
import { SeenNonces } from '../../../src/cli/listen/seen-nonces.js'

it('says when a nonce was reserved, even if others were reserved after it', () => {
  const nonces = new SeenNonces()
  for (const [seconds, nonce] of [
    [0, 'one'],
    [12, 'another'],
  ] as const) {
    expect(nonces.storeFor(seconds * 1000).reserve('listen', nonce, 600)).toBe(true)
  }
  const store = nonces.storeFor(20_000)
  expect(store.reserve('listen', 'one', 600)).toBe(false)
  expect(store.describeReplay()).toBe('the same nonce 20 s ago')
})

it('says when a nonce was reserved as long as it can be replayed: for exactly 600 s', () => {
  const nonces = new SeenNonces()
  nonces.storeFor(0).reserve('listen', 'one', 600)
  nonces.storeFor(600_000).reserve('listen', 'another', 600)
  const store = nonces.storeFor(600_000)
  expect(store.reserve('listen', 'one', 600)).toBe(false)
  expect(store.describeReplay()).toBe('the same nonce 600 s ago')
})

it.each([
  ['the attempt of Standard Webhooks', 'attempt 0123', 'the same attempt 12 s ago'],
  [
    'the signed message',
    'signature 0123',
    'the same signed message 12 s ago, split differently between nonce and body',
  ],
])('names %s if that is repeated', (_, key, what) => {
  const nonces = new SeenNonces()
  nonces.storeFor(0).reserve('listen', key, 600)
  const store = nonces.storeFor(12_000)
  expect(store.reserve('listen', key, 600)).toBe(false)
  expect(store.describeReplay()).toBe(what)
})
