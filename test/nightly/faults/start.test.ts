import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createClient, createCluster, createSentinel } from 'redis'
import { describe, expect, it, vi } from 'vitest'
import { connectNodeRedis } from '../../../src/stores/redis/index.js'
import { createCertificate } from '../../support/certificate.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, PostgresServer, postgresIsInstalled, TcpProxy } from '../../support/servers.js'
import { connectStore } from '../../support/stores/connect.js'
import { newRequest, send } from '../../support/stores/load.js'
import { type Server, STORES } from '../../support/stores/shared-stores.js'

// A process starts while its store is down, and later calls `connect` again.

const STATES = {
  killed: { begin: (server: Server) => server.kill(), end: (server: Server) => server.restart() },
  stopped: {
    begin: (server: Server) => server.signal('SIGSTOP'),
    end: (server: Server) => server.signal('SIGCONT'),
  },
}

vi.spyOn(console, 'error').mockImplementation(() => {})

it.concurrent.each(STORES.filter(({ installed }) => installed))(
  '$store is down at the start: connect ends in time, and works when it is called again',
  async ({ kinds, start }) => {
    const { servers, address } = await start()
    try {
      for (const kind of kinds) {
        // This loads the client, which takes more than a second for the AWS SDK on a busy machine.
        await (await eventually(() => connectStore(kind, address, 1000))).close()
        for (const [state, { begin, end }] of Object.entries(STATES)) {
          for (const server of servers) await begin(server)
          try {
            const startedAt = performance.now()
            const early = await connectStore(kind, address, 1000).catch(() => undefined)
            expect(performance.now() - startedAt, `${kind}, ${state}`).toBeLessThan(3500)
            // Only DynamoDB has no connection that could fail.
            expect(early !== undefined, `${kind}, ${state}`).toBe(kind === 'dynamodb')
            if (early !== undefined) {
              expect(await send(newRequest(), early.nonceStore)).toBe('ERR_NONCE_STORE')
              await early.close()
            }
          } finally {
            for (const server of servers) await end(server)
          }
          const { nonceStore, close } = await eventually(() => connectStore(kind, address, 1000))
          await eventually(async () => expect(await send(newRequest(), nonceStore)).toBe('accepted'))
          await close()
        }
      }
    } finally {
      for (const server of servers) await server.stop()
    }
  },
)

const SINGLE = STORES.filter(({ store, installed }) => installed && /^(Redis|PostgreSQL|MySQL, MariaDB)$/.test(store))

it.concurrent.each(SINGLE)('$store is far away, with 300 or 400 ms of latency: connect works', async (store) => {
  const { servers, address } = await store.start()
  const { port } = new URL(String(address))
  const proxy = await TcpProxy.start(Number(port))
  const farAddress = String(address).replace(port, String(proxy.port))
  try {
    for (const kind of store.kinds) {
      // This loads the client.
      await (await eventually(() => connectStore(kind, address, 1000))).close()
      // Opening takes at least three round trips, and mariadb ends it after the time-out. The error names the option.
      const isTooShort = kind === 'mariadb'
      proxy.delay = isTooShort ? 400 : 300
      if (isTooShort)
        await expect(connectStore(kind, farAddress, 1000)).rejects.toThrow('raise timeout if the server is far away')
      const { nonceStore, close } = await connectInTime(kind, farAddress, isTooShort ? 2000 : 1000)
      expect(await send(newRequest(), nonceStore), `${kind}`).toBe('accepted')
      await close()
      proxy.delay = 0
    }
  } finally {
    proxy.stop()
    for (const server of servers) await server.stop()
  }
})

const TLS = isInstalled('postgresql', postgresIsInstalled()) && isInstalled('openssl')

describe.runIf(TLS)('PostgreSQL is far away, with 300 ms of latency, TLS and a password', () => {
  it.concurrent.each([
    ['pg', 'no-verify'],
    ['postgres.js', 'require'],
  ])('%s connects', async (kind, mode) => {
    const { cert, key, folder } = createCertificate('postgres')
    const server = await PostgresServer.start('ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`)
    await server.sql("CREATE ROLE hooks LOGIN SUPERUSER PASSWORD 'right'")
    await server.requirePassword('hooks')
    const proxy = await TcpProxy.start(server.port)
    try {
      const address = `postgres://hooks:right@127.0.0.1:${proxy.port}/postgres?sslmode=${mode}`
      // This loads the client.
      await (await eventually(() => connectStore(kind, address, 1000))).close()
      proxy.delay = 300
      const { nonceStore, close } = await connectInTime(kind, address)
      expect(await send(newRequest(), nonceStore), `${kind}`).toBe('accepted')
      await close()
    } finally {
      proxy.stop()
      await server.stop()
      rmSync(folder, { recursive: true })
    }
  })
})

type CreateNodeRedis = Parameters<typeof connectNodeRedis>[0]

it.concurrent.each<[what: string, (port: number) => CreateNodeRedis]>([
  ['a server', (port) => (options) => createClient({ ...options, socket: { ...options.socket, port } })],
  ['a cluster', (port) => (options) => createCluster({ rootNodes: [{ socket: { port } }], ...options })],
  [
    'sentinels',
    (port) => (options) => {
      // More than it can ask within the time-out.
      const sentinelRootNodes = Array.from({ length: 20 }, () => ({ host: '127.0.0.1', port }))
      return createSentinel({ name: 'nonces', sentinelRootNodes, ...options })
    },
  ],
])('connectNodeRedis leaves no connection and no error behind if nothing answers: %s', async (_, clientOf) => {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const create = clientOf(Object(server.address()).port)
  await expect(connectNodeRedis(create, { timeout: 600, onError })).rejects.toThrow('The server cannot be reached')
  const { length } = errors
  // A connection that was being opened ends when it was silent for 2.2 s.
  await vi.waitFor(() => expect(open.size).toBe(0), 5000)
  expect(errors.slice(length)).toEqual([])
  server.close()
})

/** Connects a store. A failure may be due to a machine under load. */
function connectInTime(kind: string, address: string, timeout = 1000): ReturnType<typeof connectStore> {
  return connectStore(kind, address, timeout).catch((error: unknown) => {
    throw new Error(`${kind} did not connect`, { cause: error })
  })
}
