/**
 * Returns the statement that limits how long other statements wait for a lock, and turns on autocommit. With the default limits (50 s for a
 * row, and at least a day for a table), waiting statements would use up all connections. Without autocommit, no reservation would be
 * stored.
 */
export function sessionSettings(timeout: number): string {
  const seconds = Math.ceil(timeout / 1000)
  return `SET SESSION lock_wait_timeout = ${seconds}, innodb_lock_wait_timeout = ${seconds}, autocommit = 1`
}
