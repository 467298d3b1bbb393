// The plain stores over clients as many services configure them: with an address, a listener for errors, and nothing else.
import { MySqlNonceStore } from '../../../dist/mysql.js'
import { PostgresNonceStore } from '../../../dist/postgres.js'
import { RedisNonceStore } from '../../../dist/redis.js'
import { mariadbAddress } from './set-ups.js'

/** @typedef {import('./connect.js').Connected} Connected */

/** @type {Record<string, (address: string, timeout: number) => Promise<Connected>>} */
export const PLAIN = {
  'plain redis': async (url, timeout) => {
    const { createClient } = await import('redis')
    const client = createClient({ url })
    await client.on('error', () => {}).connect()
    const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args), timeout })
    return { nonceStore, close: () => client.destroy() }
  },
  'plain ioredis': async (url, timeout) => {
    const { Redis } = await import('ioredis')
    const client = new Redis(url)
    client.on('error', () => {})
    const nonceStore = new RedisNonceStore({
      sendCommand: ([command = '', ...args]) => client.call(command, ...args),
      timeout,
    })
    return { nonceStore, close: () => client.disconnect() }
  },
  'plain pg': async (connectionString, timeout) => {
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString })
    pool.on('error', () => {})
    return sql(new PostgresNonceStore({ query: (text, values) => pool.query(text, values), timeout }), () => pool.end())
  },
  'plain postgres.js': async (url, timeout) => {
    const { default: postgres } = await import('postgres')
    const client = postgres(url, { onnotice() {} })
    const query = (/** @type {string} */ text, /** @type {any[]} */ values) =>
      client.unsafe(text, values, { prepare: true })
    return sql(new PostgresNonceStore({ query, timeout }), () => client.end({ timeout: 1 }))
  },
  'plain mysql2': async (uri, timeout) => {
    const { default: mysql } = await import('mysql2/promise')
    const pool = mysql.createPool({ uri })
    return sql(new MySqlNonceStore({ query: (text, values) => pool.query(text, values), timeout }), () => pool.end())
  },
  'plain mariadb': async (uri, timeout) => {
    const { default: mariadb } = await import('mariadb')
    const pool = mariadb.createPool(mariadbAddress(uri))
    return sql(new MySqlNonceStore({ query: (text, values) => pool.query(text, values), timeout }), () => pool.end())
  },
}

/**
 * @param {PostgresNonceStore | MySqlNonceStore} nonceStore
 * @param {() => unknown} close
 * @returns {Promise<Connected>}
 */
async function sql(nonceStore, close) {
  await nonceStore.createTable()
  return { nonceStore, close }
}
