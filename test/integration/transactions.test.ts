import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { handle, sign, type TransactionStore } from '../../src/index.js'
import { beginMysql2, MySqlNonceStore, MySqlTransactionStore } from '../../src/stores/mysql/index.js'
import { beginPg, PostgresNonceStore, PostgresTransactionStore } from '../../src/stores/postgres/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import { SECRET } from '../support/request.js'
import { eventually, PostgresServer, postgresIsInstalled, TcpProxy } from '../support/servers.js'
import { newStep } from '../support/step.js'

const PROGRAM = fileURLToPath(new URL('../support/transactions/program.js', import.meta.url))

/** What the tests need of a client: the same for both databases. */
interface Connection {
  query(text: string): Promise<unknown>
}

interface Options {
  connections?: number
  timeout?: number
  workTimeout?: number
  /** The port of a proxy in front of the server. */
  port?: number
  table?: string
}

interface Database {
  stop(): Promise<void>
  open(options?: Options): Opened
  port: number
  url: string
  /** A statement that takes 20 s. */
  sleep: string
  uuid: string
  /** The schema or database of the table. */
  schema: string
  /** Creates another schema or database. */
  createSchema(name: string): Promise<unknown>
}

interface Opened {
  store: PostgresTransactionStore<Connection> | MySqlTransactionStore<Connection>
  nonceStore: PostgresNonceStore | MySqlNonceStore
  query(text: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Runs one transaction, and returns its outcome. */
async function transact<Transaction>(
  store: TransactionStore<Transaction>,
  keys: readonly string[],
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<string> {
  return (await store.transact({ webhookId: '42', keys, ttlSeconds: 600, work: (transaction) => work(transaction) }))
    .outcome
}

const query = (connection: Connection, text: string) => connection.query(text)

async function startPostgres(): Promise<Database> {
  const server = await PostgresServer.start()
  return {
    stop: () => server.stop(),
    port: server.port,
    url: server.url,
    sleep: 'SELECT pg_sleep(20)',
    uuid: 'uuid',
    schema: 'public',
    createSchema: (name) => server.sql(`CREATE SCHEMA ${name}; GRANT ALL ON SCHEMA ${name} TO PUBLIC`),
    open({ connections = 10, timeout = 20_000, port = server.port, table, workTimeout } = {}) {
      const connectionString = server.url.replace(String(server.port), String(port))
      const pool = new pg.Pool({ connectionString, max: connections })
      pool.on('error', () => {})
      return {
        store: new PostgresTransactionStore<Connection>({ begin: beginPg(pool), query, table, timeout, workTimeout }),
        nonceStore: new PostgresNonceStore({ query: (text, values) => pool.query(text, values), timeout }),
        query: async (text) => (await pool.query(text)).rows,
        close: () => pool.end(),
      }
    },
  }
}

async function startMariaDb(): Promise<Database> {
  const server = await MariaDbServer.start()
  return {
    stop: () => server.stop(),
    port: server.port,
    url: server.url,
    sleep: 'SELECT SLEEP(20)',
    uuid: 'CHAR(36)',
    schema: 'hooks',
    createSchema: (name) => server.sql(`CREATE DATABASE ${name}; GRANT ALL ON ${name}.* TO test@'127.0.0.1'`),
    open({ connections = 10, timeout = 20_000, port = server.port, table, workTimeout } = {}) {
      const uri = server.url.replace(String(server.port), String(port))
      const pool = mysql.createPool({ uri, connectionLimit: connections })
      return {
        store: new MySqlTransactionStore<Connection>({ begin: beginMysql2(pool), query, table, timeout, workTimeout }),
        nonceStore: new MySqlNonceStore({ query: (text, values) => pool.query(text, values), timeout }),
        query: async (text) => (await pool.query<mysql.RowDataPacket[]>(text))[0],
        close: () => pool.end(),
      }
    },
  }
}

const DATABASES = [
  ['PostgreSQL', startPostgres, isInstalled('postgresql', postgresIsInstalled())],
  ['MariaDB', startMariaDb, isInstalled('mariadb', mariadbIsInstalled())],
] as const

describe.each(DATABASES.filter(([, , installed]) => installed))('a transaction in %s', (name, start) => {
  let database: Database
  let opened: Opened
  const closers: (() => unknown)[] = []
  beforeAll(async () => {
    database = await start()
    opened = database.open()
    await opened.store.createTable()
    await opened.query(`CREATE TABLE events (id ${database.uuid} PRIMARY KEY)`)
  })
  beforeEach(async () => {
    await opened.query('DELETE FROM events')
  })
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  afterAll(async () => {
    await opened.close()
    await database.stop()
  })

  function open(options: Options): Opened {
    const other = database.open(options)
    closers.push(() => other.close())
    return other
  }

  const insert = (connection: Connection, id: string = randomUUID()) =>
    connection.query(`INSERT INTO events VALUES ('${id}')`)
  const countEvents = async () => (await opened.query('SELECT id FROM events')).length
  const deliver = (keys: string[], work: (connection: Connection) => Promise<unknown>, { store } = opened) =>
    transact(store, keys, work)
  const newKeys = (): [string, string] => [`nonce:${randomUUID()}`, `signature ${randomUUID()}`]

  /** Starts work that waits. Resolves when it waits in its transaction, with a function that ends it. */
  async function startWork(keys: string[], from = opened) {
    let end = (_: Error | undefined) => {}
    const ended = new Promise<Error | undefined>((resolve) => {
      end = resolve
    })
    let outcome: Promise<unknown> | undefined
    await new Promise<void>((resolve, reject) => {
      outcome = deliver(
        keys,
        async (connection) => {
          await insert(connection)
          resolve()
          const error = await ended
          if (error !== undefined) throw error
        },
        from,
      )
      outcome.catch(reject)
    })
    return { outcome: outcome as Promise<unknown>, end }
  }

  it('reserves all keys or none, and shares its table with a nonce store', async () => {
    const [nonce, signature] = newKeys()
    expect(await opened.nonceStore.reserve('42', signature, 600)).toBe(true)
    expect(await deliver([nonce, signature], insert)).toBe('replayed')
    expect(await deliver([nonce], insert)).toBe('done')
    expect(await opened.nonceStore.reserve('42', nonce, 600)).toBe(false)
    expect(await countEvents()).toBe(1)
  })

  it('never lets a copy in work wait: a copy, and another split of the message, are in progress in another process', async () => {
    const [nonce, signature] = newKeys()
    const { outcome, end } = await startWork([nonce, signature])
    const elsewhere = open({})
    const others = [[nonce, signature], [`${nonce}:rest`, signature], [nonce], [signature]]
    for (const keys of others) expect(await deliver(keys, insert, elsewhere)).toBe('in_progress')
    expect(await deliver([`${nonce}:another message`], insert, elsewhere)).toBe('done')
    end(undefined)
    expect(await outcome).toBe('done')
    for (const keys of others) expect(await deliver(keys, insert, elsewhere)).toBe('replayed')
    expect(await countEvents()).toBe(2)
  })

  describe('beside a nonce store that claims keys in the same table', () => {
    const claim = (keys: readonly string[], owner: string, { nonceStore } = opened) =>
      nonceStore.claim('42', keys, 30, owner)
    const handleEvent = async (keys: readonly string[], event: string) =>
      (
        await opened.store.transact({
          webhookId: '42',
          keys,
          ttlSeconds: 600,
          eventKeys: [event],
          work: (connection) => insert(connection),
        })
      ).outcome

    it('is in progress while a key is claimed, leaves no row then, and runs when the claim is released', async () => {
      const [keys, event] = [newKeys(), `event ${randomUUID()}`]
      for (const claimed of [keys, keys.slice(1), [event]]) {
        expect(await claim(claimed, 'owner')).toBe('claimed')
        expect(await handleEvent(keys, event)).toBe('in_progress')
        await opened.nonceStore.release('42', claimed, 'owner')
        // A row that the transaction had left would be taken.
        expect(await claim([...keys, event], 'another owner')).toBe('claimed')
        await opened.nonceStore.release('42', [...keys, event], 'another owner')
      }
      expect(await handleEvent(keys, event)).toBe('done')
      expect(await handleEvent(newKeys(), event)).toBe('repeated')
      // A replay is taken before an event in progress is.
      expect(await claim(['event in progress'], 'owner')).toBe('claimed')
      expect(await handleEvent(keys, 'event in progress')).toBe('replayed')
      expect(await countEvents()).toBe(1)
    })

    it('holds off a claim until it ends', async () => {
      const elsewhere = open({ timeout: 500 })
      for (const error of [undefined, new Error('the work failed')]) {
        const keys = newKeys()
        const { outcome, end } = await startWork(keys)
        const whileInWork = await claim(keys, 'owner', elsewhere).catch(({ code }: { code: string }) => code)
        // MySQL waits for the row of the transaction.
        expect(whileInWork).toBe(name === 'PostgreSQL' ? 'in_progress' : 'ETIMEDOUT')
        end(error)
        await outcome.catch(() => {})
        if (error === undefined) expect(await claim(keys, 'another owner', elsewhere)).toBe('taken')
        // The claim that waited in MySQL may have got the keys.
        else expect(['claimed', 'in_progress']).toContain(await claim(keys, 'another owner', elsewhere))
      }
    })

    it('does not end a claim that its owner renews while copies arrive', async () => {
      const keys = newKeys()
      expect(await claim(keys, 'owner')).toBe('claimed')
      const elsewhere = open({})
      for (let round = 0; round < 40; round++) {
        const copy = () => claim(keys, randomUUID(), elsewhere)
        const states = await Promise.all([copy(), copy(), deliver(keys, insert), copy(), claim(keys, 'owner'), copy()])
        expect(states).toEqual(states.map((_, index) => (index === 4 ? 'claimed' : 'in_progress')))
      }
      expect(await opened.nonceStore.claim('42', keys, 600, 'owner', true)).toBe('claimed')
    })
  })

  it('loses nothing and repeats nothing, at whichever statement the connection is cut', async () => {
    const proxy = await TcpProxy.start(database.port)
    const through = open({ connections: 1, port: proxy.port })
    closers.push(() => proxy.stop())
    /** Delivers a message whose statement of this number is cut before it arrives, or before its response. */
    async function deliverCut(cutAt: number, when: 'request' | 'response') {
      const keys = newKeys()
      const id = randomUUID()
      let requests = 0
      let isCut = false
      proxy.onRequest = () => {
        if (requests++ !== cutAt || when === 'response') return
        isCut = true
        proxy.cutConnections()
      }
      proxy.onReply = () => {
        if (isCut || requests !== cutAt + 1) return 'pass'
        isCut = true
        return 'cut'
      }
      const outcome = await deliver(keys, (connection) => insert(connection, id), through).catch(() => 'failed')
      proxy.onRequest = () => {}
      proxy.onReply = () => 'pass'
      // The server frees the locks when it notices that the connection is lost.
      let again: unknown
      await eventually(async () => {
        again = await deliver(keys, (connection) => insert(connection, id))
        expect(again).not.toBe('in_progress')
      })
      return { isCut, outcome, again }
    }

    // This opens the connection.
    await deliver(newKeys(), insert, through)
    await opened.query('DELETE FROM events')
    const cuts: { isCut: boolean; outcome: string; again: unknown }[] = []
    for (const when of ['request', 'response'] as const) {
      for (let cutAt = 0; ; cutAt++) {
        await eventually(() => through.query('SELECT 1'))
        const cut = await deliverCut(cutAt, when)
        if (!cut.isCut) {
          expect(cut).toEqual({ isCut: false, outcome: 'done', again: 'replayed' })
          break
        }
        cuts.push(cut)
      }
    }
    // Every message has one row, with an ID that is new.
    expect(await countEvents()).toBe(cuts.length + 2)
    expect(cuts.length).toBe(name === 'PostgreSQL' ? 2 * 6 : 2 * 8)
    // Only a commit that was done, but not confirmed, is not repeated.
    expect(cuts.filter(({ again }) => again === 'replayed')).toHaveLength(1)
    for (const { outcome } of cuts) expect(outcome).toBe('failed')
  })

  describe('with work that takes too long', () => {
    const TIMED_OUT = { code: 'ERR_WORK_TIMEOUT', status: 503 }
    const ownId = async (connection: Connection) => {
      const text = name === 'PostgreSQL' ? 'SELECT pg_backend_pid() AS id' : 'SELECT CONNECTION_ID() AS id'
      const result: unknown = await connection.query(text)
      const rows = Array.isArray(result) ? result[0] : Object(result).rows
      return Number(rows[0].id)
    }

    /** Sends a message again until it is not in progress. */
    async function eventuallyDone(send: () => Promise<string>): Promise<string> {
      let outcome = ''
      await eventually(async () => {
        outcome = await send()
        expect(outcome).not.toBe('in_progress')
      })
      return outcome
    }

    it('ends a statement that hangs', async () => {
      const from = open({ connections: 2, timeout: 2000, workTimeout: 300 })
      const keys = newKeys()
      let failure: unknown
      const hanging = deliver(
        keys,
        async (connection) => {
          await insert(connection)
          await connection.query(database.sleep).catch((error: unknown) => {
            failure = error
          })
        },
        from,
      )
      await expect(hanging).rejects.toMatchObject(TIMED_OUT)
      expect(await eventuallyDone(() => deliver(keys, insert))).toBe('done')
      await eventually(() => expect(failure).toBeInstanceOf(Error))
      expect(await countEvents()).toBe(1)
    })

    it('frees the event of work that has swallowed the error of a statement', async () => {
      const from = open({ connections: 1, timeout: 2000, workTimeout: 200 })
      const keys = newKeys()
      const { taken, take } = newStep()
      const hanging = deliver(
        keys,
        async (connection) => {
          await insert(connection)
          await connection.query('INSERT INTO missing VALUES (1)').catch(() => {})
          await taken
        },
        from,
      )
      await expect(hanging).rejects.toMatchObject(TIMED_OUT)
      expect(await eventuallyDone(() => deliver(keys, insert))).toBe('done')
      // PostgreSQL has ended the transaction, but not the connection, which stays with the work.
      take()
      expect(await deliver(newKeys(), insert, from)).toBe('done')
      expect(await countEvents()).toBe(2)
    })

    it('lets a stranger live who has the connection', async () => {
      const from = open({ connections: 1, timeout: 2000, workTimeout: 300 })
      const [lent, over] = [newStep(), newStep()]
      let id = 0
      const hanging = deliver(
        newKeys(),
        async (connection) => {
          id = await ownId(connection)
          // The code breaks the rules: it ends the transaction, and gives the connection to others.
          await connection.query('ROLLBACK')
          if (name !== 'PostgreSQL') await connection.query('DO RELEASE_ALL_LOCKS()')
          lent.take()
          await over.taken
        },
        from,
      )
      const refused = expect(hanging).rejects.toMatchObject(TIMED_OUT)
      await lent.taken
      await refused
      // The next statement of the stranger on this connection works.
      await new Promise((resolve) => setTimeout(resolve, 500))
      const alive =
        name === 'PostgreSQL'
          ? `SELECT pid AS id FROM pg_stat_activity WHERE pid = ${id}`
          : `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE ID = ${id}`
      expect((await opened.query(alive)).map((row) => Number(row['id']))).toEqual([id])
      over.take()
    })
  })

  describe.runIf(name === 'PostgreSQL')('the limits of the server', () => {
    it('end the transaction of a process that is stopped', async () => {
      const body = randomUUID()
      const headers = sign(body, SECRET)
      const request = { headers, body: Buffer.from(body) }
      const deliverAgain = () =>
        handle({ webhookId: '42', request }, SECRET, opened.store, (_, connection) => insert(connection)).then(
          () => 'accepted',
          (error) => error.code,
        )
      const args = [PROGRAM, name, database.url, JSON.stringify({ headers, body }), SECRET, '2000']
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child.stdout, 'data')
      child.kill('SIGSTOP')
      expect(await deliverAgain()).toBe('ERR_WEBHOOK_IN_PROGRESS')
      await eventually(async () => expect(await deliverAgain()).toBe('accepted'))
      expect(await countEvents()).toBe(1)
    })
  })

  it('has locks of its own for each table and schema, and one lock for a table, however its name is written', async () => {
    await database.createSchema('other')
    const tables = ['other.webhook_nonces', 'other_nonces', `${database.schema}.webhook_nonces`]
    const [inOtherSchema, inOtherTable, inSameTable] = tables.map((table) => open({ table }))
    await inOtherSchema?.store.createTable()
    await inOtherTable?.store.createTable()
    const keys = newKeys()
    const { outcome, end } = await startWork(keys)
    expect(await deliver(keys, insert, inOtherSchema)).toBe('done')
    expect(await deliver(keys, insert, inOtherTable)).toBe('done')
    expect(await deliver(keys, insert, inSameTable)).toBe('in_progress')
    end(undefined)
    expect(await outcome).toBe('done')
    expect(await deliver(keys, insert, inSameTable)).toBe('replayed')
  })
})

it.runIf(DATABASES[1][2])(
  'lets the next attempt be accepted if MariaDB has not noticed that the connection of the last one is lost',
  async () => {
    const database = await startMariaDb()
    const proxy = await TcpProxy.start(database.port)
    const [behind, other] = [database.open({ port: proxy.port, timeout: 200 }), database.open()]
    onTestFinished(async () => {
      proxy.stop()
      for (const { close } of [behind, other]) await close()
      await database.stop()
    })
    await other.store.createTable()
    const keys = [randomUUID()]
    const lost = transact(behind.store, keys, async () => {
      proxy.dropConnections()
      throw new Error('lost')
    })
    await expect(lost).rejects.toThrow('lost')
    // The store ends the connection when it got no response to the rollback.
    await eventually(async () => expect(await transact(other.store, keys, async () => {})).toBe('done'))
  },
)
