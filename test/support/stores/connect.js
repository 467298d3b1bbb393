// Opens a store by its kind and address, in whichever process asks: through the lines of the guide, on the built package.
import { SqliteNonceStore } from '../../../dist/sqlite.js'
import { sqliteOpener } from './sqlite-database.js'

/**
 * @typedef {object} Connected
 * @property {import('../../../dist/index.js').NonceStore} nonceStore
 * @property {() => unknown} close
 */

/** @type {Record<string, (address: any) => Promise<Connected>>} */
export const STORES = {
  redis: async (url) => (await import('../../../docs/stores/redis.js')).connect(url),
  'redis-cluster': async (urls) => (await import('../../../docs/stores/redis-cluster.js')).connect(urls),
  ioredis: async (url) => (await import('../../../docs/stores/ioredis.js')).connect(url),
  'ioredis-cluster': async (urls) => (await import('../../../docs/stores/ioredis-cluster.js')).connect(urls),
  pg: async (url) => (await import('../../../docs/stores/pg.js')).connect(url),
  'postgres.js': async (url) => (await import('../../../docs/stores/postgres-js.js')).connect(url),
  async sqlite(path) {
    const open = sqliteOpener()
    if (open === undefined) throw new Error('neither better-sqlite3 nor node:sqlite is installed')
    const database = open(path)
    return { nonceStore: new SqliteNonceStore(database), close: () => database.close() }
  },
}
