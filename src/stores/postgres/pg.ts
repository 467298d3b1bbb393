import { hash } from 'node:crypto'
import { connectSettings, createClient } from '../connect/connected.js'
import { type ConnectedSqlNonceStore, connectSql } from '../connect/sql.js'
import type { ConnectPostgresOptions } from './connect.js'
import { POSTGRES } from './store.js'

/** The options that `create` passes to `new pg.Pool`. All times are in milliseconds. */
export interface PgOptions {
  connectionTimeoutMillis: number
  query_timeout: number
  max: number
}

/** A pool that `new pg.Pool` of the package `pg` returns. */
export interface PgPool {
  query(config: { name?: string | undefined; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(
    event: 'connect',
    listener: (client: { on(event: 'error', listener: (error: Error) => void): unknown }) => void,
  ): unknown
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
  return connectSql<PgPool>(
    {
      dialect: POSTGRES,
      create(onPoolError, sockets) {
        const stream = () => sockets.create()
        const poolOptions = { connectionTimeoutMillis: 2 * timeout, query_timeout: timeout, max: concurrency, stream }
        const pool = createClient<PgPool, PgOptions>(create, poolOptions, ['query', 'end', 'on'], EXAMPLE)
        pool.on('error', onPoolError)
        // A connection may fail before it is used, and without a listener, the error would end the process.
        pool.on('connect', (client) => client.on('error', onPoolError))
        return pool
      },
      // Different statements have different names, because several stores may share a connection.
      query: (pool, text, values) => pool.query({ name: prepare ? hash('sha1', text) : undefined, text, values }),
      close: (pool) => pool.end(),
    },
    settings,
  )
}
