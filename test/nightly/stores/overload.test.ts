import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verify } from '../../../src/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, PostgresServer, postgresIsInstalled, RedisServer, TcpProxy } from '../../support/servers.js'
import { newRequest, SECRET } from '../../support/stores/load.js'
import { offer } from '../../support/stores/offer.js'
import { SLOW_SQL, SlowRedis, slowDownMariaDb, slowDownPostgres } from '../../support/stores/slow-servers.js'
import { connect } from '../../support/stores/source.js'

// More requests than a server can do, stalls of the process, and floods of replays. A busy machine is too slow for the stalls at 1000 requests per second.

interface SlowServer {
  url: string
  /** Requests per second. */
  capacity: number
  stop(): Promise<void>
}

async function slowPostgres(): Promise<SlowServer> {
  const server = await PostgresServer.start()
  await (await connect.pg(server.url)).close()
  await slowDownPostgres(server)
  return { url: server.url, capacity: SLOW_SQL, stop: () => server.stop() }
}

async function slowMariaDb(): Promise<SlowServer> {
  const server = await MariaDbServer.start()
  await (await connect.mysql2(server.url)).close()
  await slowDownMariaDb(server)
  return { url: server.url, capacity: SLOW_SQL, stop: () => server.stop() }
}

async function slowRedis(): Promise<SlowServer> {
  const server = await SlowRedis.start()
  return { url: server.url, capacity: 1000 / server.milliseconds, stop: () => server.stop() }
}

const SERVERS = [
  {
    kinds: ['redis', 'ioredis'],
    slow: slowRedis,
    start: () => RedisServer.start(),
    installed: isInstalled('redis-server'),
  },
  {
    kinds: ['pg', 'postgres.js'],
    slow: slowPostgres,
    start: () => PostgresServer.start(),
    installed: isInstalled('postgresql', postgresIsInstalled()),
  },
  {
    kinds: ['mysql2', 'mariadb'],
    slow: slowMariaDb,
    start: () => MariaDbServer.start(),
    installed: isInstalled('mariadb', mariadbIsInstalled()),
  },
] as const

const SECONDS = 6

const refusals = (outcomes: string[]) => outcomes.filter((outcome) => outcome !== 'accepted')

describe.each(SERVERS.filter(({ installed }) => installed))('$kinds', ({ kinds, slow, start }) => {
  describe('a slow server', () => {
    let server: SlowServer
    beforeAll(async () => {
      server = await slow()
    })
    afterAll(() => server.stop())

    it.each(kinds)('refuses nothing at 80 % of its capacity: %s', async (kind) => {
      const nonceStore = await connect[kind](server.url)
      const outcomes = await offer(nonceStore, 0.8 * server.capacity, SECONDS * 1000)
      await nonceStore.close()
      expect(refusals(outcomes), 'refused').toEqual([])
    })

    it.each(kinds.flatMap((kind) => ([1.3, 3, 8] as const).map((times) => [kind, times] as const)))(
      'does what it can: %s, at %s times as much',
      async (kind, times) => {
        const nonceStore = await connect[kind](server.url)
        const outcomes = await offer(nonceStore, times * server.capacity, SECONDS * 1000)
        const later = await offer(nonceStore, 0.5 * server.capacity, 1000)
        await nonceStore.close()
        const refused = refusals(outcomes)
        const accepted = (outcomes.length - refused.length) / SECONDS
        console.log(`${kind}, ${times} times: ${accepted.toFixed(1)} of ${server.capacity} per second`)
        expect(accepted, 'accepted per second').toBeGreaterThan(0.9 * server.capacity)
        const late = refused.filter((outcome) => !/^32 reservations were in flight for 500 ms\./.test(outcome))
        expect(late.length, 'answered too late').toBeLessThan(0.1 * outcomes.length)
        expect(refusals(later), 'refused later').toEqual([])
      },
    )

    it.each(kinds.flatMap((kind) => ([1000, 3000] as const).map((perSecond) => [kind, perSecond] as const)))(
      'serves other requests beside replays of one request: %s, %s per second',
      async (kind, perSecond) => {
        const nonceStore = await connect[kind](server.url)
        const request = newRequest()
        expect((await verify(request, SECRET, nonceStore)).ok).toBe(true)
        const replays = { stopped: false, rejected: 0 }
        const flood = (async () => {
          for (let due = performance.now(); !replays.stopped; await sleep(2)) {
            for (; due <= performance.now(); due += 1000 / perSecond) {
              void verify(request, SECRET, nonceStore).then(
                ({ ok }) => ok || replays.rejected++,
                () => {},
              )
            }
          }
        })()
        const outcomes = await offer(nonceStore, 0.8 * server.capacity, SECONDS * 1000)
        replays.stopped = true
        await flood
        await nonceStore.close()
        console.log(
          `${kind}, beside ${perSecond} replays: ${outcomes.length - refusals(outcomes).length} of ${outcomes.length}`,
        )
        expect(refusals(outcomes), 'refused').toEqual([])
        expect(replays.rejected, 'rejected replays').toBeGreaterThan(0.9 * perSecond * SECONDS)
      },
    )
  })

  describe('a quick server', () => {
    let server: { url: string; stop(): Promise<unknown> }
    beforeAll(async () => {
      server = await start()
    })
    afterAll(async () => {
      await server.stop()
    })

    it.each(kinds.flatMap((kind) => ([200, 1000] as const).map((perSecond) => [kind, perSecond] as const)))(
      'refuses nothing because of stalls of the process: %s, %s requests per second',
      async (kind, perSecond) => {
        const nonceStore = await connect[kind](server.url)
        const outcomes = offer(nonceStore, perSecond, 7000)
        for (const milliseconds of [100, 300, 800, 800]) {
          await sleep(1000)
          for (const end = performance.now() + milliseconds; performance.now() < end; );
        }
        const refused = refusals(await outcomes)
        await nonceStore.close()
        console.log(`${kind}, stalls at ${perSecond} per second: ${refused.length} refused`)
        expect(refused, 'refused').toEqual([])
      },
    )
  })
})

describe('a server that is far away, with 300 ms of latency and 100 requests per second', () => {
  it.each([
    ['redis', 40],
    ['ioredis', 40],
  ] as const)('is not throttled: %s, with a concurrency of %s', async (kind, concurrency) => {
    const server = await SlowRedis.start(0)
    const proxy = await TcpProxy.start(Number(new URL(server.url).port))
    proxy.delay = 300
    const nonceStore = await connect[kind](`redis://127.0.0.1:${proxy.port}`, { concurrency })
    const outcomes = await offer(nonceStore, 100, 4000)
    await nonceStore.close()
    proxy.stop()
    await server.stop()
    expect(refusals(outcomes), 'refused').toEqual([])
  })
})

describe.runIf(isInstalled('mariadb', mariadbIsInstalled()))('a server that takes long to open a connection', () => {
  // The pool of mariadb has one limit for opening a connection and for the wait for a free one.
  it.each([
    ['mysql2', 1200],
    ['mariadb', 700],
  ] as const)('can be used: %s, after %s ms of a time-out of 1000 ms', async (kind, milliseconds) => {
    const server = await MariaDbServer.start()
    const proxy = await TcpProxy.start(server.port)
    const url = server.url.replace(String(server.port), String(proxy.port))
    // This loads the client.
    await (await connect[kind](url)).close()
    await eventually(() => expect(proxy.connections).toBe(0))
    proxy.delay = milliseconds
    const connecting = connect[kind](url)
    await eventually(() => expect(proxy.connections).toBe(1))
    // The answer to the greeting of the server is on its way.
    await sleep(50)
    proxy.delay = 0
    const nonceStore = await connecting
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    await nonceStore.close()
    proxy.stop()
    await server.stop()
  })
})
