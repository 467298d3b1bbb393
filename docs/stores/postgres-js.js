import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import postgres from 'postgres'

/**
 * @param {string} connectionString
 * @param {number} [timeout] - how long a command may take, in milliseconds.
 */
export async function connect(connectionString, timeout = 1000) {
  const sql = postgres(connectionString, {
    connect_timeout: timeout / 1000,
    backoff: () => 0.1,
    connection: { statement_timeout: timeout },
    onnotice: () => {},
  })
  const nonceStore = new PostgresNonceStore({
    timeout,
    query: (text, values) => within(timeout, sql.unsafe(text, values)),
  })
  await nonceStore.createTable()
  return { client: sql, nonceStore, close: () => sql.end({ timeout: 1 }) }
}

/**
 * postgres.js has no time-out for a query that is never answered.
 *
 * @template T
 * @param {number} milliseconds
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
async function within(milliseconds, answer) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(reject, milliseconds, new Error(`no answer within ${milliseconds} ms`))
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
