import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore } from '../../src/index.js'
import { DynamoDBNonceStore } from '../../src/stores/dynamodb.js'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { SqliteNonceStore } from '../../src/stores/sqlite.js'

const called = () => {
  throw new Error('the client was called')
}
const database = {
  exec() {},
  prepare: (sql: string) => ({
    all: () => [{ name: 'main', file: '' }],
    run: sql.includes('INSERT') ? called : () => ({ changes: 0 }),
  }),
}

const STORES: readonly [name: string, create: (options?: object) => NonceStore][] = [
  ['MemoryNonceStore', (options) => new MemoryNonceStore(options)],
  ['RedisNonceStore', (options) => new RedisNonceStore({ sendCommand: called, ...options })],
  ['PostgresNonceStore', (options) => new PostgresNonceStore({ query: called, ...options })],
  ['MySqlNonceStore', (options) => new MySqlNonceStore({ query: called, ...options })],
  ['DynamoDBNonceStore', (options) => new DynamoDBNonceStore({ putItem: called, ...options })],
  ['SqliteNonceStore', (options) => new SqliteNonceStore(database, options)],
]

it('every store of the package is here', () => {
  const names = readFileSync(new URL('../package/names.txt', import.meta.url), 'utf8').match(/\b\w+NonceStore(?= |$)/gm)
  expect(STORES.map(([name]) => name).sort()).toEqual([...new Set(names)].sort())
})

it.each(STORES)('%s keeps events for whole seconds from 600', (_, create) => {
  expect(create().eventTtlSeconds).toBe(604_800)
  for (const eventTtlSeconds of [600, 2 ** 31 - 1]) {
    expect(create({ eventTtlSeconds })).toMatchObject({ eventTtlSeconds })
  }
  for (const eventTtlSeconds of [599, 0, 600.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '600']) {
    const refused = { code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(/^eventTtlSeconds is not /) }
    expect(() => create({ eventTtlSeconds })).toThrow(expect.objectContaining(refused))
  }
})

it.each(STORES)(
  '%s refuses a TTL that is not positive, and a webhookId that is not well-formed, before it calls the client',
  async (_, create) => {
    const store = create()
    for (const ttlSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect((async () => store.reserve('42', 'nonce', ttlSeconds))()).rejects.toThrow(RangeError)
    }
    const refused = {
      code: 'ERR_INVALID_ARGUMENT',
      message: 'webhookId contains a lone surrogate, which is half a character. Pass the whole text.',
    }
    for (const webhookId of ['\ud800', 'a\udc00', '\udc00\ud800']) {
      await expect((async () => store.reserve(webhookId, 'nonce', 600))()).rejects.toMatchObject(refused)
      const reserveAll = async () => store.reserveAll?.(webhookId, ['a:b', `signature ${'0'.repeat(64)}`], 600)
      if (store.reserveAll) await expect(reserveAll()).rejects.toMatchObject(refused)
    }
  },
)
