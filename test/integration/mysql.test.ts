import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import { LONG_TIMEOUT } from '../support/servers.js'
import { twoConnections } from '../support/stores/connections.js'
import { connect } from '../support/stores/source.js'

const CLIENTS = { mysql2: connect.mysql2, mariadb: connect.mariadb }
const ISOLATIONS = ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']

const installed = isInstalled('mariadb', mariadbIsInstalled())

/** A session with its own settings. Its stores run prepared statements, which send numbers in another way than text does. */
interface Session {
  connection: mysql.Connection
  store(table: string): MySqlNonceStore
}

describe.runIf(installed)('MySqlNonceStore', () => {
  let server: MariaDbServer
  const closers: (() => unknown)[] = []
  beforeAll(async () => {
    server = await MariaDbServer.start('--log-bin=binlog', '--server-id=1', '--binlog-format=ROW')
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
      new MySqlNonceStore({ query: (sql, values) => connection.execute(sql, values), table, timeout: LONG_TIMEOUT })
    return { connection, store }
  }

  /** Stops the clock of a session at a number of seconds after a fixed time. */
  const setTime = (connection: mysql.Connection, seconds: number) =>
    connection.query(`SET timestamp = ${1_800_000_000 + seconds}`)

  describe.each(Object.entries(CLIENTS))('with %s', (_, open) => {
    const store = twoConnections(() => open(server.url, { timeout: LONG_TIMEOUT }))
    it.concurrent.each(nonceStoreContract(() => store()))('$name', ({ run }) => run())
  })

  it.each(['', 'STRICT_ALL_TABLES', 'ANSI', 'TRADITIONAL', 'NO_BACKSLASH_ESCAPES'])(
    "tells claims from reservations with sql_mode = '%s'",
    async (mode) => {
      const open = async () => (await session({}, `SET SESSION sql_mode = '${mode}'`)).store('claim_modes')
      const [one, other] = [await open(), await open()]
      await one.createTable()
      const [first, second, third] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
      expect(await one.claim('42', [first, second], 30, 'one')).toBe('claimed')
      expect(await other.claim('42', [second, third], 30, 'other')).toBe('in_progress')
      // Nothing of a refused claim is written, in any mode.
      expect(await other.claim('42', [third], 30, 'other')).toBe('claimed')
      expect(await one.claim('42', [first, second], 30, 'one')).toBe('claimed')
      expect(await other.reserve('42', first, 600, 'other')).toBe(false)
      expect(await other.claim('42', [first], 600, 'other', true)).toBe('in_progress')
      expect(await one.claim('42', [first, second], 600, 'one', true)).toBe('claimed')
      expect(await other.claim('42', [third, second], 30, 'other')).toBe('taken')
      await other.release('42', [first, second, third], 'other')
      expect(await one.claim('42', [third], 30, 'one')).toBe('claimed')
    },
  )

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
})
