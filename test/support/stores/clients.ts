import { Redis } from 'ioredis'
import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { createClient } from 'redis'
import { MySqlNonceStore } from '../../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../../src/stores/postgres/index.js'
import { RedisNonceStore } from '../../../src/stores/redis/index.js'
import { mariadbAddress } from './set-ups.js'

// Each client on a server that may refuse the connection, and a store on this client. Nothing waits for the connection.

interface Options {
  table?: string
  timeout: number
}

interface Tls {
  ca?: string
}

/** They also return the errors that the client emits. */
export const REDIS_CLIENTS = {
  redis(url: string, { timeout }: Options, tls?: Tls) {
    const errors: unknown[] = []
    const socket = { reconnectStrategy: 100, ...(tls && { tls: true as const, ...tls }) }
    const client = createClient({ url, disableOfflineQueue: true, socket })
    client.on('error', (error) => errors.push(error))
    const connected = client.connect().catch((error: unknown) => errors.push(error))
    const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args), timeout })
    return { nonceStore, connected, errors, close: () => client.destroy() }
  },
  ioredis(url: string, { timeout }: Options, tls?: Tls) {
    const errors: unknown[] = []
    const client = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => 100, ...(tls && { tls }) })
    client.on('error', (error) => errors.push(error))
    const connected = new Promise((resolve) => client.on('ready', resolve))
    const sendCommand = ([name = '', ...args]: string[]) => client.call(name, ...args)
    return {
      nonceStore: new RedisNonceStore({ sendCommand, timeout }),
      connected,
      errors,
      close: () => client.disconnect(),
    }
  },
}

export const POSTGRES_CLIENTS = {
  pg(connectionString: string, options: Options, ssl?: Tls) {
    const pool = new pg.Pool({ connectionString, ssl, max: 2 }).on('error', () => {})
    const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values), ...options })
    return { nonceStore, close: () => pool.end() }
  },
  'postgres.js'(url: string, options: Options, ssl?: Tls) {
    const sql = postgres(url, { fetch_types: false, onnotice() {}, max: 2, ...(ssl && { ssl }) })
    const nonceStore = new PostgresNonceStore({ query: (text, values) => sql.unsafe(text, values), ...options })
    return { nonceStore, close: () => sql.end({ timeout: 1 }) }
  },
}

export const MYSQL_CLIENTS = {
  mysql2(uri: string, options: Options, ssl?: Tls) {
    const pool = mysql.createPool({ uri, connectionLimit: 2, ...(ssl && { ssl }) })
    const nonceStore = new MySqlNonceStore({ query: (text, values) => pool.query(text, values), ...options })
    return { nonceStore, close: () => pool.end() }
  },
  /** The pool tries to connect until its time-out, and then says why. */
  mariadb(uri: string, options: Options, ssl?: Tls) {
    const limits = { connectionLimit: 2, acquireTimeout: 1000 }
    const pool = mariadb.createPool({ ...mariadbAddress(uri), ...limits, ...(ssl && { ssl }) })
    const nonceStore = new MySqlNonceStore({ query: (text, values) => pool.query(text, values), ...options })
    return { nonceStore, close: () => pool.end() }
  },
}
