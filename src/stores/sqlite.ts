import { Buffer } from 'node:buffer'
import { statSync } from 'node:fs'
import { assertOptions, assertTimeout, invalidRange, invalidType, kindOf } from '../arguments.js'
import { assertClock, type Clock, timeOf } from '../clock.js'
import { CLAIM_BYTES, claimMark, engineTtlMilliseconds, hashesOf, ownerHash } from './keys.js'
import type { ClaimState, NonceStore } from './nonce-store.js'
import { type EventOptions, readEventTtl } from './options.js'
import { Reservations } from './reservations.js'
import { markIn } from './sql-dialect.js'

/** The part of a database that {@link SqliteNonceStore} uses. Databases of `node:sqlite` and `better-sqlite3` have these methods. */
interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
}

interface SqliteStatement {
  /** Runs the statement and returns its rows as objects. */
  all(...parameters: (Uint8Array | number)[]): unknown[]
  /** Runs the statement and returns how many rows it changed. */
  run(...parameters: (Uint8Array | number)[]): { changes: number | bigint }
}

/** Options of {@link SqliteNonceStore}. */
export interface SqliteNonceStoreOptions extends EventOptions {
  /** The table's name: ASCII letters, digits and `_`, but no digit first. By default `webhook_nonces`. */
  table?: string | undefined
  /** How long to wait for another process, in milliseconds: 1 to 2 147 483 647, by default 1000. The wait blocks the event loop. */
  timeout?: number | undefined
  /** The clock for the expiry, by default `Date`. All processes that use the file must have the same clock. */
  clock?: Clock | undefined
}

/** The rows that an owner may overwrite: those that begin with its mark, up to a length. */
type OwnRows = readonly [mark: Buffer, maxBytes: number]

const NO_ROWS: OwnRows = [Buffer.alloc(0), -1]

const MARK = markIn('reserved_by')

/**
 * SQL for live rows of somebody else. The parameters are the time and {@link OwnRows}. In SQLite, `SUBSTR` of an empty `reserved_by`, as in a
 * reservation without an owner, is NULL, so the marks are compared with `IS`.
 */
const IS_TAKEN = `expires_at >= ? AND NOT (${MARK} IS ? AND length(reserved_by) <= ?)`

/** Every 32nd reservation removes up to 64 expired rows. A reservation adds at most two rows, so the removals keep up. */
const REMOVAL_INTERVAL = 32

/**
 * A nonce store in a SQLite file, for several processes on one machine. The nonces survive restarts of the processes.
 *
 * Give the store its own connection: a rollback of your own transaction would free the nonce. Open the file by an absolute path. With a
 * relative path, two processes with different working directories have different files. If the open file is removed or replaced, a
 * reservation throws.
 *
 * The constructor sets WAL mode and `synchronous = NORMAL`. Reservations survive a crash of the process, but a power failure can lose the
 * last reservations. To lose no reservation, run `database.exec('PRAGMA synchronous = FULL')` afterwards. Each reservation then needs a
 * disk flush.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid argument. Throws the error of the database
 * if the database cannot create the table, or cannot write.
 *
 * @example
 * ```ts
 * import { SqliteNonceStore } from 'inbound-webhook-auth/sqlite'
 *
 * // new DatabaseSync('/var/lib/app/nonces.db') of node:sqlite, or new Database(…) of better-sqlite3
 * declare const database: ConstructorParameters<typeof SqliteNonceStore>[0]
 *
 * const nonceStore = new SqliteNonceStore(database)
 * ```
 */
export class SqliteNonceStore implements NonceStore {
  readonly eventTtlSeconds: number
  readonly #clock: Clock
  readonly #database: SqliteDatabase
  readonly #table: string
  readonly #reservations: Reservations
  readonly #statements = new Map<string, SqliteStatement>()
  readonly #release: SqliteStatement
  readonly #removeExpired: SqliteStatement
  /** The absolute path of the file, or an empty string for a database in memory. */
  readonly #path: string
  readonly #file: string | undefined
  #calls = 0

  constructor(database: SqliteDatabase, options: SqliteNonceStoreOptions = {}) {
    assertOptions(options, ['table', 'timeout', 'clock', 'eventTtlSeconds'])
    const { table = 'webhook_nonces', timeout = 1000, clock = Date } = options
    if (typeof database?.exec !== 'function' || typeof database.prepare !== 'function') {
      throw invalidType(
        `database is ${kindOf(database)} without exec() and prepare(). Pass a DatabaseSync, or a Database of better-sqlite3.`,
      )
    }
    if (typeof table !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(table)) {
      throw invalidRange('table is not a name. Pass ASCII letters, digits and _, but no digit first.')
    }
    assertTimeout(timeout)
    assertClock(clock)
    this.eventTtlSeconds = readEventTtl(options)
    this.#database = database
    this.#table = table
    this.#clock = clock
    this.#reservations = new Reservations(timeout, 1, () => timeOf(clock))

    database.exec(`PRAGMA busy_timeout = ${timeout}; PRAGMA synchronous = NORMAL`)
    // Several processes can start at once, and SQLite does not apply its busy timeout to a change of the journal mode.
    retryWhileBusy(timeout, () => {
      database.exec(`
        PRAGMA journal_mode = WAL;
        CREATE TABLE IF NOT EXISTS "${table}" (
          key BLOB PRIMARY KEY, expires_at INTEGER NOT NULL, reserved_by BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS "${table}_expires_at" ON "${table}" (expires_at)`)
    })
    this.#release = database.prepare(`DELETE FROM "${table}" WHERE key = ? AND ${MARK} = ?`)
    this.#removeExpired = database.prepare(`
      DELETE FROM "${table}" WHERE key IN (
        SELECT key FROM "${table}" WHERE expires_at < ? ORDER BY expires_at LIMIT ${2 * REMOVAL_INTERVAL})`)
    // A table with wrong columns is an error now, and not at the first request.
    database.prepare(`SELECT key, expires_at, reserved_by FROM "${table}"`)
    // This statement throws if the database was opened for reading only.
    this.#removeExpired.run(0)
    const files = database.prepare('PRAGMA database_list').all().map(Object)
    this.#path = files.find(({ name }) => name === 'main').file
    this.#file = this.#currentFile()
  }

  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): boolean {
    return this.reserveAll(webhookId, [key], ttlSeconds, owner)
  }

  reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string): boolean {
    const hashes = hashesOf(webhookId, keys)
    if (!this.#reservations.start(hashes, ttlSeconds)) return false
    let isReserved: boolean | undefined
    try {
      isReserved = this.#write(hashes, ttlSeconds, bytesOf(owner === undefined ? '' : ownerHash(owner)), NO_ROWS)
    } finally {
      this.#reservations.settle(hashes, isReserved, ttlSeconds)
    }
    return isReserved
  }

  claim(webhookId: string, keys: readonly string[], seconds: number, owner: string, isDone = false): ClaimState {
    const hashes = hashesOf(webhookId, keys)
    const known = this.#reservations.isFirst(owner, isDone) ? this.#reservations.stateOf(hashes) : undefined
    if (known !== undefined) return known
    const record = bytesOf(ownerHash(owner))
    const mark = bytesOf(claimMark(ownerHash(owner)))
    const written = isDone ? record : mark
    // A claim may overwrite claims of its owner, and a record also its records, which are longer.
    const own: OwnRows = [mark, written.length]
    const isWritten = this.#write(hashes, seconds, written, own)
    const state = isWritten ? 'claimed' : this.#stateOf(hashes, own)
    this.#reservations.note(hashes, seconds, owner, isDone, state)
    return state
  }

  release(webhookId: string, keys: readonly string[], owner: string): void {
    const hashes = hashesOf(webhookId, keys)
    for (const hash of hashes) this.#release.run(bytesOf(hash), bytesOf(claimMark(ownerHash(owner))))
    this.#reservations.forget(hashes, owner)
  }

  /** Writes all rows, or none if a key belongs to somebody else. */
  #write(hashes: readonly string[], ttlSeconds: number, owner: Buffer, own: OwnRows): boolean {
    const now = timeOf(this.#clock)
    const expiresAt = Math.ceil(now) + engineTtlMilliseconds(ttlSeconds)
    if (this.#calls++ % REMOVAL_INTERVAL === 0) this.#removeExpired.run(Math.floor(now))
    const statement = this.#prepare(`
      WITH wanted (key) AS (VALUES ${hashes.map(() => '(?)').join()})
      INSERT INTO "${this.#table}" (key, expires_at, reserved_by) SELECT key, ?, ? FROM wanted
      WHERE NOT EXISTS (SELECT 1 FROM "${this.#table}" WHERE ${IS_TAKEN} AND key IN wanted)
      ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, reserved_by = excluded.reserved_by`)
    const { changes } = statement.run(...hashes.map(bytesOf), expiresAt, owner, Math.floor(now), ...own)
    // The statement changes nothing if one key is taken.
    if (Number(changes) !== hashes.length) return false
    if (this.#currentFile() !== this.#file) {
      throw new Error(
        'The SQLite file was removed or replaced. Restart the process, so that all processes use one file.',
      )
    }
    return true
  }

  /** Returns why keys cannot be claimed. */
  #stateOf(hashes: readonly string[], own: OwnRows): ClaimState {
    const select = this.#prepare(`
      SELECT min(length(reserved_by) = ${CLAIM_BYTES}) AS claims FROM "${this.#table}"
      WHERE ${IS_TAKEN} AND key IN (${hashes.map(() => '?').join()})`)
    const now = Math.floor(timeOf(this.#clock))
    const { claims } = Object(select.all(now, ...own, ...hashes.map(bytesOf))[0])
    // Without a row, another process has just freed the keys.
    return claims === 0 ? 'taken' : 'in_progress'
  }

  #prepare(text: string): SqliteStatement {
    const statement = this.#statements.get(text) ?? this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  /** Returns an ID of the file that is currently at the database's path. Returns `undefined` for a database in memory. */
  #currentFile(): string | undefined {
    const stats = this.#path === '' ? undefined : statSync(this.#path, { throwIfNoEntry: false })
    return stats && `${stats.dev} ${stats.ino}`
  }
}

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, 'hex')
}

function retryWhileBusy(timeout: number, act: () => void): void {
  for (const deadline = performance.now() + timeout; ; ) {
    try {
      act()
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** Returns whether an error is SQLITE_BUSY or one of its extended codes: `code` in better-sqlite3, `errcode` in node:sqlite. */
function isBusy(error: unknown): boolean {
  const { code, errcode } = Object(error)
  return String(code).startsWith('SQLITE_BUSY') || (Number(errcode) & 0xff) === 5
}
