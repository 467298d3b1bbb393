import { assertClock, type Clock, timeOf } from '../clock.js'
import { assertOptions, invalidRange, invalidType, kindOf } from '../errors.js'
import { engineTtlMilliseconds, scopedKeyHash } from './keys.js'
import type { NonceStore } from './nonce-store.js'

/** What {@link SqliteNonceStore} needs of a database: a `DatabaseSync` of `node:sqlite`, or a `better-sqlite3` one, has it. */
export interface SqliteDatabase {
  /** Runs a statement that takes no parameters. */
  exec(sql: string): unknown
  /** Prepares a statement that may take parameters. */
  prepare(sql: string): SqliteStatement
}

/** A prepared statement of a {@link SqliteDatabase}. */
export interface SqliteStatement {
  /** Runs it, and says how many rows it changed. */
  run(...parameters: (Uint8Array | number)[]): { changes: number | bigint }
}

/** How {@link SqliteNonceStore} keeps its table. */
export interface SqliteNonceStoreOptions {
  /** The table's name: `webhook_nonces` by default. Letters, digits and `_`. */
  table?: string | undefined
  /**
   * How long a reservation may wait for another process that is writing, in milliseconds: 1000 by default. The wait blocks
   * the event loop.
   */
  busyTimeout?: number | undefined
  /** Wall-clock time, which all processes share; `Date` by default. */
  clock?: Clock | undefined
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A reservation in so many removes expired rows, at most twice as many: they leave faster than new ones come. */
const REMOVAL_INTERVAL = 32

/**
 * A nonce store in a SQLite file, for several processes on one machine, and across their restarts.
 *
 * Give it a connection of its own: in a transaction of yours that rolls back, the nonce would be free again. The database
 * is put into WAL mode with `synchronous = NORMAL`: what was reserved outlives a crash of the process; a power
 * failure can take the last reservations with it. For those as well, `database.exec('PRAGMA synchronous = FULL')` after
 * this, at the price of a disk flush a reservation.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an argument that is not as described; what
 * the database throws if it cannot create the table.
 *
 * @example
 * ```ts
 * import { type SqliteDatabase, SqliteNonceStore } from 'inbound-webhook-auth/sqlite'
 *
 * // new DatabaseSync('nonces.db') of node:sqlite, or new Database('nonces.db') of better-sqlite3
 * export function open(database: SqliteDatabase): SqliteNonceStore {
 *   return new SqliteNonceStore(database)
 * }
 * ```
 */
export class SqliteNonceStore implements NonceStore {
  readonly #clock: Clock
  readonly #reserve: SqliteStatement
  readonly #removeExpired: SqliteStatement
  #reservations = 0

  constructor(database: SqliteDatabase, options: SqliteNonceStoreOptions = {}) {
    assertOptions(options)
    const { table = 'webhook_nonces', busyTimeout = 1000, clock = Date } = options
    if (typeof database?.exec !== 'function' || typeof database.prepare !== 'function') {
      throw invalidType(
        `database is ${kindOf(database)} without exec() and prepare(): pass a DatabaseSync, or one of better-sqlite3`,
      )
    }
    if (typeof table !== 'string' || !NAME.test(table)) {
      throw invalidRange('table is not a name of ASCII letters, digits and _: pass such a name')
    }
    if (!Number.isSafeInteger(busyTimeout) || busyTimeout < 0) {
      throw invalidRange('busyTimeout is not a whole number of milliseconds: pass one, such as 1000')
    }
    assertClock(clock)
    this.#clock = clock

    database.exec(`PRAGMA busy_timeout = ${busyTimeout}; PRAGMA synchronous = NORMAL`)
    // Processes that start at once meet here, and SQLite does not apply its timeout to a change of the journal mode.
    retryWhileBusy(busyTimeout, () => {
      database.exec(`
        PRAGMA journal_mode = WAL;
        CREATE TABLE IF NOT EXISTS "${table}" (key BLOB PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS "${table}_expires_at" ON "${table}" (expires_at)`)
    })
    this.#reserve = database.prepare(`
      INSERT INTO "${table}" (key, expires_at) VALUES (?, ?)
      ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at < ?`)
    this.#removeExpired = database.prepare(`
      DELETE FROM "${table}" WHERE key IN (
        SELECT key FROM "${table}" WHERE expires_at < ? ORDER BY expires_at LIMIT ${2 * REMOVAL_INTERVAL})`)
  }

  /** Takes `key` on one webhook for `ttlSeconds`, if it is free. Throws whatever the database throws. */
  reserve(webhookId: string, key: string, ttlSeconds: number): boolean {
    const now = timeOf(this.#clock)
    const expiresAt = Math.ceil(now) + engineTtlMilliseconds(ttlSeconds)
    if (this.#reservations++ % REMOVAL_INTERVAL === 0) this.#removeExpired.run(Math.floor(now))
    // A taken row is left alone, so no change says that the key is taken.
    return Number(this.#reserve.run(scopedKeyHash(webhookId, key), expiresAt, Math.floor(now)).changes) === 1
  }
}

function retryWhileBusy(busyTimeout: number, act: () => void): void {
  for (const deadline = performance.now() + busyTimeout; ; ) {
    try {
      act()
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** SQLITE_BUSY and its extended codes, as better-sqlite3 (`code`) and node:sqlite (`errcode`) tell them. */
function isBusy(error: unknown): boolean {
  const { code, errcode } = Object(error)
  return String(code).startsWith('SQLITE_BUSY') || (Number(errcode) & 0xff) === 5
}
