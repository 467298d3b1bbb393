import { insertOf, MYSQL, NOW } from '../stores/mysql/store.js'
import { rowsOf } from '../stores/sql-store.js'
import { beginOn, type TransactionConnection } from './begin.js'
import {
  SqlTransactionStore,
  type SqlTransactionStoreOptions,
  type TransactionDialect,
} from './sql-transaction-store.js'

/** Returns the quoted name of the lock for a key, in at most 64 characters. */
function lockName(hash: string): string {
  return `'webhook_nonce ${hash.slice(0, 40)}'`
}

const TRANSACTIONS: TransactionDialect = {
  upsert(table, count) {
    // `expires_at` is set last, because the condition of a later assignment would read the new value.
    const ifExpired = (column: string) => `${column} = IF(expires_at < ${NOW}, VALUES(${column}), ${column})`
    return `${insertOf(table, count)} ON DUPLICATE KEY UPDATE ${ifExpired('reserved_by')}, ${ifExpired('expires_at')}`
  },

  // The lock belongs to the session, not to the transaction.
  lock: (hash) => `GET_LOCK(${lockName(hash)}, 0)`,

  unlock(query, hashes) {
    return query(`SELECT ${hashes.map((hash) => `RELEASE_LOCK(${lockName(hash)})`).join()}`, [])
  },

  async unlockFromOutside(query, hashes) {
    for (const name of hashes.map(lockName)) {
      const [row] = rowsOf(await query(`SELECT RELEASE_LOCK(${name}), IS_USED_LOCK(${name}) AS holder`, []))
      const holder = row?.['holder']
      // The unlock failed, because the connection was lost, or was returned to the pool with the lock.
      if (holder !== null && holder !== undefined) await query(`KILL ${Number(holder)}`, [])
    }
  },
}

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
    super(options, MYSQL, TRANSACTIONS)
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
