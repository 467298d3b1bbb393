import { createHash } from 'node:crypto'
import { beginOn, type TransactionConnection } from '../sql-begin.js'
import { rowsOf } from '../sql-store.js'
import {
  type SqlTransactionDialect,
  SqlTransactionStore,
  type SqlTransactionStoreOptions,
} from '../sql-transaction-store.js'
import { COLUMNS, POSTGRES } from './store.js'

const hex = (text: string) => `decode('${text}', 'hex')`

/** Returns the number of the advisory lock for a key. The lock ends with the transaction. */
function lockOf(table: string, hash: string): string {
  const digits = createHash('sha256').update(`inbound-webhook-auth ${table} ${hash}`).digest('hex').slice(0, 15)
  return `pg_try_advisory_xact_lock(${BigInt(`0x${digits}`)})`
}

const DIALECT: SqlTransactionDialect = {
  ...POSTGRES,

  async reserveInTransaction(run, { table, hashes, owner, milliseconds }) {
    // The statement returns only the rows that were written. If a row is missing, the transaction rolls back.
    const [row] = rowsOf(
      await run(`
        WITH locked AS (SELECT ${hashes.map((hash) => lockOf(table, hash)).join(' AND ')} AS free),
        written AS (
          INSERT INTO ${table} AS nonce (${COLUMNS})
          SELECT key, clock_timestamp() + ${milliseconds} * interval '1 millisecond', ${hex(owner)}
          FROM locked, (VALUES ${hashes.map((hash) => `(${hex(hash)})`).join()}) AS wanted (key) WHERE free
          ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, reserved_by = excluded.reserved_by
          WHERE nonce.expires_at < clock_timestamp()
          RETURNING true
        )
        SELECT free::int4 AS free, (SELECT count(*)::int4 FROM written) AS written FROM locked`),
    )
    const { free, written } = Object(row)
    if (Number(free) === 0) return 'in_progress'
    return Number(written) === hashes.length ? 'done' : 'replayed'
  },

  async countReserved(run, { table, hashes, owner }) {
    const keys = hashes.map(hex).join()
    const text = `SELECT count(*)::int4 AS count FROM ${table} WHERE reserved_by = ${hex(owner)} AND key IN (${keys})`
    const [row] = rowsOf(await run(text))
    return Number(row?.['count'])
  },
}

/**
 * A transaction store in PostgreSQL, for `handle`: your code runs in the transaction that reserves the nonce. The work of your code and the
 * nonce are committed together or not at all. The store works with any client and query builder.
 *
 * The table is the same as for `PostgresNonceStore`. Create the table with {@link PostgresTransactionStore.createTable}, and run {@link
 * PostgresTransactionStore.deleteExpired} on a schedule.
 *
 * @typeParam Transaction - what your client passes to the code of a transaction.
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import pg from 'pg'
 * import { beginPg, PostgresTransactionStore } from 'inbound-webhook-auth/postgres'
 *
 * const pool = new pg.Pool({ connectionTimeoutMillis: 1000 })
 *
 * export const store = new PostgresTransactionStore({
 *   begin: beginPg(pool),
 *   query: (client: pg.PoolClient, text) => client.query(text),
 * })
 * ```
 */
export class PostgresTransactionStore<Transaction> extends SqlTransactionStore<Transaction> {
  constructor(options: SqlTransactionStoreOptions<Transaction>) {
    super(options, DIALECT)
  }
}

/**
 * Returns the option `begin` of `PostgresTransactionStore` for a pool of the package `pg`.
 *
 * A connection that is cut while your code runs does not end the process. A connection whose rollback fails leaves the pool.
 *
 * @param pool - a `pg.Pool`.
 */
export function beginPg<
  Client extends TransactionConnection & {
    /** Returns the connection to its pool, or ends it. */
    release(destroy?: boolean): void
  },
>(pool: {
  connect: { (): Promise<Client>; (callback: never): void }
}): (run: (client: Client) => Promise<void>) => Promise<void> {
  return beginOn(
    () => pool.connect(),
    (client) => client.release(true),
  )
}
