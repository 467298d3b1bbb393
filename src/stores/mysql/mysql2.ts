import { connectSettings, createClient } from '../connect/connected.js'
import { connectionOfMysql2 } from '../connect/driver-internals.js'
import { type ConnectedSqlNonceStore, type ConnectSqlOptions, connectSql, runOnConnection } from '../connect/sql.js'
import { pause } from '../with-timeout.js'
import { sessionSettings } from './session.js'
import { MYSQL } from './store.js'

/** The options that `create` passes to `mysql.createPool`. The time is in milliseconds. */
export interface Mysql2Options {
  connectTimeout: number
  connectionLimit: number
}

/** A connection of a pool of `mysql2/promise`. */
export interface Mysql2Connection {
  query(options: { sql: string; values?: (string | number)[] }): Promise<unknown>
  release(): void
  destroy(): void
}

/** A pool that `createPool` of `mysql2/promise` returns. */
export interface Mysql2Pool {
  getConnection(): Promise<Mysql2Connection>
  end(): Promise<void>
  on(
    event: 'connection',
    listener: (connection: { on(event: 'error', listener: (error: unknown) => void): unknown }) => void,
  ): unknown
}

/** The address that mysql2 passes to the function that creates its socket. */
interface ServerAddress {
  socketPath?: string
  host: string
  port: number
}

const EXAMPLE = '(options) => mysql.createPool({ uri, ...options })'

/**
 * Connects a {@link MySqlNonceStore} with the package `mysql2` (`mysql2/promise`), and resolves to the store. Creates the table if it
 * is absent.
 *
 * @param create - creates a pool with the given options. The store calls `create` again when the pool must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `table`, `createTable` and `onError`.
 * @throws an error with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says what to do.
 *
 * @example
 * ```ts
 * import mysql from 'mysql2/promise'
 * import { connectMysql2 } from 'inbound-webhook-auth/mysql'
 *
 * export const connect = (uri: string) => connectMysql2((options) => mysql.createPool({ uri, ...options }))
 * ```
 */
export async function connectMysql2(
  create: (options: Mysql2Options) => Mysql2Pool,
  options: ConnectSqlOptions = {},
): Promise<ConnectedSqlNonceStore> {
  const settings = connectSettings(create, EXAMPLE, options, ['table', 'createTable'])
  const { timeout, concurrency } = settings
  const openingTime = Math.ceil(1.5 * timeout)
  /** The connections on which {@link sessionSettings} already ran. */
  const prepared = new WeakSet<object>()

  async function run(connection: Mysql2Connection, sql: string, values: (string | number)[]): Promise<unknown> {
    const own = connectionOfMysql2(connection)
    if (!prepared.has(own)) {
      await connection.query({ sql: sessionSettings(timeout) })
      prepared.add(own)
    }
    return connection.query({ sql, values })
  }

  return connectSql<Mysql2Pool>(
    {
      dialect: MYSQL,
      openingTime,
      create(onPoolError, sockets) {
        const stream = ({ config: { socketPath, host, port } }: { config: ServerAddress }) =>
          sockets.connect(socketPath === undefined ? { host, port } : { path: socketPath })
        const poolOptions = { connectTimeout: openingTime, connectionLimit: concurrency, stream }
        const methods = ['getConnection', 'end', 'on']
        const pool = createClient<Mysql2Pool, Mysql2Options>(create, poolOptions, methods, EXAMPLE)
        // The pool listens only for the first error of a connection, so without this listener, a second error would end the process.
        pool.on('connection', (connection) => connection.on('error', onPoolError))
        return pool
      },
      query(pool, sql, values, acquireTimeout) {
        // The pool of mysql2 has no time-out, and keeps lost connections.
        return runOnConnection(pool.getConnection(), acquireTimeout, timeout, {
          run: (connection) => run(connection, sql, values),
          isReply: MYSQL.isReply,
          end: (connection) => connection.destroy(),
        })
      },
      // end() rejects as soon as one connection cannot be ended. The other connections may still get a response, so they stay open for the
      // time-out.
      close: (pool) => pool.end().catch(() => pause(timeout)),
    },
    settings,
  )
}
