// Opens a store by its kind and address, in any process. It uses the built package.
import * as mysql from '../../../dist/mysql.js'
import * as postgres from '../../../dist/postgres.js'
import * as redis from '../../../dist/redis.js'
import { SqliteNonceStore } from '../../../dist/sqlite.js'
import { built } from '../built.js'
import { importGuideCode } from '../guide-code.js'
import { PLAIN } from './plain-clients.js'
import { setUpsOf } from './set-ups.js'
import { sqliteOpener } from './sqlite-database.js'

/**
 * @typedef {object} Connected
 * @property {import('../../../dist/index.js').NonceStore} nonceStore
 * @property {() => unknown} close
 */

for (const entry of ['mysql', 'postgres', 'redis', 'sqlite']) built(`dist/${entry}.js`)

/** @type {Record<string, (address: any, options: { timeout: number }) => Promise<any>>} */
const SET_UPS = setUpsOf({ ...redis, ...postgres, ...mysql })

/** @type {Record<string, (address: any, timeout: number) => Promise<Connected>>} */
const OTHERS = {
  dynamodb: async (config, timeout) => (await importGuideCode('docs/stores/dynamodb.js')).connect(config, timeout),
  sqlite: openSqlite,
  ...PLAIN,
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
  const setUp = SET_UPS[kind]
  if (setUp === undefined) throw new Error(`no set-up ${kind}`)
  const nonceStore = await setUp(address, { timeout })
  return { nonceStore, close: () => nonceStore.close() }
}
