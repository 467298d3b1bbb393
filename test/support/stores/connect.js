// Opens a store by its kind and address, in any process. It uses the connect functions of the built package.
import { Redis } from 'ioredis'
import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { createClient, createCluster, createSentinel } from 'redis'
import { connectMariadb, connectMysql2 } from '../../../dist/mysql.js'
import { connectPg, connectPostgresJs } from '../../../dist/postgres.js'
import { connectIoredis, connectNodeRedis } from '../../../dist/redis.js'
import { SqliteNonceStore } from '../../../dist/sqlite.js'
import { importGuideCode } from '../guide-code.js'
import { sqliteOpener } from './sqlite-database.js'

/**
 * @typedef {object} Connected
 * @property {import('../../../dist/index.js').NonceStore} nonceStore
 * @property {() => unknown} close
 */

/** @type {Record<string, (address: any, timeout: number) => Promise<any>>} */
const CONNECT = {
  redis: (url, timeout) => connectNodeRedis((options) => createClient({ url, ...options }), { timeout }),
  'redis-cluster': (urls, timeout) =>
    connectNodeRedis(
      (options) => createCluster({ rootNodes: urls.map((/** @type {string} */ url) => ({ url })), ...options }),
      { timeout },
    ),
  'redis-sentinel': ({ name, sentinels }, timeout) =>
    connectNodeRedis((options) => createSentinel({ name, sentinelRootNodes: sentinels, ...options }), { timeout }),
  ioredis: (url, timeout) => connectIoredis((options) => new Redis(url, options), { timeout }),
  'ioredis-cluster': (urls, timeout) => connectIoredis((options) => new Redis.Cluster(urls, options), { timeout }),
  'ioredis-sentinel': ({ name, sentinels }, timeout) =>
    connectIoredis((options) => new Redis({ name, sentinels, ...options }), { timeout }),
  pg: (connectionString, timeout) =>
    connectPg((options) => new pg.Pool({ connectionString, ...options }), { timeout }),
  'pg, not prepared': (connectionString, timeout) =>
    connectPg((options) => new pg.Pool({ connectionString, ...options }), { timeout, prepare: false }),
  'postgres.js': (url, timeout) => connectPostgresJs((options) => postgres(url, options), { timeout }),
  'postgres.js, not prepared': (url, timeout) =>
    connectPostgresJs((options) => postgres(url, options), { timeout, prepare: false }),
  mysql2: (uri, timeout) => connectMysql2((options) => mysql.createPool({ uri, ...options }), { timeout }),
  mariadb: (uri, timeout) =>
    connectMariadb((options) => mariadb.createPool({ ...mariadbAddress(uri), ...options }), { timeout }),
}

/** @param {string} uri */
function mariadbAddress(uri) {
  const { hostname, port, username, pathname } = new URL(uri)
  return { host: hostname, port: Number(port), user: username, database: pathname.slice(1) }
}

/** @type {Record<string, (address: any, timeout: number) => Promise<Connected>>} */
const OTHERS = {
  dynamodb: async (config, timeout) => (await importGuideCode('docs/stores/dynamodb.js')).connect(config, timeout),
  sqlite: openSqlite,
}

/** @param {string} path @param {number} timeout @returns {Promise<Connected>} */
async function openSqlite(path, timeout) {
  const open = sqliteOpener()
  if (open === undefined) throw new Error('neither better-sqlite3 nor node:sqlite is installed')
  const database = open(path)
  return { nonceStore: new SqliteNonceStore(database, { timeout }), close: () => database.close() }
}

/**
 * @param {string} kind
 * @param {any} address
 * @param {number} timeout
 * @returns {Promise<Connected>}
 */
export async function connectStore(kind, address, timeout) {
  const other = OTHERS[kind]
  if (other !== undefined) return other(address, timeout)
  const connect = CONNECT[kind]
  if (connect === undefined) throw new Error(`no set-up ${kind}`)
  const nonceStore = await connect(address, timeout)
  return { nonceStore, close: () => nonceStore.close() }
}
