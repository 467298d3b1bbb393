import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verify } from '../../src/index.js'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import { shows } from '../support/secrets.js'
import { eventually, PostgresServer, postgresIsInstalled, RedisServer } from '../support/servers.js'
import { MYSQL_CLIENTS, POSTGRES_CLIENTS, REDIS_CLIENTS } from '../support/stores/clients.js'
import { newRequest, SECRET } from '../support/stores/load.js'

// No error of a store shows the password of its client: in createTable(), in check(), or in a reservation.

const USER = 'hooks'
const PLANTED = 'planted-password'

const TIMEOUT = 500
const host = '127.0.0.1'

interface Database {
  isInstalled: boolean
  /** Starts a server that knows the user, but no password. */
  start(): Promise<{
    urlOf(password: string): string
    /** Sets the password of the user, and ends the connections of the user. */
    setPassword(password: string): Promise<unknown>
    stop(): Promise<unknown>
  }>
  clients: typeof REDIS_CLIENTS | typeof POSTGRES_CLIENTS | typeof MYSQL_CLIENTS
}

const DATABASES: Record<string, Database> = {
  Redis: {
    isInstalled: isInstalled('redis-server'),
    async start() {
      const server = await RedisServer.start()
      return {
        urlOf: (password) => `redis://${USER}:${password}@${host}:${server.port}`,
        async setPassword(password) {
          server.cli('ACL', 'SETUSER', USER, 'on', 'resetpass', `>${password}`, '+@all', '~*')
          server.cli('CLIENT', 'KILL', 'USER', USER)
        },
        stop: () => server.stop(),
      }
    },
    clients: REDIS_CLIENTS,
  },
  PostgreSQL: {
    isInstalled: isInstalled('postgresql', postgresIsInstalled()),
    async start() {
      const server = await PostgresServer.start()
      await server.sql(`CREATE ROLE ${USER} LOGIN SUPERUSER`)
      await server.requirePassword(USER)
      return {
        urlOf: (password) => `postgres://${USER}:${password}@${host}:${server.port}/postgres`,
        async setPassword(password) {
          await server.sql(`ALTER ROLE ${USER} PASSWORD '${password}'`)
          await server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${USER}'`)
        },
        stop: () => server.stop(),
      }
    },
    clients: POSTGRES_CLIENTS,
  },
  MariaDB: {
    isInstalled: isInstalled('mariadb', mariadbIsInstalled()),
    async start() {
      const server = await MariaDbServer.start()
      await server.sql(`CREATE USER ${USER}@'${host}' IDENTIFIED BY 'none'; GRANT ALL ON hooks.* TO ${USER}@'${host}'`)
      return {
        urlOf: (password) => `mysql://${USER}:${password}@${host}:${server.port}/hooks`,
        setPassword: (password) =>
          server.sql(`SET PASSWORD FOR ${USER}@'${host}' = PASSWORD('${password}'); KILL USER ${USER}@'${host}'`),
        stop: () => server.stop(),
      }
    },
    clients: MYSQL_CLIENTS,
  },
}

describe.each(Object.entries(DATABASES))('no error of a client of %s shows its password', (_, database) => {
  describe.runIf(database.isInstalled)('', () => {
    let server: Awaited<ReturnType<Database['start']>>
    beforeAll(async () => {
      server = await database.start()
    })
    afterAll(() => server.stop())

    it.each(Object.entries(database.clients))('%s', async (_, open) => {
      const errors: unknown[] = []
      const collect = (error: unknown) => errors.push(error)
      await server.setPassword('another')
      const wrong = open(server.urlOf(PLANTED), { timeout: TIMEOUT })
      if ('createTable' in wrong.nonceStore) await wrong.nonceStore.createTable().catch(collect)
      await wrong.nonceStore.check().catch(collect)
      await verify(newRequest(), SECRET, wrong.nonceStore).catch(collect)
      await wrong.close()
      expect(errors.length).toBeGreaterThan(1)

      await server.setPassword(PLANTED)
      const { nonceStore, close } = open(server.urlOf(PLANTED), { timeout: TIMEOUT })
      try {
        if ('createTable' in nonceStore) await nonceStore.createTable()
        await eventually(() => nonceStore.check())
        await server.setPassword('another')
        const before = errors.length
        while (errors.length < before + 3) await verify(newRequest(), SECRET, nonceStore).catch(collect)
        await nonceStore.check().catch(collect)
      } finally {
        await close()
      }
      expect(errors.filter((error) => shows(PLANTED, error))).toEqual([])
    })
  })
})

describe('no error for an invalid URL shows its password', () => {
  // Without encodeURIComponent, # and / end the address, so that the start of the password is a port.
  const url = (scheme: string) => `${scheme}://${USER}:${PLANTED}#/@${host}/hooks`
  it.each<[string, () => Promise<unknown>]>([
    [
      'pg',
      () => {
        const pool = new pg.Pool({ connectionString: url('postgres') })
        return new PostgresNonceStore({ query: (text, values) => pool.query(text, values) }).check()
      },
    ],
    [
      'mysql2',
      () => {
        const query = async (text: string, values: unknown[]) =>
          mysql.createPool({ uri: url('mysql') }).query(text, values)
        return new MySqlNonceStore({ query }).check()
      },
    ],
    [
      'mariadb',
      () => {
        const query = async (text: string, values: unknown[]) => mariadb.createPool(url('mariadb')).query(text, values)
        return new MySqlNonceStore({ query }).check()
      },
    ],
    [
      'redis',
      () =>
        new RedisNonceStore({
          sendCommand: async (args) => createClient({ url: url('redis') }).sendCommand(args),
        }).check(),
    ],
  ])('%s', async (_, check) => {
    const error: unknown = await check().catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: expect.stringMatching(/^The URL of the client is invalid\./),
    })
    expect(shows(PLANTED, error)).toBe(false)
  })
})

describe.runIf(isInstalled('redis-server'))('no error of a Redis server shows a password', () => {
  it.each(Object.entries(REDIS_CLIENTS))('%s, if the server knows neither HELLO nor AUTH', async (_, open) => {
    const server = await RedisServer.start('--rename-command', 'HELLO', '', '--rename-command', 'AUTH', '')
    const opened = open(`redis://${USER}:${PLANTED}@${host}:${server.port}`, { timeout: TIMEOUT })
    try {
      const error: unknown = await opened.nonceStore.check().catch((error: unknown) => error)
      expect(error).toHaveProperty('code', 'ERR_NONCE_STORE')
      expect(shows(PLANTED, error)).toBe(false)
    } finally {
      await opened.close()
      await server.stop()
    }
  })
})
