/** The outcome of a reservation in a transaction. `work` was called only if the outcome is `done`. */
export type TransactionOutcome = 'done' | 'replayed' | 'in_progress'

/**
 * Reserves the keys of a message in the same transaction as the receiver's code, so that both are committed together or not at all.
 * `handle` accepts a transaction store. `receive` and `verify` refuse a transaction store, because both run no code.
 *
 * The interface is for `PostgresTransactionStore` and `MySqlTransactionStore`, and may change in a minor version.
 *
 * @typeParam Transaction - what the client or query builder passes to the code of a transaction.
 */
export interface TransactionStore<Transaction> {
  /**
   * Runs one transaction. `handle` calls `transact` only for a message whose signature matched.
   *
   * 1. Begins the transaction.
   * 2. Locks every key without waiting: two splits of a message have the same last key, and two messages may have the same first key. If
   *    a lock is taken, rolls back and returns `in_progress`. No statement of a copy waits, because captured requests would otherwise use
   *    up the connections.
   * 3. Reserves every key for `ttlSeconds`. If a key is taken, rolls back and returns `replayed`.
   * 4. Calls `work` once. If `work` rejects, rolls back and rejects.
   * 5. Rejects if the reservation is gone, because a statement of `work` failed and the error was ignored. In that case, a commit would
   *    store nothing.
   * 6. Commits, and returns `done`. No step is tried again.
   *
   * @param work - checks the window again, and then runs the receiver's code.
   * @throws any error, without credentials, if a step failed.
   */
  transact(
    webhookId: string,
    keys: readonly string[],
    ttlSeconds: number,
    work: (transaction: Transaction) => Promise<void>,
  ): Promise<TransactionOutcome>
}
