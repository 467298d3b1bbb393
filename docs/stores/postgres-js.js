import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import postgres from 'postgres'
import { cancelRequest } from './cancel-request.js'

/**
 * @param {string} connectionString
 * @param {number} [timeout] - how long a reservation may take, in milliseconds.
 * @param {boolean} [prepare] - whether each connection plans a statement only once.
 */
export async function connect(connectionString, timeout = 1000, prepare = true) {
  const open = () =>
    postgres(connectionString, {
      connect_timeout: timeout / 1000,
      backoff: () => 0.1,
      fetch_types: false,
      onnotice: () => {},
    })
  let sql = open()

  /** @type {(text: string, values: (string | number)[]) => Promise<unknown[]>} */
  async function query(text, values) {
    const used = sql
    const answer = used.unsafe(text, values, { prepare })
    // postgres.js waits for ever for an answer, and also for a connection that is silent.
    const timers = [setTimeout(() => cancel(answer), timeout), setTimeout(() => replace(used), 1.5 * timeout)]
    try {
      return await answer
    } finally {
      for (const timer of timers) clearTimeout(timer)
    }
  }

  /** @param {any} answer - its state is the session that answers, if it was sent. */
  function cancel({ state }) {
    const { host, port } = sql.options
    if (state) cancelRequest(/** @type {any} */ (host)[0], /** @type {any} */ (port)[0], state)
  }

  /** @param {typeof sql} used */
  function replace(used) {
    if (used !== sql) return
    sql = open()
    used.end({ timeout: 0 }).catch(console.error)
  }

  const close = () => sql.end({ timeout: 1 })
  const nonceStore = new PostgresNonceStore({ query, timeout })
  try {
    await nonceStore.createTable()
  } catch (error) {
    await close()
    throw error
  }
  return { nonceStore, close }
}
