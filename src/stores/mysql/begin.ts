import { beginOn, type TransactionConnection } from '../sql-begin.js'

/** A connection of a pool of `mysql2/promise`. */
interface Mysql2Connection extends TransactionConnection {
  /** Closes the connection. */
  destroy(): void
}

/**
 * Returns the option `begin` of `MySqlTransactionStore` for a pool of the package `mysql2/promise`.
 *
 * A connection that is cut while your code runs does not end the process. A connection whose rollback fails leaves the pool.
 *
 * @param pool - what `createPool` of `mysql2/promise` returns.
 */
export function beginMysql2<Connection extends Mysql2Connection>(pool: {
  getConnection(): Promise<Connection>
}): (run: (connection: Connection) => Promise<void>) => Promise<void> {
  return beginOn(
    () => pool.getConnection(),
    (connection) => connection.destroy(),
  )
}
