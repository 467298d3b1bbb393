import { expect, it } from 'vitest'
import { sign } from '../../src/index.js'
import { spyOnCrypto } from '../support/crypto-spy.js'

const createSecretKey = spyOnCrypto('createSecretKey')

it('creates a key object after eight uses in a row of a secret, and only once', () => {
  const created = () => createSecretKey.mock.calls.length
  const use = (secret: string, times: number) => {
    for (let use = 0; use < times; use++) sign('', secret)
  }
  use('one', 8)
  expect(created()).toBe(0)
  use('one', 1)
  expect(created()).toBe(1)
  use('one', 30)
  expect(created()).toBe(1)

  // If another secret is used between them, the count starts again.
  use('two', 1)
  use('one', 8)
  expect(created()).toBe(1)
  use('one', 1)
  expect(created()).toBe(2)
})
