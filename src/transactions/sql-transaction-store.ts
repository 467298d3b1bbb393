import { randomUUID } from 'node:crypto'
import { assertOptions } from '../arguments.js'
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
import { startTimer, within } from '../stores/with-timeout.js'
import type { TransactionOutcome, TransactionStore } from './transaction-store.js'

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

/** What differs between the transactions of SQL databases. */
export interface TransactionDialect {
  /** Returns the statement that writes `count` rows, but no row whose key is reserved. {@link valuesOf} returns the parameters. */
  upsert(table: string, count: number): string
  /** Returns the SQL that locks a key without waiting. The result of this SQL is true if the lock was free. */
  lock(hash: string): string
  /** Unlocks the keys, if a lock does not end with its transaction. */
  unlock?(query: SqlQuery, hashes: readonly string[]): Promise<unknown>
  /** Unlocks the keys from other connections, after {@link unlock} has failed. */
  unlockFromOutside?(query: SqlQuery, hashes: readonly string[]): Promise<unknown>
}

const LOST =
  'The transaction ended or failed in your code, so nothing is committed. Await each statement, do not catch its error, and do not end the transaction.'
const NOT_CALLED =
  'begin has not called its function. Pass the transaction of your client, such as (run) => knex.transaction(run).'

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

  async transact(
    webhookId: string,
    keys: readonly string[],
    ttlSeconds: number,
    work: (transaction: Transaction) => Promise<void>,
  ): Promise<TransactionOutcome> {
    const hashes = hashesOf(webhookId, keys)
    // Recent replays are refused here, because otherwise each replay of a flood would begin a transaction.
    if (this.reservations.isTaken(hashes)) return 'replayed'
    const milliseconds = engineTtlMilliseconds(ttlSeconds)
    const outcome = await this.#reserveAndWork({ hashes, milliseconds, owner: ownerHash(randomUUID()) }, work)
    if (outcome !== 'in_progress') this.reservations.remember(hashes, outcome === 'done', ttlSeconds)
    return outcome
  }

  #reserveAndWork(
    reservation: SqlReservation,
    work: (transaction: Transaction) => Promise<void>,
  ): Promise<TransactionOutcome> {
    return new Promise((resolve, reject) => {
      let outcome: TransactionOutcome | undefined
      let isLate = false
      const startLimit = (message: string) =>
        startTimer(this.timeout, () => {
          isLate = true
          reject(new Error(message))
        })
      let stopLimit = startLimit(`The store did not reserve within ${this.timeout} ms. Check the pool and the server.`)

      const code = async (query: SqlQuery, transaction: Transaction) => {
        if (!isLate) outcome = await this.#reserve(query, reservation)
        if (isLate || outcome !== 'done') throw new Error('The transaction rolls back, because your code must not run.')
        stopLimit()
        await work(transaction)
        stopLimit = startLimit(
          `The commit had no response within ${this.timeout} ms. The transaction may or may not be committed.`,
        )
        const isReserved = await this.#isReserved(query, reservation).catch((cause) => {
          throw new Error(LOST, { cause })
        })
        if (!isReserved) throw new Error(LOST)
      }

      this.#execute(code, reservation.hashes)
        .then(
          () => resolve('done'),
          // With the outcome `replayed` or `in_progress`, `work` did not run, and the error is only the rollback of this store.
          (error) =>
            outcome === undefined || outcome === 'done' ? reject(withoutCredentials(error)) : resolve(outcome),
        )
        .finally(() => stopLimit())
    })
  }

  /** Locks every key without waiting, and then reserves every key. If another transaction has locked a key, returns `in_progress`. */
  async #reserve(query: SqlQuery, reservation: SqlReservation): Promise<TransactionOutcome> {
    const { hashes } = reservation
    const locks = hashes.map(this.#dialect.lock).join(' AND ')
    const [row] = rowsOf(await query(`SELECT CASE WHEN ${locks} THEN 1 ELSE 0 END AS locked`, []))
    if (Number(row?.['locked']) !== 1) return 'in_progress'
    await query(this.#dialect.upsert(this.table, hashes.length), valuesOf(reservation))
    return (await this.#isReserved(query, reservation)) ? 'done' : 'replayed'
  }

  /** Resolves to whether the transaction has reserved all keys. */
  async #isReserved(query: SqlQuery, reservation: SqlReservation): Promise<boolean> {
    const [text, values] = this.whereOwned(reservation)
    const [row] = rowsOf(await query(`SELECT COUNT(*) AS reserved ${text}`, values))
    return Number(row?.['reserved']) === reservation.hashes.length
  }

  /**
   * Runs code in a transaction, and unlocks the keys. Rejects with the error of the code or, if the code succeeded, with the error of the
   * commit.
   */
  async #execute(
    code: (query: SqlQuery, transaction: Transaction) => Promise<void>,
    hashes: readonly string[],
  ): Promise<void> {
    let isLocked = false
    const runAndUnlock = async (transaction: Transaction) => {
      const query: SqlQuery = async (text, values) => this.#query(transaction, inline(text, values))
      isLocked = true
      try {
        await code(query, transaction)
      } finally {
        await this.#dialect.unlock?.(query, hashes)
        isLocked = false
      }
    }
    // The promise of the code is kept, because some clients wrap its error, and some settle early if the code ends the transaction.
    let running: Promise<void> | undefined
    try {
      await this.#begin((transaction) => {
        running = runAndUnlock(transaction)
        return running
      })
    } finally {
      await Promise.allSettled([running])
      // If the unlock failed, the code has ended the transaction itself, or the connection is lost.
      if (isLocked) {
        await within(this.timeout, this.#dialect.unlockFromOutside?.(this.query, hashes)).catch(() => {})
      }
      await running
    }
    if (running === undefined) throw new Error(NOT_CALLED)
  }
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
