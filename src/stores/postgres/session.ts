import { connect } from 'node:net'
import { invalidType, kindOf } from '../../arguments.js'
import type { PostgresSession } from '../connect/driver-internals.js'
import { codedError } from '../connect/failure.js'
import type { Address } from '../connect/sockets.js'
import type { ConnectSqlOptions } from '../connect/sql.js'

/** Options of `connectPg` and `connectPostgresJs`. */
export interface ConnectPostgresOptions extends ConnectSqlOptions {
  /**
   * Whether each connection plans a statement only once. By default `true`. Pass `false` for PgBouncer before 1.21 in
   * transaction mode, which does not know prepared statements.
   */
  prepare?: boolean | undefined
}

/** Returns the option `prepare`. */
export function prepareOf({ prepare = true }: ConnectPostgresOptions): boolean {
  if (typeof prepare !== 'boolean') throw invalidType(`prepare is ${kindOf(prepare)}. Pass true or false.`)
  return prepare
}

/** A query that returns `on` if new transactions may not write, as on a hot standby. */
export const READ_ONLY_QUERY = "SELECT current_setting('transaction_read_only') AS read_only"

/** Throws if the rows of {@link READ_ONLY_QUERY} say that the server accepts no writes. */
export function assertWritable([row]: readonly unknown[]): void {
  if (Object(row).read_only === 'on') throw codedError('READ_ONLY', 'PostgreSQL accepts no writes here.')
}

/** The message CancelRequest of PostgreSQL's protocol: its length and its code come first. */
const CANCEL_REQUEST = [16, 80_877_102]
const CANCEL_MILLISECONDS = 10_000

/**
 * Ends a statement that PostgreSQL may still run. Otherwise it keeps its connection for as long as it waits for a lock or a
 * synchronous standby. `statement_timeout` does not end the wait for a standby.
 *
 * @param session - the process and the secret key of the connection that runs the statement.
 * @param patience - how long to wait until the server closes the connection, in milliseconds.
 */
export function cancelStatement(
  address: Address,
  session: Pick<PostgresSession, 'pid' | 'secret'>,
  patience = CANCEL_MILLISECONDS,
): void {
  const message = Buffer.alloc(16)
  for (const [index, value] of [...CANCEL_REQUEST, session.pid, session.secret].entries()) {
    message.writeUInt32BE(value >>> 0, 4 * index)
  }
  const socket = 'path' in address ? connect(address.path) : connect(address.port, address.host)
  socket.on('connect', () => socket.write(message))
  // The server closes the connection. PgBouncer 1.18 can crash if the client does it first.
  socket.on('error', () => {}).setTimeout(patience, () => socket.destroy())
  socket.resume().unref()
}

/** Returns where a server listens. A host that is a folder contains a Unix socket. */
export function addressOf(host: string, port: number): Address {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}
