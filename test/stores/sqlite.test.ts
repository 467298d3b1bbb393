import initSqlJs from 'sql.js'
import { describe, expect, it } from 'vitest'
import { SqliteNonceStore } from '../../src/stores/sqlite.js'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { TestClock } from '../support/request.js'

type SqliteDatabase = ConstructorParameters<typeof SqliteNonceStore>[0]

// sql.js is SQLite itself, in WebAssembly: these tests run where no native build is installed.

const SQL = await initSqlJs()

/** sql.js with the methods that node:sqlite and better-sqlite3 share. */
function openDatabase(): SqliteDatabase & { count(table: string): number } {
  const database = new SQL.Database()
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        all() {
          const rows: unknown[] = []
          while (statement.step()) rows.push(statement.getAsObject())
          return rows
        },
        run(...parameters) {
          statement.run(parameters)
          return { changes: database.getRowsModified() }
        },
      }
    },
    count: (table) => Number(database.exec(`SELECT count(*) FROM "${table}"`)[0]?.values[0]?.[0]),
  }
}

describe('SqliteNonceStore', () => {
  const database = openDatabase()
  const clock = new TestClock()
  const wait = (milliseconds: number) => {
    clock.milliseconds += milliseconds
  }
  it.each(nonceStoreContract(() => new SqliteNonceStore(database, { clock }), { wait, load: 'light' }))(
    '$name',
    ({ run }) => run(),
  )
})

describe('a reservation', () => {
  // The time of a reservation is rounded up, and that of a later one down, so the key is kept for one millisecond more
  // than its TTL.
  it.each([
    [0, 600_001.999, false],
    [0, 600_002, true],
    [0.25, 600_002.999, false],
    [0.25, 600_003, true],
    [0.999, 600_002.999, false],
    [0.999, 600_003, true],
  ])('made at %d ms: at %d ms the key is free again: %s', (reservedAt, askedAt, free) => {
    const clock = new TestClock(reservedAt)
    const store = new SqliteNonceStore(openDatabase(), { clock })
    expect(store.reserve('42', 'key', 600)).toBe(true)
    clock.milliseconds = askedAt
    expect(store.reserve('42', 'key', 600)).toBe(free)
  })
})

describe('two keys', () => {
  it('are reserved both or none', () => {
    const store = new SqliteNonceStore(openDatabase())
    expect(store.reserveAll('42', ['a', 's'], 600)).toBe(true)
    expect(store.reserveAll('42', ['a', 't'], 600)).toBe(false)
    expect(store.reserveAll('42', ['b', 's'], 600)).toBe(false)
    expect(store.reserve('42', 'b', 600)).toBe(true)
    expect(store.reserve('42', 't', 600)).toBe(true)
    for (const key of ['a', 's']) expect(store.reserve('42', key, 600)).toBe(false)
  })

  it('replace rows that have expired, and keep one that has not', () => {
    const clock = new TestClock()
    const database = openDatabase()
    const store = new SqliteNonceStore(database, { clock })
    store.reserveAll('42', ['a', 's'], 600)
    clock.milliseconds += 600_001
    // A store that refuses a key remembers it for 250 ms, so this is another one.
    expect(new SqliteNonceStore(database, { clock }).reserveAll('42', ['a', 's'], 600)).toBe(false)
    clock.milliseconds += 1
    expect(store.reserveAll('42', ['a', 's'], 600)).toBe(true)
    expect(store.reserveAll('42', ['b', 's'], 600)).toBe(false)
  })
})

it('stores the SHA-256 of webhook and key, in 32 bytes', () => {
  const database = openDatabase()
  new SqliteNonceStore(database).reserve('42', 'nonce', 600)
  expect(database.prepare('SELECT length(key) AS bytes FROM webhook_nonces').all()).toEqual([{ bytes: 32 }])
})

describe('expired rows', () => {
  it('are removed in small batches by new reservations', () => {
    const database = openDatabase()
    const clock = new TestClock()
    const store = new SqliteNonceStore(database, { clock, table: 'nonces' })
    for (let index = 0; index < 1000; index++) store.reserve('42', `old ${index}`, 600)
    clock.milliseconds += 600_002
    for (let index = 0; index < 32; index++) store.reserve('42', `first ${index}`, 600)
    expect(database.count('nonces')).toBe(1000 + 32 - 64)
    for (let index = 0; index < 600; index++) store.reserve('42', `new ${index}`, 600)
    expect(database.count('nonces')).toBe(32 + 600)
  })
})

describe('processes that start at once', () => {
  /** A database that refuses its set-up this number of times. */
  function busy(times: number, error: object) {
    const database = openDatabase()
    let calls = 0
    return {
      ...database,
      exec(sql: string) {
        if (sql.includes('journal_mode') && calls++ < times) throw error
        return database.exec(sql)
      },
    }
  }

  it.each([
    { code: 'SQLITE_BUSY' },
    { code: 'SQLITE_BUSY_RECOVERY' },
    { code: 'ERR_SQLITE_ERROR', errcode: 5 },
    { code: 'ERR_SQLITE_ERROR', errcode: 5 | (1 << 8) },
  ])('wait for each other while %o', (error) => {
    const store = new SqliteNonceStore(busy(3, Object.assign(new Error('database is locked'), error)))
    expect(store.reserve('42', 'nonce', 600)).toBe(true)
  })

  it('do not wait longer than the timeout', () => {
    const error = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    expect(() => new SqliteNonceStore(busy(1_000_000, error), { timeout: 1 })).toThrow('database is locked')
    expect(() => new SqliteNonceStore(busy(1_000_000, error), { timeout: 20 })).toThrow('database is locked')
  })

  it('do not wait after any other error', () => {
    const error = Object.assign(new Error('not a database'), { code: 'SQLITE_NOTADB' })
    expect(() => new SqliteNonceStore(busy(1, error))).toThrow('not a database')
  })
})

describe('fails closed', () => {
  it('when its clock returns no number', () => {
    const store = new SqliteNonceStore(openDatabase(), { clock: { now: () => Number.NaN } })
    expect(() => store.reserve('42', 'nonce', 600)).toThrow(/clock\.now\(\) must return a finite/)
  })

  it('when the TTL is not a positive number', () => {
    const store = new SqliteNonceStore(openDatabase())
    expect(() => store.reserve('42', 'nonce', 0)).toThrow(RangeError)
  })

  it('when its table does not exist', () => {
    const database = openDatabase()
    const store = new SqliteNonceStore(database)
    database.exec('DROP TABLE webhook_nonces')
    expect(() => store.reserve('42', 'nonce', 600)).toThrow(/no such table/)
  })
})

describe('arguments', () => {
  it.each<[unknown[], RegExp]>([
    [[], /^database .* undefined/],
    [[{}], /^database .* an object/],
    [[{ exec() {} }], /^database /],
    [['nonces.db'], /^database .* a string/],
    [[openDatabase(), null], /^options .*null/],
    [[openDatabase(), { table: 'a b' }], /^table /],
    [[openDatabase(), { table: '' }], /^table /],
    [[openDatabase(), { table: 1 }], /^table /],
    [[openDatabase(), { table: ['nonces'] }], /^table /],
    [[openDatabase(), { timeout: 0 }], /^timeout /],
    [[openDatabase(), { timeout: 0.5 }], /^timeout /],
    [[openDatabase(), { timeout: '1000' }], /^timeout /],
    [[openDatabase(), { clock: {} }], /^clock /],
  ])('%o are refused', (args, message) => {
    const create = () => Reflect.construct(SqliteNonceStore, args)
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})
