/** The outcome of a reservation in a transaction. `work` was called only if the outcome is `done`. */
export type TransactionOutcome = 'done' | 'replayed' | 'in_progress'

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
   *    lock is taken, rolls back and returns `in_progress`. No statement of a copy waits, because captured requests would otherwise use up
   *    the connections.
   * 3. Reserves every key for `ttlSeconds`. If a key is taken, rolls back and returns `replayed`.
   * 4. Calls `work` once. If `work` rejects, rolls back and rejects.
   * 5. Rejects if the reservation is gone. This happens if a statement of `work` failed and the error was ignored. A commit would then
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
