import { assertOptions, invalidRange, invalidType, kindOf } from '../errors.js'
import { engineTtlMilliseconds, scopedKeyHash } from './keys.js'
import type { NonceStore } from './nonce-store.js'

/** What {@link PostgresNonceStore} needs: one function, which any client offers in one line. */
export interface PostgresNonceStoreOptions {
  /**
   * Runs one statement with its parameters, on its own and not inside a transaction of yours: if that rolled back, the
   * nonce would be free again.
   *
   * Set the client up to give up within a second or so (see the guide): `verify` waits for as long as the client does.
   */
  query: (text: string, values: (string | number)[]) => Promise<{ rows: unknown[] } | unknown[]>
  /** The table's name, with or without a schema: `webhook_nonces` by default. Letters, digits and `_`, in their case. */
  table?: string | undefined
}

/** PostgreSQL cuts a name at 63 bytes, and the index's name is the table's with a suffix. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,47}$/

/** How often a reservation is tried that PostgreSQL refuses for its isolation level's sake. */
const ATTEMPTS = 5

/**
 * A nonce store in PostgreSQL, through any client.
 *
 * A reservation is one statement, by the database's own clock. Create the table with {@link PostgresNonceStore.createTable}
 * and run {@link PostgresNonceStore.deleteExpired} on a schedule: expired rows do no harm but take space.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an option that is not as described.
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
  readonly #index: string
  readonly #reservation: string

  constructor(options: PostgresNonceStoreOptions) {
    assertOptions(options)
    const { query, table = 'webhook_nonces' } = options
    if (typeof query !== 'function') {
      throw invalidType(
        `query is ${kindOf(query)}: pass a function, such as (text, values) => pool.query(text, values)`,
      )
    }
    if (typeof table !== 'string') throw invalidType(`table is ${kindOf(table)}: pass a name, with or without a schema`)
    const names = table.split('.')
    if (names.length > 2 || !names.every((name) => NAME.test(name))) {
      throw invalidRange(
        'table is not a name, or schema.name, of 1 to 48 ASCII letters, digits and _ each: pass such a name',
      )
    }
    this.#query = query
    this.#table = names.map((name) => `"${name}"`).join('.')
    this.#index = `"${names.at(-1)}_expires_at"`
    // clock_timestamp() is the time of this row's turn, now() would be that of the transaction's start. A taken row is
    // left alone, and only a row written is returned.
    this.#reservation = `
      INSERT INTO ${this.#table} AS nonce (key, expires_at)
      VALUES (decode($1, 'hex'), clock_timestamp() + $2::float8 * interval '1 millisecond')
      ON CONFLICT (key) DO UPDATE SET expires_at = clock_timestamp() + $2::float8 * interval '1 millisecond'
      WHERE nonce.expires_at < clock_timestamp()
      RETURNING true AS reserved`
  }

  /** Takes `key` on one webhook for `ttlSeconds`, if it is free. Rejects with whatever the client rejects with. */
  async reserve(webhookId: string, key: string, ttlSeconds: number): Promise<boolean> {
    const values = [scopedKeyHash(webhookId, key).toString('hex'), engineTtlMilliseconds(ttlSeconds)]
    const rows = rowsOf(await tryAgain(() => this.#query(this.#reservation, values)))
    if (rows.length === 0) return false
    if (Object(rows[0]).reserved === true) return true
    throw new Error('query resolved to something else than the rows as objects: let it resolve to them, or to { rows }')
  }

  /**
   * Creates the table and its index if they are absent. Any number of processes may do so at once.
   */
  async createTable(): Promise<void> {
    // Two CREATE TABLE IF NOT EXISTS at once can both find nothing, and one of them fails; the lock lets one in at a time.
    await this.#query(
      `DO $$ BEGIN
        PERFORM pg_advisory_xact_lock(hashtext('inbound-webhook-auth'), hashtext('${this.#table}'));
        CREATE TABLE IF NOT EXISTS ${this.#table} (key bytea PRIMARY KEY, expires_at timestamptz NOT NULL);
        CREATE INDEX IF NOT EXISTS ${this.#index} ON ${this.#table} (expires_at);
      END $$`,
      [],
    )
  }

  /**
   * Deletes expired rows, at most `limit` of them, the longest expired first. Never deletes a row that is reserved anew.
   *
   * @param options - `limit`: 10 000 by default. If as many were deleted, there may be more.
   * @returns how many were deleted.
   */
  async deleteExpired(options: { limit?: number | undefined } = {}): Promise<number> {
    assertOptions(options)
    const { limit = 10_000 } = options
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw invalidRange('limit is not a whole number from 1: pass how many rows to delete')
    // The rows are locked, so that none is reserved anew between its choice and its deletion; those that are being
    // reserved at this moment are passed over.
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
        [limit],
      ),
    )
    return Number(Object(rows[0]).count)
  }
}

function rowsOf(result: { rows: unknown[] } | unknown[]): unknown[] {
  const rows = Array.isArray(result) ? result : result?.rows
  if (!Array.isArray(rows))
    throw new Error(`query resolved to ${kindOf(result)}: let it resolve to the rows, or to { rows }`)
  return rows
}

async function tryAgain<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (attempt === ATTEMPTS || !isSerializationFailure(error)) throw error
    }
  }
}

/** Serialization failure or deadlock (PostgreSQL, appendix A): the statement did nothing and may be tried again. */
function isSerializationFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01')
}
