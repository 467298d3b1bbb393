import { createHash } from 'node:crypto'
import { beginOn, type TransactionConnection } from '../sql-begin.js'
import { rowsOf } from '../sql-store.js'
import {
  type SqlTransactionDialect,
  SqlTransactionStore,
  type SqlTransactionStoreOptions,
} from '../sql-transaction-store.js'
import { COLUMNS, MYSQL } from './store.js'

const NOW = 'UTC_TIMESTAMP(6)'
const hex = (text: string) => `UNHEX('${text}')`

/** Returns the name of the lock for a key, in at most 64 characters. The lock belongs to the session, not to the transaction. */
function lockOf(hash: string): string {
  return `'${createHash('sha256').update(`inbound-webhook-auth ${hash}`).digest('hex').slice(0, 40)}'`
}

const DIALECT: SqlTransactionDialect = {
  ...MYSQL,

  async reserveInTransaction(run, reservation) {
    const { table, hashes, owner, milliseconds } = reservation
    const locks = hashes.map((hash) => `GET_LOCK(${lockOf(hash)}, 0)`).join(' + ')
    const [row] = rowsOf(await run(`SELECT ${locks} AS locked`))
    if (Number(row?.['locked']) !== hashes.length) return 'in_progress'
    // All processes lock keys in the same order, so two statements rarely wait for each other. The row of a taken key does not change. The
    // owner is compared first, because the second assignment sees the result of the first assignment.
    const rows = [...hashes]
      .sort()
      .map((hash) => `(${hex(hash)}, ${NOW} + INTERVAL ${milliseconds * 1000} MICROSECOND, ${hex(owner)})`)
    const ifExpired = (column: string) => `${column} = IF(expires_at < ${NOW}, VALUES(${column}), ${column})`
    await run(`INSERT INTO ${table} (${COLUMNS}) VALUES ${rows.join()}
      ON DUPLICATE KEY UPDATE ${ifExpired('reserved_by')}, ${ifExpired('expires_at')}`)
    return (await DIALECT.countReserved(run, reservation)) === hashes.length ? 'done' : 'replayed'
  },

  async countReserved(run, { table, hashes, owner }) {
    const keys = hashes.map(hex).join()
    const text = `SELECT COUNT(*) AS reserved FROM ${table} WHERE reserved_by = ${hex(owner)} AND key_hash IN (${keys})`
    const [row] = rowsOf(await run(text))
    return Number(row?.['reserved'])
  },

  unlock(run, { hashes }) {
    return run(`SELECT ${hashes.map((hash) => `RELEASE_LOCK(${lockOf(hash)})`).join()}`)
  },

  async unlockFromOutside(run, { hashes }) {
    for (const hash of hashes) {
      const [row] = rowsOf(await run(`SELECT RELEASE_LOCK(${lockOf(hash)}), IS_USED_LOCK(${lockOf(hash)}) AS holder`))
      const holder = row?.['holder']
      // The unlock failed, because the connection is lost, or went back to the pool with the lock.
      if (holder !== null && holder !== undefined) await run(`KILL ${Number(holder)}`)
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
    super(options, DIALECT)
  }
}

/**
 * Returns the option `begin` of `MySqlTransactionStore` for a pool of the package `mysql2/promise`.
 *
 * A connection that is cut while your code runs does not end the process. A connection whose rollback fails leaves the pool.
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
