import { invalidType, kindOf } from '../../arguments.js'
import { within } from '../with-timeout.js'
import { Admission } from './admission.js'
import { type ConnectedNonceStore, type ConnectOptions, connected, connectOptionsOf, probe } from './connected.js'
import { codedError, connectFailure, isReadOnly } from './failure.js'
import { type Driver, KeptClient } from './kept-client.js'

/** Options of the functions that connect to an SQL database. */
export interface ConnectSqlOptions extends ConnectOptions {
  /**
   * The table's name, with or without a schema or database: `webhook_nonces` by default. A name has ASCII letters, digits and `_`, but no
   * digit first: at most 48 characters in PostgreSQL, and 64 in MySQL.
   */
  table?: string | undefined
  /** Whether to create the table if it is absent. By default `true`. */
  createTable?: boolean | undefined
}

/** A nonce store in an SQL database that keeps its own connections. */
export type ConnectedSqlNonceStore = ConnectedNonceStore & {
  /**
   * Deletes at most `limit` expired rows (a whole number from 1, by default 10 000), the oldest first. Resolves to the number of
   * deleted rows. If this number is `limit`, call `deleteExpired` again.
   */
  deleteExpired(options?: { limit?: number | undefined }): Promise<number>
}

/** A store of an SQL database. */
interface SqlStore extends Pick<ConnectedSqlNonceStore, 'reserve' | 'reserveAll' | 'release' | 'deleteExpired'> {
  createTable(): Promise<void>
  checkTable(): Promise<void>
}

/** What differs between the clients of SQL databases. */
export interface SqlDriver<Client, Result> extends Pick<Driver<Client>, 'create' | 'close'> {
  /** How long a connection may take to open, in milliseconds. Opening takes several round trips, and more with TLS. */
  readonly openingTime: number
  /** Runs one statement, and settles if the server does not answer in time. */
  query(client: Client, sql: string, values: (string | number)[]): Promise<Result>
  /** Returns whether an error is the reply of the server, so that the connection still works. */
  isReply(error: unknown): boolean
  /** Rejects if the server accepts no writes. */
  assertWritable(client: Client): Promise<unknown>
}

/** Returns the options with their defaults. */
export function sqlOptionsOf(
  create: unknown,
  example: string,
  options: ConnectSqlOptions,
  names: readonly string[] = [],
): ReturnType<typeof connectOptionsOf> & { createTable: boolean } {
  const { createTable = true } = Object(options)
  const common = connectOptionsOf(create, example, options, ['table', 'createTable', ...names])
  if (typeof createTable !== 'boolean') throw invalidType(`createTable is ${kindOf(createTable)}. Pass true or false.`)
  return { ...common, createTable }
}

/**
 * Resolves to a connection of a pool. Waits at most `patience` milliseconds. A connection that comes too late goes back to the pool.
 *
 * @param connecting - a connection that the pool will give out, maybe never.
 */
export function takeConnection<Connection extends { release(): void }>(
  connecting: Promise<Connection>,
  patience: number,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      const message = `The pool had no free connection within ${patience} ms. Allow more, or check the server.`
      reject(codedError('NO_CONNECTION', message))
    }, patience)
    connecting
      .then((connection) => (isLate ? connection.release() : resolve(connection)), reject)
      .finally(() => clearTimeout(timer))
  })
}

/**
 * Connects a store to an SQL database, and resolves to the store. A pool is replaced if a statement gets no reply, because its other
 * connections may be lost too, or if the server has become read-only, because new connections may reach another server.
 */
export async function connectSql<Client extends object, Result>(
  driver: SqlDriver<Client, Result>,
  createStore: (query: (sql: string, values: (string | number)[]) => Promise<Result>) => SqlStore,
  { timeout, concurrency, onError, createTable }: ReturnType<typeof sqlOptionsOf>,
): Promise<ConnectedSqlNonceStore> {
  async function query(sql: string, values: (string | number)[]): Promise<Result> {
    const { client } = kept
    try {
      // A pool may lose a statement.
      return await within(1.5 * timeout, driver.query(client, sql, values), 'The pool did not answer for too long.')
    } catch (error) {
      if (isReadOnly(error) || !driver.isReply(error)) kept.replace(client, error).catch(() => {})
      throw error
    }
  }

  const admission = new Admission(concurrency, timeout)
  // The store is created before anything is connected, so that an invalid option is an error at once.
  const store = createStore((...call) => admission.send(() => query(...call)))
  /** The store for the table and for deletions, which are not counted, because they may take long. */
  const maintenance = createStore(query)
  const kept = await KeptClient.open<Client>(
    {
      ...driver,
      async connect() {},
      check: driver.assertWritable,
      replaced: () => admission.forget(),
    },
    timeout,
    onError,
    // The first check takes the time to connect and the time to answer, and the clients limit each of them.
    driver.openingTime + timeout,
  )
  try {
    await (createTable ? maintenance.createTable() : maintenance.checkTable())
    await probe(store)
  } catch (error) {
    await kept.close()
    throw connectFailure(error)
  }
  return {
    ...connected(store, () => kept.close()),
    deleteExpired: (options) => maintenance.deleteExpired(options),
  }
}
