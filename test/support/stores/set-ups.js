// Opens each client with its default options, and a store of one build of the package on this client: of the source, or of what is
// published. A process loads only the client that it needs, because hundreds of processes call this.

import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @typedef {import('../../../src/stores/redis/index.js').RedisNonceStoreOptions} RedisNonceStoreOptions
 * @typedef {import('../../../src/stores/redis/index.js').RedisNonceStore} RedisNonceStore
 * @typedef {import('../../../src/stores/postgres/index.js').SqlNonceStoreOptions} SqlNonceStoreOptions
 * @typedef {import('../../../src/stores/postgres/index.js').PostgresNonceStore} SqlNonceStore
 *
 * @typedef {object} Ioredis - what is used of both classes. To compare them whole takes TypeScript several seconds.
 * @property {(event: 'error', listener: () => void) => unknown} on
 * @property {(name: string, ...args: string[]) => Promise<unknown>} call
 * @property {() => void} disconnect
 *
 * @typedef {object} Stores
 * @property {new (options: RedisNonceStoreOptions) => Pick<RedisNonceStore, keyof RedisNonceStore>} RedisNonceStore
 * @property {new (options: SqlNonceStoreOptions) => Pick<SqlNonceStore, keyof SqlNonceStore>} PostgresNonceStore
 * @property {new (options: SqlNonceStoreOptions) => Pick<SqlNonceStore, keyof SqlNonceStore>} MySqlNonceStore
 */

/** @param {Stores} stores */
export function setUpsOf({ RedisNonceStore, PostgresNonceStore, MySqlNonceStore }) {
  /** @typedef {Omit<RedisNonceStoreOptions, 'sendCommand'>} RedisOptions */
  /** @typedef {Omit<SqlNonceStoreOptions, 'query'>} SqlOptions */
  /** @typedef {{ name: string, sentinels: { host: string, port: number }[] }} Master */
  return {
    /** @param {string} url @param {RedisOptions} [more] */
    redis: async (url, more) => {
      const { createClient } = await import('redis')
      const client = createClient({ url })
      await client.on('error', ignore).connect()
      const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args), ...more })
      return closing(nonceStore, () => client.destroy())
    },
    /** @param {string[]} urls @param {RedisOptions} [more] */
    'redis-cluster': async (urls, more) => {
      const { createCluster } = await import('redis')
      const client = createCluster({ rootNodes: urls.map((url) => ({ url })) })
      await client.on('error', ignore).connect()
      const nonceStore = new RedisNonceStore({
        sendCommand: (args) => client.sendCommand(args[3], false, args),
        ...more,
      })
      return closing(nonceStore, () => client.destroy())
    },
    /** @param {Master} master @param {RedisOptions} [more] */
    'redis-sentinel': async ({ name, sentinels }, more) => {
      const { createSentinel } = await import('redis')
      const client = createSentinel({ name, sentinelRootNodes: sentinels })
      await client.on('error', ignore).connect()
      const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(false, args), ...more })
      return closing(nonceStore, () => client.destroy())
    },
    /** @param {string} url @param {RedisOptions} [more] */
    ioredis: async (url, more) => {
      const { Redis } = await import('ioredis')
      return onIoredis(new Redis(url), more)
    },
    /** @param {string[]} urls @param {RedisOptions} [more] */
    'ioredis-cluster': async (urls, more) => {
      const { Redis } = await import('ioredis')
      return onIoredis(new Redis.Cluster(urls), more)
    },
    /** @param {Master} master @param {RedisOptions} [more] */
    'ioredis-sentinel': async ({ name, sentinels }, more) => {
      const { Redis } = await import('ioredis')
      return onIoredis(new Redis({ name, sentinels }), more)
    },
    /** @param {string} connectionString @param {SqlOptions} [more] */
    pg: async (connectionString, more) => {
      const { default: pg } = await import('pg')
      const pool = new pg.Pool({ connectionString }).on('error', ignore)
      const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values), ...more })
      return withTable(nonceStore, () => pool.end())
    },
    /** @param {string} url @param {SqlOptions} [more] */
    'postgres.js': async (url, more) => {
      const { default: postgres } = await import('postgres')
      const sql = postgres(url, { fetch_types: false, onnotice: ignore })
      const nonceStore = new PostgresNonceStore({ query: (text, values) => sql.unsafe(text, values), ...more })
      return withTable(nonceStore, () => sql.end({ timeout: 1 }))
    },
    /** @param {string} uri @param {SqlOptions} [more] */
    mysql2: async (uri, more) => {
      const { default: mysql } = await import('mysql2/promise')
      const pool = mysql.createPool({ uri })
      const nonceStore = new MySqlNonceStore({ query: (text, values) => pool.query(text, values), ...more })
      return withTable(nonceStore, () => pool.end())
    },
    /** @param {string} uri @param {SqlOptions} [more] */
    mariadb: async (uri, more) => {
      const { default: mariadb } = await import('mariadb')
      const pool = mariadb.createPool(mariadbAddress(uri))
      const nonceStore = new MySqlNonceStore({ query: (text, values) => pool.query(text, values), ...more })
      return withTable(nonceStore, () => pool.end())
    },
  }

  /** @param {Ioredis} client @param {RedisOptions} [more] */
  function onIoredis(client, more) {
    client.on('error', ignore)
    const nonceStore = new RedisNonceStore({
      sendCommand: ([name = '', ...args]) => client.call(name, ...args),
      ...more,
    })
    return closing(nonceStore, () => client.disconnect())
  }
}

function ignore() {}

/**
 * Adds `close`, which may be called twice, and waits at most 1 s for a client that waits for its server.
 *
 * @template {object} Store @param {Store} nonceStore @param {() => unknown} end
 */
function closing(nonceStore, end) {
  /** @type {Promise<unknown> | undefined} */
  let ended
  async function close() {
    ended ??= Promise.race([Promise.resolve(end()).catch(() => {}), sleep(1000, undefined, { ref: false })])
    await ended
  }
  return Object.assign(nonceStore, { close })
}

/** @template {{ createTable(): Promise<void> }} Store @param {Store} nonceStore @param {() => unknown} close */
async function withTable(nonceStore, close) {
  try {
    await nonceStore.createTable()
  } catch (error) {
    await close()
    throw error
  }
  return closing(nonceStore, close)
}

/** @param {string} uri */
export function mariadbAddress(uri) {
  const { hostname, port, username, password, pathname } = new URL(uri)
  return { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) }
}
