import { connectSettings, createClient } from '../connect/connected.js'
import { onErrorOfMariadb } from '../connect/driver-internals.js'
import { type ConnectedSqlNonceStore, type ConnectSqlOptions, connectSql } from '../connect/sql.js'
import { sessionSettings } from './session.js'
import { MYSQL } from './store.js'

/** The options that `create` passes to `mariadb.createPool`. */
export type MariadbOptions = ReturnType<typeof poolOptions>

/** A pool that `createPool` of the package `mariadb` returns. */
export interface MariadbPool {
  query(sql: string, values: (string | number)[]): Promise<unknown>
  end(): Promise<void>
}

const EXAMPLE = '(options) => mariadb.createPool({ host, user, password, database, ...options })'

/**
 * Connects a {@link MySqlNonceStore} with the package `mariadb`, and resolves to the store. Creates the table if it is absent.
 *
 * @param create - creates a pool with the given options. The store calls `create` again when the pool must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `table`, `createTable` and `onError`.
 * @throws an error with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says what to do.
 *
 * @example
 * ```ts
 * import mariadb from 'mariadb'
 * import { connectMariadb } from 'inbound-webhook-auth/mysql'
 *
 * export const connect = (host: string, password: string) =>
 *   connectMariadb((options) => mariadb.createPool({ host, user: 'hooks', password, database: 'hooks', ...options }))
 * ```
 */
export async function connectMariadb(
  create: (options: MariadbOptions) => MariadbPool,
  options: ConnectSqlOptions = {},
): Promise<ConnectedSqlNonceStore> {
  const settings = connectSettings(create, EXAMPLE, options, ['table', 'createTable'])
  const { timeout, concurrency } = settings
  return connectSql<MariadbPool>(
    {
      dialect: MYSQL,
      create(onPoolError) {
        const pool = createClient(create, poolOptions(timeout, concurrency), ['query', 'end', 'on'], EXAMPLE)
        // An error without a listener would end the process.
        onErrorOfMariadb(pool, onPoolError)
        return pool
      },
      query: (pool, sql, values) => pool.query(sql, values),
      close: (pool) => pool.end(),
    },
    settings,
  )
}

/** Returns the options of a pool. All times are in milliseconds. */
function poolOptions(timeout: number, concurrency: number) {
  return {
    connectionLimit: concurrency,
    connectTimeout: timeout,
    acquireTimeout: timeout,
    socketTimeout: timeout,
    // The maximum time of a ping. With the default, 250 ms, the pool would close all connections to a server that is far away.
    pingTimeout: Math.ceil(timeout / 2),
    // With this value, the pool tries to connect twice per second. By default, the pool waits up to 10 s after many failures.
    initializationTimeout: 2 ** 31 - 1,
    minimumIdle: 1,
    initSql: sessionSettings(timeout),
  }
}
