import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
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

it('destroys a socket that an ended client still creates', () => {
  const sockets = new Sockets()
  sockets.destroy()
  expect([sockets.create(), sockets.connect({ host: '127.0.0.1', port: 1 })].map(({ destroyed }) => destroyed)).toEqual(
    [true, true],
  )
})

it('connects to the host of the server', async () => {
  const sockets = new Sockets()
  const [error] = await once(sockets.connect({ host: 'database.invalid', port: 1 }), 'error')
  expect(error).toMatchObject({ hostname: 'database.invalid' })
})

it('forgets a socket that is closed, and sends each statement at once', async () => {
  const noDelay = vi.spyOn(Socket.prototype, 'setNoDelay')
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const sockets = new Sockets()
  const socket = sockets.create()
  expect([noDelay, keepAlive].map(({ mock }) => mock.calls)).toEqual([[[true]], [[true]]])
  vi.restoreAllMocks()
  const closed = once(socket, 'close')
  socket.destroy()
  await closed
  const destroy = vi.spyOn(socket, 'destroy')
  sockets.destroy()
  expect(destroy).not.toHaveBeenCalled()
})
