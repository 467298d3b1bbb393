import { codedError } from '../connect/failure.js'

/**
 * Returns the statement that limits how long other statements wait for a lock, and turns on autocommit. With the default limits, 50 s
 * for a row and a day for a table, waiting statements would use up all connections. Without autocommit, nothing that is reserved would
 * ever be stored.
 */
export function sessionSettings(timeout: number): string {
  const seconds = Math.ceil(timeout / 1000)
  return `SET SESSION lock_wait_timeout = ${seconds}, innodb_lock_wait_timeout = ${seconds}, autocommit = 1`
}

/** A query whose result is not 0 on a server that accepts no writes. A replica of Aurora is read-only in InnoDB only. */
export const READ_ONLY_QUERY = 'SELECT @@global.read_only + @@global.innodb_read_only AS read_only'

/** Throws if the first row of {@link READ_ONLY_QUERY} says that the server accepts no writes. */
export function assertWritable(row: unknown): void {
  if (Number(Object(row).read_only) > 0) throw codedError('READ_ONLY', 'The server is read-only.')
}
