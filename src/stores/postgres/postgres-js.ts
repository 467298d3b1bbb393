import { createClient } from '../connect/connected.js'
import { type PostgresJsServers, sessionOfPostgresJs } from '../connect/driver-internals.js'
import { type Address, Sockets } from '../connect/sockets.js'
import { type ConnectedSqlNonceStore, connectSql, type SqlDriver, sqlOptionsOf } from '../connect/sql.js'
import { startTimer, within } from '../with-timeout.js'
import {
  assertWritable,
  type ConnectPostgresOptions,
  cancelStatement,
  isReply,
  openingTimeOf,
  prepareOf,
  READ_ONLY_QUERY,
} from './session.js'
import { PostgresNonceStore } from './store.js'

/** What `create` passes to `postgres`. */
export interface PostgresJsOptions {
  /** How many connections the client may open. */
  max: number
  /** Seconds that a connection may take to open. */
  connect_timeout: number
  /** Returns the seconds until the next attempt to connect. */
  backoff: () => number
  /** Whether to read the types of arrays from the server at the start. The store uses no arrays. */
  fetch_types: boolean
  /** Ignores notices, such as "relation already exists". */
  onnotice: () => void
}

/** A client that `postgres` of the package `postgres` returns. */
export interface PostgresJsClient {
  /** Runs one statement. */
  unsafe(query: string, parameters: (string | number)[], options: { prepare: boolean }): PromiseLike<readonly unknown[]>
  /** Ends all connections. */
  end(options: { timeout: number }): Promise<void>
}

const EXAMPLE = '(options) => postgres(url, options)'

/**
 * Connects a {@link PostgresNonceStore} with the package `postgres` (postgres.js), and resolves to the store. Creates the table if it
 * is absent.
 *
 * A statement that gets no answer in time is cancelled on the server, so that it does not keep its connection there.
 *
 * @param create - creates a client with the options that it gets, and is called again when the client must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `table`, `createTable`, `prepare` and `onError`.
 * @throws `NonceStoreError` with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says why, and `cause` is
 * the error of the client.
 *
 * @example
 * ```ts
 * import postgres from 'postgres'
 * import { connectPostgresJs } from 'inbound-webhook-auth/postgres'
 *
 * export const connect = (url: string) => connectPostgresJs((options) => postgres(url, options))
 * ```
 */
export async function connectPostgresJs(
  create: (options: PostgresJsOptions) => PostgresJsClient,
  options: ConnectPostgresOptions = {},
): Promise<ConnectedSqlNonceStore> {
  const common = sqlOptionsOf(create, EXAMPLE, options, ['prepare'])
  const prepare = prepareOf(options)
  const { timeout, concurrency } = common
  const socketsOf = new WeakMap<PostgresJsClient, Sockets>()

  const driver: SqlDriver<PostgresJsClient, readonly unknown[]> = {
    openingTime: openingTimeOf(timeout),
    create() {
      const sockets = new Sockets()
      const sql = createClient<PostgresJsClient, PostgresJsOptions>(
        create,
        { ...clientOptions(timeout, sockets), max: concurrency },
        ['unsafe', 'end'],
        EXAMPLE,
      )
      socketsOf.set(sql, sockets)
      return sql
    },
    async query(sql, text, values) {
      const answer = sql.unsafe(text, values, { prepare })
      // The cancel() of postgres.js is not used, because a cancel() that cannot connect would end the process.
      const stopTimer = startTimer(timeout, () => cancel(sql, answer))
      try {
        // postgres.js itself waits for ever for an answer.
        return await within(timeout, answer, `The server did not answer within ${timeout} ms.`)
      } finally {
        stopTimer()
      }
    },
    isReply,
    async assertWritable(sql) {
      assertWritable(await driver.query(sql, READ_ONLY_QUERY, []))
    },
    async close(sql) {
      await sql.end({ timeout: timeout / 1000 })
      socketsOf.get(sql)?.destroy()
    },
  }
  const createStore = (query: PostgresQuery) => new PostgresNonceStore({ query, timeout, table: options.table })
  return connectSql(driver, (query) => createStore(async (...call) => [...(await query(...call))]), common)
}

type PostgresQuery = (text: string, values: (string | number)[]) => Promise<unknown[]>

function clientOptions(timeout: number, sockets: Sockets) {
  let attempts = 0
  return {
    connect_timeout: openingTimeOf(timeout) / 1000,
    backoff: () => 0.1,
    fetch_types: false,
    onnotice: () => {},
    socket(settings: PostgresJsServers) {
      const address = addressAt(settings, attempts++ % settings.host.length)
      // postgres.js reads the name of the server for TLS from its socket.
      return Object.assign(sockets.connect(address), address)
    },
  }
}

function addressAt(settings: PostgresJsServers, index: number): Address {
  const { path, host, port } = settings
  return typeof path === 'string' ? { path } : { host: String(host[index]), port: Number(port[index]) }
}

/** Cancels a statement if it was sent. */
function cancel(sql: PostgresJsClient, statement: unknown): void {
  const session = sessionOfPostgresJs(sql, statement)
  if (session !== undefined) cancelStatement(addressAt(session.servers, 0), session)
}
