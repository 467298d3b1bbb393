import { PGlite, type Transaction } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  PostgresNonceStore,
  PostgresTransactionStore,
  type SqlNonceStoreOptions,
} from '../../../src/stores/postgres/index.js'
import { nonceStoreContract } from '../../../tools/src/testing/index.js'
import { SimulatedTime } from '../../support/simulated-time.js'

// PGlite is PostgreSQL itself, in WebAssembly: these tests run where no server is installed.

let database: PGlite
const query: SqlNonceStoreOptions['query'] = (text, values) => database.query(text, values)

// The first sweep comes after the 64th reservation.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

beforeAll(async () => {
  // Without files of a new database, PGlite makes them, which takes 7 s of processor time.
  database = await PGlite.create({ loadDataDir: await dataDir() })
})

afterAll(() => database.close())

async function newStore(table: string): Promise<PostgresNonceStore> {
  const store = new PostgresNonceStore({ query, table })
  await store.createTable()
  return store
}

/** Returns another store on a table, as in another process: a store remembers for 250 ms which keys are taken. */
function another(table: string, queryOf = query): PostgresNonceStore {
  return new PostgresNonceStore({ query: queryOf, table })
}

async function rowsOf<T>(text: string): Promise<T[]> {
  return (await database.query<T>(text)).rows
}

/** Moves the expiry of every row, as if this number of seconds had passed. */
async function age(table: string, seconds: number): Promise<void> {
  await database.query(`UPDATE ${table} SET expires_at = expires_at - $1 * interval '1 second'`, [seconds])
}

describe('PostgresNonceStore', () => {
  const time = new SimulatedTime()
  beforeAll(async () => {
    await newStore('contract')
    await database.exec(`
      CREATE SCHEMA simulated;
      CREATE TABLE simulated.clock AS SELECT now() AS time;
      CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT time FROM simulated.clock';
      SET search_path = simulated, pg_catalog, public`)
    time.start()
  })
  afterAll(async () => {
    time.stop()
    await database.exec('RESET search_path')
  })

  async function wait(milliseconds: number): Promise<void> {
    time.now += milliseconds
    await database.query("UPDATE simulated.clock SET time = time + $1 * interval '1 millisecond'", [milliseconds])
  }
  it.each(nonceStoreContract(() => another('contract'), { wait, load: 'light' }))('$name', ({ run }) => run())
})

describe('a reservation', () => {
  it('counts from its own start, not from the start of its transaction', async () => {
    await newStore('moment')
    await database.exec(`
      CREATE SCHEMA later;
      CREATE FUNCTION later.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        $$ SELECT now() + interval '1 minute' $$`)
    await database.transaction(async (transaction) => {
      await transaction.exec('SET LOCAL search_path = later, pg_catalog, public')
      await another('moment', (text, values) => transaction.query(text, values)).reserve('42', 'nonce', 600)
      const { rows } = await transaction.query("SELECT expires_at - now() = interval '660.001 s' AS exact FROM moment")
      expect(rows).toEqual([{ exact: true }])
    })
  })

  it('frees a nonce that was reserved inside a transaction of the caller, when that rolls back', async () => {
    await newStore('inside')
    await database.transaction(async (transaction) => {
      const inside = another('inside', (text, values) => transaction.query(text, values))
      expect(await inside.reserve('42', 'nonce', 600)).toBe(true)
      await transaction.rollback()
    })
    expect(await another('inside').reserve('42', 'nonce', 600)).toBe(true)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a command tag', { rowCount: 1 }],
    ['rows as lists', { rows: [[true]] }],
  ])('is an error when the client resolves to %s', async (_, result) => {
    const store = new PostgresNonceStore({ query: async () => result as unknown[] })
    await expect(store.reserve('42', 'nonce', 600)).rejects.toThrow(/query resolved to .*\. (Resolve to|Return)/)
  })

  it.each(['40001', '40P01'])('that PostgreSQL refuses with %s is tried again', async (code) => {
    let calls = 0
    const query = async () => {
      if (++calls === 1) throw Object.assign(new Error('could not serialize access'), { code })
      return []
    }
    expect(await new PostgresNonceStore({ query }).reserve('42', 'nonce', 600)).toBe(false)
    expect(calls).toBe(2)
  })

  it.each([
    ['nothing', undefined],
    ['an error with another code', Object.assign(new Error('too many clients'), { code: '53300' })],
    ['an error whose message is a code', new Error('40001')],
  ])('that fails for another reason is not tried again: %s', async (_, reason) => {
    let calls = 0
    const query = () => {
      calls++
      return Promise.reject(reason)
    }
    await expect(new PostgresNonceStore({ query }).reserve('42', 'nonce', 600)).rejects.toEqual(reason)
    expect(calls).toBe(1)
  })
})

/** Runs with a clock that shows the expiry of the only row plus these microseconds, one per look. The last one stays. */
async function at<T>(table: string, microseconds: readonly number[], act: () => Promise<T>): Promise<T> {
  const looks = microseconds.map((after, index) => `WHEN ${index + 1} THEN ${after}`).join(' ')
  await database.exec(`
    CREATE SCHEMA stopped;
    CREATE SEQUENCE stopped.looks;
    CREATE TABLE stopped.ends AS SELECT expires_at FROM public.${table};
    CREATE FUNCTION stopped.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      $$ SELECT expires_at + (CASE nextval('stopped.looks') ${looks} ELSE ${microseconds.at(-1)} END) * interval '1 microsecond'
         FROM stopped.ends $$;
    SET search_path = stopped, pg_catalog, public`)
  try {
    return await act()
  } finally {
    await database.exec('RESET search_path; DROP SCHEMA stopped CASCADE')
  }
}

describe('exactly at its end', () => {
  it('a nonce is still taken, and free a microsecond later', async () => {
    const store = await newStore('exact')
    await store.reserve('42', 'nonce', 600)
    expect(await at('exact', [0], () => another('exact').reserve('42', 'nonce', 600))).toBe(false)
    expect(await at('exact', [1], () => another('exact').reserve('42', 'nonce', 600))).toBe(true)
  })

  it('a row is not deleted, also if the clock shows this only when it is deleted', async () => {
    const store = await newStore('exactly_deleted')
    await store.reserve('42', 'nonce', 600)
    expect(await at('exactly_deleted', [0, 1], () => store.deleteExpired())).toBe(0)
    expect(await at('exactly_deleted', [1, 0], () => store.deleteExpired())).toBe(0)
    expect(await at('exactly_deleted', [1], () => store.deleteExpired())).toBe(1)
  })
})

describe('two keys', () => {
  it('are reserved by one statement', async () => {
    await newStore('two')
    let statements = 0
    const store = another('two', (text, values) => {
      statements++
      return database.query(text, values)
    })
    expect(await store.reserveAll('42', ['nonce', 'signature'], 600)).toBe(true)
    expect(statements).toBe(1)
  })

  it('are an error in the log of the server only if another statement takes one at the same time', async () => {
    await newStore('log')
    const errors: string[] = []
    const query = (text: string, values: unknown[]) =>
      database.query(text, values).catch((error) => {
        errors.push(String(error))
        throw error
      })
    await another('log', query).reserve('42', 'signature', 600)
    expect(await another('log', query).reserveAll('42', ['nonce', 'signature'], 600)).toBe(false)
    expect(errors).toEqual([])
    // The signature is free at the first look, and taken when its row is written.
    const reserve = () => another('log', query).reserveAll('42', ['nonce', 'signature'], 600)
    expect(await at('log', [1, 0], reserve)).toBe(false)
    expect(errors).toEqual([
      'error: invalid input syntax for type boolean: "a key was taken, so nothing is reserved; last keys written: 0"',
    ])
    expect(await another('log', query).reserve('42', 'nonce', 600), 'the nonce is still free').toBe(true)
  })

  it('stay free if another statement takes the first one at the same time', async () => {
    await newStore('first')
    await another('first').reserve('42', 'nonce', 600)
    const reserve = () => another('first').reserveAll('42', ['nonce', 'signature'], 600)
    expect(await at('first', [1, 0, 0, 1], reserve)).toBe(false)
    expect(await another('first').reserve('42', 'signature', 600)).toBe(true)
  })

  it('are not reserved, and in progress for a claim, if another statement takes one meanwhile: the cast fails', async () => {
    let calls = 0
    const query = async () => {
      calls++
      throw Object.assign(new Error('invalid input syntax for type boolean'), { code: '22P02' })
    }
    expect(await new PostgresNonceStore({ query }).reserveAll('42', ['a', 's'], 600)).toBe(false)
    expect(calls).toBe(1)
    // The other claim may still fail, so an event must not count as repeated.
    expect(await new PostgresNonceStore({ query }).claim('42', ['a', 's'], 30, 'owner')).toBe('in_progress')
  })
})

describe('createTable', () => {
  it('may be called again, and keeps the rows', async () => {
    const store = await newStore('again')
    await store.reserve('42', 'nonce', 600)
    await store.createTable()
    expect(await another('again').reserve('42', 'nonce', 600)).toBe(false)
  })

  it('takes a schema, and names in their case', async () => {
    await database.exec('CREATE SCHEMA "Hooks"')
    const store = await newStore('Hooks.Nonces')
    expect(await store.reserve('42', 'nonce', 600)).toBe(true)
    expect(await rowsOf('SELECT 1 FROM "Hooks"."Nonces"')).toHaveLength(1)
  })

  it('takes a name of 48 characters and indexes it', async () => {
    const table = 't'.repeat(48)
    await newStore(table)
    const indexes = await rowsOf<{ indexname: string }>(`SELECT indexname FROM pg_indexes WHERE tablename = '${table}'`)
    expect(indexes.map(({ indexname }) => indexname)).toContain(`${table}_expires_at`)
  })
})

it.each([
  ['0', '2147483647ms'],
  ['1500ms', '1500ms'],
])('a transaction has the longest time for its work, unless the user has a shorter limit: %s', async (own, limit) => {
  await newStore('patient')
  await database.exec(`SET statement_timeout = '${own}'`)
  const store = new PostgresTransactionStore({
    begin: (run: (transaction: Transaction) => Promise<void>) => database.transaction(run),
    query: (transaction, text) => transaction.query(text),
    table: 'patient',
    workTimeout: 2 ** 31 - 1,
  })
  const work = async (transaction: Transaction) => {
    const { rows } = await transaction.query<{ statement_timeout: string }>('SHOW statement_timeout')
    return rows[0]?.statement_timeout
  }
  expect(await store.transact({ webhookId: '42', keys: [own], ttlSeconds: 600, work })).toMatchObject({ value: limit })
  await database.exec('RESET statement_timeout')
})

describe('deleteExpired', () => {
  it('deletes all expired rows in batches, the oldest row first, and returns how many', async () => {
    const store = await newStore('deletes')
    for (let index = 0; index < 6; index++) await store.reserve('42', `old ${index}`, 1 + 100 * ((index + 2) % 6))
    await age('deletes', 1000)
    await store.reserve('42', 'live', 600)
    // A batch of one row in less than a millisecond.
    expect(await store.deleteExpired({ limit: 1, maxMilliseconds: 0.001 })).toBe(1)
    expect(await rowsOf("SELECT 1 FROM deletes WHERE expires_at < now() - interval '950 s'")).toEqual([])
    expect(await store.deleteExpired({ limit: 2 })).toBe(5)
    expect(await store.deleteExpired()).toBe(0)
    expect(await another('deletes').reserve('42', 'live', 600)).toBe(false)
  })

  it('ends with an error if the client resolves to no count', async () => {
    let statements = 0
    const store = another('absent', async () => {
      if (++statements > 1) throw new Error('The deletion does not end.')
      return []
    })
    await expect(store.deleteExpired()).rejects.toThrow(/^query resolved to no count\. Resolve to the rows as objects/)
  })
})

describe('a table that is swept', () => {
  it('counts no replay, because a replay adds no row', async () => {
    const store = await newStore('not_swept')
    await store.reserve('42', 'old', 1)
    await age('not_swept', 10)
    await store.reserve('42', 'nonce', 600)
    for (let index = 0; index < 70; index++) await store.reserve('42', 'nonce', 600)
    expect(await rowsOf('SELECT 1 FROM not_swept')).toHaveLength(2)
  })

  it('skips locked rows and loses at most 256 rows at once, but none while a reservation waits', async () => {
    const pending: (() => void)[] = []
    const sweeps: unknown[] = []
    const store = new PostgresNonceStore({
      async query(text, values) {
        sweeps.push(/LIMIT \$1::int8 FOR UPDATE SKIP LOCKED/.test(text) && values)
        await new Promise<void>((resolve) => pending.push(resolve))
        return { rows: [{ state: 'claimed', count: 0 }] }
      },
      concurrency: 1,
      timeout: 100_000,
    })
    const outcomes = Array.from({ length: 70 }, (_, index) => store.reserve('42', `nonce ${index}`, 600))
    for (let index = 0; index < 70; index++) {
      await new Promise((resolve) => setImmediate(resolve))
      pending.shift()?.()
    }
    await Promise.all(outcomes)
    expect(sweeps).toEqual([...Array(70).fill(false), [256]])
  })
})

describe('options', () => {
  it.each<[unknown, RegExp]>([
    [{}, /^query .*undefined/],
    [{ query: 'SELECT' }, /^query .*a string/],
    [{ query, table: 'a.b.c' }, /^table /],
    [{ query, table: 'a"; DROP TABLE users; --' }, /^table /],
    [{ query, table: 'a"b.nonces' }, /^table /],
    [{ query, table: 1 }, /^table .*a number/],
    [{ query, table: 't'.repeat(49) }, /^table .*\b48\b/],
  ])('%o is refused', (options, message) => {
    const create = () => Reflect.construct(PostgresNonceStore, [options])
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})
