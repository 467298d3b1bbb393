// Connects each client with the connect functions of one build of the package: its source, or what is published.
import { Redis } from 'ioredis'
import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { createClient, createCluster, createSentinel } from 'redis'

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
    redis: (url, more) => connectNodeRedis((options) => createClient({ url, ...options }), more),
    /** @param {string[]} urls @param {RedisOptions} [more] */
    'redis-cluster': (urls, more) =>
      connectNodeRedis((options) => createCluster({ rootNodes: urls.map((url) => ({ url })), ...options }), more),
    /** @param {Master} master @param {RedisOptions} [more] */
    'redis-sentinel': ({ name, sentinels }, more) =>
      connectNodeRedis((options) => createSentinel({ name, sentinelRootNodes: sentinels, ...options }), more),
    /** @param {string} url @param {RedisOptions} [more] */
    ioredis: (url, more) => connectIoredis((options) => new Redis(url, options), more),
    /** @param {string[]} urls @param {RedisOptions} [more] */
    'ioredis-cluster': (urls, more) => connectIoredis((options) => new Redis.Cluster(urls, options), more),
    /** @param {Master} master @param {RedisOptions} [more] */
    'ioredis-sentinel': ({ name, sentinels }, more) =>
      connectIoredis((options) => new Redis({ name, sentinels, ...options }), more),
    /** @param {string} connectionString @param {PostgresOptions} [more] */
    pg: (connectionString, more) => connectPg((options) => new pg.Pool({ connectionString, ...options }), more),
    /** @param {string} connectionString @param {PostgresOptions} [more] */
    'pg, not prepared': (connectionString, more) =>
      connectPg((options) => new pg.Pool({ connectionString, ...options }), { prepare: false, ...more }),
    /** @param {string} url @param {PostgresOptions} [more] */
    'postgres.js': (url, more) => connectPostgresJs((options) => postgres(url, options), more),
    /** @param {string} url @param {PostgresOptions} [more] */
    'postgres.js, not prepared': (url, more) =>
      connectPostgresJs((options) => postgres(url, options), { prepare: false, ...more }),
    /** @param {string} uri @param {MySqlOptions} [more] */
    mysql2: (uri, more) => connectMysql2((options) => mysql.createPool({ uri, ...options, ...poolSize(uri) }), more),
    /** @param {string} uri @param {MySqlOptions} [more] */
    mariadb: (uri, more) =>
      connectMariadb((options) => mariadb.createPool({ ...mariadbAddress(uri), ...options, ...poolSize(uri) }), more),
  }
}

/** @param {string} uri */
function mariadbAddress(uri) {
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
