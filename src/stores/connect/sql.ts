import type { TableOptions } from '../options.js'
import { rowsOf, type SqlDialect, SqlNonceStore, type SqlQuery } from '../sql-store.js'
import { within } from '../with-timeout.js'
import { Admission } from './admission.js'
import { type ConnectedNonceStore, type ConnectOptions, type ConnectSettings, openStore } from './connected.js'
import { codedError, isReadOnly } from './failure.js'
import { type Driver, ReconnectingClient } from './reconnecting-client.js'

/** Options of the functions that connect to an SQL database. */
export interface ConnectSqlOptions extends ConnectOptions, TableOptions {
  /** Whether to create the table if it is absent. By default `true`. */
  createTable?: boolean | undefined
}

/** A nonce store in an SQL database that keeps its own connections. */
export type ConnectedSqlNonceStore = ConnectedNonceStore & Pick<SqlNonceStore, 'deleteExpired'>

/** What differs between the clients of SQL databases. */
export interface SqlDriver<Client> extends Pick<Driver<Client>, 'create' | 'close'> {
  readonly dialect: SqlDialect
  /** How long a connection may take to open, in milliseconds. Opening takes several round trips, and more with TLS. */
  readonly openingTime: number
  /**
   * Runs one statement. The promise settles even if the server does not respond in time.
   *
   * @param acquireTimeout - how long to wait for a connection, in milliseconds.
   */
  query(client: Client, sql: string, values: (string | number)[], acquireTimeout: number): Promise<unknown>
}

/**
 * Runs one statement on a connection of a pool. Returns the connection to the pool if the server has responded. Otherwise, ends the
 * connection, because the connection may be lost.
 *
 * @param acquiring - the promise of the pool for a connection, which might never settle. A connection that comes too late goes back to the
 * pool.
 */
export async function runOnConnection<Connection extends { release(): void }>(
  acquiring: Promise<Connection>,
  acquireTimeout: number,
  timeout: number,
  act: {
    run(connection: Connection): Promise<unknown>
    isReply(error: unknown): boolean
    end(connection: Connection): void
  },
): Promise<unknown> {
  const message = `The pool had no free connection within ${acquireTimeout} ms. Allow more connections, or check the server.`
  const connection = await within(acquireTimeout, acquiring, message).catch((error: unknown) => {
    acquiring.then((late) => late.release()).catch(() => {})
    throw error
  })
  try {
    const result = await within(timeout, act.run(connection), `The server did not respond within ${timeout} ms.`)
    connection.release()
    return result
  } catch (error) {
    if (act.isReply(error)) connection.release()
    else act.end(connection)
    throw error
  }
}

/**
 * Connects a store to an SQL database, and resolves to the store. A pool is replaced if a statement gets no response, because the other
 * connections may be lost too. A pool is also replaced if the server has become read-only, because new connections may reach another
 * server.
 */
export async function connectSql<Client extends object>(
  driver: SqlDriver<Client>,
  { timeout, concurrency, onError, table, createTable = true }: ConnectSettings<ConnectSqlOptions>,
): Promise<ConnectedSqlNonceStore> {
  const { dialect, openingTime } = driver

  const query: SqlQuery = async (sql, values) => {
    const { client } = reconnecting
    try {
      // The second limit is needed, because a pool can lose a statement and never settle its promise.
      const response = driver.query(client, sql, values, timeout)
      return await within(1.5 * timeout, response, 'The pool did not respond in time.')
    } catch (error) {
      if (isReadOnly(error) || !dialect.isReply(error)) reconnecting.replace(client, error).catch(() => {})
      throw error
    }
  }

  async function check(client: Client): Promise<void> {
    const [row] = rowsOf(await driver.query(client, dialect.readOnlyQuery, [], openingTime))
    if (Number(row?.['read_only']) > 0) throw codedError('READ_ONLY', 'The server accepts no writes.')
  }

  const admission = new Admission(concurrency, timeout)
  const store = new SqlNonceStore({ table, timeout, query: (...call) => admission.send(() => query(...call)) }, dialect)
  /** This store checks the table and deletes rows. These statements do not count as in flight, because a deletion can take long. */
  const maintenance = new SqlNonceStore({ table, timeout, query }, dialect)
  const reconnecting = new ReconnectingClient<Client>(
    { ...driver, check, replaced: () => admission.forget() },
    // The first check includes the time to connect and the time of the response.
    { timeout, openingTime: openingTime + timeout, onError },
  )
  const prepare = () => (createTable ? maintenance.createTable() : maintenance.checkTable())
  const connected = await openStore(store, reconnecting, prepare)
  const deleteExpired: ConnectedSqlNonceStore['deleteExpired'] = (options) => maintenance.deleteExpired(options)
  return Object.assign(connected, { deleteExpired })
}
