import { afterAll, beforeAll, describe } from 'vitest'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import { PostgresServer, postgresIsInstalled, RedisServer, startRedisCluster } from '../support/servers.js'
import { raceThrough } from '../support/stores/race.js'

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
