import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { PostgresServer, postgresIsInstalled, RedisServer, startRedisCluster } from '../../support/servers.js'
import { configOf, DynaliteServer, dynaliteIsInstalled } from './dynalite-server.js'
import { startRedisSentinel } from './redis-sentinel.js'

export interface Server {
  signal(signal: NodeJS.Signals): unknown
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

/** The databases that the nightly tests start, by the name of their program. */
export const REDIS = { installed: isInstalled('redis-server'), start: () => RedisServer.start() }
export const POSTGRES = {
  installed: isInstalled('postgresql', postgresIsInstalled()),
  start: () => PostgresServer.start(),
}
export const MARIADB = { installed: isInstalled('mariadb', mariadbIsInstalled()), start: () => MariaDbServer.start() }

/** Starts one server of a store. */
const alone = (start: () => Promise<Server & { url: string }>) => async () => {
  const server = await start()
  return { servers: [server], address: server.url }
}

export interface Store {
  store: string
  /** The files of docs/stores. */
  files: string[]
  installed: boolean
  start(): Promise<{ servers: Server[]; address: unknown }>
}

/** The shared stores, and how to start the servers of each. */
export const STORES: readonly Store[] = [
  {
    store: 'Redis',
    files: ['ioredis.ts', 'redis.ts', 'ioredis-shared.ts', 'redis-shared.ts', 'redis-read-only.ts'],
    installed: REDIS.installed,
    start: alone(REDIS.start),
  },
  {
    store: 'Redis Cluster',
    files: ['ioredis-cluster.ts', 'redis-cluster.ts'],
    installed: REDIS.installed,
    async start() {
      const servers = await startRedisCluster()
      return { servers, address: servers.map(({ url }) => url) }
    },
  },
  {
    store: 'Redis Sentinel',
    files: ['ioredis-sentinel.ts', 'redis-sentinel.ts'],
    installed: REDIS.installed,
    async start() {
      const { master, replica, sentinels, address } = await startRedisSentinel()
      return { servers: [master, replica, ...sentinels], address }
    },
  },
  {
    store: 'PostgreSQL',
    files: ['pg.ts', 'pg-shared.ts', 'postgres-js.ts'],
    installed: POSTGRES.installed,
    start: alone(POSTGRES.start),
  },
  {
    store: 'MySQL, MariaDB',
    files: ['mysql2.ts', 'mysql2-shared.ts', 'mariadb.ts'],
    installed: MARIADB.installed,
    start: alone(MARIADB.start),
  },
  {
    store: 'DynamoDB',
    files: ['dynamodb.js', 'dynamodb-shared.js'],
    installed: isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled()),
    async start() {
      const server = await DynaliteServer.start()
      return { servers: [server], address: configOf(server.port) }
    },
  },
]
