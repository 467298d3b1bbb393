import { connectSettings, createClient } from '../connect/connected.js'
import type { Address, Sockets } from '../connect/sockets.js'
import { type ConnectedSqlNonceStore, connectSql } from '../connect/sql.js'
import type { ConnectPostgresOptions } from './connect.js'
import { POSTGRES } from './store.js'

/** The options that `create` passes to `postgres`. */
export type PostgresJsOptions = ReturnType<typeof clientOptions>

/** A client that `postgres` of the package `postgres` returns. */
export interface PostgresJsClient {
  unsafe(query: string, parameters: (string | number)[], options: { prepare: boolean }): PromiseLike<readonly unknown[]>
  end(options: { timeout: number }): Promise<void>
}

const EXAMPLE = '(options) => postgres(url, options)'

/**
 * Connects a {@link PostgresNonceStore} with the package `postgres` (postgres.js), and resolves to the store. Creates the table if it
 * is absent.
 *
 * If a statement gets no response in time, the store cancels it on the server, so that the statement does not keep a connection there.
 *
 * @param create - creates a client with the given options. The store calls `create` again when the client must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `table`, `createTable`, `prepare` and `onError`.
 * @throws an error with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says what to do.
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
  const settings = connectSettings(create, EXAMPLE, options, ['table', 'createTable', 'prepare'])
  const { timeout, concurrency, prepare = true } = settings
  return connectSql<PostgresJsClient>(
    {
      dialect: POSTGRES,
      create(_, sockets) {
        // `socket` is not part of the public type, so that a project needs no types of Node.
        const all = { ...clientOptions(timeout, concurrency), socket: socketOf(sockets) }
        return createClient<PostgresJsClient, PostgresJsOptions>(create, all, ['unsafe', 'end'], EXAMPLE)
      },
      query: (sql, text, values) => sql.unsafe(text, values, { prepare }),
      close: (sql) => sql.end({ timeout: timeout / 1000 }),
    },
    settings,
  )
}

/** Returns the options of a client. All times are in seconds. */
function clientOptions(timeout: number, concurrency: number) {
  return {
    max: concurrency,
    connect_timeout: (2 * timeout) / 1000,
    // The time until the next attempt to connect.
    backoff: () => 0.1,
    // The store uses no arrays, so it needs no types of arrays from the server.
    fetch_types: false,
    // Notices are ignored, such as "relation already exists".
    onnotice: () => {},
  }
}

/** Returns the option `socket`, which creates the socket of a connection, and tries the servers in turn. */
function socketOf(sockets: Sockets) {
  let attempts = 0
  return ({ path, host, port }: { path?: string; host: readonly string[]; port: readonly number[] }) => {
    const index = attempts++ % host.length
    const address: Address = path ? { path } : { host: String(host[index]), port: Number(port[index]) }
    // postgres.js reads the name of the server for TLS from its socket.
    return Object.assign(sockets.connect(address), address)
  }
}
