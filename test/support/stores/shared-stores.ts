import { configOf, DynaliteServer, dynaliteIsInstalled } from '../dynalite-server.js'
import { MariaDbServer, mariadbIsInstalled } from '../mariadb-server.js'
import { isInstalled } from '../programs.js'
import { PostgresServer, postgresIsInstalled, RedisServer, startRedisCluster, startRedisSentinel } from '../servers.js'

export interface Server {
  signal(signal: NodeJS.Signals): unknown
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface Store {
  store: string
  kinds: string[]
  installed: boolean
  start(): Promise<{ servers: Server[]; address: unknown }>
}

/** The shared stores, and how to start the servers of each. */
export const STORES: readonly Store[] = [
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
