import { connectSettings, createClient } from '../connect/connected.js'
import { queryOfMysql2 } from '../connect/driver-internals.js'
import { type ConnectedSqlNonceStore, type ConnectSqlOptions, connectSql } from '../connect/sql.js'
import { pause } from '../with-timeout.js'
import { sessionSettings } from './session.js'
import { MYSQL } from './store.js'

/** The options that `create` passes to `mysql.createPool`. The time is in milliseconds. */
export interface Mysql2Options {
  connectTimeout: number
  connectionLimit: number
}

/** A pool that `createPool` of `mysql2/promise` returns. */
export interface Mysql2Pool {
  query(options: { sql: string; values: (string | number)[]; timeout: number }): Promise<unknown>
  end(): Promise<void>
  on(
    event: 'connection',
    listener: (connection: {
      on(event: 'error', listener: (error: unknown) => void): unknown
      destroy(): void
    }) => void,
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
  return connectSql<Mysql2Pool>(
    {
      dialect: MYSQL,
      create(onPoolError, sockets) {
        const stream = ({ config: { socketPath, host, port } }: { config: ServerAddress }) =>
          sockets.connect(socketPath === undefined ? { host, port } : { path: socketPath })
        const poolOptions = { connectTimeout: 2 * timeout, connectionLimit: concurrency, stream }
        const pool = createClient<Mysql2Pool, Mysql2Options>(create, poolOptions, ['query', 'end', 'on'], EXAMPLE)
        pool.on('connection', (connection) => {
          // The pool listens only for the first error of a connection, so without this listener, a second error would end the process.
          connection.on('error', onPoolError)
          // A connection runs its statements in order, so these settings come first.
          queryOfMysql2(connection, sessionSettings(timeout), (error) => {
            if (!error) return
            onPoolError(error)
            connection.destroy()
          })
        })
        return pool
      },
      query: (pool, sql, values) => pool.query({ sql, values, timeout }),
      // end() rejects as soon as one connection cannot be ended. The other connections may still get a response, so they stay open for the
      // time-out.
      close: (pool) => pool.end().catch(() => pause(timeout)),
    },
    settings,
  )
}
