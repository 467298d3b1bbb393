import { randomUUID } from 'node:crypto'
import { assertOptions } from '../arguments.js'
import { NonceStoreError } from '../errors.js'
import { PROBE_SECONDS, type Probe } from '../stores/check.js'
import { withoutCredentials } from '../stores/credentials.js'
import { engineTtlMilliseconds, ownerHash } from '../stores/keys.js'
import { assertFunction, type TableOptions } from '../stores/options.js'
import {
  hashesOf,
  rowsOf,
  type SqlDialect,
  type SqlQuery,
  type SqlReservation,
  SqlStore,
  valuesOf,
} from '../stores/sql-store.js'
import { within } from '../stores/with-timeout.js'
import { Limit } from './limit.js'
import type { TransactionOutcome, TransactionRequest, TransactionStore } from './transaction-store.js'

/**
 * Options of `PostgresTransactionStore` and `MySqlTransactionStore`. `begin` and `query` are each a single line with any client or query
 * builder.
 */
export interface SqlTransactionStoreOptions<Transaction> extends TableOptions {
  /**
   * Begins a transaction, and calls `run` once with this transaction. Commits when `run` resolves, and rolls back when `run` rejects. Pass
   * `beginPg(pool)`, or `(run) => knex.transaction(run)`.
   */
  begin: (run: (transaction: Transaction) => Promise<void>) => PromiseLike<unknown>
  /** Runs one statement without parameters in the transaction. Resolves to the client's result, and rejects with the client's error. */
  query: (transaction: Transaction, text: string) => PromiseLike<unknown>
  /**
   * How long the store may take to begin and reserve, in milliseconds: by default 1000. The commit has the same limit, and your code has no
   * limit.
   */
  timeout?: number | undefined
}

/** The row of the statement that locks keys: whether all locks were free, and what the database needs to unlock the keys. */
export type LockRow = Readonly<Record<string, unknown>>

/** What differs between the transactions of SQL databases. `table` is the table's quoted name. */
export interface TransactionDialect {
  /**
   * Returns the statement that locks keys without waiting. The column `locked` of its row is 1 if all locks were free. The server resolves
   * the table, so that each table has its own locks, however its name is written.
   */
  lock(table: string, hashes: readonly string[]): string
  /** Returns the statement that writes `count` rows, but no row whose key is reserved. {@link valuesOf} returns the parameters. */
  upsert(table: string, count: number): string
  /** Whether the statement of {@link upsert} returns the column `hash` of the rows that were written. */
  readonly returnsHashes: boolean
  /** SQL for the hash of a row's key in hex. */
  readonly hash: string
  /** Returns the statement that unlocks the keys, if a lock does not end with its transaction. */
  unlock?(lock: LockRow): string
  /** Returns the statement that ends the connection of the lock from another connection, if this connection still holds the lock. */
  endHolder?(lock: LockRow): string
}

const LOST =
  'The transaction ended or failed in your code, so nothing is committed. Await each statement, do not catch its error, and do not end the transaction.'
const NOT_CALLED =
  'begin has not called its function. Pass the transaction of your client, such as (run) => knex.transaction(run).'
const CALLED_AGAIN = 'begin called its function again. Do not repeat the transaction, because your code must run once.'

/** A transaction store in an SQL database. The store works with any client. */
export abstract class SqlTransactionStore<Transaction> extends SqlStore implements TransactionStore<Transaction> {
  readonly #dialect: TransactionDialect
  readonly #begin: SqlTransactionStoreOptions<Transaction>['begin']
  readonly #query: SqlTransactionStoreOptions<Transaction>['query']

  constructor(options: SqlTransactionStoreOptions<Transaction>, dialect: SqlDialect, transactions: TransactionDialect) {
    assertOptions(options, ['begin', 'query', 'table', 'timeout'])
    const { begin, query, table, timeout } = options
    assertFunction(begin, 'begin', '(run) => knex.transaction(run)')
    assertFunction(query, 'query', '(transaction, text) => transaction.raw(text)')
    /** Runs one statement in its own transaction. */
    const queryAlone: SqlQuery = async (text, values) => {
      let result: unknown
      await begin(async (transaction) => {
        result = await query(transaction, inline(text, values))
      })
      return result
    }
    super({ query: queryAlone, table, timeout }, dialect)
    this.#dialect = transactions
    this.#begin = begin
    this.#query = query
  }

  async transact<T>(request: TransactionRequest<Transaction, T>): Promise<TransactionOutcome<T>> {
    const { webhookId, keys, ttlSeconds, work } = request
    const hashes = hashesOf(webhookId, keys)
    // Recent replays are refused here, because otherwise each replay of a flood would begin a transaction.
    if (this.reservations.isTaken(hashes)) return { outcome: 'replayed' }
    const result = await this.#transact(hashes, ttlSeconds, work)
    const { outcome } = result
    if (outcome !== 'in_progress') this.reservations.remember(hashes, outcome === 'done', ttlSeconds)
    return result
  }

  /** Runs one transaction without the memory of this process. */
  async #transact<T>(
    hashes: readonly string[],
    ttlSeconds: number,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<TransactionOutcome<T>> {
    const reservation = { hashes, milliseconds: engineTtlMilliseconds(ttlSeconds), owner: ownerHash(randomUUID()) }
    const limit = new Limit()
    const late = new Error(`The store did not reserve within ${this.timeout} ms. Check the pool and the server.`)
    limit.start(this.timeout, storeFailed(Object.assign(late, { code: 'ETIMEDOUT' })))
    try {
      return await Promise.race([limit.exceeded, this.#execute(reservation, work, limit)])
    } finally {
      limit.stop()
    }
  }

  protected createProbe(webhookId: string, key: string): Pick<Probe, 'reserve' | 'release'> {
    const hashes = hashesOf(webhookId, [key])
    return {
      reserve: async () => (await this.#transact(hashes, PROBE_SECONDS, async () => {})).outcome === 'done',
      release: () => this.query(`DELETE FROM ${this.table} WHERE key_hash = ${this.dialect.bytes(1)}`, hashes),
    }
  }

  async #execute<T>(
    reservation: SqlReservation,
    work: (transaction: Transaction) => Promise<T>,
    limit: Limit,
  ): Promise<TransactionOutcome<T>> {
    /** The lock, until the keys are unlocked. */
    let lock: LockRow | undefined

    const run = async (transaction: Transaction): Promise<TransactionOutcome<T>> => {
      const query: SqlQuery = async (text, values) => this.#query(transaction, inline(text, values))
      limit.signal.throwIfAborted()
      const row = await this.#lock(query, reservation).catch(throwFailed)
      lock = row
      try {
        if (Number(row['locked']) !== 1) return { outcome: 'in_progress' }
        if (!(await this.#reserve(query, reservation).catch(throwFailed))) return { outcome: 'replayed' }
        // After a time-out was reported, the code must not run.
        limit.signal.throwIfAborted()
        limit.stop()
        const value = await work(transaction).catch((error: unknown) => {
          limit.start(this.timeout, error)
          throw error
        })
        const late = `The commit had no response within ${this.timeout} ms. The transaction may or may not be committed.`
        limit.start(this.timeout, storeFailed(new Error(late)))
        await this.#assertReserved(query, reservation)
        return { outcome: 'done', value }
      } finally {
        if (await this.#unlock(query, row)) lock = undefined
      }
    }

    // The promise of `run` is kept, because some clients wrap its error, and some settle early if the code ends the transaction.
    let running: Promise<TransactionOutcome<T>> | undefined
    try {
      await this.#begin(async (transaction) => {
        if (running !== undefined) throw new Error(CALLED_AGAIN)
        running = run(transaction)
        await running
      })
    } catch (error) {
      const result = await running
      if (result === undefined || result.outcome === 'done') throw storeFailed(error)
    } finally {
      await Promise.allSettled([running])
      if (lock !== undefined) await this.#endHolder(lock)
    }
    if (running === undefined) throw storeFailed(new Error(NOT_CALLED))
    return running
  }

  /** Locks all keys without waiting. */
  async #lock(query: SqlQuery, { hashes }: SqlReservation): Promise<LockRow> {
    const [row = {}] = rowsOf(await query(this.#dialect.lock(this.table, hashes), []))
    return row
  }

  /** Reserves all keys or none. Resolves to whether all keys were free. */
  async #reserve(query: SqlQuery, reservation: SqlReservation): Promise<boolean> {
    const { hashes } = reservation
    const result = await query(this.#dialect.upsert(this.table, hashes.length), valuesOf(reservation))
    const written = this.#dialect.returnsHashes ? rowsOf(result) : await this.#ownedRows(query, reservation)
    if (written.length === hashes.length) return true
    const [text, values] = this.whereOwned(reservation)
    // One of two keys was free.
    if (written.length > 0) await query(`DELETE ${text}`, values)
    return false
  }

  /** Rejects if a key is not reserved any more. */
  async #assertReserved(query: SqlQuery, reservation: SqlReservation): Promise<void> {
    const rows = await this.#ownedRows(query, reservation).catch((error: unknown) => {
      throw new Error(LOST, { cause: withoutCredentials(error) })
    })
    if (rows.length !== reservation.hashes.length) throw new Error(LOST)
  }

  /** Resolves to the rows that the transaction has written. */
  async #ownedRows(query: SqlQuery, reservation: SqlReservation): Promise<Record<string, unknown>[]> {
    const [text, values] = this.whereOwned(reservation)
    return rowsOf(await query(`SELECT ${this.#dialect.hash} AS hash ${text}`, values))
  }

  /** Unlocks the keys. Resolves to `false` if the connection is lost, or the code has returned the connection to its pool. */
  async #unlock(query: SqlQuery, lock: LockRow): Promise<boolean> {
    const text = this.#dialect.unlock?.(lock)
    if (text === undefined) return true
    return within(this.timeout, query(text, [])).then(
      () => true,
      () => false,
    )
  }

  /** Ends the connection that could not unlock its keys. If the server has ended the connection already, nothing is left to do. */
  async #endHolder(lock: LockRow): Promise<void> {
    const text = this.#dialect.endHolder?.(lock)
    if (text !== undefined) await within(this.timeout, this.query(text, [])).catch(() => {})
  }
}

/** Returns the error of a store that failed for this reason. */
function storeFailed(cause: unknown): NonceStoreError {
  return new NonceStoreError('The nonce store failed. See the cause.', { cause: withoutCredentials(cause) })
}

function throwFailed(cause: unknown): never {
  throw storeFailed(cause)
}

/** Returns a statement with literals in place of its parameters, which are hex digits and numbers. */
function inline(text: string, values: readonly (string | number)[]): string {
  let count = 0
  return text.replace(/\$(\d+)|\?/g, (_, index = ++count) => literalOf(values[index - 1]))
}

function literalOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string' && /^[0-9a-f]*$/i.test(value)) return `'${value}'`
  throw new TypeError('A parameter is not hex digits or a number.')
}
