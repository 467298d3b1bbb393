import { createClient } from '../connect/connected.js'
import { onErrorOfMariadb } from '../connect/driver-internals.js'
import {
  type ConnectedSqlNonceStore,
  type ConnectSqlOptions,
  connectSql,
  type SqlDriver,
  sqlOptionsOf,
} from '../connect/sql.js'
import { assertWritable, READ_ONLY_QUERY, sessionSettings } from './session.js'
import { MySqlNonceStore } from './store.js'

/** What `create` passes to `mariadb.createPool`. */
export interface MariadbOptions {
  /** How many connections the pool may open. */
  connectionLimit: number
  /** How long a connection may take to open, in milliseconds. */
  connectTimeout: number
  /** How long to wait for a connection of the pool, in milliseconds. */
  acquireTimeout: number
  /** A connection that is silent for this time is closed, in milliseconds. */
  socketTimeout: number
  /** How long to wait for the answer to a ping, in milliseconds. */
  pingTimeout: number
  /** How long the pool tries to open a connection before it reports an error, in milliseconds. */
  initializationTimeout: number
  /** How many connections the pool keeps open. */
  minimumIdle: number
  /** The statement that sets up each new connection. */
  initSql: string
}

/** A pool that `createPool` of the package `mariadb` returns. */
export interface MariadbPool {
  /** Runs one statement. */
  query(sql: string, values: (string | number)[]): Promise<unknown>
  /** Ends all connections. */
  end(): Promise<void>
  /** Listens for connections that the pool gives out. */
  on(event: 'acquire', listener: () => void): unknown
}

/** The error numbers of the package itself begin here. Those of a server are smaller. */
const FIRST_CLIENT_ERROR = 45_000

const EXAMPLE = '(options) => mariadb.createPool({ host, user, password, database, ...options })'

/**
 * Connects a {@link MySqlNonceStore} with the package `mariadb`, and resolves to the store. Creates the table if it is absent.
 *
 * @param create - creates a pool with the options that it gets, and is called again when the pool must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `table`, `createTable` and `onError`.
 * @throws `NonceStoreError` with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says why, and `cause` is
 * the error of the client.
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
  const common = sqlOptionsOf(create, EXAMPLE, options)
  const { timeout, concurrency } = common
  const driver: SqlDriver<MariadbPool, unknown> = {
    // The pool has one limit for opening a connection and for the wait for a free one.
    openingTime: timeout,
    create(onPoolError) {
      const poolOptions: MariadbOptions = {
        connectionLimit: concurrency,
        connectTimeout: timeout,
        acquireTimeout: timeout,
        socketTimeout: timeout,
        // The pool pings a connection that was idle. By default, the pool closes all connections if a round trip takes 250 ms.
        pingTimeout: Math.ceil(timeout / 2),
        // With this value, the pool tries to connect twice per second. By default, the pool waits up to 10 s after many failures.
        initializationTimeout: 2 ** 31 - 1,
        minimumIdle: 1,
        initSql: sessionSettings(timeout),
      }
      const pool = createClient(create, poolOptions, ['query', 'end', 'on'], EXAMPLE)
      // An error without a listener would end the process.
      onErrorOfMariadb(pool, onPoolError)
      return pool
    },
    query: (pool, sql, values) => pool.query(sql, values),
    isReply: (error) => Number(Object(error).errno) < FIRST_CLIENT_ERROR,
    async assertWritable(pool) {
      assertWritable(Object(await driver.query(pool, READ_ONLY_QUERY, []))[0])
    },
    close: (pool) => pool.end(),
  }
  return connectSql(driver, (query) => new MySqlNonceStore({ query, timeout, table: options.table }), common)
}
