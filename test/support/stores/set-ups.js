// Connects each client with the connect functions of one build of the package: its source, or what is published. A process loads only
// the client that it needs, because hundreds of processes call this.

/**
 * @typedef {typeof import('../../../src/stores/redis/index.js')} RedisEntry
 * @typedef {typeof import('../../../src/stores/postgres/index.js')} PostgresEntry
 * @typedef {typeof import('../../../src/stores/mysql/index.js')} MySqlEntry
 *
 * @typedef {Pick<RedisEntry, 'connectNodeRedis' | 'connectIoredis'>
 *   & Pick<PostgresEntry, 'connectPg' | 'connectPostgresJs'>
 *   & Pick<MySqlEntry, 'connectMysql2' | 'connectMariadb'>} ConnectFunctions
 */

/** @param {ConnectFunctions} functions */
export function setUpsOf({
  connectNodeRedis,
  connectIoredis,
  connectPg,
  connectPostgresJs,
  connectMysql2,
  connectMariadb,
}) {
  /** @typedef {import('../../../src/stores/redis/index.js').ConnectRedisOptions} RedisOptions */
  /** @typedef {import('../../../src/stores/postgres/index.js').ConnectPostgresOptions} PostgresOptions */
  /** @typedef {import('../../../src/stores/mysql/index.js').ConnectSqlOptions} MySqlOptions */
  /** @typedef {{ name: string, sentinels: { host: string, port: number }[] }} Master */
  return {
    /** @param {string} url @param {RedisOptions} [more] */
    redis: async (url, more) => {
      const { createClient } = await import('redis')
      return connectNodeRedis((options) => createClient({ url, ...options }), more)
    },
    /** @param {string[]} urls @param {RedisOptions} [more] */
    'redis-cluster': async (urls, more) => {
      const { createCluster } = await import('redis')
      return connectNodeRedis((options) => createCluster({ rootNodes: urls.map((url) => ({ url })), ...options }), more)
    },
    /** @param {Master} master @param {RedisOptions} [more] */
    'redis-sentinel': async ({ name, sentinels }, more) => {
      const { createSentinel } = await import('redis')
      return connectNodeRedis((options) => createSentinel({ name, sentinelRootNodes: sentinels, ...options }), more)
    },
    /** @param {string} url @param {RedisOptions} [more] */
    ioredis: async (url, more) => {
      const { Redis } = await import('ioredis')
      return connectIoredis((options) => new Redis(url, options), more)
    },
    /** @param {string[]} urls @param {RedisOptions} [more] */
    'ioredis-cluster': async (urls, more) => {
      const { Redis } = await import('ioredis')
      return connectIoredis((options) => new Redis.Cluster(urls, options), more)
    },
    /** @param {Master} master @param {RedisOptions} [more] */
    'ioredis-sentinel': async ({ name, sentinels }, more) => {
      const { Redis } = await import('ioredis')
      return connectIoredis((options) => new Redis({ name, sentinels, ...options }), more)
    },
    /** @param {string} connectionString @param {PostgresOptions} [more] */
    pg: async (connectionString, more) => {
      const { default: pg } = await import('pg')
      return connectPg((options) => new pg.Pool({ connectionString, ...options }), more)
    },
    /** @param {string} connectionString @param {PostgresOptions} [more] */
    'pg, not prepared': async (connectionString, more) => {
      const { default: pg } = await import('pg')
      return connectPg((options) => new pg.Pool({ connectionString, ...options }), { prepare: false, ...more })
    },
    /** @param {string} url @param {PostgresOptions} [more] */
    'postgres.js': async (url, more) => {
      const { default: postgres } = await import('postgres')
      return connectPostgresJs((options) => postgres(url, options), more)
    },
    /** @param {string} url @param {PostgresOptions} [more] */
    'postgres.js, not prepared': async (url, more) => {
      const { default: postgres } = await import('postgres')
      return connectPostgresJs((options) => postgres(url, options), { prepare: false, ...more })
    },
    /** @param {string} uri @param {MySqlOptions} [more] */
    mysql2: async (uri, more) => {
      const { default: mysql } = await import('mysql2/promise')
      return connectMysql2((options) => mysql.createPool({ uri, ...options, ...poolSize(uri) }), more)
    },
    /** @param {string} uri @param {MySqlOptions} [more] */
    mariadb: async (uri, more) => {
      const { default: mariadb } = await import('mariadb')
      const address = mariadbAddress(uri)
      return connectMariadb((options) => mariadb.createPool({ ...address, ...options, ...poolSize(uri) }), more)
    },
  }
}

/** @param {string} uri */
export function mariadbAddress(uri) {
  const { hostname, port, username, password, pathname } = new URL(uri)
  return { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) }
}

/**
 * The package mariadb opens its connections one after the other, so it needs all of them before they are busy.
 *
 * @param {string} uri - may end with `?connectionLimit=15`.
 */
function poolSize(uri) {
  const limit = new URL(uri).searchParams.get('connectionLimit')
  return limit === null ? {} : { connectionLimit: Number(limit), minimumIdle: Number(limit) }
}
