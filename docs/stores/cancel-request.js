import { connect } from 'node:net'

/**
 * Ends a statement that PostgreSQL may still run. Otherwise it keeps its connection for as long as it waits for a lock or a
 * synchronous standby. This is the message CancelRequest of PostgreSQL's protocol.
 *
 * @param {string} host
 * @param {number} port
 * @param {{ pid: number, secret: number }} session
 */
export function cancelRequest(host, port, { pid, secret }) {
  const message = Buffer.alloc(16)
  for (const [index, value] of [16, 80877102, pid, secret].entries()) message.writeUInt32BE(value >>> 0, 4 * index)
  const socket = connect(port, host, () => socket.write(message))
  // The server closes the connection. PgBouncer 1.18 can crash if the client does it first.
  socket.on('error', () => {}).setTimeout(10_000, () => socket.destroy())
  socket.resume().unref()
}
