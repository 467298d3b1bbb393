import assert from 'node:assert/strict'
import { INVALID_ANSWERS } from '../../support/cases/rules.js'
import { signedRequest } from '../../support/request.js'
import { type Case, type Core, resultOf } from './case.js'

export function stores(core: Core): Case[] {
  const failing: [name: string, reserve: () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('connection refused')
      },
    ],
    ['rejects', () => Promise.reject(new Error('connection refused'))],
  ]
  return [
    ...failing.map(([name, reserve]) => ({
      name: `a store that ${name}`,
      run: () =>
        assert.rejects(resultOf(core, signedRequest(), { reserve: reserve as () => boolean }), (error) => {
          assert.ok(error instanceof core.NonceStoreError)
          assert.equal(error.name, 'NonceStoreError')
          assert.equal(error.code, 'ERR_NONCE_STORE')
          assert.equal((error.cause as Error).message, 'connection refused')
          return true
        }),
    })),
    ...INVALID_ANSWERS.map(([kind, answer]) => ({
      name: `a store that returns ${kind}`,
      run: () =>
        assert.rejects(resultOf(core, signedRequest(), { reserve: () => answer as boolean }), (error) => {
          assert.ok(error instanceof core.NonceStoreError)
          assert.match(error.message, new RegExp(`returned ${kind}\\b`))
          return true
        }),
    })),
    {
      name: 'a store that is full',
      async run() {
        const store = new core.MemoryNonceStore({ maxEntries: 1 })
        store.reserve('42', 'another', 600)
        await assert.rejects(resultOf(core, signedRequest(), store), (error) => {
          assert.ok(error instanceof core.NonceStoreError)
          assert.equal(Object(error.cause).code, 'ERR_NONCE_STORE_FULL')
          return true
        })
      },
    },
    {
      name: 'a store that evicts',
      run() {
        const store = new core.MemoryNonceStore({ maxEntries: 1, whenFull: 'evict' })
        assert.deepEqual(
          ['a', 'b', 'b', 'a'].map((key) => store.reserve('42', key, 600)),
          [true, true, false, true],
        )
      },
    },
  ]
}
