import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
import mysql from 'mysql2/promise'

/**
 * @param {string} uri
 * @param {number} [timeout] - how long a statement may take, in milliseconds.
 */
export async function connect(uri, timeout = 1000) {
  const pool = mysql.createPool({ uri, connectTimeout: timeout })
  const seconds = Math.ceil(timeout / 1000)
  // This connection takes callbacks.
  pool.on('connection', (/** @type {any} */ connection) => {
    const sql = `SET SESSION lock_wait_timeout = ${seconds}, innodb_lock_wait_timeout = ${seconds}`
    connection.query(sql, (/** @type {Error | null} */ error) => error && console.error(error))
  })
  const nonceStore = new MySqlNonceStore({
    timeout,
    async query(sql, values) {
      const deadline = Date.now() + timeout
      const connection = await pool.getConnection()
      try {
        // After a fault, statements that waited too long would delay the new ones.
        if (Date.now() > deadline) throw new Error(`No free connection within ${timeout} ms.`)
        const result = await connection.query({ sql, values, timeout })
        connection.release()
        return result
      } catch (error) {
        // After its time-out, mysql2 would wait for the answer for ever, and the pool would lose the connection.
        if (Object(error).code === 'PROTOCOL_SEQUENCE_TIMEOUT') connection.destroy()
        else connection.release()
        throw error
      }
    },
  })
  try {
    await nonceStore.createTable()
  } catch (error) {
    await pool.end()
    throw error
  }
  return { client: pool, nonceStore, close: () => pool.end() }
}
