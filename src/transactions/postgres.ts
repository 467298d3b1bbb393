import { MAX_TIMEOUT } from '../arguments.js'
import { POSTGRES, rowOf, tryLock, upsert } from '../stores/postgres/store.js'
import { beginOn, type TransactionConnection } from './begin.js'
import type { TransactionDialect } from './dialect.js'
import { SqlTransactionStore, type SqlTransactionStoreOptions } from './sql-transaction-store.js'

/** The settings that limit the time of a transaction. */
const LIMITS = ['idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout']

/** The setting that tells the transaction of a request from a later transaction on the same connection. */
const OWNER = 'inbound_webhook_auth.owner'

const HASH = "encode(key_hash, 'hex')"

const TRANSACTIONS: TransactionDialect = {
  // The lock and the settings end with the transaction.
  lock(table, { hashes, owner }, milliseconds) {
    const locks = hashes.map((hash) => tryLock(table, `'${hash}'`))
    const locked = `SELECT CASE WHEN ${locks.join(' AND ')} THEN 1 ELSE 0 END AS locked`
    if (milliseconds === Number.POSITIVE_INFINITY) return locked
    const [idle, statement, transaction] = LIMITS.map((name) => {
      // A shorter time of the user stays. The setting 0 means no limit.
      const own = `NULLIF(EXTRACT(epoch FROM current_setting('${name}', true)::interval) * 1000, 0)`
      return `set_config('${name}', LEAST(${Math.min(milliseconds, MAX_TIMEOUT)}, ${own})::int8::text, true)`
    })
    // Before version 17, PostgreSQL has no transaction_timeout.
    const exists = "current_setting('transaction_timeout', true) IS NOT NULL"
    return `${locked}, set_config('${OWNER}', '${owner}', true), ${idle}, ${statement}, CASE WHEN ${exists} THEN ${transaction} END`
  },

  endSelf: (_, { owner }) =>
    `SELECT pg_terminate_backend(pg_backend_pid()) WHERE current_setting('${OWNER}', true) = '${owner}'`,

  isEnded: (error) => Object(error).severity !== 'ERROR',

  upsert(table, count) {
    const rows = Array.from({ length: count }, (_, index) => `(${rowOf(index)})`)
    return `${upsert(table, `VALUES ${rows.join()}`)} RETURNING ${HASH} AS hash`
  },

  returnsHashes: true,
  hash: HASH,
}

/**
 * A transaction store in PostgreSQL, for `handle`. Your code and the nonce are committed together or not at all. The store works with any
 * client and query builder.
 *
 * The table is the same as for `PostgresNonceStore`, and the store deletes expired rows by itself. Create the table with {@link
 * PostgresTransactionStore.createTable}.
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
 * const store = new PostgresTransactionStore({
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
 * @example `new PostgresTransactionStore({ begin: beginPg(pool), query: (client, text) => client.query(text) })`
 */
export function beginPg<Client extends TransactionConnection>(pool: {
  connect: { (): Promise<Client>; (callback: never): void }
}): (run: (client: Client) => Promise<void>) => Promise<void> {
  return beginOn(
    () => pool.connect(),
    (client) => client.release(true),
  )
}
