import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import pg from 'pg'

/** @param {string} connectionString */
export async function connect(connectionString) {
  const pool = new pg.Pool({
    connectionString,
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
    statement_timeout: 1000,
  })
  pool.on('error', console.error)
  const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values) })
  await nonceStore.createTable()
  return { client: pool, nonceStore, close: () => pool.end() }
}
