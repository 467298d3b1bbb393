import { hash } from 'node:crypto'
import { connectSettings, createClient } from '../connect/connected.js'
import { sessionOfPg } from '../connect/driver-internals.js'
import { type ConnectedSqlNonceStore, connectSql, runOnConnection } from '../connect/sql.js'
import { type ConnectPostgresOptions, cancelStatement } from './session.js'
import { POSTGRES } from './store.js'

/** The options that `create` passes to `new pg.Pool`. All times are in milliseconds. */
export interface PgOptions {
  connectionTimeoutMillis: number
  query_timeout: number
  max: number
}

/** A connection of a pool of the package `pg`. */
export interface PgClient {
  query(config: { name?: string | undefined; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
  /** Returns the connection to the pool, or ends the connection. */
  release(destroy?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** A pool that `new pg.Pool` of the package `pg` returns. */
export interface PgPool {
  connect(): Promise<PgClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: PgClient) => void): unknown
}

const EXAMPLE = '(options) => new pg.Pool({ connectionString, ...options })'

/**
 * Connects a {@link PostgresNonceStore} with the package `pg`, and resolves to the store. Creates the table if it is absent.
 *
 * If a statement gets no response in time, the store cancels it on the server, so that the statement does not keep a connection there.
 *
 * @param create - creates a pool with the given options. The store calls `create` again when the pool must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `table`, `createTable`, `prepare` and `onError`.
 * @throws an error with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says what to do.
 *
 * @example
 * ```ts
 * import pg from 'pg'
 * import { connectPg } from 'inbound-webhook-auth/postgres'
 *
 * export const connect = (connectionString: string) =>
 *   connectPg((options) => new pg.Pool({ connectionString, ...options }))
 * ```
 */
export async function connectPg(
  create: (options: PgOptions) => PgPool,
  options: ConnectPostgresOptions = {},
): Promise<ConnectedSqlNonceStore> {
  const settings = connectSettings(create, EXAMPLE, options, ['table', 'createTable', 'prepare'])
  const { timeout, concurrency, prepare = true } = settings
  // With TLS and a password, opening a connection takes six round trips.
  const openingTime = 2 * timeout
  return connectSql<PgPool>(
    {
      dialect: POSTGRES,
      openingTime,
      create(onPoolError, sockets) {
        const stream = () => sockets.create()
        const poolOptions = { connectionTimeoutMillis: openingTime, query_timeout: timeout, max: concurrency, stream }
        const pool = createClient<PgPool, PgOptions>(create, poolOptions, ['connect', 'end', 'on'], EXAMPLE)
        pool.on('error', onPoolError)
        // A connection may fail before it is used, and without a listener, the error would end the process.
        pool.on('connect', (client) => client.on('error', onPoolError))
        return pool
      },
      query(pool, text, values, acquireTimeout) {
        // The pool has one limit for both waiting for a free connection and opening a connection, which may take longer.
        return runOnConnection(pool.connect(), acquireTimeout, timeout, {
          // Different statements have different names, because several stores may share a connection.
          run: (client) => client.query({ name: prepare ? hash('sha1', text) : undefined, text, values }),
          isReply: POSTGRES.isReply,
          end(client) {
            client.release(true)
            cancelStatement(sessionOfPg(client))
          },
        })
      },
      close: (pool) => pool.end(),
    },
    settings,
  )
}
