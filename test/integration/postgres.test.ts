import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createStore } from '../../docs/stores/your-own.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { isInstalled } from '../support/programs.js'
import { eventually, LONG_TIMEOUT, PostgresServer, postgresIsInstalled, TcpProxy } from '../support/servers.js'
import { twoConnections } from '../support/stores/connections.js'
import { Load, newRequest, send, sendAll } from '../support/stores/load.js'
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
    await server.sql('CREATE TABLE nonces (hash text PRIMARY KEY, expires_at timestamptz NOT NULL, owner text)')
    pool = new pg.Pool({ connectionString: server.url })
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  it.concurrent.each(nonceStoreContract(() => createStore(pool)))('$name', ({ run }) => run())
})

describe.runIf(installed)('PostgreSQL', () => {
  let server: PostgresServer
  const closers: (() => unknown)[] = []
  beforeAll(async () => {
    server = await PostgresServer.start('max_connections=20')
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

  // A machine that stalls for less than this time-out ends no call too early.
  async function connected(client: keyof typeof CLIENTS = 'pg', timeout = 3000, url = server.url) {
    const store = await CLIENTS[client](url, { timeout })
    closers.push(() => store.close())
    return store
  }

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

  it('never deletes a row that was reserved again meanwhile', async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, session))
    const [reserver, ...deleters] = clients.map((client) => storeOf(client, 'anew'))
    await reserver?.createTable()
    // A store remembers its own keys, so each reservation comes from a new store.
    const reserve = (key: string, ttlSeconds: number) =>
      clients[0] && storeOf(clients[0], 'anew').reserve('42', key, ttlSeconds)
    let running = true
    const deleting = deleters.map(async (store) => {
      let deleted = 0
      while (running) deleted += await store.deleteExpired({ limit: 3 })
      return deleted
    })
    try {
      for (let round = 0; round < 300; round++) {
        const key = `nonce ${round % 10}`
        while (!(await reserve(key, 0.001)));
        await sleep(round % 3)
        if (await reserve(key, 600)) {
          expect(await reserve(key, 600)).toBe(false)
          // The server may undo this statement too, in favour of a deletion.
          const expire = `UPDATE anew SET expires_at = clock_timestamp() - interval '1 s'`
          await eventually(() => clients[0]?.query(expire))
        }
      }
    } finally {
      running = false
    }
    const deleted = (await Promise.all(deleting)).reduce((sum, count) => sum + count)
    expect(deleted).toBeGreaterThan(0)
  })

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

  it('frees a nonce that was reserved inside a transaction of the caller, when that rolls back', async () => {
    const client = await session()
    const inside = storeOf(client, 'inside')
    await inside.createTable()
    await client.query('BEGIN')
    expect(await inside.reserve('42', 'nonce', 600)).toBe(true)
    await client.query('ROLLBACK')
    // The store itself remembers for a moment that the nonce was taken.
    expect(await storeOf(client, 'inside').reserve('42', 'nonce', 600)).toBe(true)
  })

  it.each(['pg', 'postgres.js'] as const)(
    'held by a lock: %s gives an error, and service again after it',
    async (client) => {
      const store = await connected(client)
      const locker = await session()
      await locker.query('BEGIN; LOCK TABLE webhook_nonces IN ACCESS EXCLUSIVE MODE')
      expect(await send(newRequest(), store)).toBe('ERR_NONCE_STORE')
      await locker.query('ROLLBACK')
      await eventually(async () => expect(await send(newRequest(), store)).toBe('accepted'))
    },
  )

  it.each(['pg', 'postgres.js'] as const)(
    'that hangs: %s gives an error, and service again when it goes on',
    async (client) => {
      const proxy = await TcpProxy.start(server.port)
      closers.push(() => proxy.stop())
      const nonceStore = await connected(client, 3000, server.url.replace(String(server.port), String(proxy.port)))
      proxy.onReply = () => 'hold'
      expect(await send(newRequest(), nonceStore)).toBe('ERR_NONCE_STORE')
      proxy.onReply = () => 'cut'
      await send(newRequest(), nonceStore)
      proxy.onReply = () => 'pass'
      await eventually(async () => expect(await send(newRequest(), nonceStore)).toBe('accepted'))
    },
  )

  /** Waits until the server has closed the connections of clients that were closed before, so that this number is left. */
  async function untilConnections(count: number): Promise<void> {
    const open =
      "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    await eventually(async () => expect(await server.sql(open)).toBe(String(count)))
  }

  it('throws while no connection is free, and works again when one is free', async () => {
    const store = await connected()
    await untilConnections(1)
    const sessions: pg.Client[] = []
    await expect(
      (async () => {
        for (;;) sessions.push(await session())
      })(),
    ).rejects.toThrow(/too many clients/)
    await expect(connected()).rejects.toMatchObject({
      message: expect.stringContaining('too many connections'),
      cause: { message: expect.stringContaining('too many clients') },
    })
    // The pool's only open connection still works. Eight concurrent calls need more connections than are free.
    const outcomes = await sendAll(Array.from({ length: 8 }, newRequest), store)
    expect(Object.keys(outcomes).every((outcome) => ['accepted', 'ERR_NONCE_STORE'].includes(outcome))).toBe(true)
    expect(outcomes['ERR_NONCE_STORE']).toBeGreaterThan(0)
    for (const client of sessions) await client.end()
    closers.length = 1
    await eventually(async () =>
      expect(await sendAll(Array.from({ length: 8 }, newRequest), store)).toEqual({ accepted: 8 }),
    )
  })

  it.each(['pg', 'postgres.js'] as const)(
    'killed and restarted mid-load: %s gives errors, then serves; nothing is lost',
    async (client) => {
      // The server has no room for the connections of two pools.
      const store = await connected(client)
      const load = new Load(store)
      await eventually(() => expect(load.accepted.length).toBeGreaterThan(100))
      await server.kill()
      await eventually(() => expect(load.failures).toBeGreaterThan(20))
      const acceptedBefore = load.accepted.length
      await server.restart()
      await eventually(() => expect(load.accepted.length).toBeGreaterThan(acceptedBefore))
      await load.stop()
      expect([...load.outcomes].sort()).toEqual(['ERR_NONCE_STORE', 'accepted'])
      // One of the connections may fail once more.
      const newRequests = () => Array.from({ length: 50 }, newRequest)
      await eventually(async () => expect(await sendAll(newRequests(), store)).toEqual({ accepted: 50 }))
      await store.close()
      await untilConnections(0)
      const patient = await connected(client, LONG_TIMEOUT)
      expect(await sendAll(load.accepted, patient, 50)).toEqual({ replayed_nonce: load.accepted.length })
    },
  )
})
