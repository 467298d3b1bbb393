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

/** Values that are not a store, and the code of the hint. */
const NO_STORES: readonly (readonly [name: string, value: unknown, hint: string])[] = [
  ['a promise of a store', Promise.resolve(store), 'promise_as_store'],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library has it too.
  ['a thenable', { then() {} }, 'promise_as_store'],
  ['the result of a set-up', { nonceStore: store, close() {} }, 'wrapped_store'],
  ['a class', MemoryNonceStore, 'class_as_store'],
  ['a function', () => store, 'function_as_store'],
  ['undefined', undefined, 'no_store'],
  ['text', 'redis://localhost', 'no_store'],
  ['another object', new Map(), 'object_as_store'],
  ['redis', createClient(), 'node_redis_as_store'],
  ['a cluster of redis', createCluster({ rootNodes: [] }), 'node_redis_as_store'],
  ['ioredis', new Redis({ lazyConnect: true }), 'ioredis_as_store'],
  ['a cluster of ioredis', new Cluster([], { lazyConnect: true }), 'ioredis_as_store'],
  ['a transaction store', { transact() {}, query() {} }, 'transaction_store'],
  ['pg', new Pool(), 'sql_client_as_store'],
  ['mysql2', createPool({}), 'sql_client_as_store'],
  ['mariadb', createMariadbPool({ minimumIdle: 0 }), 'sql_client_as_store'],
  ['postgres', postgres(), 'postgres_js_as_store'],
  ['an SQLite database', { prepare() {} }, 'sqlite_as_store'],
  ['a client of the AWS SDK', { send() {} }, 'dynamodb_as_store'],
]

describe('the error for a value that is not a store names the mistake:', () => {
  it.each(NO_STORES)('%s', async (_, value, hint) => {
    for (const call of [
      async () => verify(signedRequest(), SECRET, value as NonceStore),
      async () => withTimeout(value as NonceStore, 1000),
    ]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', hint })
      expect(String(error).length).toBeLessThanOrEqual(200)
    }
  })

  // After you change a text, run this file with `-u`, and read the difference.
  it('in words', async () => {
    const texts = NO_STORES.map(([name, value]) => `${name}\n    ${notNonceStore(value).message}\n`)
    await expect(texts.join('')).toMatchFileSnapshot('nonce-store.txt')
  })
})
