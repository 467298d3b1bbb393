import { beginOn, type TransactionConnection } from '../sql-begin.js'
import { SqlTransactionStore, type SqlTransactionStoreOptions } from '../sql-transaction-store.js'
import { MYSQL } from './store.js'

/**
 * A transaction store in MySQL or MariaDB (InnoDB), for `handle`: your code runs in the transaction that reserves the nonce. The work of
 * your code and the nonce are committed together or not at all. The store works with any client and query builder.
 *
 * The table is the same as for `MySqlNonceStore`. Create the table with {@link MySqlTransactionStore.createTable}, and run {@link
 * MySqlTransactionStore.deleteExpired} on a schedule.
 *
 * @typeParam Transaction - what your client passes to the code of a transaction.
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import mysql from 'mysql2/promise'
 * import { beginMysql2, MySqlTransactionStore } from 'inbound-webhook-auth/mysql'
 *
 * const pool = mysql.createPool({ uri: 'mysql://127.0.0.1/hooks', connectTimeout: 1000 })
 *
 * export const store = new MySqlTransactionStore({
 *   begin: beginMysql2(pool),
 *   query: (connection: mysql.PoolConnection, text) => connection.query(text),
 * })
 * ```
 */
export class MySqlTransactionStore<Transaction> extends SqlTransactionStore<Transaction> {
  constructor(options: SqlTransactionStoreOptions<Transaction>) {
    super(options, MYSQL)
  }
}

/**
 * Returns the option `begin` of `MySqlTransactionStore` for a pool of the package `mysql2/promise`.
 *
 * A connection that is cut while your code runs does not end the process. A connection whose rollback fails is removed from the pool.
 *
 * @param pool - what `createPool` of `mysql2/promise` returns.
 */
export function beginMysql2<
  Connection extends TransactionConnection & {
    /** Ends the connection. */
    destroy(): void
  },
>(pool: { getConnection(): Promise<Connection> }): (run: (connection: Connection) => Promise<void>) => Promise<void> {
  return beginOn(
    () => pool.getConnection(),
    (connection) => connection.destroy(),
  )
}
