import { randomUUID } from 'node:crypto'
import { assertOptions, assertTimeout } from '../arguments.js'
import { withoutCredentials } from './credentials.js'
import { engineTtlMilliseconds } from './keys.js'
import { assertFunction } from './options.js'
import { Reservations } from './reservations.js'
import {
  quotedName,
  reservationOf,
  type SqlDialect,
  SqlNonceStore,
  type SqlNonceStoreOptions,
  type SqlQuery,
  type SqlReservation,
} from './sql-store.js'
import type { TransactionOutcome, TransactionStore } from './transaction-store.js'
import { startTimer, within } from './with-timeout.js'

/**
 * Options of `PostgresTransactionStore` and `MySqlTransactionStore`. Each of the two required functions is a single line with any client or
 * query builder.
 */
export interface SqlTransactionStoreOptions<Transaction> {
  /**
   * Begins a transaction, and calls `run` once with this transaction. Commits when `run` resolves, and rolls back when `run` rejects:
   * `beginPg(pool)`, or `(run) => knex.transaction(run)`.
   */
  begin: (run: (transaction: Transaction) => Promise<void>) => PromiseLike<unknown>
  /** Runs one statement without parameters in the transaction. Resolves to the client's result, and rejects with the client's error. */
  query: (transaction: Transaction, text: string) => PromiseLike<unknown>
  /** The table's name: see {@link SqlNonceStoreOptions.table}. A nonce store may use the same table. */
  table?: string | undefined
  /**
   * How long the store may take to begin and reserve, in milliseconds: by default 1000. The commit has the same limit, and your code has no
   * limit.
   */
  timeout?: number | undefined
}

/** Runs one statement without parameters in a transaction. */
export type RunText = (text: string) => PromiseLike<unknown>

/** A reservation in a transaction. */
export interface SqlTransactionReservation extends SqlReservation {
  readonly table: string
  readonly milliseconds: number
}

/** What differs between the transactions of SQL databases. */
export interface SqlTransactionDialect extends SqlDialect {
  /**
   * Locks every key without waiting, and then reserves every key. If another transaction has locked a key, no statement waits. If the
   * outcome is not `done`, the transaction must roll back.
   */
  reserveInTransaction(run: RunText, reservation: SqlTransactionReservation): Promise<TransactionOutcome>
  /** Resolves to how many of the keys the transaction has reserved. */
  countReserved(run: RunText, reservation: SqlTransactionReservation): Promise<number>
  /** Unlocks the keys, if the locks do not end with the transaction. */
  unlock?(run: RunText, reservation: SqlReservation): PromiseLike<unknown>
  /** Unlocks the keys in a new transaction, after {@link unlock} has failed. */
  unlockFromOutside?(run: RunText, reservation: SqlReservation): Promise<unknown>
}

const LOST =
  'The transaction ended or failed in your code, so nothing is committed. Await each statement, do not catch its error, and do not end the transaction.'
const NOT_CALLED =
  'begin has not called its function. Pass the transaction of your client, such as (run) => knex.transaction(run).'

/** An error that makes the client roll back, because the code of the receiver must not run. */
class Rollback extends Error {}

/** A transaction store in an SQL database that works with any client. */
export abstract class SqlTransactionStore<Transaction> implements TransactionStore<Transaction> {
  readonly #dialect: SqlTransactionDialect
  readonly #begin: SqlTransactionStoreOptions<Transaction>['begin']
  readonly #query: SqlTransactionStoreOptions<Transaction>['query']
  readonly #table: string
  readonly #timeout: number
  readonly #reservations: Reservations
  /** The store that creates the table and deletes expired rows, with a transaction for each statement. */
  readonly #nonceStore: SqlNonceStore

  constructor(options: SqlTransactionStoreOptions<Transaction>, dialect: SqlTransactionDialect) {
    assertOptions(options, ['begin', 'query', 'table', 'timeout'])
    const { begin, query, table = 'webhook_nonces', timeout = 1000 } = options
    assertFunction(begin, 'begin', '(run) => knex.transaction(run)')
    assertFunction(query, 'query', '(transaction, text) => transaction.raw(text)')
    assertTimeout(timeout)
    this.#dialect = dialect
    this.#begin = begin
    this.#query = query
    this.#table = quotedName(table, dialect)
    this.#timeout = timeout
    this.#reservations = new Reservations(timeout)
    const runAlone: SqlQuery = (text, values) => this.#runAlone(inline(text, values))
    this.#nonceStore = new SqlNonceStore({ query: runAlone, table }, dialect)
  }

  /** Creates the table if it is absent: see {@link SqlNonceStore.createTable}. */
  createTable(): Promise<void> {
    return this.#nonceStore.createTable()
  }

  /** Rejects if the table is absent, or differs from a table that {@link createTable} creates. */
  checkTable(): Promise<void> {
    return this.#nonceStore.checkTable()
  }

  /** Deletes expired rows: see `deleteExpired` of the nonce store. */
  deleteExpired(options: { limit?: number | undefined } = {}): Promise<number> {
    return this.#nonceStore.deleteExpired(options)
  }

  /** Is called by `handle`: see {@link TransactionStore.transact}. */
  async transact(
    webhookId: string,
    keys: readonly string[],
    ttlSeconds: number,
    work: (transaction: Transaction) => Promise<void>,
  ): Promise<TransactionOutcome> {
    const milliseconds = engineTtlMilliseconds(ttlSeconds)
    const reservation = { ...reservationOf(webhookId, keys, randomUUID()), table: this.#table, milliseconds }
    // Recent replays are refused here, because otherwise each replay of a flood would begin a transaction.
    if (this.#reservations.isTaken(reservation.hashes)) return 'replayed'
    const outcome = await this.#reserveAndWork(reservation, work)
    if (outcome !== 'in_progress') this.#reservations.remember(reservation.hashes, outcome === 'done', ttlSeconds)
    return outcome
  }

  #reserveAndWork(
    reservation: SqlTransactionReservation,
    work: (transaction: Transaction) => Promise<void>,
  ): Promise<TransactionOutcome> {
    return new Promise((resolve, reject) => {
      let outcome: TransactionOutcome | undefined
      let isLate = false
      const startLimit = (message: string) =>
        startTimer(this.#timeout, () => {
          isLate = true
          reject(new Error(message))
        })
      let stopLimit = startLimit(
        `The transaction had no reservation within ${this.#timeout} ms. Check pool and server.`,
      )

      const code = async (run: RunText, transaction: Transaction) => {
        if (!isLate) outcome = await this.#dialect.reserveInTransaction(run, reservation)
        if (isLate || outcome !== 'done') throw new Rollback()
        stopLimit()
        await work(transaction)
        stopLimit = startLimit(
          `The commit had no response within ${this.#timeout} ms. The transaction may or may not be committed.`,
        )
        const count = await this.#dialect.countReserved(run, reservation).catch((cause) => {
          throw new Error(LOST, { cause })
        })
        if (count !== reservation.hashes.length) throw new Error(LOST)
      }

      this.#execute(code, reservation)
        .then(
          () => resolve('done'),
          // Unless the outcome is `done`, `work` has not run.
          (error) =>
            outcome === undefined || outcome === 'done' ? reject(withoutCredentials(error)) : resolve(outcome),
        )
        .finally(() => stopLimit())
    })
  }

  /**
   * Runs code in a transaction, and unlocks the keys. Rejects with the error of the code or, if the code succeeded, with the error of the
   * commit.
   */
  async #execute(
    code: (run: RunText, transaction: Transaction) => Promise<void>,
    reservation: SqlReservation,
  ): Promise<void> {
    let isLocked = false
    const runAndUnlock = async (transaction: Transaction) => {
      const run: RunText = (text) => this.#query(transaction, text)
      isLocked = true
      try {
        await code(run, transaction)
      } finally {
        await this.#dialect.unlock?.(run, reservation)
        isLocked = false
      }
    }
    // The result or error of the code is used, because some clients wrap the error, and a client may settle early if the code ends the
    // transaction.
    let running: Promise<void> | undefined
    try {
      await this.#begin((transaction) => {
        running = runAndUnlock(transaction)
        return running
      })
    } finally {
      await Promise.allSettled([running])
      // The code has ended the transaction itself, or its connection is lost.
      if (isLocked) await this.#unlockFromOutside(reservation)
      await running
    }
    if (running === undefined) throw new Error(NOT_CALLED)
  }

  /** Unlocks the keys from another transaction, if possible. */
  async #unlockFromOutside(reservation: SqlReservation): Promise<void> {
    const unlocked = this.#begin(async (transaction) => {
      await this.#dialect.unlockFromOutside?.((text) => this.#query(transaction, text), reservation)
    })
    await within(this.#timeout, unlocked).catch(() => {})
  }

  async #runAlone(text: string): Promise<unknown> {
    let result: unknown
    await this.#begin(async (transaction) => {
      result = await this.#query(transaction, text)
    })
    return result
  }
}

/** Returns a statement with its parameters as literals. Parameters are hex digits and numbers. */
function inline(text: string, values: readonly (string | number)[]): string {
  let count = 0
  return text.replace(/\$(\d+)|\?/g, (_, index = ++count) => literalOf(values[index - 1]))
}

function literalOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string' && /^[0-9a-f]*$/i.test(value)) return `'${value}'`
  throw new TypeError('A parameter is not hex digits or a number.')
}
