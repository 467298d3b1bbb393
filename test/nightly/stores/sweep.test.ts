import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../../support/stores/source.js'
import { offer } from './offer.js'
import { MARIADB, POSTGRES } from './shared-stores.js'

// Four stores sweep one table of 40 000 expired rows under load, while another session holds one of these rows for 30 s. No sweep and no
// reservation waits for this row.

const HELD_MILLISECONDS = 30_000
/** So many reservations after the row is free are 281 sweeps, which can delete 72 000 rows. */
const FREE_MILLISECONDS = 45_000
const PER_SECOND = 100
/** A reservation that waits for half of this time is refused. A busy machine stalls for less. */
const TIMEOUT = 10_000

const DATABASES = [
  {
    database: 'PostgreSQL',
    installed: POSTGRES.installed,
    async start() {
      const server = await POSTGRES.start()
      return {
        stop: () => server.stop(),
        open: () => connect.pg(server.url, { timeout: TIMEOUT }),
        insert: `INSERT INTO webhook_nonces
          SELECT decode(md5(i::text), 'hex'), now() - interval '2 minutes', '' FROM generate_series(1, 40000) AS i`,
        sql: (text: string) => server.sql(text),
        count: 'SELECT count(*) FROM webhook_nonces WHERE expires_at < now()',
        async hold() {
          const session = await server.connect()
          await session.query('BEGIN; SELECT 1 FROM webhook_nonces ORDER BY expires_at LIMIT 1 FOR UPDATE')
          return async () => {
            await session.query('ROLLBACK')
            await session.end()
          }
        },
      }
    },
  },
  {
    database: 'MariaDB',
    installed: MARIADB.installed,
    async start() {
      const server = await MARIADB.start()
      return {
        stop: () => server.stop(),
        open: () => connect.mysql2(server.url, { timeout: TIMEOUT }),
        insert: `INSERT INTO hooks.webhook_nonces
          SELECT UNHEX(SHA2(seq, 256)), UTC_TIMESTAMP(6) - INTERVAL 2 MINUTE, '' FROM hooks.seq_1_to_40000`,
        sql: (text: string) => server.sql(text),
        count: 'SELECT COUNT(*) FROM hooks.webhook_nonces WHERE expires_at < UTC_TIMESTAMP(6)',
        async hold() {
          const { createConnection } = await import('mysql2/promise')
          const session = await createConnection({ uri: server.url })
          await session.query('START TRANSACTION')
          // The first row that a sweep reads.
          await session.query('SELECT 1 FROM webhook_nonces ORDER BY expires_at, key_hash LIMIT 1 FOR UPDATE')
          return async () => {
            await session.query('ROLLBACK')
            await session.end()
          }
        },
      }
    },
  },
]

describe.each(DATABASES.filter(({ installed }) => installed))('$database', ({ start }) => {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  it('four stores sweep 40 000 expired rows, and no reservation waits for a row that is held for 30 s', async () => {
    const database = await start()
    closers.push(database.stop)
    const stores = await Promise.all(Array.from({ length: 4 }, database.open))
    for (const store of stores) closers.push(() => store.close())
    await database.sql(database.insert)
    const countExpired = async () => Number(await database.sql(database.count))
    expect(await countExpired()).toBe(40_000)
    const release = await database.hold()
    const offers = stores.map((store) => offer(store, PER_SECOND, HELD_MILLISECONDS + FREE_MILLISECONDS))
    await sleep(HELD_MILLISECONDS)
    const whileHeld = await countExpired()
    await release()
    const outcomes = (await Promise.all(offers)).flat()
    const left = await countExpired()
    console.log(`${outcomes.length} requests; ${whileHeld} rows while one is held, ${left} rows at the end`)
    expect(new Set(outcomes)).toEqual(new Set(['accepted']))
    expect(whileHeld).toBeLessThan(30_000)
    expect(left).toBeLessThan(4000)
  })
})
