import { assertOptions, assertTimeout, kindOf } from '../../arguments.js'
import { hidingCredentials } from '../credentials.js'
import { engineTtlMilliseconds, scopedKeyHash } from '../keys.js'
import type { NonceStore } from '../nonce-store.js'
import { assertFunction, limitOf, retryUndone, tableNames } from '../options.js'
import { within } from '../with-timeout.js'

/** Options of {@link PostgresNonceStore}. The one required function is a single line with any client. */
export interface PostgresNonceStoreOptions {
  /**
   * Runs one statement with its parameters, and resolves to the client's result. Do not run the statement inside your own transaction: a
   * rollback would free the nonce.
   */
  query: (text: string, values: (string | number)[]) => Promise<{ rows: unknown[] } | unknown[]>
  /**
   * The table's name, case-sensitive, with or without a schema: `webhook_nonces` by default. A name has at most 48 ASCII letters, digits
   * and `_`, but no digit first.
   */
  table?: string | undefined
  /**
   * How long a reservation may take, in milliseconds: a whole number from 1 to 2 147 483 647, by default 1000. After this time, the
   * reservation rejects, even if the client still waits.
   */
  timeout?: number | undefined
}

/** PostgreSQL truncates a name after 63 bytes. The name of the index is the table's name and a suffix. */
const MAX_NAME_LENGTH = 48

/** Error codes (PostgreSQL, appendix A). After each of them, the statement has changed nothing. */
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const FAILED_CAST = '22P02'

/** The server logs this text if it undid a statement because a key after the first was taken. */
const PARTLY = 'a key was taken, so nothing is reserved; last keys written:'

/**
 * A nonce store in PostgreSQL that works with any client.
 *
 * A reservation is one statement and uses the database's clock. Create the table with {@link
 * PostgresNonceStore.createTable}. Run {@link PostgresNonceStore.deleteExpired} on a schedule, because expired rows
 * take space until they are deleted.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import pg from 'pg'
 * import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
 *
 * const pool = new pg.Pool({ connectionTimeoutMillis: 1000, query_timeout: 1000 })
 *
 * export const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values) })
 * ```
 */
export class PostgresNonceStore implements NonceStore {
  readonly #query: PostgresNonceStoreOptions['query']
  readonly #table: string
  /** The schema with a dot after it, or an empty string. */
  readonly #schema: string
  readonly #index: string
  readonly #timeout: number

  constructor(options: PostgresNonceStoreOptions) {
    assertOptions(options, ['query', 'table', 'timeout'])
    const { query, table = 'webhook_nonces', timeout = 1000 } = options
    assertFunction(query, 'query', '(text, values) => pool.query(text, values)')
    const names = tableNames(table, 'schema', MAX_NAME_LENGTH)
    assertTimeout(timeout)
    this.#query = hidingCredentials(query)
    this.#timeout = timeout
    this.#table = names.map((name) => `"${name}"`).join('.')
    this.#schema = names.length === 2 ? `"${names[0]}".` : ''
    this.#index = `"${names.at(-1)}_expires_at"`
  }

  /**
   * Returns the statement that reserves this number of keys. The parameters are the milliseconds and the hash of each key in hex.
   *
   * clock_timestamp() is the time of the statement, but now() is the time when its transaction started.
   */
  #reservationOf(count: number): string {
    const keys = Array.from({ length: count }, (_, index) => `decode($${index + 2}, 'hex')`)
    const expiresAt = "clock_timestamp() + $1::float8 * interval '1 millisecond'"
    const insert = `INSERT INTO ${this.#table} AS nonce (key, expires_at)`
    // The statement returns only rows that it wrote, and it does not write a row that is reserved.
    const write = `
      ON CONFLICT (key) DO UPDATE SET expires_at = ${expiresAt} WHERE nonce.expires_at < clock_timestamp()
      RETURNING true AS reserved`
    if (count === 1) return `${insert} VALUES (${keys[0]}, ${expiresAt}) ${write}`

    // Each key is inserted only if the key before it was inserted. If the first is taken, nothing is written. If a
    // later one is taken, the cast fails, which undoes the statement.
    const inserts = keys.map((key, index) => {
      const before = index === 0 ? '' : `FROM written_${index - 1}`
      return `written_${index} AS (${insert} SELECT ${key}, ${expiresAt} ${before} ${write})`
    })
    return `
      WITH ${inserts.join(', ')}
      SELECT CASE count WHEN 1 THEN true ELSE ('${PARTLY} ' || count)::boolean END AS reserved
      FROM written_0, (SELECT count(*) FROM written_${count - 1}) AS last`
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
    const hashes = keys.map((key) => scopedKeyHash(webhookId, key))
    const reservation = this.#reservationOf(keys.length)
    const values = [engineTtlMilliseconds(ttlSeconds), ...hashes]
    const answer = retryUndone(() => this.#query(reservation, values), isUndone, this.#timeout)
    let rows: unknown[]
    try {
      rows = rowsOf(await within(this.#timeout, answer))
    } catch (error) {
      if (Object(error).code === FAILED_CAST) return false
      throw error
    }
    if (rows.length === 0) return false
    if (Object(rows[0]).reserved === true) return true
    throw new Error(
      'query resolved to rows that are not objects of this statement. Resolve to the rows as objects, or to { rows }.',
    )
  }

  /** Creates the table and its index if they are absent. Any number of processes may call it at once. */
  async createTable(): Promise<void> {
    // The statement first looks whether table and index exist, because CREATE INDEX IF NOT EXISTS waits for every open write, and all later
    // writes wait behind it. One of two concurrent CREATE TABLE IF NOT EXISTS can fail, so a lock lets only one process continue at a time.
    await this.#query(
      `DO $$ BEGIN
        IF to_regclass('${this.#table}') IS NOT NULL AND to_regclass('${this.#schema}${this.#index}') IS NOT NULL THEN
          RETURN;
        END IF;
        PERFORM pg_advisory_xact_lock(hashtext('inbound-webhook-auth'), hashtext('${this.#table}'));
        CREATE TABLE IF NOT EXISTS ${this.#table} (key bytea PRIMARY KEY, expires_at timestamptz NOT NULL);
        CREATE INDEX IF NOT EXISTS ${this.#index} ON ${this.#table} (expires_at);
      END $$`,
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
    // The rows are locked, so that nobody reserves one before it is deleted. Rows that are being reserved are skipped.
    const rows = rowsOf(
      await this.#query(
        `WITH expired AS MATERIALIZED (
          SELECT key FROM ${this.#table} WHERE expires_at < (SELECT clock_timestamp())
          ORDER BY expires_at LIMIT $1::int8 FOR UPDATE SKIP LOCKED
        ), deleted AS (
          DELETE FROM ${this.#table} AS nonce USING expired
          WHERE nonce.key = expired.key AND nonce.expires_at < clock_timestamp()
          RETURNING true
        )
        SELECT count(*)::int4 AS count FROM deleted`,
        [limitOf(options)],
      ),
    )
    return Number(Object(rows[0]).count)
  }
}

function rowsOf(result: { rows: unknown[] } | unknown[]): unknown[] {
  const rows = Array.isArray(result) ? result : result?.rows
  if (!Array.isArray(rows)) {
    throw new Error(`query resolved to ${kindOf(result)}. Resolve to the rows as objects, or to { rows }.`)
  }
  return rows
}

function isUndone(error: unknown): boolean {
  return [SERIALIZATION_FAILURE, DEADLOCK].includes(Object(error).code)
}
