import { EventEmitter, once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, createCluster, createSentinel } from 'redis'
import { describe, expect, it, vi } from 'vitest'
import { connectMariadb, type MariadbPool } from '../../../src/stores/mysql/mariadb.js'
import { connectMysql2, type Mysql2Pool } from '../../../src/stores/mysql/mysql2.js'
import { connectPg, connectPostgresJs } from '../../../src/stores/postgres/index.js'
import { addressOf, cancelStatement } from '../../../src/stores/postgres/session.js'
import { connectIoredis, type IoredisOptions } from '../../../src/stores/redis/ioredis.js'
import { connectNodeRedis, type NodeRedisClient, type NodeRedisOptions } from '../../../src/stores/redis/node-redis.js'
import { noTimers, timersInUse } from '../../support/timers.js'

// States that no test can bring a real client into at will. test/integration has the real clients.

const TIMEOUT = 60

/** The part of INFO that the store reads. */
const MASTER = 'role:master\r\nmaxmemory_policy:noeviction\r\n'

/** A client of ioredis on one server, which is a master unless `info` says otherwise. */
class FakeRedis {
  readonly options = { host: '127.0.0.1', port: 6379 }
  readonly status = 'ready'
  isLost = false
  constructor(
    options: IoredisOptions,
    public info = MASTER,
  ) {
    Object.assign(this, options)
  }
  on() {
    return this
  }
  async connect() {}
  async call(command: string, ...args: string[]): Promise<unknown> {
    if (this.isLost) throw new Error('Connection is closed.')
    return command === 'INFO' ? this.info : `reserved ${args[2 + Number(args[1])]}`
  }
  disconnect() {}
}

describe('connectIoredis', () => {
  it('refuses a cluster that has lost its masters, because nothing would ever be checked', async () => {
    const connecting = connectIoredis((options) => Object.assign(new FakeRedis(options), { nodes: () => [] }))
    await expect(connecting).rejects.toMatchObject({
      cause: expect.objectContaining({ message: 'No master of the cluster is connected.' }),
    })
  })

  it.each([
    ['a replica', 'role:slave\r\nmaxmemory_policy:noeviction\r\n', /replica/],
    ['a server that evicts keys', 'role:master\r\nmaxmemory_policy:allkeys-lru\r\n', /noeviction/],
    ['a server that evicts keys with a TTL', 'role:master\r\nmaxmemory_policy:volatile-ttl\r\n', /noeviction/],
    ['a server that says nothing', '', /replica/],
  ])('refuses a cluster of which one master is %s', async (_, info, message) => {
    const connecting = connectIoredis((options) => {
      const nodes = [new FakeRedis(options), new FakeRedis(options, info)]
      return Object.assign(new FakeRedis(options), { nodes: () => nodes })
    })
    await expect(connecting).rejects.toThrow(message)
  })

  it('waits for a failover that runs at the start, but not for another password', async () => {
    const infos = ['role:slave\r\n', 'role:slave\r\n', MASTER]
    const nonceStore = await connectIoredis((options) => new FakeRedis(options, infos.shift()))
    expect(infos).toEqual([])
    await nonceStore.close()
    let clients = 0
    const refused = connectIoredis((options) => {
      clients++
      const connect = () => Promise.reject(new Error('WRONGPASS invalid username-password pair'))
      return Object.assign(new FakeRedis(options), { connect })
    })
    await expect(refused).rejects.toThrow('password')
    expect(clients).toBe(1)
  })

  it('asks the masters of a cluster only, and hears the errors of the client', async () => {
    const errors: unknown[] = []
    let emit: (error: unknown) => void = () => {}
    const nonceStore = await connectIoredis(
      (options) => {
        const master = new FakeRedis(options)
        const replica = new FakeRedis(options, 'role:slave\r\nmaxmemory_policy:noeviction\r\n')
        const on = (event: string, listener: typeof emit) => {
          if (event === 'error') emit = listener
        }
        return Object.assign(new FakeRedis(options), {
          nodes: (role: string) => (role === 'master' ? [master] : [master, replica]),
          on,
        })
      },
      { onError: (error) => errors.push(error) },
    )
    emit('lost')
    expect(errors).toEqual(['lost'])
    await nonceStore.close()
  })

  it('ends its client if the first reservation fails', async () => {
    let created = 0
    let ended = 0
    const connecting = connectIoredis((options) => {
      created++
      return Object.assign(new FakeRedis(options), {
        call: async (command: string) => (command === 'INFO' ? MASTER : 'not the answer'),
        disconnect: () => ended++,
      })
    })
    await expect(connecting).rejects.toThrow('The store cannot connect.')
    expect(created).toBeGreaterThan(1)
    expect(ended).toBe(created)
  })

  it('replaces a client when one of its masters has become a replica, which still takes commands', async () => {
    const clients: FakeRedis[][] = []
    const nonceStore = await connectIoredis((options) => {
      const nodes = [new FakeRedis(options), new FakeRedis(options)]
      clients.push(nodes)
      return Object.assign(new FakeRedis(options), { nodes: () => nodes })
    })
    Object.assign(clients[0]?.[1] ?? {}, { info: 'role:slave\r\nmaxmemory_policy:noeviction\r\n' })
    await vi.waitFor(() => expect(clients).toHaveLength(2), 5000)
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    await nonceStore.close()
  })

  it('accepts requests as soon as a silent client is replaced, though many got no answer', async () => {
    const clients: FakeRedis[] = []
    const nonceStore = await connectIoredis((options) => {
      const client = new FakeRedis(options)
      clients.push(client)
      return client
    })
    Object.assign(clients[0] ?? {}, { call: () => new Promise(() => {}) })
    const silent = Promise.allSettled(Array.from({ length: 60 }, () => nonceStore.reserve('42', 'nonce', 600)))
    await vi.waitFor(() => expect(clients).toHaveLength(2), 5000)
    await sleep(10)
    expect(await nonceStore.reserve('42', 'another', 600)).toBe(true)
    await nonceStore.close()
    await silent
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('the log is full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('replaces a client although onError %s', async (_, onError) => {
    const clients: FakeRedis[] = []
    const nonceStore = await connectIoredis(
      (options) => {
        const client = new FakeRedis(options)
        clients.push(client)
        return client
      },
      { onError },
    )
    Object.assign(clients[0] ?? {}, { isLost: true })
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(clients).toHaveLength(2)
    await nonceStore.close()
  })

  it('sends a command again with the next client if the server answers that it is a replica', async () => {
    const clients: FakeRedis[] = []
    const nonceStore = await connectIoredis((options) => {
      const client = new FakeRedis(options)
      clients.push(client)
      return client
    })
    const readOnly = async () => {
      throw new Error("READONLY You can't write against a read only replica.")
    }
    Object.assign(clients[0] ?? {}, { call: readOnly })
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(clients).toHaveLength(2)
    await nonceStore.close()
  })

  it('sends nothing while one of the masters evicts keys', async () => {
    const nodes: FakeRedis[] = []
    const nonceStore = await connectIoredis((options) => {
      nodes.push(new FakeRedis(options), new FakeRedis(options))
      return Object.assign(new FakeRedis(options), { nodes: () => nodes })
    })
    const [, second] = nodes
    const info = String(second?.info)
    Object.assign(second ?? {}, { info: info.replace('noeviction', 'allkeys-lru') })
    const reserve = () => nonceStore.reserve('42', 'nonce', 600)
    await vi.waitFor(() => expect(reserve()).rejects.toThrow('Redis evicts keys'), 5000)
    Object.assign(second ?? {}, { info })
    await vi.waitFor(async () => expect(await reserve()).toBe(true), 5000)
    expect(nodes).toHaveLength(2)
    await nonceStore.close()
  })

  it('sends a command again with the next client, but not after the time-out', async () => {
    const clients: FakeRedis[] = []
    const sent: number[] = []
    let hanging = 0
    const nonceStore = await connectIoredis(
      (options) => {
        const client = new FakeRedis(options)
        const number = clients.push(client)
        if (hanging-- > 0) client.connect = () => new Promise(() => {})
        const { call } = client
        client.call = (command, ...args) => {
          if (command === 'EVAL') sent.push(number)
          return call.call(client, command, ...args)
        }
        return client
      },
      { timeout: TIMEOUT },
    )
    sent.length = 0
    clients[0] && Object.assign(clients[0], { isLost: true })
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(sent).toEqual([1, 2])

    sent.length = 0
    hanging = 1
    clients[1] && Object.assign(clients[1], { isLost: true })
    await expect(nonceStore.reserve('42', 'another', 600)).rejects.toThrow(`No answer within ${TIMEOUT} ms`)
    await sleep(6 * TIMEOUT)
    expect(clients).toHaveLength(4)
    expect(sent).toEqual([2])
    expect(await nonceStore.reserve('42', 'another', 600)).toBe(true)
    await nonceStore.close()
  })
})

describe('connectNodeRedis', () => {
  it.each<[what: string, (port: number) => (options: NodeRedisOptions) => NodeRedisClient]>([
    ['a server', (port) => (options) => createClient({ ...options, socket: { ...options.socket, port } })],
    ['a cluster', (port) => (options) => createCluster({ rootNodes: [{ socket: { port } }], ...options })],
    [
      'sentinels',
      (port) => (options) => {
        // More than it can ask within the time-out.
        const sentinelRootNodes = Array.from({ length: 20 }, () => ({ host: '127.0.0.1', port }))
        return createSentinel({ name: 'nonces', sentinelRootNodes, ...options })
      },
    ],
  ])('leaves no connection, no timer and no error behind if nothing answers: %s', async (_, clientOf) => {
    const open = new Set<Socket>()
    const server = createServer((socket) => {
      open.add(socket)
      socket.on('close', () => open.delete(socket)).resume()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const create = clientOf(Object(server.address()).port)
    await expect(connectNodeRedis(create, { timeout: 600, onError })).rejects.toThrow('The server cannot be reached')
    const { length } = errors
    // A connection that was being opened ends when it was silent for 2.2 s.
    await vi.waitFor(() => expect(open.size).toBe(0), 5000)
    expect(errors.slice(length)).toEqual([])
    server.close()
  })

  /** A cluster with two masters, and what it was sent. */
  function fakeCluster(secondInfo = MASTER) {
    const sent: unknown[] = []
    const infos: Record<string, string> = { first: MASTER, second: secondInfo }
    const create = (options: NodeRedisOptions) => ({
      options: { ...options },
      on() {},
      async connect() {},
      destroy() {},
      masters: [{ name: 'first' }, { name: 'second' }],
      nodeClient: async (node: object) => ({
        ...new EventEmitter(),
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
    const { create, sent } = fakeCluster()
    const nonceStore = await connectNodeRedis(create)
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect(new Set(sent.map(String))).toEqual(new Set(['true,false']))
    await nonceStore.close()
  })

  it.each([
    ['a replica', 'role:slave\r\nmaxmemory_policy:noeviction\r\n', /replica/],
    ['a server that evicts keys', 'role:master\r\nmaxmemory_policy:allkeys-lru\r\n', /noeviction/],
  ])('refuses a cluster of which the second master is %s', async (_, info, message) => {
    await expect(connectNodeRedis(fakeCluster(info).create)).rejects.toThrow(message)
  })

  it('sends a command to the master behind Sentinel, never to a replica', async () => {
    const sent = new Set<unknown>()
    const nonceStore = await connectNodeRedis((options) => ({
      options: { ...options },
      on() {},
      async connect() {},
      destroy() {},
      getSentinelNode() {},
      async sendCommand(isReadonly: boolean | undefined, args: string[]) {
        sent.add(isReadonly)
        return args[0] === 'INFO' ? MASTER : `reserved ${args[3 + Number(args[2])]}`
      },
    }))
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    expect([...sent]).toEqual([false])
    await nonceStore.close()
  })

  it('passes the errors of its client on', async () => {
    const client = new EventEmitter()
    const errors: unknown[] = []
    const connecting = connectNodeRedis(
      (options) =>
        Object.assign(client, {
          options: { ...options },
          async connect() {
            client.emit('error', 'lost')
          },
          sendCommand: async () => 'role:slave',
          destroy() {},
        }),
      { onError: (error) => errors.push(error), timeout: TIMEOUT },
    )
    await expect(connecting).rejects.toThrow('The server is read-only or a replica.')
    expect(errors).toEqual(['lost'])
  })
})

/** Connects with a time-out of 1.5 s. */
const SESSION_SETTINGS = 'SET SESSION lock_wait_timeout = 2, innodb_lock_wait_timeout = 2, autocommit = 1'

describe('connectMysql2', () => {
  /** A pool with one connection, and what happens to it. */
  class FakePool implements Mysql2Pool {
    readonly log: string[] = []
    readonly events = new EventEmitter()
    /** Is thrown instead of the next answer. */
    error: object | undefined
    readonly #connection = new EventEmitter()
    constructor(options: object) {
      Object.assign(this, { options: { ...options } })
    }
    on(event: string, listener: (connection: EventEmitter) => void) {
      this.events.on(event, listener)
      return this
    }
    async getConnection() {
      return {
        connection: this.#connection,
        query: async ({ sql }: { sql: string }) => {
          this.log.push(sql)
          const { error } = this
          this.error = undefined
          if (error !== undefined) throw error
          return sql.startsWith('SELECT') ? [[{ read_only: 0, autocommit: 1 }], []] : [{ affectedRows: 1 }]
        },
        release: () => this.log.push('release'),
        destroy: () => this.log.push('destroy'),
      }
    }
    async end() {}
  }

  async function open(onError: (error: unknown) => void = () => {}, timeout = 1500) {
    const pools: FakePool[] = []
    const nonceStore = await connectMysql2(
      (options) => {
        const pool = new FakePool(options)
        pools.push(pool)
        return pool
      },
      { timeout, onError },
    )
    const [pool] = pools
    if (pool === undefined) throw new Error('no pool')
    return { nonceStore, pool, pools }
  }

  it('sets up each connection once', async () => {
    const { nonceStore, pool } = await open()
    await noTimers()
    await nonceStore.reserve('42', 'nonce', 600)
    expect(timersInUse(), 'no timer keeps the process running').toBe(0)
    expect(pool).toMatchObject({ options: { connectTimeout: 2250 } })
    expect(pool.log[0]).toBe(SESSION_SETTINGS)
    expect(pool.log.filter((entry) => entry.startsWith('SET'))).toHaveLength(1)
    await nonceStore.close()
  })

  it('sets up a connection again if its settings failed', async () => {
    const { nonceStore, pool } = await open()
    const connection = { ...(await pool.getConnection()), connection: new EventEmitter() }
    pool.getConnection = async () => connection
    pool.error = Object.assign(new Error('Too many statements'), { errno: 1461, sqlState: '42000' })
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('Too many statements')
    const { length } = pool.log
    expect(await nonceStore.reserve('42', 'another', 600)).toBe(true)
    expect(pool.log.slice(length)).toEqual([SESSION_SETTINGS, expect.stringMatching(/^INSERT /), 'release'])
    await nonceStore.close()
  })

  it('keeps a connection after a reply of the server, and ends it after another error', async () => {
    const { nonceStore, pool } = await open()
    const reserve = async (error: object) => {
      pool.error = error
      await nonceStore.reserve('42', 'nonce', 600).catch(() => {})
      return pool.log.at(-1)
    }
    expect(await reserve(Object.assign(new Error('Lock wait timeout'), { errno: 1205, sqlState: 'HY000' }))).toBe(
      'release',
    )
    expect(await reserve(new Error('Connection lost'))).toBe('destroy')
    await nonceStore.close()
  })

  it('hears the errors of a connection that nobody uses', async () => {
    const errors: unknown[] = []
    const { nonceStore, pool } = await open((error) => errors.push(error))
    const connection = new EventEmitter()
    pool.events.emit('connection', connection)
    connection.emit('error', 'lost')
    expect(errors).toEqual(['lost'])
    await nonceStore.close()
  })

  it.each<[string, () => Promise<void>]>([
    ['gives up at the first that it cannot end', () => Promise.reject(new Error('connect ETIMEDOUT'))],
    ['waits for ever for a server that hangs', () => new Promise(() => {})],
  ])('closes all connections, though the pool %s', async (_, end) => {
    let closed = 0
    const server = createServer((socket) => socket.on('close', () => closed++)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address())
    const create = (options: object) => {
      Object(options).stream({ config: { host: '127.0.0.1', port } })
      return Object.assign(new FakePool(options), { end })
    }
    const nonceStore = await connectMysql2(create, { timeout: 200 })
    await once(server, 'connection')
    await noTimers()
    await nonceStore.close()
    expect(timersInUse(), 'no timer keeps the process running').toBe(0)
    await vi.waitFor(() => expect(closed).toBe(1), 500)
    server.close()
  })

  it('gives up while the pool has no free connection, says so, and gives a late connection back', async () => {
    const { nonceStore, pool } = await open(undefined, 500)
    const { getConnection } = pool
    pool.getConnection = async () => {
      await sleep(700)
      return getConnection.call(pool)
    }
    const { length } = pool.log
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('pool had no free connection within 500 ms')
    await vi.waitFor(() => expect(pool.log.slice(length)).toEqual(['release']))
    await nonceStore.close()
  })

  it('ends a connection on which a statement gets no answer', async () => {
    const { nonceStore, pool } = await open(undefined, TIMEOUT)
    const connection = await pool.getConnection()
    Object.assign(pool, { getConnection: async () => ({ ...connection, query: () => new Promise(() => {}) }) })
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow(`No answer within ${TIMEOUT} ms`)
    await vi.waitFor(() => expect(pool.log.at(-1)).toBe('destroy'))
    await nonceStore.close()
  })

  it('opens another pool if one has no connection for too long', async () => {
    const { nonceStore, pool, pools } = await open(undefined, TIMEOUT)
    Object.assign(pool, { getConnection: () => new Promise(() => {}) })
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('The pool had no free connection')
    await vi.waitFor(async () => expect(await nonceStore.reserve('42', 'another', 600)).toBe(true))
    expect(pools).toHaveLength(2)
    await nonceStore.close()
  })

  it('gives a connection back after a statement, but not before it has settings', async () => {
    const { nonceStore, pool } = await open()
    const getConnection = pool.getConnection.bind(pool)
    let release = () => {}
    // A new connection, whose settings take long.
    pool.getConnection = async () => {
      const { query, ...rest } = await getConnection()
      const slow: typeof query = async (statement) => {
        if (statement.sql.startsWith('SET')) {
          await new Promise<void>((resolve) => {
            release = resolve
          })
        }
        return query(statement)
      }
      return { ...rest, connection: {} as EventEmitter, query: slow }
    }
    const { length } = pool.log
    const reservation = nonceStore.reserve('42', 'nonce', 600)
    await sleep(20)
    expect(pool.log.slice(length)).toEqual([])
    release()
    expect(await reservation).toBe(true)
    expect(pool.log.slice(length)).toEqual([SESSION_SETTINGS, expect.stringMatching(/^INSERT /), 'release'])
    await nonceStore.close()
  })
})

describe('connectPg', () => {
  /** Pools with one connection each, and a server that counts the CancelRequests that it gets. */
  async function open(options: { prepare?: boolean } = {}, session: object = { processID: 42, secretKey: 7 }) {
    const cancelled: Promise<void>[] = []
    const server = createServer((socket) => {
      socket.once('data', () => {
        cancelled.push(once(socket, 'close').then(() => {}))
        socket.end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address())
    const log: unknown[] = []
    const errors: unknown[] = []
    const pools: EventEmitter[] = []
    let failure: object | undefined
    let reserved = 0
    const client = Object.assign(new EventEmitter(), {
      host: '127.0.0.1',
      port,
      ...session,
      async query({ name, text }: { name?: string | undefined; text: string }) {
        if (text.includes('read_only')) return { rows: [{ read_only: 'off' }] }
        log.push(typeof name)
        if (failure !== undefined) throw failure
        return { rows: [{ reserved: true }] }
      },
      release: (destroy?: boolean) => log.push(destroy ? 'end' : 'release'),
    })
    const create = (clientOptions: object) => {
      const { stream } = Object({ ...clientOptions })
      stream().connect(port, '127.0.0.1')
      const pool = Object.assign(new EventEmitter(), { connect: async () => client, async end() {} })
      pools.push(pool)
      return pool
    }
    const nonceStore = await connectPg(create, { ...options, onError: (error) => errors.push(error) })
    const reserve = async (error?: object) => {
      failure = error
      log.length = 0
      await nonceStore.reserve('42', `nonce ${reserved++}`, 600).catch(() => {})
      return log.slice(0, 2)
    }
    return { pools, cancelled, errors, reserve, close: () => Promise.all([nonceStore.close(), server.close()]) }
  }

  it('cancels nothing if the server has not named the session', async () => {
    const { cancelled, reserve, close } = await open({}, { processID: null, secretKey: null })
    expect(await reserve(new Error('Query read timeout'))).toEqual(['string', 'end'])
    await close()
    expect(cancelled).toHaveLength(0)
  })

  it('keeps a connection after a reply of the server, and ends and cancels it after another error', async () => {
    const { pools, cancelled, reserve, close } = await open()
    expect(await reserve()).toEqual(['string', 'release'])
    expect(await reserve(Object.assign(new Error('disk full'), { severity: 'ERROR', code: '53100' }))).toEqual([
      'string',
      'release',
    ])
    expect([pools.length, cancelled.length]).toEqual([1, 0])
    expect(await reserve(new Error('Query read timeout'))).toEqual(['string', 'end'])
    await vi.waitFor(() => expect(cancelled).toHaveLength(1))
    // Its other connections may be lost too.
    await vi.waitFor(() => expect(pools).toHaveLength(2))
    await close()
  })

  it('gives each statement a name of its own, so that no connection runs another one', async () => {
    const names: (string | undefined)[] = []
    const client = {
      async query({ name, text }: { name?: string | undefined; text: string }) {
        if (text.includes('read_only')) return { rows: [{ read_only: 'off' }] }
        names.push(name)
        return { rows: [{ reserved: true }] }
      },
      release() {},
      on() {},
    }
    const open = (table: string) =>
      connectPg(
        (options) => {
          const pool = { connect: async () => client, async end() {}, on() {} }
          return Object.assign(pool, { options: { ...options } })
        },
        { table, createTable: false },
      )
    const [first, second] = [await open('a_table_of_one_webhook'), await open('a_table_of_another')]
    names.length = 0
    for (const store of [first, second]) {
      await store.reserve('42', 'nonce', 600)
      await store.reserve('42', 'another', 600)
      await store.reserveAll('42', ['third', 'signature'], 600)
      await store.close()
    }
    expect(names[0]).toBe(names[1])
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(String(name).length).toBeLessThanOrEqual(63)
  })

  it('gives a statement no name if it must not be prepared', async () => {
    const { reserve, close } = await open({ prepare: false })
    expect(await reserve()).toEqual(['undefined', 'release'])
    await close()
  })

  it('hears the errors of the pool, and of a connection that nobody uses', async () => {
    const { pools, errors, close } = await open()
    pools[0]?.emit('error', 'of the pool')
    const connection = new EventEmitter()
    pools[0]?.emit('connect', connection)
    connection.emit('error', 'of a connection')
    expect(errors).toEqual(['of the pool', 'of a connection'])
    await close()
  })

  it.each([
    ['on', false],
    ['off', true],
  ])('asks whether the server accepts writes: read-only is %s', async (readOnly, works) => {
    const client = {
      query: async ({ text }: { text: string }) =>
        text.includes('transaction_read_only') ? { rows: [{ read_only: readOnly }] } : { rows: [{ reserved: true }] },
      release() {},
      on() {},
    }
    const connecting = connectPg((options) => {
      const pool = { connect: async () => client, async end() {}, on() {} }
      return Object.assign(pool, { options: { ...options } })
    })
    if (works) await (await connecting).close()
    else await expect(connecting).rejects.toThrow('The server is read-only or a replica.')
  })
})

describe('connectMariadb', () => {
  /** A pool that answers, until it hangs. */
  class FakePool implements MariadbPool {
    hangs = false
    isEnded = false
    readonly events = new EventEmitter()
    readonly options: object
    constructor(options: object) {
      this.options = { ...options }
    }
    on(event: string, listener: (value: unknown) => void) {
      this.events.on(event, listener)
      return this
    }
    async query(sql: string): Promise<unknown> {
      if (this.hangs) return new Promise(() => {})
      return sql.startsWith('SELECT') ? [{ read_only: 0, autocommit: 1 }] : { affectedRows: 1 }
    }
    async end() {
      this.isEnded = true
    }
  }

  it('limits the wait for locks, turns autocommit on, and hears the errors of the pool', async () => {
    const pools: FakePool[] = []
    const errors: unknown[] = []
    const nonceStore = await connectMariadb(
      (options) => {
        const pool = new FakePool(options)
        pools.push(pool)
        return pool
      },
      { timeout: 1500, onError: (error) => errors.push(error) },
    )
    expect(pools[0]?.options).toMatchObject({ initSql: SESSION_SETTINGS, connectTimeout: 1500, acquireTimeout: 1500 })
    pools[0]?.events.emit('error', 'lost')
    expect(errors).toEqual(['lost'])
    await nonceStore.close()
  })

  it.each([
    ['server', 1],
    ['InnoDB and server', 2],
    ['server, as a bigint', 1n],
  ])('refuses a server that is read-only: %s', async (_, readOnly) => {
    const statements: string[] = []
    const connecting = connectMariadb((options) => {
      const pool = new FakePool(options)
      pool.query = async (sql) => {
        statements.push(sql)
        return [{ read_only: readOnly }]
      }
      return pool
    })
    await expect(connecting).rejects.toThrow('The server is read-only or a replica.')
    expect(statements).toEqual(['SELECT @@global.read_only + @@global.innodb_read_only AS read_only'])
  })

  it('creates the table before it tries a reservation', async () => {
    let exists = false
    const nonceStore = await connectMariadb((options) => {
      const pool = new FakePool(options)
      const { query } = pool
      pool.query = async (sql) => {
        if (sql.startsWith('CREATE')) {
          await sleep(20)
          exists = true
        } else if (!exists && !sql.includes('@@')) throw Object.assign(new Error('no such table'), { errno: 1146 })
        return query.call(pool, sql)
      }
      return pool
    })
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    await nonceStore.close()
  })

  it('ends its pool if the first reservation fails', async () => {
    const pools: FakePool[] = []
    const connecting = connectMariadb((options) => {
      const pool = new FakePool(options)
      const { query } = pool
      pool.query = async (sql) => {
        if (sql.startsWith('INSERT')) throw Object.assign(new Error('INSERT command denied'), { errno: 1142 })
        return query.call(pool, sql)
      }
      pools.push(pool)
      return pool
    })
    await expect(connecting).rejects.toThrow('The user lacks a permission')
    expect(pools.map(({ isEnded }) => isEnded)).toEqual([true])
  })

  it('passes the options of deleteExpired on, and is closed by Symbol.asyncDispose', async () => {
    const statements: string[] = []
    const pools: FakePool[] = []
    const nonceStore = await connectMariadb((options) => {
      const pool = new FakePool(options)
      const { query } = pool
      pool.query = async (sql) => {
        statements.push(sql)
        return sql.includes('HEX(key_hash)') ? [] : query.call(pool, sql)
      }
      pools.push(pool)
      return pool
    })
    expect(await nonceStore.deleteExpired({ limit: 7 })).toBe(0)
    expect(statements.at(-1)).toMatch(/ LIMIT 7$/)
    await Object(nonceStore)[Symbol.asyncDispose]()
    expect(pools.map(({ isEnded }) => isEnded)).toEqual([true])
  })

  it('does not count deletions as reservations in flight, because they may take long', async () => {
    let end = () => {}
    const deleted = new Promise<unknown[]>((resolve) => {
      end = () => resolve([])
    })
    const nonceStore = await connectMariadb((options) => {
      const pool = new FakePool(options)
      const { query } = pool
      pool.query = async (sql) => (sql.includes('HEX(key_hash)') ? deleted : query.call(pool, sql))
      return pool
    })
    const deletions = Array.from({ length: 40 }, () => nonceStore.deleteExpired())
    expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
    end()
    await Promise.all(deletions)
    await nonceStore.close()
  })

  it('opens another pool if the server has become read-only', async () => {
    const pools: FakePool[] = []
    const nonceStore = await connectMariadb((options) => {
      const pool = new FakePool(options)
      pools.push(pool)
      return pool
    })
    const readOnly = async () => {
      throw Object.assign(new Error('running with the --read-only option'), { errno: 1290, sqlState: 'HY000' })
    }
    Object.assign(pools[0] ?? {}, { query: readOnly })
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('--read-only')
    await vi.waitFor(async () => expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true))
    expect(pools).toHaveLength(2)
    await nonceStore.close()
  })

  it('tries a reservation and its replay before the first request', async () => {
    const inserted: unknown[] = []
    const nonceStore = await connectMariadb((options) => {
      const pool = new FakePool(options)
      const { query } = pool
      pool.query = async (sql: string, ...rest: unknown[]) => {
        if (sql.startsWith('INSERT')) inserted.push(String(rest[0]))
        return query.call(pool, sql)
      }
      return pool
    })
    expect(inserted).toHaveLength(2)
    expect(inserted[0]).toBe(inserted[1])
    await nonceStore.close()
  })

  it('opens another pool if one gives no answer for too long', async () => {
    const pools: FakePool[] = []
    const errors: string[] = []
    const nonceStore = await connectMariadb(
      (options) => {
        const pool = new FakePool(options)
        pools.push(pool)
        return pool
      },
      { timeout: TIMEOUT, onError: (error) => errors.push(String(error)) },
    )
    Object.assign(pools[0] ?? {}, { hangs: true })
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('No answer')
    await vi.waitFor(() => expect(pools.map(({ isEnded }) => isEnded)).toEqual([true, false]))
    expect(await nonceStore.reserve('42', 'another', 600)).toBe(true)
    expect(errors).toEqual(['Error: The pool did not answer for too long.'])
    await nonceStore.close()
  })

  it('is closed while it opens another pool', async () => {
    let isReadOnly = 0
    const nonceStore = await connectMariadb(
      (options) => {
        const pool = new FakePool(options)
        pool.query = async (sql) => {
          if (sql.startsWith('SELECT')) return [{ read_only: isReadOnly, autocommit: 1 }]
          if (isReadOnly) throw Object.assign(new Error('read-only'), { errno: 1290, sqlState: 'HY000' })
          return { affectedRows: 1 }
        }
        return pool
      },
      { timeout: TIMEOUT },
    )
    isReadOnly = 1
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('read-only')
    await sleep(10)
    await nonceStore.close()
    await sleep(3 * TIMEOUT)
    await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('is closed')
  })
})

describe('connectPostgresJs', () => {
  /** A server that counts its connections, and a client that answers, until `state` says which session runs a statement that hangs. */
  async function open() {
    const connections: Socket[] = []
    const server = createServer((socket) => connections.push(socket.resume())).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address())
    const ended: unknown[] = []
    const statement: { hangs: boolean; state: object | undefined } = { hangs: false, state: undefined }
    let socketOf: (settings: object) => Socket = () => new Socket()
    const nonceStore = await connectPostgresJs(
      (options) => {
        socketOf = Object({ ...options }).socket
        return {
          options: { host: ['127.0.0.1'], port: [port] },
          unsafe(text: string) {
            const rows = text.includes('read_only') ? [{ read_only: 'off' }] : [{ reserved: true }]
            const answer = statement.hangs ? new Promise<never>(() => {}) : Promise.resolve(rows)
            return Object.assign(answer, { state: statement.state })
          },
          async end(how: unknown) {
            ended.push(how)
          },
        }
      },
      { timeout: TIMEOUT },
    )
    const close = () => Promise.all([nonceStore.close(), server.close()])
    return { nonceStore, connections, ended, statement, port, socketOf, close }
  }
  const SESSION = { pid: 42, secret: 7 }

  it('cancels a statement that gets no answer, if it was sent, and never one that was answered', async () => {
    const { nonceStore, connections, statement, close } = await open()
    let reserved = 0
    const reserve = () => nonceStore.reserve('42', `nonce ${reserved++}`, 600).catch(() => 'failed')
    statement.state = SESSION
    expect(await reserve()).toBe(true)
    // Its session may already run the statement of another request.
    await sleep(3 * TIMEOUT)
    expect(connections).toHaveLength(0)

    Object.assign(statement, { hangs: true, state: undefined })
    expect(await reserve()).toBe('failed')
    await sleep(TIMEOUT)
    expect(connections).toHaveLength(0)

    statement.state = SESSION
    expect(await reserve()).toBe('failed')
    await vi.waitFor(() => expect(connections).toHaveLength(1))
    connections[0]?.end()
    await close()
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

describe('addressOf', () => {
  it.each([
    ['/run/postgresql', 6000, { path: '/run/postgresql/.s.PGSQL.6000' }],
    ['db.example.com', 6000, { host: 'db.example.com', port: 6000 }],
  ])('a host %s with port %d', (host, port, expected) => {
    expect(addressOf(host, port)).toEqual(expected)
  })
})

describe('cancelStatement', () => {
  it('sends a CancelRequest, and leaves it to the server to close the connection, but not for ever', async () => {
    let received = ''
    const server = createServer()
    // The listeners are there before the first byte, however late this process continues.
    const closed = new Promise((resolve) => {
      server.on('connection', (connection) => {
        connection.setEncoding('hex').on('data', (hex) => {
          received += hex
        })
        connection.on('close', resolve)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address())
    const unref = vi.spyOn(Socket.prototype, 'unref')
    cancelStatement({ host: '127.0.0.1', port }, { pid: 42, secret: -1, tls: undefined }, 50)
    expect(unref, 'it does not keep the process running').toHaveBeenCalledOnce()
    unref.mockRestore()
    await closed
    // The length, the code 80877102, the process and its key, each in 4 bytes (PostgreSQL, message formats).
    expect(received).toBe('0000001004d2162e0000002affffffff')
    server.close()
  })

  it.runIf(process.platform === 'linux')('connects to the host of the server', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.2')
    await once(server, 'listening')
    const connected = once(server, 'connection')
    cancelStatement({ host: '127.0.0.2', port: Object(server.address()).port }, { pid: 42, secret: 1, tls: undefined })
    await connected
    server.close()
  })

  it('ignores a server that is down', async () => {
    cancelStatement({ host: '127.0.0.1', port: 1 }, { pid: 42, secret: 1, tls: undefined })
    await sleep(50)
  })
})
