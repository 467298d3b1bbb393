import { expect, it, vi } from 'vitest'
import { configOf, DynaliteServer, dynaliteIsInstalled } from '../support/dynalite-server.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import {
  eventually,
  PostgresServer,
  postgresIsInstalled,
  RedisServer,
  startRedisCluster,
  startRedisSentinel,
} from '../support/servers.js'
import { connectStore } from '../support/stores/connect.js'
import { newRequest, send } from '../support/stores/load.js'

// A process starts while its store is down, and later calls `connect` again.

interface Server {
  signal(signal: NodeJS.Signals): unknown
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

interface Store {
  store: string
  kinds: string[]
  installed: boolean
  start(): Promise<{ servers: Server[]; address: unknown }>
}

const STORES: Store[] = [
  {
    store: 'Redis',
    kinds: ['redis', 'ioredis'],
    installed: isInstalled('redis-server'),
    async start() {
      const server = await RedisServer.start()
      return { servers: [server], address: server.url }
    },
  },
  {
    store: 'Redis Cluster',
    kinds: ['redis-cluster', 'ioredis-cluster'],
    installed: isInstalled('redis-server'),
    async start() {
      const servers = await startRedisCluster()
      return { servers, address: servers.map(({ url }) => url) }
    },
  },
  {
    store: 'Redis Sentinel',
    kinds: ['redis-sentinel', 'ioredis-sentinel'],
    installed: isInstalled('redis-server'),
    async start() {
      const { master, replica, sentinels, address } = await startRedisSentinel()
      return { servers: [master, replica, ...sentinels], address }
    },
  },
  {
    store: 'PostgreSQL',
    kinds: ['pg', 'postgres.js'],
    installed: isInstalled('postgresql', postgresIsInstalled()),
    async start() {
      const server = await PostgresServer.start()
      return { servers: [server], address: server.url }
    },
  },
  {
    store: 'MySQL, MariaDB',
    kinds: ['mysql2', 'mariadb'],
    installed: isInstalled('mariadb', mariadbIsInstalled()),
    async start() {
      const server = await MariaDbServer.start()
      return { servers: [server], address: server.url }
    },
  },
  {
    store: 'DynamoDB',
    kinds: ['dynamodb'],
    installed: isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled()),
    async start() {
      const server = await DynaliteServer.start()
      return { servers: [server], address: configOf(server.port) }
    },
  },
]

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
