import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { SqliteNonceStore } from '../../../src/stores/sqlite.js'
import { configOf, DynaliteServer, dynaliteIsInstalled } from '../../support/dynalite-server.js'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { PostgresServer, postgresIsInstalled, RedisServer, TcpProxy, temporaryFolder } from '../../support/servers.js'
import { type Process, recordHistory } from '../../support/stores/history.js'
import { findViolations } from '../../support/stores/linearizable.js'
import { sqliteOpener } from '../../support/stores/sqlite-database.js'

// Checks on recorded calls of real stores that each key is reserved at most once. Under faults, each answer is one that a
// perfect store could have given.

/** A time in milliseconds that is longer than a process waits for an answer. */
const LONG = 1200

interface Server {
  port: number
  signal(signal: NodeJS.Signals): unknown
  stop(): unknown
}

/** Loses replies, delays commands, stops the server, cuts and drops connections, and stops and kills processes. */
async function stormOf(server: Server, proxy: TcpProxy, [first, second]: readonly Process[]) {
  await sleep(300)
  proxy.onReply = () => (Math.random() < 0.05 ? 'cut' : 'pass')
  await sleep(LONG)
  proxy.onReply = () => 'pass'
  await sleep(LONG)
  proxy.delay = LONG
  await sleep(LONG)
  proxy.delay = 0
  await sleep(300)
  await server.signal('SIGSTOP')
  await sleep(LONG)
  await server.signal('SIGCONT')
  await sleep(300)
  proxy.cutConnections()
  await sleep(300)
  proxy.dropConnections()
  first?.signal('SIGSTOP')
  await sleep(LONG)
  first?.signal('SIGCONT')
  await second?.kill()
  await sleep(300)
}

/** Checks that the history is linearizable, and that the faults had an effect. */
function expectLinearizable(history: Awaited<ReturnType<typeof recordHistory>>): void {
  const count = (outcome: string) => history.filter((call) => call.outcome === outcome).length
  expect(findViolations(history)).toEqual([])
  expect(count('reserved'), 'reservations').toBeGreaterThan(100)
  expect(count('taken'), 'replays').toBeGreaterThan(100)
  expect(count('failure'), 'the effect of the faults').toBeGreaterThan(0)
}

function testStore(kinds: readonly string[], start: () => Promise<Server>, addressOf: (port: number) => unknown): void {
  it('the calls of several processes are linearizable under faults', async () => {
    const server = await start()
    const proxy = await TcpProxy.start(server.port)
    try {
      expectLinearizable(
        await recordHistory(kinds, addressOf(proxy.port), (processes) => stormOf(server, proxy, processes)),
      )
    } finally {
      await server.signal('SIGCONT')
      proxy.stop()
      await server.stop()
    }
  })
}

describe.runIf(isInstalled('redis-server'))('Redis', () => {
  testStore(['ioredis.ts', 'redis.ts'], RedisServer.start, (port) => `redis://127.0.0.1:${port}`)
})

describe.runIf(isInstalled('postgresql', postgresIsInstalled()))('PostgreSQL', () => {
  testStore(['pg.ts'], PostgresServer.start, (port) => `postgres://test@127.0.0.1:${port}/postgres`)
})

describe.runIf(isInstalled('mariadb', mariadbIsInstalled()))('MariaDB', () => {
  testStore(['mysql2.ts', 'mariadb.ts'], MariaDbServer.start, (port) => `mariadb://test@127.0.0.1:${port}/hooks`)
})

describe.runIf(isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled()))('DynamoDB', () => {
  testStore(['dynamodb.js'], DynaliteServer.start, configOf)
})

const open = sqliteOpener()

describe.runIf(isInstalled('better-sqlite3 or node:sqlite', open !== undefined))('SQLite', () => {
  it('the calls of several processes are linearizable under faults', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'nonces.db')
    const database = open?.(path)
    new SqliteNonceStore(database)
    try {
      const history = await recordHistory(['sqlite'], path, async ([first, second, third]) => {
        await sleep(300)
        database.exec('BEGIN IMMEDIATE')
        await sleep(LONG)
        database.exec('ROLLBACK')
        await sleep(300)
        first?.signal('SIGSTOP')
        await sleep(LONG)
        first?.signal('SIGCONT')
        await second?.kill()
        await sleep(300)
        await third?.kill()
        await sleep(300)
      })
      expectLinearizable(history)
    } finally {
      database.close()
      rmSync(folder, { recursive: true })
    }
  })
})
