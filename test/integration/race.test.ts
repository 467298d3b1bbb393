import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configOf, DynaliteServer, dynaliteIsInstalled } from '../support/dynalite-server.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import {
  PostgresServer,
  postgresIsInstalled,
  RedisServer,
  startRedisCluster,
  temporaryFolder,
} from '../support/servers.js'
import { newRequest } from '../support/stores/load.js'
import { sqliteOpener } from '../support/stores/sqlite-database.js'
import { race } from '../support/stores/workers.js'

// Four processes share a store. Each gets the same requests in another order.

const PROCESSES = 4
const REQUESTS = 1000

function raceThrough(kind: string, address: () => unknown) {
  it(`accepts each of ${REQUESTS} requests once: ${kind}`, async () => {
    const requests = Array.from({ length: REQUESTS }, newRequest)
    expect(await race(kind, address(), requests, PROCESSES, 16)).toEqual({
      accepted: REQUESTS,
      replayed_nonce: (PROCESSES - 1) * REQUESTS,
    })
  })

  it(`accepts one of 200 copies at once: ${kind}`, async () => {
    const request = newRequest()
    const copies = Array.from({ length: 200 / PROCESSES }, () => request)
    expect(await race(kind, address(), copies, PROCESSES, copies.length)).toEqual({ accepted: 1, replayed_nonce: 199 })
  })
}

describe.runIf(isInstalled('redis-server'))('Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())
  raceThrough('redis', () => server.url)
  raceThrough('ioredis', () => server.url)
})

describe.runIf(isInstalled('redis-server'))('Redis Cluster', () => {
  let nodes: RedisServer[]
  beforeAll(async () => {
    nodes = await startRedisCluster()
  })
  afterAll(() => Promise.all(nodes.map((node) => node.stop())))
  raceThrough('redis-cluster', () => nodes.map(({ url }) => url))
  raceThrough('ioredis-cluster', () => nodes.map(({ url }) => url))
})

describe.runIf(isInstalled('postgresql', postgresIsInstalled()))('PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.stop())
  raceThrough('pg', () => server.url)
  raceThrough('postgres.js', () => server.url)
})

describe.runIf(isInstalled('mariadb', mariadbIsInstalled()))('MariaDB', () => {
  let server: MariaDbServer
  beforeAll(async () => {
    server = await MariaDbServer.start()
  })
  afterAll(() => server.stop())
  raceThrough('mysql2', () => server.url)
  raceThrough('mariadb', () => server.url)
})

describe.runIf(isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled()))('DynamoDB', () => {
  let server: DynaliteServer
  beforeAll(async () => {
    server = await DynaliteServer.start()
  })
  afterAll(() => server.stop())
  raceThrough('dynamodb', () => configOf(server.port))
})

describe.runIf(isInstalled('better-sqlite3 or node:sqlite', sqliteOpener() !== undefined))('SQLite', () => {
  const folder = temporaryFolder()
  afterAll(() => rmSync(folder, { recursive: true }))
  raceThrough('sqlite', () => join(folder, 'nonces.db'))
})
