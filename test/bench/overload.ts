// Offers each client more than its server can do, and draws what it accepts: with the connect function, and with the same client and
// time-out without it. Writes docs/overload.json and docs/overload.svg. The arguments name the clients to measure, by default all.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import mariadb from 'mariadb'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import postgresJs from 'postgres'
import { createClient } from 'redis'
import type { NonceStore } from '../../src/index.js'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { MariaDbServer } from '../support/mariadb-server.js'
import { PostgresServer } from '../support/servers.js'
import { isAccepted, median, offer } from '../support/stores/offer.js'
import { SLOW_SQL, SlowRedis, slowDownMariaDb, slowDownPostgres } from '../support/stores/slow-servers.js'
import { connect } from '../support/stores/source.js'
import { overloadChart } from './line-chart.js'

const TIMES = [0.8, 1.3, 2, 4, 8]
const SECONDS = 6
/** Milliseconds until the load is steady. What is answered later is counted, until the load ends. */
const STEADY = 1000
const TIMEOUT = 1000
/** How long a server gets to end what is left of the load before. */
const PAUSE = 2500

interface Connection {
  nonceStore: NonceStore
  close(): unknown
}

interface Contestant {
  client: string
  server: 'Redis' | 'PostgreSQL' | 'MariaDB'
  connect(url: string): Promise<NonceStore & { close(): Promise<void> }>
  /** Opens the same client without the connect function. */
  alone(url: string): Connection | Promise<Connection>
}

const CONTESTANTS: readonly Contestant[] = [
  {
    client: 'redis',
    server: 'Redis',
    connect: connect.redis,
    async alone(url) {
      const client = createClient({ url })
      await client.on('error', () => {}).connect()
      const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args) })
      return { nonceStore, close: () => client.destroy() }
    },
  },
  {
    client: 'ioredis',
    server: 'Redis',
    connect: connect.ioredis,
    alone(url) {
      const client = new Redis(url)
      const sendCommand = ([command = '', ...args]: string[]) => client.call(command, ...args)
      return { nonceStore: new RedisNonceStore({ sendCommand }), close: () => client.disconnect() }
    },
  },
  {
    client: 'pg',
    server: 'PostgreSQL',
    connect: connect.pg,
    alone(connectionString) {
      const limits = { connectionTimeoutMillis: TIMEOUT, query_timeout: TIMEOUT }
      const pool = new pg.Pool({ connectionString, ...limits })
      pool.on('error', () => {})
      const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values) })
      return { nonceStore, close: () => pool.end() }
    },
  },
  {
    client: 'postgres.js',
    server: 'PostgreSQL',
    connect: connect['postgres.js'],
    alone(url) {
      const sql = postgresJs(url)
      const nonceStore = new PostgresNonceStore({
        query: async (text, values) => [...(await sql.unsafe(text, values))],
      })
      return { nonceStore, close: () => sql.end({ timeout: 0 }) }
    },
  },
  {
    client: 'mysql2',
    server: 'MariaDB',
    connect: connect.mysql2,
    alone(url) {
      const pool = mysql2.createPool({ uri: url.replace('mariadb', 'mysql'), connectTimeout: TIMEOUT })
      const nonceStore = new MySqlNonceStore({ query: (sql, values) => pool.query(sql, values) })
      return { nonceStore, close: () => pool.end() }
    },
  },
  {
    client: 'mariadb',
    server: 'MariaDB',
    connect: connect.mariadb,
    alone(url) {
      const { hostname: host, port, username: user, pathname } = new URL(url)
      const limits = { acquireTimeout: TIMEOUT, socketTimeout: TIMEOUT }
      const pool = mariadb.createPool({ host, port: Number(port), user, database: pathname.slice(1), ...limits })
      const nonceStore = new MySqlNonceStore({ query: (sql, values) => pool.query(sql, values) })
      return { nonceStore, close: () => pool.end() }
    },
  },
]

const STARTS = {
  async Redis() {
    const server = await SlowRedis.start()
    return { server, url: server.url, capacity: 1000 / server.milliseconds }
  },
  async PostgreSQL() {
    const server = await PostgresServer.start()
    await (await connect.pg(server.url)).close()
    await slowDownPostgres(server)
    return { server, url: server.url, capacity: SLOW_SQL }
  },
  async MariaDB() {
    const server = await MariaDbServer.start()
    await (await connect.mysql2(server.url)).close()
    await slowDownMariaDb(server)
    return { server, url: server.url, capacity: SLOW_SQL }
  },
}

/** Returns the accepted requests per second, and the median time of a refusal in milliseconds. */
async function measure(nonceStore: NonceStore, perSecond: number) {
  const answers = await offer(nonceStore, perSecond, SECONDS * 1000)
  const refused = answers.filter((answer) => !isAccepted(answer))
  const inTime = answers.filter(isAccepted).filter(({ at, milliseconds }) => {
    const answered = at + milliseconds
    return answered > STEADY && answered <= 1000 * SECONDS
  })
  return {
    accepted: Math.round((10_000 * inTime.length) / (1000 * SECONDS - STEADY)) / 10,
    refusedWithin: Math.round(10 * median(refused.map(({ milliseconds }) => milliseconds))) / 10,
  }
}

/** Returns when the last of the requests after an overload was refused, in milliseconds. */
async function recovery(nonceStore: NonceStore, perSecond: number): Promise<number> {
  const answers = await offer(nonceStore, perSecond, 2000)
  return Math.round(Math.max(0, ...answers.filter((answer) => !isAccepted(answer)).map(({ at }) => at)))
}

const names = process.argv.slice(2)
const figures = new URL('../../../docs/overload.json', import.meta.url)
const measured = new Map<string, Parameters<typeof overloadChart>[0]['clients'][number]>()
if (names.length > 0 && existsSync(figures)) {
  for (const figure of JSON.parse(readFileSync(figures, 'utf8')).clients) measured.set(figure.client, figure)
}
for (const { client, server: name, connect: open, alone } of CONTESTANTS) {
  if (names.length > 0 && !names.includes(client)) continue
  const { server, url, capacity } = await STARTS[name]()
  const loads = []
  for (const times of TIMES) {
    const nonceStore = await open(url)
    const connected = await measure(nonceStore, times * capacity)
    const recoversWithin = await recovery(nonceStore, 0.5 * capacity)
    await nonceStore.close()
    const connection = await alone(url)
    const without = await measure(connection.nonceStore, times * capacity)
    await connection.close()
    await sleep(PAUSE)
    loads.push({ times, connected: { ...connected, recoversWithin }, without })
    console.log(client, times, connected, recoversWithin, without)
  }
  measured.set(client, { client, server: name, capacity, loads })
  await server.stop()
}

const clients = CONTESTANTS.flatMap(({ client }) => measured.get(client) ?? [])
const run = { node: process.version, date: new Date().toISOString().slice(0, 10), clients }
writeFileSync(figures, `${JSON.stringify(run, null, 1)}\n`)
writeFileSync(new URL('overload.svg', figures), overloadChart(run))
process.exit()
