import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { MariaDbServer } from '../../support/mariadb-server.js'
import { type PostgresServer, TcpProxy } from '../../support/servers.js'
import { connect } from '../../support/stores/source.js'
import { openGuide } from './guides.js'
import { offer } from './offer.js'
import { MARIADB, POSTGRES } from './shared-stores.js'

// A slow server, a distant server, a process that stalls, and a row that another session holds. The clients are those of the guides, with
// their default options. captured.test.ts has floods of replays.

/** Requests per second that the slow server can do. */
const CAPACITY = 100
const SECONDS = 5
/** How long the two insertions of a JSON request take together. The pools of the guides have ten connections. */
const SLOW_SECONDS = 10 / CAPACITY

const DATABASES = [
  {
    file: 'pg.ts',
    largePool: { '...limits': '...limits, max: 32' },
    ...POSTGRES,
    // Commits do not wait for the disk, so that its speed does not change the capacity.
    slowDown: (server: PostgresServer) =>
      server.sql(`
        ALTER ROLE ALL SET synchronous_commit = off;
        CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN PERFORM pg_sleep(${SLOW_SECONDS / 2}); RETURN NEW; END $$;
        CREATE TRIGGER be_slow BEFORE INSERT ON webhook_nonces FOR EACH ROW EXECUTE FUNCTION be_slow()`),
    beQuick: 'DROP TRIGGER be_slow ON webhook_nonces',
    open: connect.pg,
    insert: `INSERT INTO webhook_nonces
      SELECT decode(md5(i::text), 'hex'), now() - interval '2 minutes', '' FROM generate_series(1, 40000) AS i`,
    count: 'SELECT count(*) FROM webhook_nonces WHERE expires_at < now()',
    async hold(server: PostgresServer) {
      const session = await server.connect()
      await session.query('BEGIN; SELECT 1 FROM webhook_nonces ORDER BY expires_at LIMIT 1 FOR UPDATE')
      return () => session.end()
    },
  },
  {
    file: 'mysql2.ts',
    largePool: { 'connectTimeout: 1000': 'connectTimeout: 1000, connectionLimit: 32' },
    ...MARIADB,
    async slowDown(server: MariaDbServer) {
      await server.sql('SET GLOBAL innodb_flush_log_at_trx_commit = 0')
      await server.sql(`CREATE TRIGGER hooks.be_slow BEFORE INSERT ON hooks.webhook_nonces
        FOR EACH ROW SET @slept = SLEEP(${SLOW_SECONDS / 2})`)
    },
    beQuick: 'DROP TRIGGER hooks.be_slow',
    open: connect.mysql2,
    insert: `INSERT INTO hooks.webhook_nonces
      SELECT UNHEX(SHA2(seq, 256)), UTC_TIMESTAMP(6) - INTERVAL 2 MINUTE, '' FROM hooks.seq_1_to_40000`,
    count: 'SELECT COUNT(*) FROM hooks.webhook_nonces WHERE expires_at < UTC_TIMESTAMP(6)',
    async hold(server: MariaDbServer) {
      const session = await mysql.createConnection({ uri: server.url })
      await session.query('START TRANSACTION')
      // The first row that a sweep reads.
      await session.query('SELECT 1 FROM webhook_nonces ORDER BY expires_at, key_hash LIMIT 1 FOR UPDATE')
      return () => session.end()
    },
  },
]

const refusals = (outcomes: string[]) => outcomes.filter((outcome) => outcome !== 'accepted')
const expectNoRefusal = (outcomes: string[]) => expect(new Set(refusals(outcomes))).toEqual(new Set())

describe.each(DATABASES.filter(({ installed }) => installed))('$file', (database) => {
  const { file } = database
  let server: PostgresServer & MariaDbServer
  beforeAll(async () => {
    server = (await database.start()) as typeof server
    await (await openGuide(file, server.url)).close()
  })
  afterAll(() => server?.stop())

  it('does at least 95 % of what a slow server can, refuses the rest in time, and recovers', async () => {
    await database.slowDown(server)
    onTestFinished(async () => void (await server.sql(database.beQuick)))
    for (const times of [1.3, 3, 8]) {
      const { nonceStore, close } = await openGuide(file, server.url)
      await offer(nonceStore, 0.5 * CAPACITY, 500)
      const outcomes = await offer(nonceStore, times * CAPACITY, SECONDS * 1000)
      const later = await offer(nonceStore, 0.5 * CAPACITY, 1000)
      await close()
      const refused = refusals(outcomes)
      const accepted = (outcomes.length - refused.length) / SECONDS
      console.log(`${file}, ${times} times: ${accepted.toFixed(1)} of ${CAPACITY} per second`)
      expect(accepted, 'accepted per second').toBeGreaterThanOrEqual(0.95 * CAPACITY)
      const late = refused.filter((outcome) => !/ in flight for 500 ms\./.test(outcome))
      expect(late.length, 'answered too late').toBeLessThan(0.1 * outcomes.length)
      expectNoRefusal(later)
    }
  })

  it('refuses none of 300 requests per second with a round-trip time of 80 ms', async () => {
    const proxy = await TcpProxy.start(server.port)
    proxy.delay = 80
    const url = server.url.replace(String(server.port), String(proxy.port))
    // A pool with one connection per reservation in flight, which the client opens one at a time.
    const { nonceStore, close } = await openGuide(file, url, database.largePool)
    await offer(nonceStore, 300, 18_000)
    const outcomes = await offer(nonceStore, 300, SECONDS * 1000)
    await close()
    proxy.stop()
    expectNoRefusal(outcomes)
  })

  it('refuses nothing because of stalls of the process, at 200 requests per second', async () => {
    const { nonceStore, close } = await openGuide(file, server.url)
    await offer(nonceStore, 200, 1000)
    const outcomes = offer(nonceStore, 200, 7000)
    for (const milliseconds of [100, 300, 800, 800]) {
      await sleep(1000)
      for (const end = performance.now() + milliseconds; performance.now() < end; );
    }
    expectNoRefusal(await outcomes)
    await close()
  })

  it('four stores sweep 40 000 expired rows, and no reservation waits for a row that is held for 30 s', async () => {
    // A reservation that waits for half of this time is refused. A busy machine stalls for less.
    const stores = await Promise.all([1, 2, 3, 4].map(() => database.open(server.url, { timeout: 10_000 })))
    await server.sql(database.insert)
    const countExpired = async () => Number(await server.sql(database.count))
    expect(await countExpired()).toBe(40_000)
    const release = await database.hold(server)
    // In the 45 s after the row is free, there are 281 sweeps, which can delete 72 000 rows.
    const offers = stores.map((store) => offer(store, 100, 75_000))
    await sleep(30_000)
    const whileHeld = await countExpired()
    await release()
    const outcomes = (await Promise.all(offers)).flat()
    const left = await countExpired()
    for (const store of stores) await store.close()
    console.log(`${outcomes.length} requests; ${whileHeld} rows while one is held, ${left} rows at the end`)
    expectNoRefusal(outcomes)
    expect(whileHeld).toBeLessThan(30_000)
    expect(left).toBeLessThan(4000)
  })
})
