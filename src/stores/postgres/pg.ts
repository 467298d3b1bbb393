import { createHash } from 'node:crypto'
import { createClient } from '../connect/connected.js'
import { sessionOfPg } from '../connect/driver-internals.js'
import { Sockets } from '../connect/sockets.js'
import {
  type ConnectedSqlNonceStore,
  connectSql,
  type SqlDriver,
  sqlOptionsOf,
  takeConnection,
} from '../connect/sql.js'
import {
  addressOf,
  assertWritable,
  type ConnectPostgresOptions,
  cancelStatement,
  isReply,
  openingTimeOf,
  prepareOf,
  READ_ONLY_QUERY,
} from './session.js'
import { PostgresNonceStore } from './store.js'

/** What `create` passes to `new pg.Pool`. */
export interface PgOptions {
  /** How long a connection may take to open, in milliseconds. */
  connectionTimeoutMillis: number
  /** How long to wait for the answer to a statement, in milliseconds. */
  query_timeout: number
  /** How many connections the pool may open. */
  max: number
}

/** A connection of a pool of the package `pg`. */
export interface PgClient {
  /** Runs one statement. */
  query(config: { name?: string | undefined; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
  /** Returns the connection to the pool, or ends it. */
  release(destroy?: boolean): void
  /** Listens for errors of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** A pool that `new pg.Pool` of the package `pg` returns. */
export interface PgPool {
  /** Takes a connection from the pool. */
  connect(): Promise<PgClient>
  /** Ends all connections. */
  end(): Promise<void>
  /** Listens for errors of idle connections. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Listens for new connections. */
  on(event: 'connect', listener: (client: PgClient) => void): unknown
}

const EXAMPLE = '(options) => new pg.Pool({ connectionString, ...options })'

/**
 * Connects a {@link PostgresNonceStore} with the package `pg`, and resolves to the store. Creates the table if it is absent.
 *
 * A statement that gets no answer in time is cancelled on the server, so that it does not keep its connection there.
 *
 * @param create - creates a pool with the options that it gets, and is called again when the pool must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `table`, `createTable`, `prepare` and `onError`.
 * @throws `NonceStoreError` with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says why, and `cause` is
 * the error of the client.
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
  const common = sqlOptionsOf(create, EXAMPLE, options, ['prepare'])
  const isPrepared = prepareOf(options)
  const { timeout, concurrency } = common
  const openingTime = openingTimeOf(timeout)
  const socketsOf = new WeakMap<PgPool, Sockets>()

  async function query(pool: PgPool, text: string, values: (string | number)[], patience: number) {
    // The pool has one limit for the wait for a free connection and for opening one, which may take longer.
    const client = await takeConnection(pool.connect(), patience)
    try {
      const result = await client.query({ name: isPrepared ? nameOf(text) : undefined, text, values })
      client.release()
      return result
    } catch (error) {
      client.release(!isReply(error))
      if (!isReply(error)) cancel(client)
      throw error
    }
  }

  const driver: SqlDriver<PgPool, { rows: unknown[] }> = {
    openingTime,
    create(onPoolError) {
      const sockets = new Sockets()
      const stream = () => sockets.create()
      const poolOptions = { connectionTimeoutMillis: openingTime, query_timeout: timeout, max: concurrency, stream }
      const pool = createClient<PgPool, PgOptions>(create, poolOptions, ['connect', 'end', 'on'], EXAMPLE)
      socketsOf.set(pool, sockets)
      pool.on('error', onPoolError)
      // A connection may fail before anybody uses it. Without a listener, the error would end the process.
      pool.on('connect', (client) => client.on('error', onPoolError))
      return pool
    },
    query: (pool, text, values) => query(pool, text, values, timeout),
    isReply,
    async assertWritable(pool) {
      assertWritable((await query(pool, READ_ONLY_QUERY, [], openingTime)).rows)
    },
    async close(pool) {
      await pool.end()
      // The pool does not wait for idle connections to end. If the server hangs, idle connections never end by themselves.
      socketsOf.get(pool)?.destroy()
    },
  }
  return connectSql(driver, (query) => new PostgresNonceStore({ query, timeout, table: options.table }), common)
}

/** Cancels the statement that a connection runs. */
function cancel(client: PgClient): void {
  const session = sessionOfPg(client)
  if (session !== undefined) cancelStatement(addressOf(session.host, session.port), session)
}

/** The names of the statements, kept by text, because computing a name costs a hash. */
const names = new Map<string, string>()

/** Returns the name of a prepared statement. A connection may be shared, so statements of several stores differ in name. */
function nameOf(text: string): string {
  const name = names.get(text) ?? createHash('sha1').update(text).digest('hex')
  names.set(text, name)
  return name
}
