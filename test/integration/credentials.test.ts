import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { createClient, createCluster, createSentinel } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verify } from '../../src/index.js'
import { connectMariadb, connectMysql2 } from '../../src/stores/mysql/index.js'
import { connectPg, connectPostgresJs } from '../../src/stores/postgres/index.js'
import { connectIoredis, connectNodeRedis, RedisNonceStore } from '../../src/stores/redis/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import { shows } from '../support/secrets.js'
import {
  eventually,
  LONG_TIMEOUT,
  PostgresServer,
  postgresIsInstalled,
  RedisServer,
  startRedisCluster,
  startRedisSentinel,
} from '../support/servers.js'
import { newRequest, SECRET } from '../support/stores/load.js'
import { connect } from '../support/stores/source.js'

// No error of a connected store shows a password: at the start, in the background, or in a reservation.

const USER = 'hooks'
const PLANTED = 'planted-password'

interface Options {
  timeout: number
  onError(error: unknown): void
}

type Open = (
  address: { port: number; ports: number[] },
  password: string,
  options: Options,
) => ReturnType<typeof connectNodeRedis>

const host = '127.0.0.1'
const urlOf = (scheme: string, port: number, password: string, path = '') =>
  `${scheme}://${USER}:${password}@${host}:${port}${path}`

interface Database {
  isInstalled: boolean
  /** Starts servers that know the user, but no password. */
  start(): Promise<{
    port: number
    ports: number[]
    /** Sets the password of the user, and ends the connections of the user. */
    setPassword(password: string): Promise<unknown>
    stop(): Promise<unknown>
  }>
  clients: Record<string, Open>
}

function setPasswordOf(servers: readonly RedisServer[], password: string): void {
  for (const server of servers) {
    server.cli('ACL', 'SETUSER', USER, 'on', 'resetpass', `>${password}`, '+@all', '~*')
    server.cli('CLIENT', 'KILL', 'USER', USER)
  }
}

const DATABASES: Record<string, Database> = {
  Redis: {
    isInstalled: isInstalled('redis-server'),
    async start() {
      const server = await RedisServer.start()
      return {
        port: server.port,
        ports: [server.port],
        setPassword: async (password) => setPasswordOf([server], password),
        stop: () => server.stop(),
      }
    },
    clients: {
      redis: ({ port }, password, more) => connect.redis(urlOf('redis', port, password), more),
      ioredis: ({ port }, password, more) => connect.ioredis(urlOf('redis', port, password), more),
    },
  },
  'a Redis cluster': {
    isInstalled: isInstalled('redis-server'),
    async start() {
      const nodes = await startRedisCluster()
      return {
        port: 0,
        ports: nodes.map(({ port }) => port),
        setPassword: async (password) => setPasswordOf(nodes, password),
        stop: () => Promise.all(nodes.map((node) => node.stop())),
      }
    },
    clients: {
      redis: ({ ports }, password, more) =>
        connectNodeRedis(
          ({ defaults, ...options }) =>
            createCluster({
              rootNodes: ports.map((port) => ({ url: `redis://${host}:${port}` })),
              ...options,
              defaults: { ...defaults, username: USER, password },
            }),
          more,
        ),
      ioredis: ({ ports }, password, more) =>
        connectIoredis(
          ({ redisOptions, ...options }) =>
            new Redis.Cluster(
              ports.map((port) => ({ host, port })),
              { ...options, redisOptions: { ...redisOptions, username: USER, password } },
            ),
          more,
        ),
    },
  },
  'Redis Sentinel': {
    isInstalled: isInstalled('redis-server'),
    async start() {
      const { master, sentinels, stop } = await startRedisSentinel()
      return {
        port: master.port,
        ports: sentinels.map(({ port }) => port),
        setPassword: async (password) => setPasswordOf([master], password),
        stop,
      }
    },
    clients: {
      redis: ({ ports }, password, more) =>
        connectNodeRedis(
          ({ nodeClientOptions, ...options }) =>
            createSentinel({
              name: 'nonces',
              sentinelRootNodes: ports.map((port) => ({ host, port })),
              ...options,
              nodeClientOptions: { ...nodeClientOptions, username: USER, password },
            }),
          more,
        ),
      ioredis: ({ ports }, password, more) =>
        connectIoredis((options) => {
          const sentinels = ports.map((port) => ({ host, port }))
          return new Redis({ name: 'nonces', sentinels, username: USER, password, ...options })
        }, more),
    },
  },
  PostgreSQL: {
    isInstalled: isInstalled('postgresql', postgresIsInstalled()),
    async start() {
      const server = await PostgresServer.start()
      await server.sql(`CREATE ROLE ${USER} LOGIN SUPERUSER`)
      await server.requirePassword(USER)
      return {
        port: server.port,
        ports: [server.port],
        async setPassword(password) {
          await server.sql(`ALTER ROLE ${USER} PASSWORD '${password}'`)
          await server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${USER}'`)
        },
        stop: () => server.stop(),
      }
    },
    clients: {
      pg: ({ port }, password, more) => connect.pg(urlOf('postgres', port, password, '/postgres'), more),
      'postgres.js': ({ port }, password, more) =>
        connect['postgres.js'](urlOf('postgres', port, password, '/postgres'), more),
    },
  },
  MariaDB: {
    isInstalled: isInstalled('mariadb', mariadbIsInstalled()),
    async start() {
      const server = await MariaDbServer.start()
      await server.sql(`CREATE USER ${USER}@'${host}' IDENTIFIED BY 'none'; GRANT ALL ON hooks.* TO ${USER}@'${host}'`)
      return {
        port: server.port,
        ports: [server.port],
        setPassword: (password) =>
          server.sql(`SET PASSWORD FOR ${USER}@'${host}' = PASSWORD('${password}'); KILL USER ${USER}@'${host}'`),
        stop: () => server.stop(),
      }
    },
    clients: {
      mysql2: ({ port }, password, more) => connect.mysql2(urlOf('mysql', port, password, '/hooks'), more),
      mariadb: ({ port }, password, more) =>
        connect.mariadb(urlOf('mariadb', port, password, '/hooks'), { concurrency: 2, ...more }),
    },
  },
}

describe.each(Object.entries(DATABASES))('no error of a client of %s shows its password', (_, database) => {
  describe.runIf(database.isInstalled)('', () => {
    let server: Awaited<ReturnType<Database['start']>>
    beforeAll(async () => {
      server = await database.start()
    })
    afterAll(() => server.stop())

    it.each(Object.entries(database.clients))('%s', async (name, open) => {
      const background: unknown[] = []
      const options = { timeout: 3000, onError: (error: unknown) => background.push(error) }

      await server.setPassword('another')
      const refused: unknown = await open(server, PLANTED, options).catch((error: unknown) => error)
      expect(refused).toHaveProperty('message', expect.stringContaining('refused the user name or the password'))

      await server.setPassword(PLANTED)
      const errors = [refused]
      const nonceStore = await eventually(() => open(server, PLANTED, options))
      try {
        background.length = 0
        await server.setPassword('another')
        // The lost connection is an error in the background only while no request uses it. postgres.js emits no such errors.
        if (name !== 'postgres.js') await eventually(() => expect(background).not.toEqual([]))
        while (errors.length < 4) {
          await verify(newRequest(), SECRET, nonceStore).catch((error: unknown) => errors.push(error))
        }
      } finally {
        await nonceStore.close()
      }
      errors.push(...background)
      expect(errors.filter((error) => shows(PLANTED, error))).toEqual([])
    })
  })
})

describe('no error for an invalid URL shows its password', () => {
  // Without encodeURIComponent, # and / end the address, so that the start of the password is a port.
  const url = (scheme: string) => `${scheme}://${USER}:${PLANTED}#/@${host}/hooks`
  it.each<[string, () => Promise<unknown>]>([
    ['redis', () => connectNodeRedis((options) => createClient({ url: url('redis'), ...options }))],
    [
      'redis, cluster',
      () => connectNodeRedis((options) => createCluster({ rootNodes: [{ url: url('redis') }], ...options })),
    ],
    ['ioredis', () => connectIoredis((options) => new Redis(url('redis'), options))],
    ['ioredis, cluster', () => connectIoredis((options) => new Redis.Cluster([url('redis')], options))],
    ['pg', () => connectPg((options) => new pg.Pool({ connectionString: url('postgres'), ...options }))],
    ['postgres.js', () => connectPostgresJs((options) => postgres(url('postgres'), options))],
    ['mysql2', () => connectMysql2((options) => mysql.createPool({ uri: url('mysql'), ...options }))],
    ['mariadb', () => connectMariadb(() => mariadb.createPool(url('mariadb')))],
  ])('%s', async (_, open) => {
    const error: unknown = await open().catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: expect.stringMatching(/^The URL in create is invalid\./),
    })
    expect(shows(PLANTED, error)).toBe(false)
  })
})

describe.runIf(isInstalled('redis-server'))('no error of a Redis server shows a password', () => {
  it.each(['redis', 'ioredis'])('%s, if the server knows neither HELLO nor AUTH', async (kind) => {
    const server = await RedisServer.start('--rename-command', 'HELLO', '', '--rename-command', 'AUTH', '')
    try {
      const errors: unknown[] = []
      const open = DATABASES['Redis']?.clients[kind]
      const options = { timeout: 3000, onError: (error: unknown) => errors.push(error) }
      errors.push(await open?.({ port: server.port, ports: [] }, PLANTED, options).catch((error: unknown) => error))
      expect(inspect(errors)).toContain('unknown command')
      expect(errors.filter((error) => shows(PLANTED, error))).toEqual([])
    } finally {
      await server.stop()
    }
  })

  it('with a client of your own', async () => {
    const server = await RedisServer.start()
    setPasswordOf([server], 'another')
    const client = new Redis(urlOf('redis', server.port, PLANTED), { retryStrategy: () => null })
    client.on('error', () => {})
    try {
      const nonceStore = new RedisNonceStore({
        sendCommand: ([command = '', ...args]) => client.call(command, ...args),
        timeout: LONG_TIMEOUT,
      })
      const error: unknown = await nonceStore.reserve('42', 'nonce', 600).catch((reason: unknown) => reason)
      expect(String(error)).toContain('WRONGPASS')
      expect(shows(PLANTED, error)).toBe(false)
    } finally {
      client.disconnect()
      await server.stop()
    }
  })
})
