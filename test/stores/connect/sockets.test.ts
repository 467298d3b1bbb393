import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { Sockets } from '../../../src/stores/connect/sockets.js'

it('destroys the sockets that it created, though the server never ends its side', async () => {
  const accepted: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => accepted.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = Object(server.address())
  const sockets = new Sockets(1000)
  const created = [sockets.create().connect(port, '127.0.0.1'), sockets.connect({ host: '127.0.0.1', port })]
  await Promise.all(created.map((socket) => once(socket, 'connect')))
  for (const socket of created) socket.end()
  sockets.destroy()
  expect(created.map(({ destroyed }) => destroyed)).toEqual([true, true])
  for (const socket of accepted) socket.destroy()
  server.close()
})

it('destroys a socket that an ended client still creates', () => {
  const sockets = new Sockets(1000)
  sockets.destroy()
  expect([sockets.create(), sockets.connect({ host: '127.0.0.1', port: 1 })].map(({ destroyed }) => destroyed)).toEqual(
    [true, true],
  )
})

it('connects to the host of the server', async () => {
  const sockets = new Sockets(1000)
  const [error] = await once(sockets.connect({ host: 'database.invalid', port: 1 }), 'error')
  expect(error).toMatchObject({ hostname: 'database.invalid' })
})

it('forgets a socket that is closed, and sends each statement at once', async () => {
  const noDelay = vi.spyOn(Socket.prototype, 'setNoDelay')
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const sockets = new Sockets(1000)
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

describe('destroySilent', () => {
  const TIMEOUT = 200

  /** Opens sockets to a server that answers each `ping`, and nothing else. */
  async function open(count: number) {
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', (data) => String(data) === 'ping' && socket.write('pong'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const sockets = new Sockets(TIMEOUT)
    const created = Array.from({ length: count }, () =>
      sockets.connect({ host: '127.0.0.1', port: Object(server.address()).port }).resume(),
    )
    await Promise.all(created.map((socket) => once(socket, 'connect')))
    const close = () => {
      sockets.destroy()
      server.close()
    }
    return { sockets, created, close }
  }

  async function ping(...sockets: Socket[]) {
    for (const socket of sockets) socket.write('ping')
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
  }

  it('ends the connections that are silent for the time-out, busy or idle, and no other', async () => {
    const { sockets, created, close } = await open(5)
    const [silent, idle, answers, sends, opens] = created as [Socket, Socket, Socket, Socket, Socket]
    await ping(silent, idle, answers, sends)
    silent.write('lost')
    opens.write('lost')
    for (let round = 0; round < 8; round++) {
      await sleep(TIMEOUT / 6)
      // More statements on a silent connection change nothing.
      silent.write('lost')
      await ping(answers)
    }
    sends.write('lost')
    sockets.destroySilent()
    expect([silent, idle, answers, sends, opens].map(({ destroyed }) => destroyed)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    await sleep(1.5 * TIMEOUT)
    sockets.destroySilent()
    expect(sends.destroyed, 'it has waited for the time-out, too').toBe(true)
    close()
  })

  it('observes without keeping the process running, until all sockets are destroyed', async () => {
    const timer = vi.spyOn(globalThis, 'setInterval')
    const cleared = vi.spyOn(globalThis, 'clearInterval')
    const { close } = await open(2)
    const timers = timer.mock.results.map(({ value }) => value)
    close()
    const clearedTimers = cleared.mock.calls.map(([value]) => value)
    vi.restoreAllMocks()
    expect(timers.map((value) => value.hasRef())).toEqual([false])
    expect(clearedTimers).toEqual(timers)
  })
})
