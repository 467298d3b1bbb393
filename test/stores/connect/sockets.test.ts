import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { Sockets } from '../../../src/stores/connect/sockets.js'

it('destroys the sockets that it created, though the server never ends its side', async () => {
  const accepted: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => accepted.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = Object(server.address())
  const sockets = new Sockets()
  const created = [sockets.create().connect(port, '127.0.0.1'), sockets.connect({ host: '127.0.0.1', port })]
  await Promise.all(created.map((socket) => once(socket, 'connect')))
  for (const socket of created) socket.end()
  sockets.destroy()
  expect(created.map(({ destroyed }) => destroyed)).toEqual([true, true])
  for (const socket of accepted) socket.destroy()
  server.close()
})
