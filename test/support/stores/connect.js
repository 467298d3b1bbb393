// Opens a store by its kind and address, in any process. It uses the set-ups of the guide and the built package.
import { SqliteNonceStore } from '../../../dist/sqlite.js'
import { importGuideCode } from '../guide-code.js'
import { sqliteOpener } from './sqlite-database.js'

/**
 * @typedef {object} Connected
 * @property {import('../../../dist/index.js').NonceStore} nonceStore
 * @property {() => unknown} close
 */

/** @type {Record<string, () => Promise<{ connect(address: any, timeout: number): Promise<Connected> }>>} */
const SET_UPS = {
  redis: () => import('../../../docs/stores/redis.js'),
  ioredis: () => import('../../../docs/stores/ioredis.js'),
  'redis-cluster': () => import('../../../docs/stores/redis-cluster.js'),
  'ioredis-cluster': () => import('../../../docs/stores/ioredis-cluster.js'),
  'redis-sentinel': () => import('../../../docs/stores/redis-sentinel.js'),
  'ioredis-sentinel': () => import('../../../docs/stores/ioredis-sentinel.js'),
  pg: () => import('../../../docs/stores/pg.js'),
  'postgres.js': () => import('../../../docs/stores/postgres-js.js'),
  'pg, not prepared': () => notPrepared(import('../../../docs/stores/pg.js')),
  'postgres.js, not prepared': () => notPrepared(import('../../../docs/stores/postgres-js.js')),
  mysql2: () => import('../../../docs/stores/mysql2.js'),
  mariadb: () => import('../../../docs/stores/mariadb.js'),
  dynamodb: () => importGuideCode('docs/stores/dynamodb.js'),
  sqlite: async () => ({ connect: openSqlite }),
}

/** @param {Promise<{ connect(url: string, timeout: number, prepare: boolean): Promise<Connected> }>} setUp */
async function notPrepared(setUp) {
  const { connect } = await setUp
  return { connect: (/** @type {string} */ url, /** @type {number} */ timeout) => connect(url, timeout, false) }
}

/** @param {string} path @param {number} timeout */
async function openSqlite(path, timeout) {
  const open = sqliteOpener()
  if (open === undefined) throw new Error('neither better-sqlite3 nor node:sqlite is installed')
  const database = open(path)
  return { nonceStore: new SqliteNonceStore(database, { timeout }), close: () => database.close() }
}

/** @param {string} kind @param {unknown} address @param {number} timeout */
export async function connectStore(kind, address, timeout) {
  const setUp = SET_UPS[kind]
  if (setUp === undefined) throw new Error(`no set-up ${kind}`)
  return (await setUp()).connect(address, timeout)
}
