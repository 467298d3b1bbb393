import { beginOn, type TransactionConnection } from '../sql-begin.js'

/**
 * Returns the option `begin` of `MySqlTransactionStore` for a pool of the package `mysql2/promise`.
 *
 * A connection that is cut while your code runs does not end the process. A connection whose rollback fails leaves the pool.
 *
 * @param pool - what `createPool` of `mysql2/promise` returns.
 */
export function beginMysql2<Connection extends TransactionConnection & { destroy: () => void }>(pool: {
  getConnection(): Promise<Connection>
}): (run: (connection: Connection) => Promise<void>) => Promise<void> {
  return beginOn(
    () => pool.getConnection(),
    (connection) => connection.destroy(),
  )
}
