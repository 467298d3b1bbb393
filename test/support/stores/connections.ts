import { afterAll, beforeAll } from 'vitest'
import type { NonceStore } from '../../../src/index.js'

type Connection = NonceStore & { close(): unknown }

/** Opens two connections before the tests of a suite, and closes them afterwards. Returns their two stores in turns. */
export function twoConnections(connect: () => Promise<Connection>): () => NonceStore {
  const connections: Connection[] = []
  beforeAll(async () => {
    connections.push(await connect(), await connect())
  })
  afterAll(async () => {
    for (const connection of connections) await connection.close()
  })
  let next = 0
  return () => {
    const connection = connections[next++ % connections.length]
    if (connection === undefined) throw new Error('not connected')
    return connection
  }
}
