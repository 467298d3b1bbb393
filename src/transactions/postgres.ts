import { POSTGRES, rowOf, upsert } from '../stores/postgres/store.js'
import { beginOn, type TransactionConnection } from './begin.js'
import {
  SqlTransactionStore,
  type SqlTransactionStoreOptions,
  type TransactionDialect,
} from './sql-transaction-store.js'

const HASH = "encode(key_hash, 'hex')"

const TRANSACTIONS: TransactionDialect = {
  // A lock ends with its transaction. Its number differs for each table and key.
  lock(table, hashes) {
    const locks = hashes.map(
      (hash) => `pg_try_advisory_xact_lock(${BigInt(`0x${hash.slice(0, 15)}`)} # '${table}'::regclass::oid::int8)`,
    )
    return `SELECT CASE WHEN ${locks.join(' AND ')} THEN 1 ELSE 0 END AS locked`
  },

  upsert(table, count) {
    const rows = Array.from({ length: count }, (_, index) => `(${rowOf(index)})`)
    return `${upsert(table, `VALUES ${rows.join()}`)} RETURNING ${HASH} AS hash`
  },

  returnsHashes: true,
  hash: HASH,
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
    super(options, POSTGRES, TRANSACTIONS)
  }
}

/**
 * Returns the option `begin` of `PostgresTransactionStore` for a pool of the package `pg`.
 *
 * A connection that is cut while your code runs does not end the process. A connection whose rollback fails is removed from the pool.
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
