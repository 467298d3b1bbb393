// Opens a store by its kind and address with the code of the guide and the built package, in any process.
import { SqliteNonceStore } from '../../../dist/sqlite.js'
import { sqliteOpener } from './sqlite-database.js'

/** Milliseconds. Enough for a machine under load, where the 1 s of the guide is not. */
const TIMEOUT = 60_000

/**
 * @typedef {object} Connected
 * @property {import('../../../dist/index.js').NonceStore} nonceStore
 * @property {() => unknown} close
 */

/** @type {Record<string, (address: any) => Promise<Connected>>} */
export const STORES = {
  redis: async (url) => (await import('../../../docs/stores/redis.js')).connect(url, TIMEOUT),
  'redis-cluster': async (urls) => (await import('../../../docs/stores/redis-cluster.js')).connect(urls, TIMEOUT),
  ioredis: async (url) => (await import('../../../docs/stores/ioredis.js')).connect(url, TIMEOUT),
  'ioredis-cluster': async (urls) => (await import('../../../docs/stores/ioredis-cluster.js')).connect(urls, TIMEOUT),
  pg: async (url) => (await import('../../../docs/stores/pg.js')).connect(url, TIMEOUT),
  'postgres.js': async (url) => (await import('../../../docs/stores/postgres-js.js')).connect(url, TIMEOUT),
  async sqlite(path) {
    const open = sqliteOpener()
    if (open === undefined) throw new Error('neither better-sqlite3 nor node:sqlite is installed')
    const database = open(path)
    return { nonceStore: new SqliteNonceStore(database, { busyTimeout: TIMEOUT }), close: () => database.close() }
  },
}
