import { assertOptions, assertTimeout, kindOf } from '../arguments.js'
import { hidingCredentials } from './credentials.js'
import { engineTtlMilliseconds, ownerHash, scopedKeyHash } from './keys.js'
import type { NonceStore } from './nonce-store.js'
import { assertFunction, limitOf, retryUndone, tableNames } from './options.js'
import { Reservations } from './reservations.js'

/** Options of `PostgresNonceStore` and `MySqlNonceStore`. The only required function is a single line with any client. */
export interface SqlNonceStoreOptions {
  /**
   * Runs one statement with its parameters. Resolves to the client's result, and rejects with the client's error. Do not run the
   * statement inside your own transaction: a rollback would free the nonce.
   */
  query: (text: string, values: (string | number)[]) => Promise<unknown>
  /**
   * The table's name, case-sensitive, with or without a schema or database: `webhook_nonces` by default. A name has ASCII letters,
   * digits and `_`, but no digit first: at most 48 characters in PostgreSQL, and 64 in MySQL.
   */
  table?: string | undefined
  /**
   * How long a reservation may take, in milliseconds: a whole number from 1 to 2 147 483 647, by default 1000. After this time, the
   * reservation rejects, even if the client still waits.
   */
  timeout?: number | undefined
}

/** Runs one statement with its parameters. */
export type SqlQuery = SqlNonceStoreOptions['query']

/** The values of the rows, one row per key. */
export interface SqlReservation {
  /** The hash of each key and its webhook, in hex. */
  readonly hashes: readonly string[]
  /** The owner in hex, or an empty text. */
  readonly owner: string
}

/** What differs between SQL databases. `table` is the table's quoted name. */
export interface SqlDialect {
  /** The quote of a name. */
  readonly quote: '"' | '`'
  /** What the database calls the part before the dot in the name of a table. */
  readonly prefix: 'schema' | 'database'
  readonly maxNameLength: number
  /** Returns whether the server undid a statement because of concurrent statements, so that the statement can run again. */
  isUndone(error: unknown): boolean
  /** Reserves all keys or none by the clock of the database, and resolves to whether all were free. */
  reserve(query: SqlQuery, table: string, reservation: SqlReservation, milliseconds: number): Promise<boolean>
  /** Deletes the rows of these keys that have this owner. */
  release(query: SqlQuery, table: string, reservation: SqlReservation): Promise<unknown>
  /** Creates the table if it is absent, and otherwise checks it. */
  createTable(query: SqlQuery, table: string): Promise<unknown>
  /** Rejects if the table is absent, or differs from a table of `createTable`. */
  checkTable(query: SqlQuery, table: string): Promise<unknown>
  /** Deletes at most `limit` expired rows, the oldest first, and resolves to the number of deleted rows. */
  deleteExpired(query: SqlQuery, table: string, limit: number): Promise<number>
}

/** A nonce store in an SQL database that works with any client. */
export class SqlNonceStore implements NonceStore {
  readonly #dialect: SqlDialect
  readonly #query: SqlQuery
  readonly #table: string
  readonly #timeout: number
  readonly #reservations: Reservations

  constructor(options: SqlNonceStoreOptions, dialect: SqlDialect) {
    assertOptions(options, ['query', 'table', 'timeout'])
    const { query, table = 'webhook_nonces', timeout = 1000 } = options
    assertFunction(query, 'query', '(text, values) => pool.query(text, values)')
    assertTimeout(timeout)
    this.#dialect = dialect
    this.#query = hidingCredentials(query)
    this.#table = quotedName(table, dialect)
    this.#timeout = timeout
    this.#reservations = new Reservations(timeout)
  }

  /**
   * Reserves `key` for `webhookId` for `ttlSeconds`, and resolves to whether the key was free. Rejects if the client rejects, or after
   * `timeout`.
   */
  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): Promise<boolean> {
    return this.reserveAll(webhookId, [key], ttlSeconds, owner)
  }

  /**
   * Reserves all keys or none, for `webhookId` for `ttlSeconds`, and resolves to whether all were free. Rejects if the client rejects,
   * or after `timeout`.
   */
  async reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string): Promise<boolean> {
    const milliseconds = engineTtlMilliseconds(ttlSeconds)
    const reservation = reservationOf(webhookId, keys, owner)
    const reserve = () => this.#dialect.reserve(this.#query, this.#table, reservation, milliseconds)
    return this.#reservations.reserve(reservation.hashes, ttlSeconds, () => this.#retry(reserve))
  }

  /** Frees the keys that were reserved for this `owner`. Rejects if the client rejects, or after `timeout`. */
  async release(webhookId: string, keys: readonly string[], owner: string): Promise<void> {
    const reservation = reservationOf(webhookId, keys, owner)
    const release = () => this.#dialect.release(this.#query, this.#table, reservation)
    await this.#reservations.release(reservation.hashes, () => this.#retry(release))
  }

  /**
   * Creates the table if it is absent. Any number of processes may call `createTable` at once. If the table exists, the database user does
   * not need the permission to create tables.
   */
  async createTable(): Promise<void> {
    await this.#dialect.createTable(this.#query, this.#table)
  }

  /** Rejects if the table is absent, or differs from a table that {@link createTable} creates. */
  async checkTable(): Promise<void> {
    await this.#dialect.checkTable(this.#query, this.#table)
  }

  /**
   * Deletes at most `limit` expired rows, the oldest first. A row that was reserved again is never deleted.
   *
   * @param options - `limit`: the maximum number of rows to delete, a whole number from 1, by default 10 000.
   * @returns how many rows were deleted. If this number is `limit`, call `deleteExpired` again, because more rows may have expired.
   */
  async deleteExpired(options: { limit?: number | undefined } = {}): Promise<number> {
    const query: SqlQuery = (...statement) => this.#retry(() => this.#query(...statement))
    return this.#dialect.deleteExpired(query, this.#table, limitOf(options))
  }

  #retry<T>(run: () => Promise<T>): Promise<T> {
    return retryUndone(run, this.#dialect.isUndone, this.#timeout)
  }
}

/** Returns the quoted name of a table. Throws if the text is not a valid name. */
export function quotedName(table: string, { quote, prefix, maxNameLength }: SqlDialect): string {
  return tableNames(table, prefix, maxNameLength)
    .map((name) => quote + name + quote)
    .join('.')
}

export function reservationOf(webhookId: string, keys: readonly string[], owner: string | undefined): SqlReservation {
  return {
    hashes: keys.map((key) => scopedKeyHash(webhookId, key)),
    owner: owner === undefined ? '' : ownerHash(owner),
  }
}

/** Returns the rows of a query. Clients resolve to `rows`, `{ rows }`, or `[rows, fields]`. */
export function rowsOf(result: unknown): Record<string, unknown>[] {
  const listed = Array.isArray(result) ? result : Object(result).rows
  const rows = Array.isArray(listed) && Array.isArray(listed[0]) ? listed[0] : listed
  if (Array.isArray(rows)) return rows.map(Object)
  throw new Error(`query resolved to ${kindOf(result)}, not to rows. Resolve to what the client resolves to.`)
}
