/** The rows that a transaction writes, with one owner. */
export interface TransactionRows {
  readonly hashes: readonly string[]
  readonly eventHash: string | undefined
  readonly owner: string
  /** The parameters of the statement that writes the rows. */
  readonly values: readonly (string | number)[]
}

/** The row of the statement that locks keys: whether all locks were free, and what the database needs to unlock the keys. */
export type LockRow = Readonly<Record<string, unknown>>

/** What differs between the transactions of SQL databases. `table` is the table's quoted name. */
export interface TransactionDialect {
  /**
   * Returns the statement that locks keys without waiting. The column `locked` of its row is 1 if all locks were free. Each table has its own
   * locks, however its name is written. If the database can, the statement also limits this transaction to `milliseconds`.
   */
  lock(table: string, rows: TransactionRows, milliseconds: number): string
  /** Returns the statement that writes `count` rows, but no row whose key is reserved. `values` are the parameters. */
  upsert(table: string, count: number): string
  /** Whether the statement of {@link upsert} returns the column `hash` of the rows that were written, so that no query asks for them. */
  readonly returnsHashes: boolean
  /** SQL for the hash of a row's key in hex. */
  readonly hash: string
  /** Returns the statement that unlocks the keys, if a lock does not end with its transaction. */
  unlock?(lock: LockRow): string
  /** Returns the statement that ends its own connection, if this connection still has the transaction. */
  endSelf(lock: LockRow, rows: TransactionRows): string
  /** Returns whether a connection has ended, by the error of {@link endSelf}. */
  isEnded(error: unknown): boolean
  /** Returns the statement that ends the connection of the lock from another connection, if this connection still holds the lock. */
  endHolder?(lock: LockRow): string
}
