import { createSecretKey } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { sign } from '../../src/index.js'

// The calls of the real functions are counted.
vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>()
  return { ...crypto, createSecretKey: vi.fn(crypto.createSecretKey) }
})

it('creates a key object after eight uses in a row of a secret, and only once', () => {
  const created = () => vi.mocked(createSecretKey).mock.calls.length
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
