import { Cluster, Redis } from 'ioredis'
import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import postgres from 'postgres'
import { createClient, createCluster } from 'redis'
import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, verify, withTimeout } from '../../src/index.js'
import { reserveKeys } from '../../src/stores/nonce-store.js'
import { SECRET, signedRequest } from '../support/request.js'

// These are values that users pass instead of a store. The clients are real, but not connected.

const store = new MemoryNonceStore()

describe('the error for a value that is not a store says what to pass:', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'a promise of a store',
      Promise.resolve(store),
      /a promise that was not awaited\. Await it, and pass the store\.$/,
    ],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library has it too.
    ['a thenable', { then() {} }, /an object\. Await it, and pass the store\.$/],
    ['the result of a set-up', { nonceStore: store, close() {} }, /an object with a store\. Pass its \.nonceStore\.$/],
    ['a class', MemoryNonceStore, /a function or a class\. Call it once per process/],
    ['a function', () => store, /a function or a class\. Call it once per process/],
    ['undefined', undefined, /undefined\. Create one store per process, and pass it\.$/],
    ['text', 'redis://localhost', /a string\. Create one store per process, and pass it\.$/],
    ['another object', new Map(), /an object without reserve\(\)\. Create one store per process, and pass it\.$/],
    ['redis', createClient(), /a client of a database\. Pass await connectNodeRedis\(…\)/],
    [
      'a cluster of redis',
      createCluster({ rootNodes: [] }),
      /a client of a database\. Pass await connectNodeRedis\(…\)/,
    ],
    ['ioredis', new Redis({ lazyConnect: true }), /a client of a database\. Pass await connectIoredis\(…\)/],
    [
      'a cluster of ioredis',
      new Cluster([], { lazyConnect: true }),
      /a client of a database\. Pass await connectIoredis/,
    ],
    ['pg', new Pool(), /a client of a database\. Pass a store from 'inbound-webhook-auth\/postgres' or /],
    ['mysql2', createPool({}), /a client of a database\. Pass a store from .*'inbound-webhook-auth\/mysql'\.$/],
    ['mariadb', createMariadbPool({ minimumIdle: 0 }), /a client of a database\. Pass a store from .*mysql'\.$/],
    ['postgres', postgres(), /a client of a database\. Pass await connectPostgresJs\(…\)/],
    ['an SQLite database', { prepare() {} }, /a client of a database\. Pass new SqliteNonceStore\(database\)/],
    ['a client of the AWS SDK', { send() {} }, /a client of a database\. Pass new DynamoDBNonceStore\(…\)/],
  ])('%s', async (_, value, message) => {
    for (const call of [
      async () => verify(signedRequest(), SECRET, value as NonceStore),
      async () => withTimeout(value as NonceStore, 1000),
    ]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(message) })
      expect(String(error)).toMatch(/nonceStore is /)
      expect(String(error).length).toBeLessThanOrEqual(200)
    }
  })
})

// A promise would cost every `verify` another turn.
it.each([[['one']], [['one', 'two']]])('reserveKeys(%j) returns no promise if the store returns none', (keys) => {
  const memory = new MemoryNonceStore()
  const { reserve } = memory
  const withoutReserveAll: NonceStore = { reserve: reserve.bind(memory) }
  expect(reserveKeys(memory, 'a', keys)).toBe(true)
  expect(reserveKeys(memory, 'a', keys)).toBe(false)
  expect(reserveKeys(withoutReserveAll, 'b', keys)).toBe(true)
  expect(reserveKeys(withoutReserveAll, 'b', keys)).toBe(false)
})
