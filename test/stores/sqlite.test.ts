import initSqlJs from 'sql.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SqliteNonceStore } from '../../src/stores/sqlite.js'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { TestClock } from '../support/request.js'
import { SimulatedTime } from '../support/simulated-time.js'

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
        all(...parameters) {
          const rows: unknown[] = []
          statement.bind(parameters)
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
  // The time of a reservation is rounded up, and the time of a later reservation down. So the key is kept for 1 ms more than its
  // TTL.
  it.each([
    [0, 600_001.999, false],
    [0, 600_002, true],
    [0.25, 600_002.999, false],
    [0.25, 600_003, true],
    [0.999, 600_002.999, false],
    [0.999, 600_003, true],
  ])('made at %d ms: at %d ms the key is free again: %s', (reservedAt, askedAt, free) => {
    const database = openDatabase()
    const reserveAt = (milliseconds: number) =>
      new SqliteNonceStore(database, { clock: new TestClock(milliseconds) }).reserve('42', 'key', 600)
    expect(reserveAt(reservedAt)).toBe(true)
    expect(reserveAt(askedAt)).toBe(free)
  })
})

it.each([undefined, 'owner'])('a key reserved for %s is taken for a claim, alone and with a claimed key', (owner) => {
  const database = openDatabase()
  // A process remembers what it reserved.
  const inProcess = () => new SqliteNonceStore(database)
  inProcess().reserve('42', 'nonce', 600, owner)
  inProcess().claim('42', ['signature'], 30, 'claimer')
  expect(inProcess().claim('42', ['nonce'], 30, 'another')).toBe('taken')
  expect(inProcess().claim('42', ['nonce', 'signature'], 30, 'another')).toBe('taken')
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
  const time = new SimulatedTime()
  beforeEach(() => {
    time.start()
    vi.spyOn(Atomics, 'wait').mockImplementation((_array, _index, _value, milliseconds) => {
      time.now += Number(milliseconds)
      return 'timed-out'
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    time.stop()
  })

  /** A database that refuses its set-up this number of times. Records the times of the set-up. */
  function busy(times: number, error: object) {
    const database = openDatabase()
    const tried: number[] = []
    return {
      ...database,
      tried,
      exec(sql: string) {
        if (sql.includes('journal_mode') && tried.push(time.now) <= times) throw error
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
    const start = time.now
    const database = busy(3, Object.assign(new Error('database is locked'), error))
    expect(new SqliteNonceStore(database).reserve('42', 'nonce', 600)).toBe(true)
    expect(database.tried.map((now) => now - start)).toEqual([0, 5, 10, 15])
  })

  it('do not wait longer than the timeout', () => {
    const error = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    for (const [timeout, times] of [
      [1, 2],
      [19, 5],
      [20, 6],
    ] as const) {
      const database = busy(1000, error)
      expect(() => new SqliteNonceStore(database, { timeout })).toThrow('database is locked')
      expect(database.tried).toHaveLength(times)
    }
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
    [[openDatabase(), { timeout: 0 }], /^timeout /],
    [[openDatabase(), { clock: {} }], /^clock /],
  ])('%o are refused', (args, message) => {
    const create = () => Reflect.construct(SqliteNonceStore, args)
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})
