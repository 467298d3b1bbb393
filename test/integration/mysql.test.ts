import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import { eventually, LONG_TIMEOUT } from '../support/servers.js'
import { twoConnections } from '../support/stores/connections.js'
import { newRequest, send, sendAll } from '../support/stores/load.js'
import { connect } from '../support/stores/source.js'

const CLIENTS = { mysql2: connect.mysql2, mariadb: connect.mariadb }
const ISOLATIONS = ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']

const installed = isInstalled('mariadb', mariadbIsInstalled())

/** A session with its own settings, which runs statements as prepared statements or as text. */
interface Session {
  connection: mysql.Connection
  store(table: string): MySqlNonceStore
}

describe.runIf(installed)('MySqlNonceStore', () => {
  let server: MariaDbServer
  const closers: (() => unknown)[] = []
  beforeAll(async () => {
    server = await MariaDbServer.start(
      '--max-connections=60',
      '--log-bin=binlog',
      '--server-id=1',
      '--binlog-format=ROW',
    )
  })
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  afterAll(() => server.stop())

  async function session(settings: mysql.ConnectionOptions = {}, ...statements: string[]): Promise<Session> {
    const connection = await mysql.createConnection({ uri: server.url, ...settings })
    connection.on('error', () => {})
    for (const statement of statements) await connection.query(statement)
    closers.push(() => connection.end())
    const store = (table: string) =>
      new MySqlNonceStore({ query: (sql, values) => connection.query(sql, values), table, timeout: LONG_TIMEOUT })
    return { connection, store }
  }

  /** Stops the clock of a session at a number of seconds after a fixed time. */
  const setTime = (connection: mysql.Connection, seconds: number) =>
    connection.query(`SET timestamp = ${1_800_000_000 + seconds}`)

  async function connected(client: keyof typeof CLIENTS = 'mysql2') {
    // A machine that stalls for less than this ends no call too early.
    const store = await CLIENTS[client](server.url, { timeout: 3000 })
    closers.push(() => store.close())
    return store
  }

  describe.each(Object.entries(CLIENTS))('with %s', (_, open) => {
    const store = twoConnections(() => open(server.url, { timeout: LONG_TIMEOUT }))
    it.concurrent.each(nonceStoreContract(() => store()))('$name', ({ run }) => run())
  })

  describe.each(ISOLATIONS)('under %s', (isolation) => {
    const store = twoConnections(async () => {
      const pool = mysql.createPool({ uri: server.url })
      pool.on('connection', (connection) => {
        connection.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`)
      })
      // Prepared statements, which send numbers in another way than text does.
      const query = (sql: string, values: (string | number)[]) => pool.execute(sql, values)
      const nonceStore = new MySqlNonceStore({ query, table: 'isolated', timeout: LONG_TIMEOUT })
      await nonceStore.createTable()
      return Object.assign(nonceStore, { close: () => pool.end() })
    })
    // With the full load, the contract runs above. The test below reserves at the same time in each isolation.
    it.concurrent.each(nonceStoreContract(() => store(), { load: 'light' }))('$name', ({ run }) => run())
  })

  it.each(ISOLATIONS.flatMap((isolation) => [0, 1].map((snapshot) => [isolation, snapshot] as const)))(
    'reserves both keys or none under %s, also if others take one meanwhile (innodb_snapshot_isolation=%d)',
    async (isolation, snapshot) => {
      const settings = [
        `SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`,
        `SET SESSION innodb_snapshot_isolation = ${snapshot}`,
      ]
      const sessions = await Promise.all(Array.from({ length: 4 }, () => session({}, ...settings)))
      const stores = sessions.map(({ store }) => store('both'))
      const [first] = stores
      await first?.createTable()
      for (let round = 0; round < 80; round++) {
        const webhookId = `${isolation} ${snapshot} ${round}`
        // In every second round, the rows exist and have expired.
        if (round % 2 === 1) {
          for (const key of ['0', '1', '2', '3', 's']) await first?.reserve(webhookId, key, 0.001)
          await sleep(4)
        }
        const outcomes = await Promise.all(
          stores.map((store, index) => store.reserveAll(webhookId, [`${index}`, 's'], 600)),
        )
        expect(outcomes.filter((outcome) => outcome)).toHaveLength(1)
        for (const [index, outcome] of outcomes.entries()) {
          expect(await first?.reserve(webhookId, `${index}`, 600)).toBe(!outcome)
        }
      }
    },
  )

  it('retries after deadlocks, when pairs of expired keys overlap and others delete them', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => session()))
    const stores = sessions.map(({ store }) => store('crossed'))
    await stores[0]?.createTable()
    for (let round = 0; round < 100; round++) {
      // A store remembers for a moment which keys were taken. So each round has its own keys, and another store reserves them first.
      const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((key) => `${key}${round}`) as [string, string, string, string]
      const first = sessions[0]?.store('crossed')
      for (const key of [a, b, c, d]) await first?.reserve('42', key, 600)
      await sessions[0]?.connection.query('UPDATE crossed SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 61 SECOND')
      const pairs = [
        [a, b],
        [b, c],
        [c, d],
        [d, a],
      ]
      const reserving = pairs.map((keys, index) => stores[index]?.reserveAll('42', keys, 600))
      const deleting = stores.slice(4).map((store) => store.deleteExpired({ limit: 3 }))
      const outcomes = await Promise.all(reserving)
      await Promise.all(deleting)
      // The winners are one pair of keys, or two pairs that have no key in common.
      const winners = pairs.filter((_, index) => outcomes[index]).flat()
      expect(winners.length).toBeGreaterThanOrEqual(2)
      expect(new Set(winners).size).toBe(winners.length)
      await sessions[0]?.connection.query('DELETE FROM crossed')
    }
  })

  it.each<[string, mysql.ConnectionOptions]>([
    ['with FOUND_ROWS, as mysql2 does by default', { flags: ['FOUND_ROWS'] }],
    ['without FOUND_ROWS', { flags: ['-FOUND_ROWS'] }],
  ])('rejects a replay %s', async (_, settings) => {
    const { connection, store } = await session(settings)
    // A store remembers keys, so each reservation has a new store.
    const nonces = () => store(`found_rows_${settings.flags?.[0]?.startsWith('-') ? 'off' : 'on'}`)
    await nonces().createTable()
    // Shows what a conditional update of the same row would report.
    await connection.query('CREATE TEMPORARY TABLE one (id INT PRIMARY KEY)')
    await connection.query('INSERT INTO one VALUES (1)')
    const [unchanged] = await connection.query<mysql.ResultSetHeader>(
      'INSERT INTO one VALUES (1) ON DUPLICATE KEY UPDATE id = id',
    )
    expect(unchanged.affectedRows).toBe(settings.flags?.[0] === 'FOUND_ROWS' ? 1 : 0)
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await nonces().reserve('42', 'nonce', 600)).toBe(attempt === 0)
      expect(await nonces().reserveAll('42', ['a', 's'], 600)).toBe(attempt === 0)
    }
  })

  it.each(["'+12:59'", "'-12:59'", 'SYSTEM'])('uses the same time in a session with the time zone %s', async (zone) => {
    const sessions = [await session({}, "SET time_zone = '+00:00'"), await session({}, `SET time_zone = ${zone}`)]
    const [one, two] = sessions.map(({ store }) => store('zones')) as [MySqlNonceStore, MySqlNonceStore]
    await one.createTable()
    for (const [first, second] of [
      [one, two],
      [two, one],
    ] as const) {
      const webhookId = crypto.randomUUID()
      for (const { connection } of sessions) await setTime(connection, 0)
      expect(await first.reserve(webhookId, 'nonce', 600)).toBe(true)
      expect(await first.reserve(webhookId, 'short', 0.5)).toBe(true)
      expect(await second.reserve(webhookId, 'nonce', 600)).toBe(false)
      expect(await second.deleteExpired()).toBe(0)
      for (const { connection } of sessions) await setTime(connection, 0.6)
      expect(await second.reserve(webhookId, 'short', 600)).toBe(true)
      // A row is deleted when it expired more than a minute ago.
      for (const { connection } of sessions) await setTime(connection, 660)
      expect(await second.deleteExpired()).toBe(0)
      for (const { connection } of sessions) await setTime(connection, 661)
      expect(await second.deleteExpired()).toBe(2)
    }
  })

  it.each(['', 'ANSI', 'ORACLE', 'TRADITIONAL', 'NO_BACKSLASH_ESCAPES', 'NO_UNSIGNED_SUBTRACTION,HIGH_NOT_PRECEDENCE'])(
    'works with sql_mode %o',
    async (mode) => {
      const { connection, store } = await session({}, `SET sql_mode = '${mode}'`)
      const nonces = store('modes')
      await nonces.createTable()
      const webhookId = `mode ${mode}`
      expect(await nonces.reserveAll(webhookId, ["a'b\\", 's'], 600)).toBe(true)
      expect(await store('modes').reserve(webhookId, "a'b\\", 600)).toBe(false)
      await connection.query("UPDATE modes SET expires_at = UTC_TIMESTAMP(6) - INTERVAL '61' SECOND")
      expect(await nonces.deleteExpired()).toBe(2)
    },
  )

  it('keeps a key until one millisecond after its TTL', async () => {
    const { connection, store } = await session()
    await store('ends').createTable()
    // A store remembers for a moment which keys were taken, so each reservation has its own store.
    for (const [seconds, outcome] of [
      [0, true],
      [600.001, false],
      [600.001001, true],
      [600.001001, false],
    ] as const) {
      await setTime(connection, seconds)
      expect(await store('ends').reserve('42', 'nonce', 600)).toBe(outcome)
    }
  })

  it('lets twelve processes create the table at once, many times, in a named database', async () => {
    const sessions = await Promise.all(Array.from({ length: 12 }, () => session()))
    for (let round = 0; round < 20; round++) {
      await Promise.all(sessions.map(({ store }) => store(`hooks.round_${round}`).createTable()))
    }
    await sessions[0]?.store('round_0').createTable()
    expect(await sessions[0]?.store('round_0').reserve('42', 'nonce', 600)).toBe(true)
    expect(await sessions[1]?.store('hooks.round_0').reserve('42', 'nonce', 600)).toBe(false)
  })

  it('needs no permission to create a table that exists', async () => {
    const { store } = await session()
    await server.sql(`CREATE USER writer@'127.0.0.1'; GRANT SELECT, INSERT, DELETE ON hooks.* TO writer@'127.0.0.1'`)
    const { store: writerStore } = await session({ user: 'writer' })
    const nonces = writerStore('exists')
    await expect(nonces.createTable()).rejects.toThrow('The user lacks a permission.')
    await store('exists').createTable()
    await nonces.createTable()
    expect(await nonces.reserve('42', 'nonce', 600)).toBe(true)
    await server.sql('UPDATE hooks.`exists` SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 61 SECOND')
    expect(await nonces.deleteExpired()).toBe(1)
  })

  it('deletes expired rows in batches, the oldest first, and returns how many', async () => {
    const { connection, store } = await session()
    const nonces = store('deletes')
    await nonces.createTable()
    await nonces.reserve('42', 'live', 600)
    await connection.query(
      "INSERT INTO deletes SELECT UNHEX(SHA2(seq, 256)), UTC_TIMESTAMP(6) - INTERVAL IF(seq > 2, 60 + seq, 1) SECOND, '' FROM seq_1_to_8",
    )
    // A batch of one row in one millisecond is the oldest row. Two of the eight rows expired less than a minute ago.
    expect(await nonces.deleteExpired({ limit: 1, maxMilliseconds: 0.001 })).toBe(1)
    const [oldest] = await connection.query('SELECT 1 FROM deletes WHERE key_hash = UNHEX(SHA2(8, 256))')
    expect(oldest).toEqual([])
    expect(await nonces.deleteExpired({ limit: 2 })).toBe(5)
    expect(await nonces.deleteExpired()).toBe(0)
    expect(await store('deletes').reserve('42', 'live', 600)).toBe(false)
    await connection.query(
      "INSERT INTO deletes SELECT UNHEX(SHA2(seq + 100, 256)), UTC_TIMESTAMP(6) - INTERVAL 61 SECOND, '' FROM seq_1_to_2500",
    )
    expect(await nonces.deleteExpired()).toBe(2500)
    const explain = `EXPLAIN SELECT HEX(nonce.key_hash) AS hash FROM
      (SELECT key_hash FROM deletes WHERE expires_at < UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE ORDER BY expires_at LIMIT 100) AS expired
      STRAIGHT_JOIN deletes AS nonce FORCE INDEX (PRIMARY) USING (key_hash) FOR UPDATE SKIP LOCKED`
    const [plan] = await connection.query<mysql.RowDataPacket[]>(explain)
    expect(plan.map(({ key }) => key)).toEqual([null, 'PRIMARY', 'expires_at'])
    for (const { Extra } of plan.slice(1)) expect(Extra).toContain('Using index')
  })

  it('never deletes a row that was reserved again meanwhile', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => session()))
    const [reserver, ...deleters] = sessions.map(({ store }) => store('again'))
    await reserver?.createTable()
    // A store remembers its own keys, so each reservation comes from a new store.
    const reserve = (key: string, ttlSeconds: number) => sessions[0]?.store('again').reserve('42', key, ttlSeconds)
    let running = true
    const deleting = deleters.map(async (store) => {
      let deleted = 0
      while (running) deleted += await store.deleteExpired({ limit: 3 })
      return deleted
    })
    try {
      for (let round = 0; round < 200; round++) {
        const key = `nonce ${round % 10}`
        while (!(await reserve(key, 0.001)));
        await sleep(round % 3)
        if (await reserve(key, 600)) {
          expect(await reserve(key, 600)).toBe(false)
          // The server may undo this statement too, in favour of a deletion.
          const expire = 'UPDATE again SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 61 SECOND'
          await eventually(() => sessions[0]?.connection.query(expire))
        }
      }
    } finally {
      running = false
    }
    const deleted = (await Promise.all(deleting)).reduce((sum, count) => sum + count)
    expect(deleted).toBeGreaterThan(0)
  })

  it('frees a nonce that was reserved inside a transaction of the caller, when that rolls back', async () => {
    const { connection, store } = await session()
    const nonces = store('inside')
    await nonces.createTable()
    await connection.query('START TRANSACTION')
    expect(await nonces.reserve('42', 'nonce', 600)).toBe(true)
    await connection.query('ROLLBACK')
    // The store itself remembers for a moment that the nonce was taken.
    expect(await store('inside').reserve('42', 'nonce', 600)).toBe(true)
  })

  it('is an error if the table is missing', async () => {
    const { store } = await session()
    await expect(store('missing').reserve('42', 'nonce', 600)).rejects.toThrow(/doesn't exist/)
  })

  it.each(['mysql2', 'mariadb'] as const)('with %s, sends no reservation that has failed already', async (client) => {
    const store = await connected(client)
    await send(newRequest(), store)
    const { connection } = await session()
    const count = async () => {
      const [[row]] = await connection.query<mysql.RowDataPacket[]>('SELECT COUNT(*) AS number FROM webhook_nonces')
      return row?.['number']
    }
    const before = await count()
    await connection.query('LOCK TABLES webhook_nonces WRITE')
    const outcomes = await sendAll(Array.from({ length: 200 }, newRequest), store)
    await connection.query('UNLOCK TABLES')
    expect(outcomes).toEqual({ ERR_NONCE_STORE: 200 })
    await sleep(1000)
    // The store has passed 32 reservations to the client, with two rows each.
    expect((await count()) - before).toBeLessThanOrEqual(64)
  })

  it('throws while no connection is free, and works again when one is free', async () => {
    const store = await connected()
    // The server may still be closing the connections of an earlier test.
    const open = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'test'"
    await eventually(async () => expect(await server.sql(open)).toBe('1'))
    const connections: mysql.Connection[] = []
    await expect(
      (async () => {
        for (;;) connections.push(await mysql.createConnection({ uri: server.url }))
      })(),
    ).rejects.toThrow(/Too many connections/)
    const outcomes = await sendAll(Array.from({ length: 8 }, newRequest), store)
    expect(Object.keys(outcomes).every((outcome) => ['accepted', 'ERR_NONCE_STORE'].includes(outcome))).toBe(true)
    expect(outcomes['ERR_NONCE_STORE']).toBeGreaterThan(0)
    for (const connection of connections) await connection.end()
    await eventually(async () =>
      expect(await sendAll(Array.from({ length: 8 }, newRequest), store)).toEqual({ accepted: 8 }),
    )
  })
})
