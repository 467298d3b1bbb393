/** An `AbortSignal`. In a project without the type `AbortSignal`, an object with `aborted`. */
export type WorkSignal = typeof globalThis extends { AbortSignal: { prototype: infer Global extends object } }
  ? Global
  : { readonly aborted: boolean }

/** A signed request, and the code to run in the transaction that reserves its keys. */
export interface TransactionRequest<Transaction, T> {
  readonly webhookId: string
  readonly keys: readonly string[]
  /** How long to reserve the keys, in seconds. */
  readonly ttlSeconds: number
  /** The key of the event, which has a TTL of its own. If `eventId` threw, there is none, and `work` throws unless the message is a replay. */
  readonly eventKeys?: readonly string[] | undefined
  /** Checks the window again, and then runs the receiver's code. `signal` aborts when the code has taken too long. */
  work(transaction: Transaction, signal: WorkSignal): Promise<T>
}

/** `work` was called only if the outcome is `done`. If the keys are still being recorded, `settled` resolves when that ends. */
export type TransactionOutcome<T> =
  | { readonly outcome: 'done'; readonly value: T; readonly settled?: Promise<void> | undefined }
  | { readonly outcome: 'replayed' | 'repeated' | 'in_progress' }

/**
 * Reserves the keys of a message in the same transaction as the receiver's code, so that both are committed together or not at all.
 * `handle` accepts a transaction store. `receive` and `verify` refuse a transaction store, because they do not run your code.
 *
 * Use `PostgresTransactionStore` or `MySqlTransactionStore`. Do not implement this interface, because it may change in a minor version.
 *
 * @typeParam Transaction - what the client or query builder passes to the code of a transaction.
 */
export interface TransactionStore<Transaction> {
  /**
   * Runs one transaction. `handle` calls `transact` only for a message whose signature matched.
   *
   * 1. Begins the transaction.
   * 2. Locks every key without waiting, because two splits of a message share the last key, and two messages can share the first key. If a
   *    lock is taken, returns `in_progress`. No statement of a copy waits while `work` runs, because captured requests would otherwise use
   *    up the connections.
   * 3. Reserves every key. If a key of the message is taken, returns `replayed`, and nothing is reserved. If only the key of the event is
   *    taken, commits the other keys and returns `repeated`, so that a replay of a repeat is `replayed` too.
   * 4. Calls `work` once. If `work` rejects, rolls back and rejects with the same error. If `work` takes longer than `workTimeout`, rejects
   *    with `ERR_WORK_TIMEOUT`, and ends its own connection, so that nothing is committed and the locks are free.
   * 5. Rejects if the reservation is gone. This happens if a statement of `work` failed and the error was ignored. A commit would then
   *    store nothing.
   * 6. Commits and returns `done`. No step is tried again.
   *
   * @throws the error of `work`, or a `NonceStoreError` whose cause has no credentials.
   */
  transact<T>(request: TransactionRequest<Transaction, T>): Promise<TransactionOutcome<T>>
}
