import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createStore, createTable, deleteExpired } from '../../docs/stores/your-own.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { isInstalled } from '../support/programs.js'
import { LONG_TIMEOUT, PostgresServer, postgresIsInstalled } from '../support/servers.js'
import { twoConnections } from '../support/stores/connections.js'
import { connect } from '../support/stores/source.js'

const CLIENTS = { pg: connect.pg, 'postgres.js': connect['postgres.js'] }

const installed = isInstalled('postgresql', postgresIsInstalled())

describe.runIf(installed).each(['read committed', 'repeatable read', 'serializable'])('under %s', (isolation) => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start(`default_transaction_isolation='${isolation}'`)
  })
  afterAll(() => server.stop())

  describe.each(Object.entries(CLIENTS))('PostgresNonceStore with %s', (_, open) => {
    const store = twoConnections(() => open(server.url, { timeout: LONG_TIMEOUT }))
    it.concurrent.each(nonceStoreContract(store))('$name', ({ run }) => run())
  })
})

describe.runIf(installed)("the store of one's own in docs/operate/your-own.md", () => {
  let server: PostgresServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ connectionString: server.url })
    await createTable(pool)
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  it.concurrent.each(nonceStoreContract(() => createStore(pool)))('$name', ({ run }) => run())

  it('deletes expired rows alone', async () => {
    await pool.query("INSERT INTO nonces VALUES ('old', now() - interval '1 s'), ('live', now() + interval '1 h')")
    await deleteExpired(pool)
    const { rows } = await pool.query("SELECT hash FROM nonces WHERE hash IN ('old', 'live')")
    expect(rows).toEqual([{ hash: 'live' }])
  })
})

describe.runIf(installed)('PostgreSQL', () => {
  let server: PostgresServer
  const closers: (() => unknown)[] = []
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  afterAll(() => server.stop())

  async function session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => {})
    await client.connect()
    closers.push(() => client.end())
    return client
  }

  const storeOf = (client: pg.Client, table: string) =>
    new PostgresNonceStore({ query: (text, values) => client.query(text, values), table, timeout: LONG_TIMEOUT })

  it('lets twelve processes create the table at once, many times', async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, session))
    for (let round = 0; round < 20; round++) {
      const stores = clients.map((client) => storeOf(client, `round_${round}`))
      await Promise.all(stores.map((store) => store.createTable()))
    }
  })

  it.each(['there', 'hooks.elsewhere'])(
    'createTable() waits for no open write if the table exists: %s',
    async (table) => {
      const [writer, client] = [await session(), await session()]
      await client.query(`CREATE SCHEMA IF NOT EXISTS hooks; SET lock_timeout = '2s'`)
      await storeOf(client, table).createTable()
      await writer.query(`BEGIN; INSERT INTO ${table} VALUES ('', now(), '')`)
      await storeOf(client, table).createTable()
      await writer.query('ROLLBACK')
    },
  )

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'reserves both keys or none under %s, also if another reservation takes one meanwhile',
    async (isolation) => {
      const clients = await Promise.all(Array.from({ length: 4 }, session))
      const [store, ...others] = clients.map((client) => storeOf(client, 'both'))
      await store?.createTable()
      for (const client of clients) await client.query(`SET default_transaction_isolation = '${isolation}'`)
      for (let round = 0; round < 100; round++) {
        const webhookId = `${isolation} ${round}`
        const attempts = [store, ...others].map((each, index) => each?.reserveAll(webhookId, [`${index}`, 's'], 600))
        const outcomes = await Promise.all(attempts)
        expect(outcomes.filter((outcome) => outcome)).toHaveLength(1)
        for (const [index, outcome] of outcomes.entries()) {
          expect(await store?.reserve(webhookId, `${index}`, 600)).toBe(!outcome)
        }
      }
    },
  )
})
