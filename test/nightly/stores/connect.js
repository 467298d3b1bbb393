// Opens a store by its kind and address, in any process. It uses the built package.
import * as mysql from '../../../dist/mysql.js'
import * as postgres from '../../../dist/postgres.js'
import * as redis from '../../../dist/redis.js'
import { SqliteNonceStore } from '../../../dist/sqlite.js'
import { built } from '../../support/built.js'
import { setUpsOf } from '../../support/stores/set-ups.js'
import { openGuide } from './guides.js'
import { sqliteOpener } from './sqlite-database.js'

/**
 * @typedef {object} Connected
 * @property {import('../../../dist/index.js').NonceStore} nonceStore
 * @property {() => unknown} close
 */

for (const entry of ['mysql', 'postgres', 'redis', 'sqlite']) built(`dist/${entry}.js`)

/** @type {Record<string, (address: any, options: { timeout: number }) => Promise<any>>} */
const SET_UPS = setUpsOf({ ...redis, ...postgres, ...mysql })

/** @param {string} path @param {number} timeout @returns {Promise<Connected>} */
async function openSqlite(path, timeout) {
  const open = sqliteOpener()
  if (open === undefined) throw new Error('neither better-sqlite3 nor node:sqlite is installed')
  const database = open(path)
  return { nonceStore: new SqliteNonceStore(database, { timeout }), close: () => database.close() }
}

/**
 * @param {string} kind - a file of docs/stores, such as `pg.ts`, or a client with its default options, such as `pg`.
 * @param {any} address
 * @param {number} timeout
 * @returns {Promise<Connected>}
 */
export async function connectStore(kind, address, timeout) {
  if (/^[a-z0-9-]+\.[jt]s$/.test(kind) && kind !== 'postgres.js')
    return openGuide(kind, address, timeout > 1000 ? withTimeout(timeout) : {})
  if (kind === 'sqlite') return openSqlite(address, timeout)
  const setUp = SET_UPS[kind]
  if (setUp === undefined) throw new Error(`no set-up ${kind}`)
  const nonceStore = await setUp(address, { timeout })
  return { nonceStore, close: () => nonceStore.close() }
}

/**
 * Returns the edits of a file of docs/stores for a machine under load.
 *
 * @param {number} timeout
 */
function withTimeout(timeout) {
  return { 'NonceStore({': `NonceStore({ timeout: ${timeout},`, 'requestTimeout: 1000': `requestTimeout: ${timeout}` }
}
