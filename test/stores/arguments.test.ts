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

const STORES: readonly [name: string, store: NonceStore][] = [
  ['MemoryNonceStore', new MemoryNonceStore()],
  ['RedisNonceStore', new RedisNonceStore({ sendCommand: called })],
  ['PostgresNonceStore', new PostgresNonceStore({ query: called })],
  ['MySqlNonceStore', new MySqlNonceStore({ query: called })],
  ['DynamoDBNonceStore', new DynamoDBNonceStore({ putItem: called })],
  ['SqliteNonceStore', new SqliteNonceStore(database)],
]

it('every store of the package is here', () => {
  const names = readFileSync(new URL('../package/names.txt', import.meta.url), 'utf8').match(/\b\w+NonceStore(?= |$)/gm)
  expect(STORES.map(([name]) => name).sort()).toEqual([...new Set(names)].sort())
})

it.each(STORES)(
  '%s refuses a TTL that is not positive, and a webhookId that is not well-formed, before it calls the client',
  async (_, store) => {
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
