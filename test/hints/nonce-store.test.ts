import { Cluster, Redis } from 'ioredis'
import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { createClient, createCluster } from 'redis'
import { describe, expect, it } from 'vitest'
import { notNonceStore } from '../../src/hints/nonce-store.js'
import { MemoryNonceStore, type NonceStore, verify, withTimeout } from '../../src/index.js'
import { SECRET, signedRequest } from '../support/request.js'

// These are values that users pass instead of a store. The clients are real, but not connected.

const store = new MemoryNonceStore()

/** Values that are not a store. */
const NO_STORES: readonly (readonly [name: string, value: unknown])[] = [
  ['a promise of a store', Promise.resolve(store)],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library has it too.
  ['a thenable', { then() {} }],
  ['the result of a set-up', { nonceStore: store, close() {} }],
  ['a class', MemoryNonceStore],
  ['a function', () => store],
  ['undefined', undefined],
  ['text', 'redis://localhost'],
  ['another object', new Map()],
  ['redis', createClient()],
  ['a cluster of redis', createCluster({ rootNodes: [] })],
  ['ioredis', new Redis({ lazyConnect: true })],
  ['a cluster of ioredis', new Cluster([], { lazyConnect: true })],
  ['a transaction store', { transact() {}, query() {} }],
  ['pg', new Pool()],
  ['mysql2', createPool({})],
  ['mariadb', createMariadbPool({ minimumIdle: 0 })],
  ['postgres', postgres()],
  ['an SQLite database', { prepare() {} }],
  ['a client of the AWS SDK', { send() {} }],
]

describe('the error for a value that is not a store names the mistake:', () => {
  it.each(NO_STORES)('%s', async (_, value) => {
    for (const call of [
      async () => verify(signedRequest(), SECRET, value as NonceStore),
      async () => withTimeout(value as NonceStore, 1000),
    ]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
      expect(String(error).length).toBeLessThanOrEqual(200)
    }
  })

  // After you change a text, run this file with `-u`, and read the difference.
  it('in words', async () => {
    const texts = NO_STORES.map(([name, value]) => `${name}\n    ${notNonceStore(value).message}\n`)
    await expect(texts.join('')).toMatchFileSnapshot('nonce-store.txt')
  })
})
