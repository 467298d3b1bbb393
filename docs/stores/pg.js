import { createHash } from 'node:crypto'
import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import pg from 'pg'
import { cancelRequest } from './cancel-request.js'

/**
 * @param {string} connectionString
 * @param {number} [timeout] - how long a reservation may take, in milliseconds.
 * @param {boolean} [prepare] - whether each connection plans a statement only once.
 */
export async function connect(connectionString, timeout = 1000, prepare = true) {
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: timeout, query_timeout: timeout })
  pool.on('error', console.error)
  pool.on('connect', (client) => client.on('error', console.error))

  /** @type {(text: string, values: (string | number)[]) => Promise<{ rows: unknown[] }>} */
  async function query(text, values) {
    const client = await pool.connect()
    try {
      const name = prepare ? createHash('sha1').update(text).digest('hex') : undefined
      const result = await client.query({ name, text, values })
      client.release()
      return result
    } catch (error) {
      const isReply = error instanceof pg.DatabaseError
      client.release(!isReply)
      if (!isReply) cancel(client)
      throw error
    }
  }

  /** @param {any} client */
  function cancel({ host, port, processID, secretKey }) {
    cancelRequest(host, port, { pid: processID, secret: secretKey })
  }

  const nonceStore = new PostgresNonceStore({ query, timeout })
  try {
    await nonceStore.createTable()
  } catch (error) {
    await pool.end()
    throw error
  }
  return { nonceStore, close: () => pool.end() }
}
