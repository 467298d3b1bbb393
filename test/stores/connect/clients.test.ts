import { EventEmitter, once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { setImmediate as untilIdle } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectMariadb, type MariadbPool } from '../../../src/stores/mysql/mariadb.js'
import { connectMysql2, type Mysql2Pool } from '../../../src/stores/mysql/mysql2.js'
import { connectPg, connectPostgresJs } from '../../../src/stores/postgres/index.js'
import { connectIoredis, type IoredisOptions } from '../../../src/stores/redis/ioredis.js'
import { connectNodeRedis, type NodeRedisOptions } from '../../../src/stores/redis/node-redis.js'
import { SimulatedTime } from '../../support/simulated-time.js'

// States that no test can bring a real client into at will, in simulated time. test/integration has the real clients.

let time: SimulatedTime
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
})
afterEach(() => time.stop())

const TIMEOUT = 1000

/** Lets time pass, and then everything that waits for no time. */
async function pass(milliseconds: number): Promise<void> {
  await time.pass(milliseconds)
  await untilIdle()
}

const never = () => new Promise<never>(() => {})
const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Returns a `create` function, and the clients that it has returned. */
function created<Options extends object, Client extends object>(newClient: (options: Options) => Client) {
  const clients: Client[] = []
  const create = (options: Options) => {
    // A client uses its options. Otherwise, it is refused.
    const client = Object.assign(newClient(options), { options: { ...options } })
    clients.push(client)
    return client
  }
  /** Returns the client of this number, whose methods a test may replace. */
  const at = (index: number) => {
    const client = clients[index]
    if (client === undefined) throw new Error(`There is no client ${index}.`)
    return client
  }
  return { clients, create, at }
}

/** The part of INFO that the store reads. */
const MASTER = 'role:master\r\nmaxmemory_policy:noeviction\r\n'
const REPLICA = MASTER.replace('master', 'slave')
const EVICTING = MASTER.replace('noeviction', 'allkeys-lru')

describe('connectIoredis', () => {
  /** A client of ioredis on one server, which is a master unless `info` says otherwise. */
  class FakeRedis {
    isLost = false
    constructor(public info = MASTER) {}
    on(_event: string, _listener: (error: unknown) => void) {
      return this
    }
    async connect() {}
    async call(command: string, ...args: string[]): Promise<unknown> {
      if (this.isLost) throw new Error('Connection is closed.')
      return command === 'INFO' ? this.info : `reserved ${args[2 + Number(args[1])]}`
    }
    disconnect() {}
  }

  const redis = (info?: string) => created((_: IoredisOptions) => new FakeRedis(info))

  /** Clusters with these masters. */
  const clusters = (...infos: string[]) =>
    created((_: IoredisOptions) => {
      const masters = infos.map((info) => new FakeRedis(info))
      return Object.assign(new FakeRedis(), { masters, nodes: () => masters })
    })

  it('refuses a cluster that has lost its masters, because nothing would ever be checked', async () => {
    await expect(time.until(connectIoredis(clusters().create))).rejects.toMatchObject({
      cause: expect.objectContaining({ message: 'No master of the cluster is connected.' }),
    })
  })

  it.each([
    ['a replica', REPLICA, /replica/],
    ['a server that evicts keys', EVICTING, /noeviction/],
    ['a server that says nothing', '', /replica/],
  ])('refuses a cluster of which one master is %s', async (_, info, message) => {
    await expect(time.until(connectIoredis(clusters(MASTER, info).create))).rejects.toThrow(message)
  })

  it('asks the masters of a cluster only, and hears the errors of the client', async () => {
    const errors: unknown[] = []
    let emit: (error: unknown) => void = () => {}
    const { create } = created((_: IoredisOptions) => {
      const [master, replica] = [MASTER, REPLICA].map((info) => new FakeRedis(info))
      const cluster = Object.assign(new FakeRedis(), {
        nodes: (role: string) => (role === 'master' ? [master] : [master, replica]) as FakeRedis[],
      })
      cluster.on = (event, listener) => {
        if (event === 'error') emit = listener
        return cluster
      }
      return cluster
    })
    const nonceStore = await connectIoredis(create, { onError: (error) => errors.push(error) })
    emit('lost')
    expect(errors).toEqual(['lost'])
    await nonceStore.close()
  })

  it('ends its client if the first reservation fails', async () => {
    let ended = 0
    const { clients, create } = created((_: IoredisOptions) =>
      Object.assign(new FakeRedis(), {
        call: async (command: string) => (command === 'INFO' ? MASTER : 'not the answer'),
        disconnect: () => ended++,
      }),
    )
    await expect(time.until(connectIoredis(create))).rejects.toThrow('The store cannot connect.')
    expect([clients.length, ended]).toEqual([1, 1])
  })

  it('replaces a client when one of its masters has become a replica, which still takes commands', async () => {
    const { clients, create, at } = clusters(MASTER, MASTER)
    const nonceStore = await connectIoredis(create)
    Object.assign(at(0).masters[1] ?? {}, { info: REPLICA })
    await pass(500)
    expect(clients).toHaveLength(2)
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    await nonceStore.close()
  })

  it('accepts requests as soon as a silent client is replaced, though many got no answer', async () => {
    const { create, at } = redis()
    const nonceStore = await connectIoredis(create)
    at(0).call = never
    const silent = Promise.allSettled(
      Array.from({ length: 60 }, (_, number) => nonceStore.reserve('42', `nonce ${number}`, 600)),
    )
    // The first check begins after 500 ms.
    await pass(500 + TIMEOUT)
    expect(await nonceStore.reserve('42', 'another', 600)).toBe(true)
    await nonceStore.close()
    await silent
  })

  const fail = () => {
    throw new Error('the log is full')
  }
  it.each([
    ['throws', fail],
    ['rejects', async () => fail()],
  ])('replaces a client although onError %s', async (_, onError) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { clients, create, at } = redis()
    const nonceStore = await connectIoredis(create, { onError })
    at(0).isLost = true
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(clients).toHaveLength(2)
    await nonceStore.close()
    warn.mockRestore()
  })

  it('sends a command again with the next client if the server answers that it is a replica', async () => {
    const { clients, create, at } = redis()
    const nonceStore = await connectIoredis(create)
    at(0).call = () => Promise.reject(new Error("READONLY You can't write against a read only replica."))
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(clients).toHaveLength(2)
    await nonceStore.close()
  })

  it('sends nothing while one of the masters evicts keys', async () => {
    const { clients, create, at } = clusters(MASTER, MASTER)
    const nonceStore = await connectIoredis(create)
    const [, master] = at(0).masters
    Object.assign(master ?? {}, { info: EVICTING })
    await pass(500)
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('Redis evicts keys')
    Object.assign(master ?? {}, { info: MASTER })
    await pass(500)
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(clients).toHaveLength(1)
    await nonceStore.close()
  })

  it('sends a command again with the next client, but not after the time-out', async () => {
    const sent: number[] = []
    let hanging = 0
    const { clients, create, at } = created((_: IoredisOptions) => {
      const client = new FakeRedis()
      const number = clients.length
      if (hanging-- > 0) client.connect = never
      const { call } = client
      client.call = (command, ...args) => {
        if (command === 'EVAL') sent.push(number)
        return call.call(client, command, ...args)
      }
      return client
    })
    const nonceStore = await connectIoredis(create, { timeout: TIMEOUT })
    sent.length = 0
    at(0).isLost = true
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(sent).toEqual([0, 1])

    sent.length = 0
    hanging = 1
    at(1).isLost = true
    const late = expect(nonceStore.reserve('42', 'another', 600)).rejects.toThrow(`No response within ${TIMEOUT} ms`)
    await pass(2 * TIMEOUT)
    await late
    expect(clients).toHaveLength(4)
    expect(sent).toEqual([1])
    expect(await nonceStore.reserve('42', 'another', 600)).toBe(true)
    await nonceStore.close()
  })
})

describe('connectNodeRedis', () => {
  /** A client that is sent its commands with `sendCommand`. */
  const client = <Members extends object>(members: Members) =>
    created((_: NodeRedisOptions) => Object.assign({ on() {}, async connect() {}, destroy() {} }, members)).create

  /** Clusters with two masters, and what they were sent. */
  function clusters(secondInfo = MASTER) {
    const sent: unknown[] = []
    const infos: Record<string, string> = { first: MASTER, second: secondInfo }
    const create = client({
      masters: [{ name: 'first' }, { name: 'second' }],
      nodeClient: async (node: object) => ({
        on() {},
        async connect() {},
        destroy() {},
        sendCommand: async ([command]: string[]) => (command === 'INFO' ? infos[Object(node).name] : ''),
      }),
      async sendCommand(firstKey: string | undefined, isReadonly: boolean | undefined, args: string[]) {
        sent.push([firstKey === args[3], isReadonly])
        return `reserved ${args[3 + Number(args[2])]}`
      },
    })
    return { create, sent }
  }

  it('sends a command to the master of its first key', async () => {
    const { create, sent } = clusters()
    const nonceStore = await connectNodeRedis(create)
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(new Set(sent.map(String))).toEqual(new Set(['true,false']))
    await nonceStore.close()
  })

  it.each([
    ['a replica', REPLICA, /replica/],
    ['a server that evicts keys', EVICTING, /noeviction/],
  ])('refuses a cluster of which the second master is %s', async (_, info, message) => {
    await expect(time.until(connectNodeRedis(clusters(info).create))).rejects.toThrow(message)
  })

  it('sends a command to the master behind Sentinel, never to a replica', async () => {
    const sent = new Set<unknown>()
    const create = client({
      getSentinelNode() {},
      async sendCommand(isReadonly: boolean | undefined, args: string[]) {
        sent.add(isReadonly)
        return args[0] === 'INFO' ? MASTER : `reserved ${args[3 + Number(args[2])]}`
      },
    })
    const nonceStore = await connectNodeRedis(create)
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect([...sent]).toEqual([false])
    await nonceStore.close()
  })

  it('passes the errors of its client on', async () => {
    const errors: unknown[] = []
    const create = (options: NodeRedisOptions) =>
      Object.assign(new EventEmitter(), {
        options: { ...options },
        async connect(this: EventEmitter) {
          this.emit('error', 'lost')
        },
        sendCommand: async (): Promise<unknown> => Promise.reject(new Error('WRONGPASS invalid password')),
        destroy() {},
      })
    const connecting = connectNodeRedis(create, { onError: (error) => errors.push(error) })
    await expect(connecting).rejects.toThrow('password')
    expect(errors).toEqual(['lost'])
  })
})

/** Connects with a time-out of 1.5 s. */
const SESSION_SETTINGS = 'SET SESSION lock_wait_timeout = 2, innodb_lock_wait_timeout = 2, autocommit = 1'

describe('connectMysql2', () => {
  /** A pool that answers each statement, or throws `error`, and the statements that it got. */
  class FakePool implements Mysql2Pool {
    declare readonly options: Record<string, unknown>
    readonly events = new EventEmitter()
    error: object | undefined
    on(event: string, listener: (connection: Connection) => void) {
      this.events.on(event, listener)
      return this
    }
    async query({ sql }: { sql: string }): Promise<unknown> {
      if (this.error !== undefined) throw this.error
      return sql.startsWith('SELECT') ? [[{ read_only: 0, autocommit: 1 }], []] : [{ affectedRows: 1 }]
    }
    async end() {}
  }

  /** A connection that a pool has opened. */
  class Connection extends EventEmitter {
    readonly statements: string[] = []
    isDestroyed = false
    constructor(readonly error: unknown = null) {
      super()
    }
    query(sql: string, callback: (error: unknown) => void) {
      this.statements.push(sql)
      callback(this.error)
    }
    destroy() {
      this.isDestroyed = true
    }
  }

  async function open(options: { onError?: (error: unknown) => void; timeout?: number } = {}) {
    const { clients: pools, create, at } = created(() => new FakePool())
    const nonceStore = await connectMysql2(create, { timeout: 1500, ...options })
    return { nonceStore, pool: at(0), pools }
  }

  it('sets up each connection, and ends one whose settings failed', async () => {
    const errors: unknown[] = []
    const { nonceStore, pool } = await open({ onError: (error) => errors.push(error) })
    expect(time.refs, 'no timer keeps the process running').toBe(0)
    expect(pool.options['connectTimeout']).toBe(3000)
    for (const [error, isDestroyed] of [
      [null, false],
      ['Too many statements', true],
    ] as const) {
      const connection = new Connection(error)
      pool.events.emit('connection', connection)
      expect(connection.statements).toEqual([SESSION_SETTINGS])
      expect(connection.isDestroyed).toBe(isDestroyed)
    }
    expect(errors).toEqual(['Too many statements'])
    await nonceStore.close()
  })

  it.each([
    ['keeps', 'a reply of the server', { errno: 1205, sqlState: 'HY000' }, 1],
    ['replaces', 'another error', {}, 2],
  ])('%s a pool after %s', async (_, __, properties, count) => {
    const { nonceStore, pool, pools } = await open()
    pool.error = Object.assign(new Error('failed'), properties)
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('failed')
    await untilIdle()
    expect(pools).toHaveLength(count)
    await nonceStore.close()
  })

  it('hears the errors of a connection that nobody uses', async () => {
    const errors: unknown[] = []
    const { nonceStore, pool } = await open({ onError: (error) => errors.push(error) })
    const connection = new Connection()
    pool.events.emit('connection', connection)
    connection.emit('error', 'lost')
    expect(errors).toEqual(['lost'])
    await nonceStore.close()
  })

  it.each<[string, () => Promise<void>]>([
    ['gives up at the first that it cannot end', () => Promise.reject(new Error('connect ETIMEDOUT'))],
    ['waits for ever for a server that hangs', never],
  ])('closes all connections, though the pool %s', async (_, end) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const connected = once(server, 'connection')
    const { port } = Object(server.address())
    const create = (options: object) => {
      Object(options).stream({ config: { host: '127.0.0.1', port } })
      return Object.assign(new FakePool(), { end })
    }
    const nonceStore = await connectMysql2(create, { timeout: TIMEOUT })
    const [connection] = await connected
    const closed = once(connection, 'close')
    await time.until(nonceStore.close())
    expect(time.refs, 'no timer keeps the process running').toBe(0)
    await closed
    server.close()
  })

  it('replaces a pool that gives no answer', async () => {
    const { nonceStore, pool, pools } = await open({ timeout: TIMEOUT })
    pool.query = never
    const reserving = nonceStore.reserve('42', 'nonce', 600)
    await expect(time.until(reserving)).rejects.toThrow(`No response within ${TIMEOUT} ms`)
    await pass(TIMEOUT / 2)
    expect(await nonceStore.reserve('42', 'another', 600)).toBe(true)
    expect(pools).toHaveLength(2)
    await nonceStore.close()
  })
})

describe('connectPg', () => {
  type Query = (config: { name?: string | undefined; text: string }) => Promise<{ rows: unknown[] }>

  /** Pools that run this query. */
  const poolsWith = (query: Query) => created(() => Object.assign(new EventEmitter(), { query, async end() {} }))

  /** Pools that answer each statement, or throw `failure`, and the statements that they got, except for the checks. */
  async function open(options: { prepare?: boolean; concurrency?: number } = {}) {
    const statements: { name?: string | undefined; text: string }[] = []
    const errors: unknown[] = []
    const server: { failure: object | undefined } = { failure: undefined }
    const { clients: pools, create } = created(() => {
      const query: Query = async (statement) => {
        if (statement.text.includes('read_only')) return { rows: [{ read_only: 0 }] }
        statements.push(statement)
        if (server.failure !== undefined) throw server.failure
        return { rows: [{ reserved: true }] }
      }
      return Object.assign(new EventEmitter(), { query, async end() {} })
    })
    const nonceStore = await connectPg(create, { timeout: TIMEOUT, ...options, onError: (error) => errors.push(error) })
    statements.length = 0
    return { nonceStore, pools, errors, statements, server }
  }

  it('keeps a pool after a reply of the server', async () => {
    const { nonceStore, pools, server } = await open()
    server.failure = Object.assign(new Error('disk full'), { severity: 'ERROR', code: '53100' })
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('disk full')
    await untilIdle()
    expect(pools).toHaveLength(1)
    await nonceStore.close()
  })

  it('replaces a pool after another error, and first cancels what the server still runs for it', async () => {
    const { nonceStore, pools, statements } = await open({ concurrency: 1 })
    Object.assign(pools[0] ?? {}, {
      query: ({ text }: { text: string }) => (text.includes('DELETE') ? Promise.reject(new Error('lost')) : never()),
    })
    const [hanging, waiting] = ['nonce', 'another'].map((key) => nonceStore.reserve('42', key, 600))
    await expect(nonceStore.deleteExpired()).rejects.toThrow('lost')
    expect(await waiting).toBe(true)
    expect(pools).toHaveLength(2)
    const mark = '/* inbound-webhook-auth, timeout 1000 ms */'
    expect(statements.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^SELECT pg_cancel_backend\(pid\) FROM pg_stat_activity/),
      expect.stringMatching(/^\/\* inbound-webhook-auth, timeout 1000 ms \*\/ INSERT /),
    ])
    expect(statements[0]?.text).toContain(`query LIKE '${mark}%'`)
    expect(statements[0]?.text).toContain("query_start < clock_timestamp() - 1000 * interval '1 millisecond'")
    await Promise.all([expect(time.until(hanging ?? never())).rejects.toThrow('No response'), nonceStore.close()])
  })

  it('gives a statement no name if it must not be prepared', async () => {
    const { nonceStore, statements } = await open({ prepare: false })
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(statements.map(({ name }) => name)).toEqual([undefined])
    await nonceStore.close()
  })

  it('hears the errors of the pool, and of a connection that nobody uses', async () => {
    const { nonceStore, pools, errors } = await open()
    pools[0]?.emit('error', 'of the pool')
    const connection = new EventEmitter()
    pools[0]?.emit('connect', connection)
    connection.emit('error', 'of a connection')
    expect(errors).toEqual(['of the pool', 'of a connection'])
    await nonceStore.close()
  })

  it('gives each statement a name of its own, so that no connection runs another one', async () => {
    const names: (string | undefined)[] = []
    const { create } = poolsWith(async ({ name, text }) => {
      if (text.includes('read_only')) return { rows: [{ read_only: 0 }] }
      names.push(name)
      return { rows: [{ reserved: true }] }
    })
    const stores = []
    for (const table of ['a_table_of_one_webhook', 'a_table_of_another']) {
      stores.push(await connectPg(create, { table, createTable: false }))
    }
    names.length = 0
    for (const store of stores) {
      await store.reserve('42', 'nonce', 600)
      await store.reserve('42', 'another', 600)
      await store.reserveAll('42', ['third', 'signature'], 600)
      await store.close()
    }
    expect(names[0]).toBe(names[1])
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(String(name).length).toBeLessThanOrEqual(63)
  })

  it('refuses a server that accepts no writes', async () => {
    const connecting = connectPg(
      poolsWith(async ({ text }) => ({
        rows: text.includes('transaction_read_only') ? [{ read_only: 1 }] : [{ reserved: true }],
      })).create,
    )
    await expect(connecting).rejects.toThrow('The server is read-only or a replica.')
  })
})

describe('connectMariadb', () => {
  /** A pool that answers, unless `respond` says otherwise. */
  class FakePool implements MariadbPool {
    declare readonly options: object
    isEnded = false
    readonly events = new EventEmitter()
    constructor(readonly respond: (sql: string) => unknown = () => undefined) {}
    on(event: string, listener: (value: unknown) => void) {
      this.events.on(event, listener)
      return this
    }
    async query(sql: string): Promise<unknown> {
      const answer = await this.respond(sql)
      if (answer !== undefined) return answer
      return sql.startsWith('SELECT') ? [{ read_only: 0, autocommit: 1 }] : { affectedRows: 1 }
    }
    async end() {
      this.isEnded = true
    }
  }

  const poolsWith = (respond?: (sql: string) => unknown) => created(() => new FakePool(respond))
  const failure = (errno: number) => Object.assign(new Error(`error ${errno}`), { errno, sqlState: 'HY000' })
  const READ_ONLY = 1290

  it('limits the wait for locks, turns autocommit on, and hears the errors of the pool', async () => {
    const { create, at } = poolsWith()
    const errors: unknown[] = []
    const nonceStore = await connectMariadb(create, { timeout: 1500, onError: (error) => errors.push(error) })
    expect(at(0).options).toMatchObject({ initSql: SESSION_SETTINGS, connectTimeout: 1500, acquireTimeout: 1500 })
    at(0).events.emit('error', 'lost')
    expect(errors).toEqual(['lost'])
    await nonceStore.close()
  })

  it.each([
    ['server', 1],
    ['InnoDB and server', 2],
    ['server, as a bigint', 1n],
  ])('refuses a server that is read-only: %s', async (_, readOnly) => {
    const statements: string[] = []
    const { create } = poolsWith((sql) => {
      statements.push(sql)
      return [{ read_only: readOnly }]
    })
    await expect(connectMariadb(create)).rejects.toThrow('The server is read-only or a replica.')
    expect(statements).toEqual(['SELECT @@global.read_only + @@global.innodb_read_only AS read_only'])
  })

  it('creates the table before it tries a reservation', async () => {
    let exists = false
    const { create } = poolsWith(async (sql) => {
      if (sql.startsWith('CREATE')) {
        await pause(20)
        exists = true
      } else if (!exists && !sql.includes('@@')) throw failure(1146)
    })
    const nonceStore = await time.until(connectMariadb(create))
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    await nonceStore.close()
  })

  it('ends its pool if the first reservation fails', async () => {
    const { create, at } = poolsWith((sql) => {
      if (sql.startsWith('INSERT')) throw failure(1142)
    })
    await expect(connectMariadb(create)).rejects.toThrow('The user lacks a permission')
    expect(at(0).isEnded).toBe(true)
  })

  it('tries a reservation and its replay before the first request', async () => {
    const inserted: unknown[] = []
    const { create, at } = poolsWith()
    const query = vi.spyOn(FakePool.prototype, 'query')
    const nonceStore = await connectMariadb(create)
    for (const [sql, values] of query.mock.calls as unknown[][]) {
      if (String(sql).startsWith('INSERT')) inserted.push(String(values))
    }
    query.mockRestore()
    expect(inserted).toHaveLength(2)
    expect(inserted[0]).toBe(inserted[1])
    await nonceStore.close()
    expect(at(0).isEnded).toBe(true)
  })

  it('passes the options of deleteExpired on, and is closed by Symbol.asyncDispose', async () => {
    const statements: string[] = []
    const { create, at } = poolsWith((sql) => {
      statements.push(sql)
      return sql.includes('HEX(key_hash)') ? [] : undefined
    })
    const nonceStore = await connectMariadb(create)
    expect(await nonceStore.deleteExpired({ limit: 7 })).toBe(0)
    expect(statements.at(-1)).toMatch(/ LIMIT 7$/)
    await Object(nonceStore)[Symbol.asyncDispose]()
    expect(at(0).isEnded).toBe(true)
  })

  it('does not count deletions as reservations in flight, because they may take long', async () => {
    const { create } = poolsWith((sql) => (sql.includes('HEX(key_hash)') ? pause(100).then(() => []) : undefined))
    const nonceStore = await connectMariadb(create)
    const deletions = Array.from({ length: 40 }, () => nonceStore.deleteExpired())
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    await time.until(Promise.all(deletions))
    await nonceStore.close()
  })

  it('opens another pool if the server has become read-only', async () => {
    const { clients: pools, create, at } = poolsWith()
    const nonceStore = await connectMariadb(create)
    at(0).query = () => Promise.reject(failure(READ_ONLY))
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('error 1290')
    await untilIdle()
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(pools).toHaveLength(2)
    await nonceStore.close()
  })

  it('opens another pool if one gives no answer for too long', async () => {
    const { clients: pools, create, at } = poolsWith()
    const errors: string[] = []
    const nonceStore = await connectMariadb(create, {
      timeout: TIMEOUT,
      onError: (error) => errors.push(String(error)),
    })
    at(0).query = never
    await expect(time.until(nonceStore.reserve('42', 'nonce', 600))).rejects.toThrow('No response')
    await pass(1.5 * TIMEOUT)
    expect(pools.map(({ isEnded }) => isEnded)).toEqual([true, false])
    expect(await nonceStore.reserve('42', 'another', 600)).toBe(true)
    expect(errors).toEqual([
      'Error: No response within 1500 ms. Check the server, or allow more connections of the pool.',
    ])
    await nonceStore.close()
  })

  it('is closed while it opens another pool', async () => {
    let isReadOnly = 0
    const { create } = poolsWith((sql) => {
      if (sql.startsWith('SELECT')) return [{ read_only: isReadOnly, autocommit: 1 }]
      if (isReadOnly) throw failure(READ_ONLY)
      return undefined
    })
    const nonceStore = await connectMariadb(create, { timeout: TIMEOUT })
    isReadOnly = 1
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('error 1290')
    await pass(10)
    await nonceStore.close()
    await pass(3 * TIMEOUT)
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('is closed')
  })
})

describe('connectPostgresJs', () => {
  /** A server, and a client that answers each statement. */
  async function open() {
    const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address())
    const ended: unknown[] = []
    let socketOf: (settings: object) => Socket = () => new Socket()
    const nonceStore = await connectPostgresJs(
      (options) => {
        socketOf = Object({ ...options }).socket
        return {
          unsafe: async (text: string) => (text.includes('read_only') ? [{ read_only: 0 }] : [{ reserved: true }]),
          async end(how: unknown) {
            ended.push(how)
          },
        }
      },
      { timeout: TIMEOUT },
    )
    const close = () => Promise.all([nonceStore.close(), server.close()])
    return { ended, port, socketOf, close }
  }

  it('connects to a server that is far away, where the first statement also opens a connection', async () => {
    const unsafe = async (text: string) => {
      const isFirst = text.includes('read_only')
      if (isFirst) await pass(2.9 * TIMEOUT)
      return isFirst ? [{ read_only: 0 }] : [{ reserved: true }]
    }
    const connecting = connectPostgresJs(
      (options) => ({ options: { ...options, host: [], port: [] }, unsafe, end: async () => {} }),
      { timeout: TIMEOUT },
    )
    await (await time.until(connecting)).close()
  })

  it('tries its servers in turn', async () => {
    const { port, socketOf, close } = await open()
    const other = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const settings = { host: ['127.0.0.1', '127.0.0.1'], port: [port, Object(other.address()).port] }
    const sockets = Array.from({ length: 3 }, () => socketOf(settings))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const [first, second] = settings.port
    expect(sockets.map(({ remotePort }) => remotePort)).toEqual([first, second, first])
    await close()
    other.close()
  })

  it('closes all connections, though the client forgets one, and waits no longer than the time-out', async () => {
    const { port, socketOf, ended, close } = await open()
    const socket = socketOf({ host: ['127.0.0.1'], port: [port] })
    await once(socket, 'connect')
    await close()
    expect(socket.destroyed).toBe(true)
    // In seconds.
    expect(ended).toEqual([{ timeout: TIMEOUT / 1000 }])
  })
})
