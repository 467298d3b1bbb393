import { expect, it } from 'vitest'
import { MemoryNonceStore, withTimeout } from '../../src/index.js'
import { DynamoDBNonceStore } from '../../src/stores/dynamodb.js'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { SqliteNonceStore } from '../../src/stores/sqlite.js'

// The words of errors about arguments of stores stand in wording.txt. Other tests check codes, names of arguments, and facts such as limits.
// After you change a text, run this file with `-u`, and read the difference.

const call = async () => null
const database = { exec() {}, prepare: () => ({ all: () => [], run: () => ({ changes: 0 }) }) }
const create = (Store: new (...args: never[]) => unknown) => (args: unknown[]) => Reflect.construct(Store, args)
const apply = (function_: (...args: never[]) => unknown) => (args: unknown[]) =>
  Reflect.apply(function_, undefined, args)

/** What to call, and wrong arguments for it. */
const MISTAKES: Readonly<Record<string, readonly [run: (args: unknown[]) => unknown, ...args: unknown[][]]>> = {
  MemoryNonceStore: [
    create(MemoryNonceStore),
    [1000],
    [{ maxEntries: 0 }],
    [{ maxEntries: '1000' }],
    [{ whenFull: 'drop' }],
    [{ clock: {} }],
  ],
  withTimeout: [apply(withTimeout), [undefined, 1000], [{ reserve: call }, 0]],
  RedisNonceStore: [
    create(RedisNonceStore),
    [],
    [{}],
    [{ sendCommand: call, keyPrefix: 1 }],
    [{ sendCommand: call, concurrency: 0 }],
  ],
  PostgresNonceStore: [create(PostgresNonceStore), [], [{}], [{ query: call, table: 1 }], [{ query: call, table: '' }]],
  MySqlNonceStore: [
    create(MySqlNonceStore),
    [{}],
    [{ query: call, tabel: 'nonces' }],
    [{ query: call, table: '' }],
    [{ query: call, timeout: 0 }],
  ],
  DynamoDBNonceStore: [create(DynamoDBNonceStore), [{}], [{ putItem: call, table: 'ab' }]],
  SqliteNonceStore: [create(SqliteNonceStore), [], ['nonces.db'], [database, { table: '' }]],
}

it('the words of errors about arguments of stores', async () => {
  const texts: string[] = []
  for (const [name, [run, ...mistakes]] of Object.entries(MISTAKES)) {
    texts.push(`## ${name}`)
    for (const args of mistakes) {
      const error: unknown = await (async () => run(args))().then(
        () => undefined,
        (error) => error,
      )
      expect(error, name).toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
      texts.push((error as Error).message)
    }
    texts.push('')
  }
  await expect(texts.join('\n')).toMatchFileSnapshot('wording.txt')
})
