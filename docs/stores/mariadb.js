import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
import mariadb from 'mariadb'

/**
 * @param {string} uri
 * @param {number} [timeout] - how long a statement may take, in milliseconds.
 */
export async function connect(uri, timeout = 1000) {
  const { hostname, port, username, password, pathname } = new URL(uri)
  const seconds = Math.ceil(timeout / 1000)
  const pool = mariadb.createPool({
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    connectTimeout: timeout,
    acquireTimeout: timeout,
    socketTimeout: timeout,
    // Try to connect twice per second. By default, the pool waits up to 10 s after many failures.
    initializationTimeout: 2 ** 31 - 1,
    initSql: `SET SESSION lock_wait_timeout = ${seconds}, innodb_lock_wait_timeout = ${seconds}`,
  })
  const nonceStore = new MySqlNonceStore({ timeout, query: (sql, values) => pool.query(sql, values) })
  try {
    await nonceStore.createTable()
  } catch (error) {
    await pool.end()
    throw error
  }
  return { client: pool, nonceStore, close: () => pool.end() }
}
