import { beginOn, type TransactionConnection } from '../sql-begin.js'

/**
 * Returns the option `begin` of `PostgresTransactionStore` for a pool of the package `pg`.
 *
 * A connection that is cut while your code runs does not end the process. A connection whose rollback fails leaves the pool.
 *
 * @param pool - a `pg.Pool`.
 */
export function beginPg<Client extends TransactionConnection & { release: (destroy?: boolean) => void }>(pool: {
  connect: { (): Promise<Client>; (callback: never): void }
}): (run: (client: Client) => Promise<void>) => Promise<void> {
  return beginOn(
    () => pool.connect(),
    (client) => client.release(true),
  )
}
