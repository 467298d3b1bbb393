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
  /** Runs one statement. The promise may never settle. */
  query(client: Client, sql: string, values: (string | number)[]): PromiseLike<unknown>
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
  const { dialect } = driver

  /** How long a statement may take. This limit is longer than `timeout`, because the pool may have to open a connection first. */
  const limit = 1.5 * timeout
  /** The start of each statement that can be cancelled. The request of such a statement is refused after `timeout`. */
  const mark = `/* inbound-webhook-auth, timeout ${timeout} ms */`

  const query: SqlQuery = async (sql, values) => {
    const { client } = reconnecting
    try {
      const response = driver.query(client, dialect.cancel ? `${mark} ${sql}` : sql, values)
      const message = `No response within ${limit} ms. Check the server, or allow more connections of the pool.`
      return await within(limit, response, message)
    } catch (error) {
      if (isReadOnly(error) || !dialect.isReply(error)) reconnecting.replace(client, error).catch(() => {})
      throw error
    }
  }

  async function check(client: Client): Promise<void> {
    const queryClient: SqlQuery = async (sql, values) => driver.query(client, sql, values)
    const [row] = rowsOf(await queryClient(dialect.readOnlyQuery, []))
    if (Number(row?.['read_only']) > 0) throw codedError('READ_ONLY', 'The server accepts no writes.')
    // Late statements of the previous client are cancelled, because each keeps a connection of the server.
    await dialect.cancel?.(queryClient, mark, timeout).catch(() => {})
  }

  const admission = new Admission(concurrency, timeout)
  const store = new SqlNonceStore({ table, timeout, query: (...call) => admission.send(() => query(...call)) }, dialect)
  /** This store checks the table and deletes rows. These statements do not count as in flight, because a deletion can take long. */
  const maintenance = new SqlNonceStore({ table, timeout, query }, dialect)
  const reconnecting = new ReconnectingClient<Client>(
    { ...driver, check, replaced: () => admission.forget() },
    // The first check also opens a connection, which takes six round trips with TLS and a password.
    { timeout, openingTime: 3 * timeout, onError },
  )
  const prepare = () => (createTable ? maintenance.createTable() : maintenance.checkTable())
  const connected = await openStore(store, reconnecting, prepare)
  const deleteExpired: ConnectedSqlNonceStore['deleteExpired'] = (options) => maintenance.deleteExpired(options)
  return Object.assign(connected, { deleteExpired })
}
