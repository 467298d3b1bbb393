import { within } from '../within.js'

/** How long a rollback may take, in milliseconds, before the connection is ended instead. */
const ROLLBACK_MILLISECONDS = 1000

/** The methods of a pool's connection that a transaction needs. */
export interface TransactionConnection {
  query(text: string): Promise<unknown>
  /** Returns the connection to its pool. With `true`, a client of the package `pg` ends the connection. */
  release(destroy?: boolean): void
  on(event: 'error', listener: () => void): unknown
  removeListener(event: 'error', listener: () => void): unknown
}

/** Returns the option `begin` of a transaction store. `acquire` takes a connection from the pool, and `end` ends a lost connection. */
export function beginOn<Connection extends TransactionConnection>(
  acquire: () => Promise<Connection>,
  end: (connection: Connection) => void,
): (run: (connection: Connection) => Promise<void>) => Promise<void> {
  return async (run) => {
    const connection = await acquire()
    // The pool hears no errors while the connection is in use. Without a listener, the error of a lost connection would end the process.
    const ignore = () => {}
    connection.on('error', ignore)
    let isLost = false
    try {
      await connection.query('BEGIN')
      await run(connection)
      await connection.query('COMMIT')
    } catch (error) {
      await within(ROLLBACK_MILLISECONDS, connection.query('ROLLBACK')).catch(() => {
        isLost = true
      })
      throw error
    } finally {
      if (isLost) end(connection)
      else {
        connection.release()
        connection.removeListener('error', ignore)
      }
    }
  }
}
