import { assertOptions, invalidRange } from '../arguments.js'
import { checkStore, PROBE_SECONDS, type Probe } from './check.js'
import { hidingCredentials } from './credentials.js'
import { storeFailure } from './failure.js'
import { claimMark, engineTtlMilliseconds, hashesOf, ownerHash } from './keys.js'
import type { ClaimState, NonceStore } from './nonce-store.js'
import {
  assertFunction,
  type EventOptions,
  type NetworkOptions,
  networkOptions,
  readEventTtl,
  type TableOptions,
  tableNames,
} from './options.js'
import { Reservations } from './reservations.js'
import { retryUndone } from './retry-undone.js'
import { markIn, type SqlDialect, type SqlQuery } from './sql-dialect.js'
import { SWEEP_ROWS, Sweeper } from './sweeper.js'

/** Options of `PostgresNonceStore` and `MySqlNonceStore`. The only required function is a single line with any client. */
export interface SqlNonceStoreOptions extends TableOptions, NetworkOptions, EventOptions {
  /**
   * Runs one statement with its parameters. Resolves to the client's result and rejects with the client's error. Do not run the
   * statement inside your own transaction: a rollback would free the nonce.
   */
  query: (text: string, values: (string | number)[]) => Promise<unknown>
}

/** A table of reservations in an SQL database. */
export abstract class SqlStore {
  readonly eventTtlSeconds: number
  protected readonly dialect: SqlDialect
  protected readonly query: SqlQuery
  protected readonly table: string
  protected readonly timeout: number
  protected readonly reservations: Reservations
  readonly #sweeper = new Sweeper()

  constructor(options: SqlNonceStoreOptions, dialect: SqlDialect) {
    const { query, table = 'webhook_nonces' } = options
    const { timeout, concurrency } = networkOptions(options)
    this.eventTtlSeconds = readEventTtl(options)
    this.dialect = dialect
    this.query = hidingCredentials(query)
    this.table = tableNames(table, dialect.prefix, dialect.maxNameLength)
      .map((name) => dialect.quote + name + dialect.quote)
      .join('.')
    this.timeout = timeout
    this.reservations = new Reservations(timeout, concurrency)
  }

  /**
   * Creates the table if it is absent. Any number of processes can call `createTable` at once. If the table exists, the database user does
   * not need the permission to create tables.
   *
   * @throws a `NonceStoreError` if the server cannot be used. The message says what to do.
   */
  async createTable(): Promise<void> {
    try {
      await this.dialect.createTable(this.query, this.table)
    } catch (error) {
      throw storeFailure(error)
    }
  }

  /**
   * Reserves and releases a random key and asks for the settings of the server. Call `check` once at the start, after {@link createTable}.
   *
   * @throws a `NonceStoreError` if the store does not work. The message says what to do.
   */
  async check(): Promise<void> {
    await checkStore(this.timeout, (webhookId, key) => ({
      checkSettings: async () => this.dialect.checkSettings?.(this.query, this.table),
      ...this.createProbe(webhookId, key),
      advice: `Run ALTER TABLE ${this.table} ADD PRIMARY KEY (key_hash).`,
    }))
  }

  /** @internal */
  protected abstract createProbe(webhookId: string, key: string): Omit<Probe, 'advice' | 'checkSettings'>

  /**
   * Deletes expired rows in batches, the oldest first, until no row is left. Skips rows that others have locked. The store deletes expired
   * rows by itself: after every 64th reservation, at most 256. Call `deleteExpired` only if no reservations come for a long time.
   *
   * @param options - `limit`: the size of a batch, from 1 to 10 000, by default 256. `maxMilliseconds`: after this time, no batch starts.
   * @returns how many rows were deleted.
   */
  async deleteExpired(
    options: { limit?: number | undefined; maxMilliseconds?: number | undefined } = {},
  ): Promise<number> {
    const query: SqlQuery = (...statement) => this.retry(() => this.query(...statement))
    assertOptions(options, ['limit', 'maxMilliseconds'])
    const { limit = SWEEP_ROWS, maxMilliseconds = Number.POSITIVE_INFINITY } = options
    if (!(Number.isInteger(limit) && limit > 0 && limit <= 10_000 && maxMilliseconds > 0)) {
      throw invalidRange('limit must be a whole number from 1 to 10000, and maxMilliseconds a number above 0.')
    }
    const end = performance.now() + maxMilliseconds
    for (let deleted = 0; ; ) {
      const count = await this.dialect.deleteExpired(query, this.table, limit)
      deleted += count
      // A batch that is nearly full may have skipped locked rows, so more rows can be left.
      if (count < limit / 2 || performance.now() >= end) return deleted
    }
  }

  /** @internal */
  protected sweepSometimes(send: (sweep: (query: SqlQuery) => Promise<number>) => Promise<number> | undefined): void {
    // `send` passes the `query` of one connection, or returns `undefined` to sweep later.
    this.#sweeper.noteReservation(() => send((query) => this.dialect.deleteExpired(query, this.table, SWEEP_ROWS)))
  }

  protected retry<T>(run: () => Promise<T>): Promise<T> {
    return retryUndone(run, this.dialect.isUndone, this.timeout)
  }

  /** Returns the `FROM` and `WHERE` of a statement for the rows of one owner, and the parameters of the statement. */
  protected whereOwned(hashes: readonly string[], hashOfOwner: string): [text: string, values: string[]] {
    const { bytes } = this.dialect
    const keys = hashes.map((_, index) => bytes(index + 2)).join()
    const text = `FROM ${this.table} WHERE ${markIn('reserved_by')} = ${bytes(1)} AND key_hash IN (${keys})`
    return [text, [claimMark(hashOfOwner), ...hashes]]
  }
}

export class SqlNonceStore extends SqlStore implements NonceStore {
  constructor(options: SqlNonceStoreOptions, dialect: SqlDialect) {
    assertOptions(options, ['query', 'table', 'timeout', 'concurrency', 'eventTtlSeconds'])
    assertFunction(options.query, 'query', '(text, values) => pool.query(text, values)')
    super(options, dialect)
  }

  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): Promise<boolean> {
    return this.reserveAll(webhookId, [key], ttlSeconds, owner)
  }

  async reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string): Promise<boolean> {
    const hashes = hashesOf(webhookId, keys)
    const isReserved = await this.reservations.reserve(
      hashes,
      ttlSeconds,
      () => this.#reserve(hashes, ttlSeconds, owner),
      owner === undefined ? undefined : () => this.#release(hashes, owner),
    )
    if (isReserved) this.#sweepIfIdle()
    return isReserved
  }

  async claim(
    webhookId: string,
    keys: readonly string[],
    seconds: number,
    owner: string,
    isDone = false,
  ): Promise<ClaimState> {
    const hashes = hashesOf(webhookId, keys)
    const ask = () => this.#claim(hashes, seconds, owner, isDone)
    const state = await this.reservations.claim(hashes, seconds, owner, isDone, ask)
    if (isDone && state === 'claimed') this.#sweepIfIdle()
    return state
  }

  async release(webhookId: string, keys: readonly string[], owner: string): Promise<void> {
    const hashes = hashesOf(webhookId, keys)
    await this.reservations.release(hashes, () => this.#release(hashes, owner), owner)
  }

  protected createProbe(webhookId: string, key: string): Required<Omit<Probe, 'advice' | 'checkSettings'>> {
    const hashes = hashesOf(webhookId, [key])
    return {
      reserve: (owner) => this.#reserve(hashes, PROBE_SECONDS, owner),
      claim: (owner) => this.#claim(hashes, PROBE_SECONDS, owner, false),
      release: (owner) => this.#release(hashes, owner),
    }
  }

  #reserve(hashes: readonly string[], ttlSeconds: number, owner: string | undefined): Promise<boolean> {
    const milliseconds = engineTtlMilliseconds(ttlSeconds)
    const reservation = { hashes, milliseconds, owner: owner === undefined ? '' : ownerHash(owner) }
    return this.retry(() => this.dialect.reserve(this.query, this.table, reservation))
  }

  #release(hashes: readonly string[], owner: string): Promise<unknown> {
    const [text, values] = this.whereOwned(hashes, ownerHash(owner))
    return this.retry(() => this.query(`DELETE ${text}`, values))
  }

  #claim(hashes: readonly string[], seconds: number, owner: string, isDone: boolean): Promise<ClaimState> {
    const hashOfOwner = ownerHash(owner)
    const mark = claimMark(hashOfOwner)
    const claim = {
      // All processes lock keys in the same order, so two statements rarely wait for each other.
      hashes: [...hashes].sort(),
      milliseconds: engineTtlMilliseconds(seconds),
      owner: isDone ? hashOfOwner : mark,
      mark,
      isDone,
    }
    return this.retry(() => this.dialect.claim(this.query, this.table, claim))
  }

  #sweepIfIdle(): void {
    this.sweepSometimes((sweep) => this.reservations.admission.sendIfIdle(() => sweep(this.query)))
  }
}
