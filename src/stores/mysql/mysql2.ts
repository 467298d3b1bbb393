import { createClient } from '../connect/connected.js'
import { connectionOfMysql2 } from '../connect/driver-internals.js'
import { type Address, Sockets } from '../connect/sockets.js'
import {
  type ConnectedSqlNonceStore,
  type ConnectSqlOptions,
  connectSql,
  type SqlDriver,
  sqlOptionsOf,
  takeConnection,
} from '../connect/sql.js'
import { within } from '../with-timeout.js'
import { assertWritable, READ_ONLY_QUERY, sessionSettings } from './session.js'
import { MySqlNonceStore } from './store.js'

/** What `create` passes to `mysql.createPool`. */
export interface Mysql2Options {
  /** How long a connection may take to open, in milliseconds. */
  connectTimeout: number
  /** How many connections the pool may open. */
  connectionLimit: number
}

/** A connection of a pool of `mysql2/promise`. */
export interface Mysql2Connection {
  /** Runs one statement. */
  query(options: { sql: string; values?: (string | number)[] }): Promise<unknown>
  /** Returns the connection to the pool. */
  release(): void
  /** Ends the connection at once. */
  destroy(): void
}

/** A pool that `createPool` of `mysql2/promise` returns. */
export interface Mysql2Pool {
  /** Takes a connection from the pool. */
  getConnection(): Promise<Mysql2Connection>
  /** Ends all connections. */
  end(): Promise<void>
  /** Listens for new connections. */
  on(
    event: 'connection',
    listener: (connection: { on(event: 'error', listener: (error: unknown) => void): unknown }) => void,
  ): unknown
}

const EXAMPLE = '(options) => mysql.createPool({ uri, ...options })'

/**
 * Connects a {@link MySqlNonceStore} with the package `mysql2` (`mysql2/promise`), and resolves to the store. Creates the table if it
 * is absent.
 *
 * @param create - creates a pool with the options that it gets, and is called again when the pool must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `table`, `createTable` and `onError`.
 * @throws `NonceStoreError` with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says why, and `cause` is
 * the error of the client.
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
  const common = sqlOptionsOf(create, EXAMPLE, options)
  const { timeout, concurrency } = common
  const openingTime = Math.ceil(1.5 * timeout)
  const socketsOf = new WeakMap<Mysql2Pool, Sockets>()
  /** The connections that have {@link sessionSettings}. */
  const prepared = new WeakSet<object>()

  async function run(connection: Mysql2Connection, sql: string, values: (string | number)[]): Promise<unknown> {
    const own = connectionOfMysql2(connection)
    if (!prepared.has(own)) {
      await connection.query({ sql: sessionSettings(timeout) })
      prepared.add(own)
    }
    return connection.query({ sql, values })
  }

  async function query(pool: Mysql2Pool, sql: string, values: (string | number)[], patience: number): Promise<unknown> {
    // The pool of mysql2 has no limit of its own.
    const connection = await takeConnection(pool.getConnection(), patience)
    try {
      const answer = run(connection, sql, values)
      const result = await within(timeout, answer, `The server did not answer within ${timeout} ms.`)
      connection.release()
      return result
    } catch (error) {
      // Without a reply, the connection may be lost: the pool would keep it, and mysql2 would wait on it for ever.
      if (isReply(error)) connection.release()
      else connection.destroy()
      throw error
    }
  }

  const driver: SqlDriver<Mysql2Pool, unknown> = {
    openingTime,
    create(onPoolError) {
      const sockets = new Sockets()
      const stream = ({ config }: { config: ServerAddress }) => sockets.connect(addressOf(config))
      const poolOptions = { connectTimeout: openingTime, connectionLimit: concurrency, stream }
      const pool = createClient<Mysql2Pool, Mysql2Options>(create, poolOptions, ['getConnection', 'end', 'on'], EXAMPLE)
      socketsOf.set(pool, sockets)
      // The pool listens only for the first error of a connection. Without this listener, a second error would end the process.
      pool.on('connection', (connection) => connection.on('error', onPoolError))
      return pool
    },
    query: (pool, sql, values) => query(pool, sql, values, timeout),
    isReply,
    async assertWritable(pool) {
      const result = await query(pool, READ_ONLY_QUERY, [], openingTime)
      assertWritable(Object(result)[0]?.[0])
    },
    async close(pool) {
      const destroy = () => socketsOf.get(pool)?.destroy()
      const grace = setTimeout(destroy, timeout)
      try {
        // end() rejects as soon as one connection cannot be ended, and leaves the others open.
        await pool.end()
      } finally {
        clearTimeout(grace)
        destroy()
      }
    },
  }
  return connectSql(driver, (query) => new MySqlNonceStore({ query, timeout, table: options.table }), common)
}

/** Returns whether an error is a reply of the server, which has an `sqlState`. */
function isReply(error: unknown): boolean {
  return 'sqlState' in Object(error)
}

/** The address that mysql2 passes to the function that creates its socket. */
interface ServerAddress {
  socketPath?: string
  host?: string
  port?: number
}

function addressOf({ socketPath, host = 'localhost', port = 3306 }: ServerAddress): Address {
  return socketPath === undefined ? { host, port } : { path: socketPath }
}
