import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import pg from 'pg'

/**
 * @param {string} connectionString
 * @param {number} [timeout] - how long a command may take, in milliseconds.
 */
export async function connect(connectionString, timeout = 1000) {
  const pool = new pg.Pool({
    connectionString,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    statement_timeout: timeout,
  })
  pool.on('error', console.error)
  const nonceStore = new PostgresNonceStore({ timeout, query: (text, values) => pool.query(text, values) })
  await nonceStore.createTable()
  return { client: pool, nonceStore, close: () => pool.end() }
}
