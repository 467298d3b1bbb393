import { assertOptions, assertTimeout, kindOf } from '../../arguments.js'
import { hidingCredentials } from '../credentials.js'
import { engineTtlMilliseconds, scopedKeyHash } from '../keys.js'
import type { NonceStore } from '../nonce-store.js'
import { assertFunction, limitOf, retryUndone, tableNames } from '../options.js'
import { within } from '../with-timeout.js'

/** Options of {@link MySqlNonceStore}. The one required function is a single line with any client. */
export interface MySqlNonceStoreOptions {
  /**
   * Runs one statement with its parameters. Resolves to the client's result, and rejects with the client's error. Do not run the
   * statement inside your own transaction: a rollback would free the nonce.
   */
  query: (sql: string, values: (string | number)[]) => Promise<unknown>
  /**
   * The table's name, with or without a database: `webhook_nonces` by default. A name has at most 64 ASCII letters, digits and `_`, but no
   * digit first.
   */
  table?: string | undefined
  /**
   * How long a reservation may take, in milliseconds: a whole number from 1 to 2 147 483 647, by default 1000. After this time, the
   * reservation rejects, even if the client still waits.
   */
  timeout?: number | undefined
}

/** Error numbers ER_DUP_ENTRY and ER_NO_SUCH_TABLE. */
const DUPLICATE_ENTRY = 1062
const NO_SUCH_TABLE = 1146

/** One statement deletes at most this many rows, so that other statements wait only briefly. A prepared statement has 65 535 parameters. */
const DELETE_AT_ONCE = 1000

/**
 * A nonce store in MySQL or MariaDB (InnoDB) that works with any client.
 *
 * A reservation is one `INSERT` of all its keys, which fails as a whole if one key is taken. The expiry is a time of the server's clock.
 * Create the table with {@link MySqlNonceStore.createTable}. Run {@link MySqlNonceStore.deleteExpired} on a schedule,
 * because expired rows take space until they are deleted.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
 * import mysql from 'mysql2/promise'
 *
 * const pool = mysql.createPool({ uri: 'mysql://127.0.0.1/hooks', connectTimeout: 1000 })
 *
 * export const nonceStore = new MySqlNonceStore({ query: (sql, values) => pool.query(sql, values) })
 * ```
 */
export class MySqlNonceStore implements NonceStore {
  readonly #query: MySqlNonceStoreOptions['query']
  readonly #table: string
  readonly #timeout: number

  constructor(options: MySqlNonceStoreOptions) {
    assertOptions(options, ['query', 'table', 'timeout'])
    const { query, table = 'webhook_nonces', timeout = 1000 } = options
    assertFunction(query, 'query', '(sql, values) => pool.query(sql, values)')
    const names = tableNames(table, 'database', 64)
    assertTimeout(timeout)
    this.#query = hidingCredentials(query)
    this.#timeout = timeout
    this.#table = names.map((name) => `\`${name}\``).join('.')
  }

  /**
   * Reserves `key` for `webhookId` for `ttlSeconds`, and resolves to whether the key was free. Rejects if the client rejects, or after
   * `timeout`.
   */
  reserve(webhookId: string, key: string, ttlSeconds: number): Promise<boolean> {
    return this.reserveAll(webhookId, [key], ttlSeconds)
  }

  /**
   * Reserves all keys or none, for `webhookId` for `ttlSeconds`, and resolves to whether all were free. Rejects if the client rejects,
   * or after `timeout`.
   */
  async reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number): Promise<boolean> {
    const microseconds = engineTtlMilliseconds(ttlSeconds) * 1000
    // All processes use the same order, so two statements rarely wait for each other.
    const hashes = keys.map((key) => scopedKeyHash(webhookId, key)).sort()
    return within(
      this.#timeout,
      this.#retry(() => this.#reserveHashes(hashes, microseconds)),
    )
  }

  async #reserveHashes(hashes: readonly string[], microseconds: number): Promise<boolean> {
    if (await this.#insert(hashes, microseconds)) return true
    // The row of a taken key may have expired. If so, it is deleted, and the key can be inserted.
    await this.#deleteExpired(hashes)
    return this.#insert(hashes, microseconds)
  }

  /**
   * Inserts all rows or none. Resolves to `true`, or to `false` if one of the rows exists.
   *
   * A taken key is an error of the statement. The number of affected rows cannot show it, because its meaning depends on the
   * client's `FOUND_ROWS` flag.
   */
  async #insert(hashes: readonly string[], microseconds: number): Promise<boolean> {
    const row = '(UNHEX(?), UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)'
    const sql = `INSERT INTO ${this.#table} (key_hash, expires_at) VALUES ${hashes.map(() => row).join(', ')}`
    const values = hashes.flatMap((hash) => [hash, microseconds])
    let result: unknown
    try {
      result = await this.#query(sql, values)
    } catch (error) {
      if (Object(error).errno === DUPLICATE_ENTRY) return false
      throw error
    }
    if (affectedRows(result) === hashes.length) return true
    throw new Error(
      'query resolved to another number of affected rows. Run the statement unchanged, on an InnoDB table.',
    )
  }

  /** Deletes the rows of these hashes that have expired, and resolves to how many were deleted. */
  async #deleteExpired(hashes: readonly string[]): Promise<number> {
    const parameters = hashes.map(() => 'UNHEX(?)').join()
    const sql = `DELETE FROM ${this.#table} WHERE key_hash IN (${parameters}) AND expires_at < UTC_TIMESTAMP(6)`
    return affectedRows(await this.#query(sql, [...hashes]))
  }

  /**
   * Creates the table if it is absent. Any number of processes may call it at once. If the table exists, a database user that
   * may not create tables can call it too.
   *
   * @throws if `autocommit` is off, because then no reservation is ever stored, and every request can be replayed.
   */
  async createTable(): Promise<void> {
    const [row] = rowsOf(await this.#query('SELECT @@autocommit AS autocommit', []))
    if (Number(Object(row).autocommit) !== 1) {
      throw new Error('autocommit is off. Run SET SESSION autocommit = 1 on each connection, or nothing is stored.')
    }
    try {
      await this.#query(`SELECT 1 FROM ${this.#table} LIMIT 0`, [])
      return
    } catch (error) {
      if (Object(error).errno !== NO_SUCH_TABLE) throw error
    }
    await this.#query(
      `CREATE TABLE IF NOT EXISTS ${this.#table} (
        key_hash BINARY(32) NOT NULL PRIMARY KEY,
        expires_at DATETIME(6) NOT NULL,
        KEY expires_at (expires_at)
      ) ENGINE = InnoDB`,
      [],
    )
  }

  /**
   * Deletes at most `limit` expired rows, the oldest first. A row that was reserved again is never deleted.
   *
   * @param options - `limit`: the largest number of rows to delete, a whole number from 1, by default 10 000.
   * @returns how many rows were deleted. If this number is `limit`, call `deleteExpired` again, because more rows may have expired.
   */
  async deleteExpired(options: { limit?: number | undefined } = {}): Promise<number> {
    const limit = limitOf(options)
    // DELETE … LIMIT would lock a range of the index, and is unsafe in STATEMENT replication.
    const select = `SELECT HEX(key_hash) AS hash FROM ${this.#table} WHERE expires_at < UTC_TIMESTAMP(6)
      ORDER BY expires_at LIMIT ${limit}`
    const hashes = hashesOf(await this.#query(select, []))
    let deleted = 0
    for (let start = 0; start < hashes.length; start += DELETE_AT_ONCE) {
      deleted += await this.#retry(() => this.#deleteExpired(hashes.slice(start, start + DELETE_AT_ONCE)))
    }
    return deleted
  }

  #retry<T>(run: () => Promise<T>): Promise<T> {
    return retryUndone(run, isUndone, this.#timeout)
  }
}

/** Returns how many rows a statement affected. mysql2 resolves to [result, fields], and mariadb to the result. */
function affectedRows(result: unknown): number {
  const { affectedRows: count } = Object(Array.isArray(result) ? result[0] : result)
  if (typeof count === 'number' || typeof count === 'bigint') return Number(count)
  throw new Error(`query resolved to ${kindOf(result)} without affectedRows. Resolve to what the client resolves to.`)
}

/** Returns the rows of a query. mysql2 resolves to [rows, fields], and mariadb to the rows. */
function rowsOf(result: unknown): unknown[] {
  const rows: unknown = Array.isArray(result) && Array.isArray(result[0]) ? result[0] : result
  if (Array.isArray(rows)) return rows
  throw new Error(
    `query resolved to ${kindOf(result)}, not to rows as objects. Resolve to what the client resolves to.`,
  )
}

function hashesOf(result: unknown): string[] {
  const hashes = rowsOf(result).map((row) => Object(row).hash)
  if (hashes.every((hash) => typeof hash === 'string')) return hashes
  throw new Error('query resolved to rows without hash. Resolve to rows as objects, as the client does by default.')
}

/**
 * Returns whether the server undid a statement because of a deadlock, a conflict between nodes (both SQLSTATE class 40), or
 * ER_CHECKREAD, which means that another statement changed the row meanwhile.
 */
function isUndone(error: unknown): boolean {
  const { errno, sqlState } = Object(error)
  return errno === 1020 || String(sqlState).startsWith('40')
}
