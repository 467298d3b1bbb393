import { randomUUID } from 'node:crypto'
import { assertOptions, assertTimeout } from '../arguments.js'
import { HttpError, NonceStoreError, storeError } from '../errors.js'
import { PROBE_SECONDS, type Probe } from '../stores/check.js'
import { withoutCredentials } from '../stores/credentials.js'
import { engineTtlMilliseconds, hashesOf, ownerHash } from '../stores/keys.js'
import { assertFunction, type EventOptions, type TableOptions } from '../stores/options.js'
import { hashesIn, IS_CLAIM, rowsOf, type SqlDialect, type SqlQuery, valuesOf } from '../stores/sql-dialect.js'
import { SqlStore } from '../stores/sql-store.js'
import { within } from '../within.js'
import type { LockRow, TransactionDialect, TransactionRows } from './dialect.js'
import { Limit } from './limit.js'
import type { TransactionOutcome, TransactionRequest, TransactionStore, WorkSignal } from './transaction-store.js'

/** Options of `PostgresTransactionStore` and `MySqlTransactionStore`. With any client, `begin` and `query` are a single line each. */
export interface SqlTransactionStoreOptions<Transaction> extends TableOptions, EventOptions {
  /**
   * Begins a transaction and calls `run` once with this transaction. Commits when `run` resolves and rolls back when `run` rejects. Pass
   * `beginPg(pool)`, or `(run) => knex.transaction(run)`.
   */
  begin: (run: (transaction: Transaction) => Promise<void>) => PromiseLike<unknown>
  /** Runs one statement without parameters in the transaction. Resolves to the client's result and rejects with the client's error. */
  query: (transaction: Transaction, text: string) => PromiseLike<unknown>
  /** How long the store may take to begin and reserve, in milliseconds: by default 1000. The commit has the same limit. */
  timeout?: number | undefined
  /**
   * How long your code may take, in milliseconds: by default 30 000. After this time, `handle` rejects with `ERR_WORK_TIMEOUT`, and the
   * server ends the transaction. `Infinity` switches the limit off.
   */
  workTimeout?: number | undefined
}

const LOST =
  'The transaction ended or failed in your code, so nothing is committed. Await each statement, do not catch its error, and do not end the transaction.'
const NOT_CALLED =
  'begin did not call its function. Pass the transaction of your client, such as (run) => knex.transaction(run).'
const CALLED_AGAIN =
  'begin called its function again or too late. Await the transaction and do not repeat it, because your code must run once.'

/** A transaction store in an SQL database. The store works with any client. */
export abstract class SqlTransactionStore<Transaction> extends SqlStore implements TransactionStore<Transaction> {
  readonly #dialect: TransactionDialect
  readonly #begin: SqlTransactionStoreOptions<Transaction>['begin']
  readonly #query: SqlTransactionStoreOptions<Transaction>['query']
  /** Runs statements in a transaction of their own. */
  readonly #inTransaction: <T>(statements: (query: SqlQuery) => Promise<T>) => Promise<T>
  /** How many calls of `begin` have not begun their transaction so far. */
  #waiting = 0
  readonly #workTimeout: number

  constructor(options: SqlTransactionStoreOptions<Transaction>, dialect: SqlDialect, transactions: TransactionDialect) {
    assertOptions(options, ['begin', 'query', 'table', 'timeout', 'workTimeout', 'eventTtlSeconds'])
    const { begin, query, table, timeout, workTimeout = 30_000, eventTtlSeconds } = options
    assertFunction(begin, 'begin', '(run) => knex.transaction(run)')
    assertFunction(query, 'query', '(transaction, text) => transaction.raw(text)')
    if (workTimeout !== Number.POSITIVE_INFINITY) assertTimeout(workTimeout, 'workTimeout', 30_000)
    const inTransaction = async <T>(statements: (query: SqlQuery) => Promise<T>): Promise<T> => {
      let result: T | undefined
      await begin(async (transaction) => {
        result = await statements(async (text, values) => query(transaction, inline(text, values)))
      })
      return result as T
    }
    const queryAlone: SqlQuery = (text, values) => inTransaction((queryOnce) => queryOnce(text, values))
    super({ query: queryAlone, table, timeout, eventTtlSeconds }, dialect)
    this.#inTransaction = inTransaction
    this.#dialect = transactions
    this.#begin = begin
    this.#query = query
    this.#workTimeout = workTimeout
  }

  async transact<T>(request: TransactionRequest<Transaction, T>): Promise<TransactionOutcome<T>> {
    const { webhookId, keys, ttlSeconds } = request
    const hashes = hashesOf(webhookId, keys)
    // Known replays are refused here, because otherwise each replay of a flood would begin a transaction.
    if (!this.reservations.start(hashes, ttlSeconds)) return { outcome: 'replayed' }
    let isReserved: boolean | undefined
    try {
      const result = await this.#transact(request)
      if (result.outcome !== 'in_progress') isReserved = result.outcome !== 'replayed'
      if (isReserved) this.sweepSometimes((sweep) => (this.#waiting === 0 ? this.#inTransaction(sweep) : undefined))
      return result
    } finally {
      this.reservations.settle(hashes, isReserved, ttlSeconds)
    }
  }

  /** Runs one transaction without the memory of this process. */
  async #transact<T>(request: TransactionRequest<Transaction, T>): Promise<TransactionOutcome<T>> {
    const { webhookId, keys, ttlSeconds, eventKeys = [], work } = request
    const owner = ownerHash(randomUUID())
    const messageHashes = hashesOf(webhookId, keys)
    const [eventHash] = hashesOf(webhookId, eventKeys)
    const hashes = eventHash === undefined ? messageHashes : [...messageHashes, eventHash]
    const rows: TransactionRows = {
      hashes,
      eventHash,
      owner,
      // All processes lock rows in the same order, so that two statements do not wait for each other.
      values: hashes.toSorted().flatMap((hash) => {
        const seconds = hash === eventHash ? this.eventTtlSeconds : ttlSeconds
        return valuesOf({ hashes: [hash], milliseconds: engineTtlMilliseconds(seconds), owner })
      }),
    }
    const [limit, workLimit] = [new Limit(), new Limit()]
    const late = `The store did not reserve the nonce within ${this.timeout} ms. Check the pool and the server.`
    limit.start(this.timeout, () => storeFailed(storeError('ETIMEDOUT', late)))
    try {
      return await Promise.race([limit.exceeded, workLimit.exceeded, this.#execute(rows, work, limit, workLimit)])
    } finally {
      limit.stop()
    }
  }

  protected createProbe(webhookId: string, key: string): Pick<Probe, 'reserve' | 'release'> {
    const probe = { webhookId, keys: [key], ttlSeconds: PROBE_SECONDS, work: async () => {} }
    return {
      reserve: async () => (await this.#transact(probe)).outcome === 'done',
      release: () =>
        this.query(`DELETE FROM ${this.table} WHERE key_hash = ${this.dialect.bytes(1)}`, hashesOf(webhookId, [key])),
    }
  }

  async #execute<T>(
    rows: TransactionRows,
    work: TransactionRequest<Transaction, T>['work'],
    limit: Limit,
    workLimit: Limit,
  ): Promise<TransactionOutcome<T>> {
    /** The lock, until the keys are unlocked. */
    let lock: LockRow | undefined

    const run = async (transaction: Transaction): Promise<TransactionOutcome<T>> => {
      const query: SqlQuery = async (text, values) => this.#query(transaction, inline(text, values))
      limit.signal.throwIfAborted()
      const row = await this.#lock(query, rows).catch(throwFailed)
      lock = row
      try {
        if (Number(row['locked']) !== 1) return { outcome: 'in_progress' }
        const outcome = await this.#reserve(query, rows).catch(throwFailed)
        if (outcome !== 'done') return { outcome }
        // After a time-out was reported, the code must not run.
        limit.signal.throwIfAborted()
        const value = await this.#limitWork(
          (signal) => work(transaction, signal),
          () => this.#endConnection(query, row, rows),
          limit,
          workLimit,
        )
        await this.#assertReserved(query, rows)
        return { outcome, value }
      } finally {
        if (await this.#unlock(query, row)) lock = undefined
      }
    }

    // The promise of `run` is kept, because some clients wrap its error, and some settle early if the code ends the transaction.
    let running: Promise<TransactionOutcome<T>> | undefined
    this.#waiting++
    try {
      await this.#begin(async (transaction) => {
        if (running !== undefined) throw new Error(CALLED_AGAIN)
        this.#waiting--
        running = run(transaction)
        await running
      })
    } catch (error) {
      const result = await running
      // The server refused the data of the code at the commit, so this is an error of the code.
      if (result?.outcome === 'done' && isDataError(error)) throw error
      if (result === undefined || result.outcome === 'done' || result.outcome === 'repeated') throw storeFailed(error)
    } finally {
      if (running === undefined) {
        this.#waiting--
        // A later call must not run the work, because the sender already has a response.
        running = Promise.reject(storeFailed(new Error(NOT_CALLED)))
      }
      await Promise.allSettled([running])
      if (lock !== undefined) await this.#endHolder(lock)
    }
    return running
  }

  /** Runs the work within its time, and then starts the time of the commit or of the rollback. */
  async #limitWork<T>(
    work: (signal: WorkSignal) => Promise<T>,
    endConnection: () => Promise<void>,
    limit: Limit,
    workLimit: Limit,
  ): Promise<T> {
    limit.stop()
    const tooLong = `The work took longer than ${this.#workTimeout} ms, so nothing is committed`
    workLimit.start(this.#workTimeout, () => new HttpError('ERR_WORK_TIMEOUT', tooLong))
    // Work that hangs keeps its connection until this connection has ended, because nobody else may use a connection of running code.
    const ended = workLimit.exceeded.catch(async (error: unknown) => {
      await endConnection()
      throw error
    })
    try {
      const value = await Promise.race([work(workLimit.signal), ended])
      workLimit.signal.throwIfAborted()
      const late = `The commit got no response within ${this.timeout} ms. The transaction may or may not be committed.`
      limit.start(this.timeout, () => storeFailed(new Error(late)))
      return value
    } catch (error) {
      if (!workLimit.signal.aborted) limit.start(this.timeout, () => error)
      throw error
    } finally {
      workLimit.stop()
    }
  }

  async #lock(query: SqlQuery, rows: TransactionRows): Promise<LockRow> {
    // The margin lets this process report the time-out first.
    const text = this.#dialect.lock(this.table, rows, this.#workTimeout + this.timeout)
    const [row = {}] = rowsOf(await query(text, []))
    return row
  }

  /** Reserves all keys, or the keys of the message alone if the event is repeated, or none. */
  async #reserve(query: SqlQuery, rows: TransactionRows): Promise<'done' | 'repeated' | 'replayed' | 'in_progress'> {
    const { hashes, eventHash, owner, values } = rows
    const result = await query(this.#dialect.upsert(this.table, hashes.length), [...values])
    if (this.#dialect.returnsHashes && hashesIn(result).length === hashes.length) return 'done'
    const states = await this.#states(query, rows)
    // A key without a row that this transaction can see belongs to a transaction or a claim that is about to end.
    const stateOf = (hash: string) => states.get(hash) ?? 'in_progress'
    const taken = hashes.filter((hash) => stateOf(hash) !== 'own')
    if (taken.length === 0) return 'done'
    const isReplay = taken.some((hash) => hash !== eventHash && stateOf(hash) === 'taken')
    const isInProgress = taken.some((hash) => stateOf(hash) === 'in_progress')
    if (!isReplay && !isInProgress) return 'repeated'
    const [from, parameters] = this.whereOwned(hashes, owner)
    if (taken.length < hashes.length) await query(`DELETE ${from}`, parameters)
    return isReplay ? 'replayed' : 'in_progress'
  }

  /** Rejects if a key is not reserved any more. */
  async #assertReserved(query: SqlQuery, rows: TransactionRows): Promise<void> {
    const states = await this.#states(query, rows).catch((error: unknown) => {
      throw new Error(LOST, { cause: withoutCredentials(error) })
    })
    if (!rows.hashes.every((hash) => states.get(hash) === 'own')) throw new Error(LOST)
  }

  /** Resolves to the state of each key that has a row. */
  async #states(query: SqlQuery, { hashes, owner }: TransactionRows): Promise<Map<string, string>> {
    const { bytes } = this.dialect
    const keys = hashes.map((_, index) => bytes(index + 2)).join()
    const state = `CASE WHEN reserved_by = ${bytes(1)} THEN 'own' WHEN ${IS_CLAIM} THEN 'in_progress' ELSE 'taken' END`
    const text = `SELECT ${this.#dialect.hash} AS hash, ${state} AS state FROM ${this.table} WHERE key_hash IN (${keys})`
    const found = rowsOf(await query(text, [owner, ...hashes]))
    return new Map(hashesIn(found).map((hash, index) => [hash, String(found[index]?.['state'])]))
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

  /** Resolves when the connection of a transaction has ended. Never resolves if the connection may still live. */
  async #endConnection(query: SqlQuery, lock: LockRow, rows: TransactionRows): Promise<void> {
    const isEnded = query(this.#dialect.endSelf(lock, rows), []).then(() => false, this.#dialect.isEnded)
    // A connection does not answer while it runs a statement.
    await within(this.timeout, isEnded).catch(() => this.#endHolder(lock))
    if (!(await isEnded)) await new Promise(() => {})
  }

  /** Ends the connection of a lock from another connection. If the connection has ended already, nothing is left to do. */
  async #endHolder(lock: LockRow): Promise<void> {
    const text = this.#dialect.endHolder?.(lock)
    if (text !== undefined) await within(this.timeout, this.query(text, [])).catch(() => {})
  }
}

function storeFailed(cause: unknown): NonceStoreError {
  return new NonceStoreError('The nonce store failed. See the cause.', { cause: withoutCredentials(cause) })
}

/** Returns whether the server refused data: SQLSTATE 23 is a constraint, and P0 an exception of a trigger. Query builders wrap errors. */
function isDataError(error: unknown, depth = 0): boolean {
  if (Object(error) !== error || depth > 4) return false
  const { code, sqlState, cause, parent, original, driverError } = Object(error)
  return (
    [code, sqlState].some((state) => /^(23|P0)[0-9A-Z]{3}$/.test(String(state))) ||
    [cause, parent, original, driverError].some((inner) => isDataError(inner, depth + 1))
  )
}

function throwFailed(cause: unknown): never {
  throw storeFailed(cause)
}

/** Returns a statement with literals in place of its parameters, which are hex digits and numbers. */
function inline(text: string, values: readonly (string | number)[]): string {
  let count = 0
  return text.replace(/\$(\d+)|\?/g, (_, index = ++count) => {
    const value = values[index - 1]
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string' && /^[0-9a-f]*$/i.test(value)) return `'${value}'`
    throw new TypeError('A parameter is not hex digits or a number.')
  })
}
