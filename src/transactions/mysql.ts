import { insertOf, MYSQL, NOW } from '../stores/mysql/store.js'
import { beginOn, type TransactionConnection } from './begin.js'
import type { LockRow, TransactionDialect } from './dialect.js'
import { SqlTransactionStore, type SqlTransactionStoreOptions } from './sql-transaction-store.js'

/** The error number of `KILL 0`. */
const NO_SUCH_THREAD = 1094

/** Returns SQL for the 50 hex digits in the name of a lock, which differ for each server, database, table and key. */
function lockDigits(table: string, hash: string): string {
  const [name, database] = table.replaceAll('`', '').split('.').reverse()
  // A server that ignores the case of tables stores their names in lowercase.
  const path = `CONCAT_WS('.', ${database === undefined ? 'DATABASE()' : `'${database}'`}, '${name}')`
  return `LEFT(SHA2(CONCAT(IF(@@lower_case_table_names = 0, ${path}, LOWER(${path})), '${hash}'), 256), 50)`
}

/** Returns the names of the locks in a row of the lock statement, quoted. A name has at most 64 characters. */
function lockNames({ connection: _, locked: __, ...names }: LockRow): string[] {
  return Object.values(names).map((digits) => `'webhook_nonce ${digits}'`)
}

/** Returns the statement that ends a connection which still holds a lock. Two statements could end a connection that serves somebody else. */
function killIf(lock: LockRow, connection: string): string {
  // There is no connection 0.
  const holds = lockNames(lock).map((name) => `IS_USED_LOCK(${name}) = ${connection}`)
  return `KILL IF(${holds.join(' OR ')}, ${connection}, 0)`
}

const TRANSACTIONS: TransactionDialect = {
  // A lock belongs to the session, not to the transaction. If the second lock is taken, the session still holds the first.
  lock(table, { hashes }) {
    const digits = hashes.map((hash) => lockDigits(table, hash))
    const names = digits.map((sql, index) => `${sql} AS name_${index}`)
    const locks = digits.map((sql) => `GET_LOCK(CONCAT('webhook_nonce ', ${sql}), 0)`)
    return `SELECT CASE WHEN ${locks.join(' AND ')} THEN 1 ELSE 0 END AS locked, CONNECTION_ID() AS connection, ${names.join()}`
  },

  upsert(table, count) {
    // `expires_at` is set last, because the condition of a later assignment would read the new value.
    const ifExpired = (column: string) => `${column} = IF(expires_at < ${NOW}, VALUES(${column}), ${column})`
    return `${insertOf(table, count)} ON DUPLICATE KEY UPDATE ${ifExpired('reserved_by')}, ${ifExpired('expires_at')}`
  },

  returnsHashes: false,
  hash: 'LOWER(HEX(key_hash))',

  unlock: (lock) =>
    `SELECT ${lockNames(lock)
      .map((name) => `RELEASE_LOCK(${name})`)
      .join()}`,

  endSelf: (lock) => killIf(lock, 'CONNECTION_ID()'),

  isEnded: (error) => Object(error).errno !== NO_SUCH_THREAD,

  endHolder: (lock) => killIf(lock, String(Number(lock['connection']))),
}

/**
 * A transaction store in MySQL or MariaDB (InnoDB), for `handle`. Your code and the nonce are committed together or not at all. The store
 * works with any client and query builder.
 *
 * The table is the same as for `MySqlNonceStore`, and the store deletes expired rows by itself. Create the table with {@link
 * MySqlTransactionStore.createTable}.
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
 * const store = new MySqlTransactionStore({
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
 * @example `new MySqlTransactionStore({ begin: beginMysql2(pool), query: (connection, text) => connection.query(text) })`
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
