import { invalidType, kindOf } from '../../arguments.js'
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
  /** The name of the option that limits the connections of a pool. */
  readonly poolOption: string
  /** How long a connection may take to open, in milliseconds. Opening takes several round trips, and more with TLS. */
  readonly openingTime: number
  /** Runs one statement, and settles if the server does not answer in time. */
  query(client: Client, sql: string, values: (string | number)[]): Promise<Result>
  /** Rejects if the server accepts no writes. */
  assertWritable(client: Client): Promise<unknown>
}

/** A client, and how many of its statements were answered or have failed. */
interface Counted<Client> {
  client: Client
  settled: number
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
 * Connects a store to an SQL database, and resolves to the store. The pools of the clients connect again by themselves. A pool is
 * replaced if its server answers nothing, or has become read-only, because new connections may reach another server.
 */
export async function connectSql<Client, Result>(
  driver: SqlDriver<Client, Result>,
  createStore: (query: (sql: string, values: (string | number)[]) => Promise<Result>) => SqlStore,
  { timeout, concurrency, onError, createTable }: ReturnType<typeof sqlOptionsOf>,
): Promise<ConnectedSqlNonceStore> {
  const replace = (counted: Counted<Client>, reason: unknown) => void kept.replace(counted, reason).catch(() => {})

  async function query(sql: string, values: (string | number)[]): Promise<Result> {
    const counted = kept.client
    const { settled } = counted
    const stalled = setTimeout(() => {
      if (counted.settled === settled) replace(counted, new Error('The pool did not answer for too long.'))
    }, 1.5 * timeout).unref()
    const settle = () => {
      counted.settled++
      clearTimeout(stalled)
    }
    try {
      const result = await driver.query(counted.client, sql, values)
      settle()
      return result
    } catch (error) {
      if (isReadOnly(error)) replace(counted, error)
      // If the pool gave out no connection, the server has not answered.
      if (Object(error).code !== 'NO_CONNECTION') settle()
      throw error
    }
  }

  const admission = new Admission(concurrency, timeout, driver.poolOption)
  // The store is created before anything is connected, so that an invalid option is an error at once.
  const store = createStore((...call) => admission.send(() => query(...call)))
  /** The store for the table and for deletions, which are not counted, because they may take long. */
  const maintenance = createStore(query)
  const kept = await KeptClient.open<Counted<Client>>(
    {
      create: (onClientError) => ({ client: driver.create(onClientError), settled: 0 }),
      async connect() {},
      check: ({ client }) => driver.assertWritable(client),
      close: ({ client }) => driver.close(client),
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
