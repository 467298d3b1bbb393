import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { PostgresSession, PostgresTls } from '../connect/driver-internals.js'
import type { ConnectSqlOptions } from '../connect/sql.js'

/** Options of `connectPg` and `connectPostgresJs`. */
export interface ConnectPostgresOptions extends ConnectSqlOptions {
  /**
   * Whether to use prepared statements, which each connection plans only once. By default `true`. Pass `false` for PgBouncer before 1.21 in
   * transaction mode, which does not support prepared statements.
   */
  prepare?: boolean | undefined
}

/** The first numbers of the messages SSLRequest and CancelRequest of PostgreSQL's protocol: the length and the code. */
const SSL_REQUEST = [8, 80_877_103]
const CANCEL_REQUEST = [16, 80_877_102]
const CLOSING_MILLISECONDS = 10_000

/**
 * Cancels a statement that PostgreSQL may still run. Otherwise, the statement would keep its connection while it waits for a lock or a
 * synchronous standby. `statement_timeout` does not end the wait for a standby.
 *
 * The secret key is encrypted in the same way as the connection that runs the statement.
 *
 * @param session - the connection that runs the statement, or `undefined` if the statement was not sent.
 * @param closingTime - how long to wait until the server closes the connection, in milliseconds.
 */
export function cancelStatement(session: PostgresSession | undefined, closingTime = CLOSING_MILLISECONDS): void {
  if (session === undefined) return
  const { address, pid, secret, tls } = session
  const socket = 'path' in address ? connect(address.path) : connect(address.port, address.host)
  // The server closes the connection, because PgBouncer 1.18 can crash if the client closes it first.
  socket.on('error', () => {}).setTimeout(closingTime, () => socket.destroy())
  socket.unref()
  const cancelOn = (stream: Socket) => stream.resume().write(messageOf(...CANCEL_REQUEST, pid, secret))

  if (tls === undefined) socket.once('connect', () => cancelOn(socket))
  else if (tls.isDirect) encrypt(tls)
  else {
    socket.once('connect', () => socket.write(messageOf(...SSL_REQUEST)))
    socket.once('data', (response) => {
      if (response.toString() === 'S') encrypt(tls)
      else if (tls.isOptional) cancelOn(socket)
      else socket.destroy()
    })
  }

  function encrypt({ options }: PostgresTls): void {
    const encrypted = connectTls({ ...options, socket })
    // `secureConnect` is emitted only if the certificate is trusted.
    encrypted.once('secureConnect', () => cancelOn(encrypted)).on('error', () => socket.destroy())
  }
}

/** Returns the bytes of a message that consists of numbers of 4 bytes. */
function messageOf(...values: number[]): Buffer {
  const message = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) message.writeUInt32BE(value >>> 0, 4 * index)
  return message
}
