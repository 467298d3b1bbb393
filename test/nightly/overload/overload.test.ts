import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, PostgresServer, postgresIsInstalled, TcpProxy } from '../../support/servers.js'
import { type Answer, isAccepted, median, offer } from '../../support/stores/offer.js'
import { SLOW_SQL, SlowRedis, slowDownMariaDb, slowDownPostgres } from '../../support/stores/slow-servers.js'
import { connect } from '../../support/stores/source.js'

// More requests than a server can do. test/bench/overload.ts measures the same for longer, and draws the picture of the guide.

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
  { kinds: ['redis', 'ioredis'], start: slowRedis, installed: true },
  {
    kinds: ['pg', 'postgres.js'],
    start: slowPostgres,
    installed: isInstalled('postgresql', postgresIsInstalled()),
  },
  { kinds: ['mysql2', 'mariadb'], start: slowMariaDb, installed: isInstalled('mariadb', mariadbIsInstalled()) },
] as const

const SECONDS = 6

const refusals = (answers: Answer[]) => answers.filter((answer) => !isAccepted(answer))

// These servers are slow because they wait, so a few of them fit on one processor.
const running = SERVERS.filter(({ installed }) => installed)
describe.concurrent.each(running)('$kinds', ({ kinds, start }) => {
  describe.sequential.each(kinds)('%s', (kind) => {
    let server: SlowServer
    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server.stop())

    it('refuses nothing at 80 % of the capacity of its server', async () => {
      const nonceStore = await connect[kind](server.url)
      const answers = await offer(nonceStore, 0.8 * server.capacity, SECONDS * 1000)
      await nonceStore.close()
      expect(refusals(answers), 'refused').toEqual([])
    })

    it.each([1.3, 4])('accepts as much as its server can do, at %s times as much', async (times) => {
      const nonceStore = await connect[kind](server.url)
      const answers = await offer(nonceStore, times * server.capacity, SECONDS * 1000)
      await sleep(100)
      const later = await offer(nonceStore, 0.5 * server.capacity, 2000)
      await nonceStore.close()
      const refused = refusals(answers)
      expect((answers.length - refused.length) / SECONDS, 'accepted per second').toBeGreaterThan(0.9 * server.capacity)
      // It is refused at once, and says what to do.
      expect(median(refused.map(({ milliseconds }) => milliseconds)), 'median time').toBeLessThan(100)
      const behind = refused.filter(({ outcome }) => /^The server is behind: \d+ reservations wait, it/.test(outcome))
      expect(behind.length, 'with the reason').toBeGreaterThan(0.5 * refused.length)
      expect(
        refusals(later).filter(({ at }) => at > 1000),
        'refused later',
      ).toEqual([])
    })
  })
})

describe('a server that is far away, with 300 ms of latency and 100 requests per second', () => {
  it.concurrent.each(['redis', 'ioredis'] as const)('is not throttled: %s', async (kind) => {
    const server = await SlowRedis.start(0)
    const proxy = await TcpProxy.start(Number(new URL(server.url).port))
    proxy.delay = 300
    const nonceStore = await connect[kind](`redis://127.0.0.1:${proxy.port}`)
    const answers = await offer(nonceStore, 100, 4000)
    await nonceStore.close()
    proxy.stop()
    await server.stop()
    expect(refusals(answers), 'refused').toEqual([])
  })

  it.runIf(isInstalled('postgresql', postgresIsInstalled())).concurrent(
    'gets the name of the option for its pool: pg',
    async () => {
      const server = await PostgresServer.start()
      const proxy = await TcpProxy.start(server.port)
      proxy.delay = 300
      const nonceStore = await connect.pg(server.url.replace(String(server.port), String(proxy.port)))
      const answers = await offer(nonceStore, 100, 4000)
      await nonceStore.close()
      proxy.stop()
      await server.stop()
      const [first] = refusals(answers).filter(({ outcome }) => outcome.startsWith('The server is behind'))
      expect(first?.outcome, 'refused').toMatch(/ Pass max: [4-9]0, or use a faster server\.$/)
    },
  )
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
