import type { SqlServer } from '../connect/sql.js'
import { MySqlNonceStore } from './store.js'

/**
 * The smallest error number of the package `mariadb` itself. Error numbers of a server are smaller, and error numbers of the system are
 * negative.
 */
const FIRST_CLIENT_ERROR = 45_000

export const MYSQL_SERVER: SqlServer = {
  Store: MySqlNonceStore,
  // A replica of Aurora reports only InnoDB as read-only.
  readOnlyQuery: 'SELECT @@global.read_only + @@global.innodb_read_only AS read_only',
  isReply(error) {
    const { errno } = Object(error)
    return errno > 0 && errno < FIRST_CLIENT_ERROR
  },
}

/**
 * Returns the statement that limits how long other statements wait for a lock, and turns on autocommit. With the default limits (50 s for a
 * row, and a day for a table), waiting statements would use up all connections. Without autocommit, no reservation would be stored.
 */
export function sessionSettings(timeout: number): string {
  const seconds = Math.ceil(timeout / 1000)
  return `SET SESSION lock_wait_timeout = ${seconds}, innodb_lock_wait_timeout = ${seconds}, autocommit = 1`
}
