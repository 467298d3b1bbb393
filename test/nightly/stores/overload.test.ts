import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TcpProxy } from '../../support/servers.js'
import { openGuide } from './guides.js'
import { offer } from './offer.js'
import { MARIADB, POSTGRES, REDIS } from './shared-stores.js'
import { SlowRedis, slowDownMariaDb, slowDownPostgres } from './slow-servers.js'

// More requests than a server can do, servers that are far away, and stalls of the process. captured.test.ts has floods of replays. The
// clients are those of the guides, and the stores have their default options.

interface Server {
  url: string
  stop(): Promise<unknown>
}

/** Requests per second that a slow server can do. */
const CAPACITIES = [100, 250] as const

/** The connections of a pool, by default. */
const POOL = 10

async function slowRedis(capacity: number): Promise<Server> {
  const server = await SlowRedis.start(1000 / capacity)
  return { url: server.url, stop: () => server.stop() }
}

async function slowPostgres(capacity: number): Promise<Server> {
  const server = await POSTGRES.start()
  await (await openGuide('pg.ts', server.url)).close()
  await slowDownPostgres(server, POOL / capacity)
  return server
}

async function slowMariaDb(capacity: number): Promise<Server> {
  const server = await MARIADB.start()
  await (await openGuide('mysql2.ts', server.url)).close()
  await slowDownMariaDb(server, POOL / capacity)
  return server
}

/** A pool with one connection per reservation in flight. */
const LARGE_POOLS: Record<string, Record<string, string>> = {
  'pg.ts': { '...limits': '...limits, max: 32' },
  'postgres-js.ts': { 'connect_timeout: 1': 'connect_timeout: 1, max: 32' },
  'mysql2.ts': { 'connectTimeout: 1000': 'connectTimeout: 1000, connectionLimit: 32' },
  'mariadb.ts': { 'acquireTimeout: 1000': 'acquireTimeout: 1000, connectionLimit: 32' },
}

const SERVERS = [
  { files: ['ioredis.ts', 'redis.ts'], slow: slowRedis, ...REDIS },
  { files: ['pg.ts', 'postgres-js.ts'], slow: slowPostgres, ...POSTGRES },
  { files: ['mysql2.ts', 'mariadb.ts'], slow: slowMariaDb, ...MARIADB },
]

const SECONDS = 5

const refusals = (outcomes: string[]) => outcomes.filter((outcome) => outcome !== 'accepted')

/** Returns a row per file and value. */
function rowsOf<T>(files: readonly string[], values: readonly T[]): [file: string, value: T][] {
  return files.flatMap((file) => values.map((value): [string, T] => [file, value]))
}

describe.each(SERVERS.filter(({ installed }) => installed))('$files', ({ files, slow, start }) => {
  describe.each(CAPACITIES)('a server that can do %s requests per second', (capacity) => {
    let server: Server
    beforeAll(async () => {
      server = await slow(capacity)
    })
    afterAll(() => server.stop())

    it.each(rowsOf(files, [1.3, 3, 8]))('does what it can: %s, at %s times as much', async (file, times) => {
      const { nonceStore, close } = await openGuide(file, server.url)
      await offer(nonceStore, 0.5 * capacity, 500)
      const outcomes = await offer(nonceStore, times * capacity, SECONDS * 1000)
      const later = await offer(nonceStore, 0.5 * capacity, 1000)
      await close()
      const refused = refusals(outcomes)
      const accepted = (outcomes.length - refused.length) / SECONDS
      console.log(`${file}, ${times} times: ${accepted.toFixed(1)} of ${capacity} per second`)
      expect(accepted, 'accepted per second').toBeGreaterThanOrEqual(0.95 * capacity)
      const late = refused.filter((outcome) => !/ in flight for 500 ms\./.test(outcome))
      expect(late.length, 'answered too late').toBeLessThan(0.1 * outcomes.length)
      expect(refusals(later), 'refused later').toEqual([])
    })
  })

  describe('a quick server', () => {
    let server: Server & { port: number }
    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server.stop())

    it.each(rowsOf(files, [1, 20, 80]))(
      'refuses none of 300 requests per second: %s, with a round-trip time of %s ms',
      async (file, milliseconds) => {
        const proxy = await TcpProxy.start(server.port)
        proxy.delay = milliseconds
        const url = server.url.replace(String(server.port), String(proxy.port))
        const { nonceStore, close } = await openGuide(file, url, LARGE_POOLS[file])
        // The pool opens its connections, some clients one at a time.
        await offer(nonceStore, 300, 2000 + 200 * milliseconds)
        const outcomes = await offer(nonceStore, 300, SECONDS * 1000)
        await close()
        proxy.stop()
        const refused = refusals(outcomes)
        console.log(`${file}, ${milliseconds} ms: ${refused.length} of ${outcomes.length} refused`)
        expect(refused, 'refused').toEqual([])
      },
    )

    it.each(files)('refuses nothing because of stalls of the process, at 200 requests per second: %s', async (file) => {
      const { nonceStore, close } = await openGuide(file, server.url)
      await offer(nonceStore, 200, 1000)
      const outcomes = offer(nonceStore, 200, 7000)
      for (const milliseconds of [100, 300, 800, 800]) {
        await sleep(1000)
        for (const end = performance.now() + milliseconds; performance.now() < end; );
      }
      const refused = refusals(await outcomes)
      await close()
      console.log(`${file}, stalls: ${refused.length} refused`)
      expect(refused, 'refused').toEqual([])
    })
  })
})
