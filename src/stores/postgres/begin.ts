import { beginOn, type TransactionConnection } from '../sql-begin.js'

/** A client of a `pg.Pool`. */
interface PgConnection extends TransactionConnection {
  /** Returns the client to the pool. With `true`, the pool closes it. */
  release(destroy?: boolean): void
}

/**
 * Returns the option `begin` of `PostgresTransactionStore` for a pool of the package `pg`.
 *
 * A connection that is cut while your code runs does not end the process. A connection whose rollback fails leaves the pool.
 *
 * @param pool - a `pg.Pool`.
 */
export function beginPg<Client extends PgConnection>(pool: {
  connect: { (): Promise<Client>; (callback: never): void }
}): (run: (client: Client) => Promise<void>) => Promise<void> {
  return beginOn(
    () => pool.connect(),
    (client) => client.release(true),
  )
}
