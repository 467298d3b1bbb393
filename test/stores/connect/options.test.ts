import { describe, expect, it } from 'vitest'
import { connectMariadb, connectMysql2 } from '../../../src/stores/mysql/index.js'
import { connectPg, connectPostgresJs } from '../../../src/stores/postgres/index.js'
import { connectIoredis, connectNodeRedis } from '../../../src/stores/redis/index.js'

type Connect = (create: unknown, options?: unknown) => Promise<unknown>

const FUNCTIONS: Record<string, unknown> = {
  connectNodeRedis,
  connectIoredis,
  connectPg,
  connectPostgresJs,
  connectMysql2,
  connectMariadb,
}

/** The functions as JavaScript calls them, with any arguments. */
const CONNECT = Object.entries(FUNCTIONS) as [string, Connect][]

const neverCalled = () => {
  throw new Error('create was called')
}

describe.each(CONNECT)('%s', (name, connect) => {
  it.each<[string, unknown, unknown, RegExp]>([
    ['no function', undefined, {}, /^create .*undefined/],
    ['a client', {}, {}, /^create .*an object/],
    ['no options', neverCalled, null, /^options .*null/],
    ['an unknown option', neverCalled, { url: 'x' }, /^options\.url .*timeout, concurrency, onError, /],
    ['a timeout of 0', neverCalled, { timeout: 0 }, /^timeout /],
    ['a timeout as text', neverCalled, { timeout: '1000' }, /^timeout /],
    ['a listener that is no function', neverCalled, { onError: 'log' }, /^onError .*a string/],
  ])('refuses %s', async (_, create, options, message) => {
    await expect(connect(create, options)).rejects.toThrow(message)
    await expect(connect(create, options)).rejects.toHaveProperty('code', 'ERR_INVALID_ARGUMENT')
  })

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /^create .*undefined.* \w+\(\)/],
    ['a promise', Promise.resolve({}), /^create .*a promise.* \w+\(\)/],
    ['another client', { get() {} }, /^create .*an object.* \w+\(\)/],
  ])('refuses a function that returns %s', async (_, client, message) => {
    await expect(connect(() => client)).rejects.toThrow(message)
    await expect(connect(() => client)).rejects.toHaveProperty('code', 'ERR_INVALID_ARGUMENT')
  })

  it('refuses a client without its options, because it would wait for ever', async () => {
    const methods = 'connect sendCommand destroy on call disconnect end unsafe getConnection query'.split(' ')
    const newClient = () => Object.fromEntries(methods.map((method) => [method, () => ({})]))
    await expect(connect(newClient)).rejects.toThrow(/^create .*options/)
  })

  it.each([
    Object.assign(new Error("ENOENT: no such file or directory, open 'ca.pem'"), { code: 'ENOENT' }),
    new Error('STATEMENT_TIMEOUT is not set'),
  ])('passes on what the function throws: %s', async (error) => {
    const rejected = connect(() => {
      throw error
    })
    await expect(rejected).rejects.toBe(error)
  })

  it.runIf(/Redis|redis/.test(name))('refuses a key prefix that is no string', async () => {
    await expect(connect(neverCalled, { keyPrefix: 1 })).rejects.toThrow(/^keyPrefix .*a number/)
  })

  it('refuses a number of statements that is none', async () => {
    for (const concurrency of [0, -1, 0.5, '1', Number.POSITIVE_INFINITY, null]) {
      await expect(connect(neverCalled, { concurrency })).rejects.toThrow(
        /^concurrency must be a whole number from 1\./,
      )
    }
  })

  it.runIf(!/Redis|redis/.test(name))('refuses wrong options of the table', async () => {
    await expect(connect(neverCalled, { table: 'a b' })).rejects.toThrow(/^table /)
    await expect(connect(neverCalled, { createTable: 'no' })).rejects.toThrow(/^createTable .*a string/)
  })

  it.runIf(/Pg|Postgres/.test(name))('refuses another value than true or false for prepare', async () => {
    await expect(connect(neverCalled, { prepare: 0 })).rejects.toThrow(/^prepare .*a number/)
  })
})

/** Returns what a connect function passes to `create`, with the default timeout of 1000 ms. */
async function optionsOf(connect: Connect): Promise<unknown> {
  let passed: unknown
  const create = (options: object) => {
    passed = { ...options }
    throw new Error('no client')
  }
  await expect(connect(create)).rejects.toHaveProperty('message', 'no client')
  return passed
}

describe('the options of a client have a deadline for each step, and', () => {
  const aFunction = expect.any(Function)

  it('connectNodeRedis: the client never connects again by itself', async () => {
    const socket = {
      connectTimeout: 1000,
      socketTimeout: 3000,
      reconnectStrategy: false,
    }
    const node = { disableOfflineQueue: true, socket }
    expect(await optionsOf(connectNodeRedis as Connect)).toEqual({
      ...node,
      defaults: node,
      nodeClientOptions: node,
      sentinelClientOptions: { pingInterval: 100, socket: { ...socket, socketTimeout: 250 } },
      maxCommandRediscovers: 0,
    })
  })

  it('connectIoredis: the client never connects again by itself', async () => {
    const options = await optionsOf(connectIoredis as Connect)
    const node = { connectTimeout: 1000, disconnectTimeout: 100, maxRetriesPerRequest: 0 }
    expect(options).toEqual({
      ...node,
      lazyConnect: true,
      enableOfflineQueue: false,
      retryStrategy: aFunction,
      sentinelCommandTimeout: 250,
      sentinelRetryStrategy: aFunction,
      failoverDetector: true,
      clusterRetryStrategy: aFunction,
      redisOptions: node,
    })
    const { retryStrategy, sentinelRetryStrategy, clusterRetryStrategy } = Object(options)
    expect([retryStrategy(), sentinelRetryStrategy(), clusterRetryStrategy()]).toEqual([null, null, null])
  })

  it('connectPg', async () => {
    expect(await optionsOf(connectPg as Connect)).toEqual({
      connectionTimeoutMillis: 2000,
      max: 16,
      query_timeout: 1000,
      stream: aFunction,
    })
  })

  it('connectPostgresJs: the client connects again after 0.1 s', async () => {
    const options = await optionsOf(connectPostgresJs as Connect)
    expect(options).toEqual({
      connect_timeout: 2,
      max: 16,
      backoff: aFunction,
      fetch_types: false,
      onnotice: aFunction,
      socket: aFunction,
    })
    expect([Object(options).backoff(), Object(options).onnotice()]).toEqual([0.1, undefined])
  })

  it('connectMysql2', async () => {
    expect(await optionsOf(connectMysql2 as Connect)).toEqual({
      connectTimeout: 2000,
      connectionLimit: 16,
      stream: aFunction,
    })
  })

  it('connectMariadb: the pool tries to connect twice per second', async () => {
    expect(await optionsOf(connectMariadb as Connect)).toEqual({
      connectionLimit: 16,
      connectTimeout: 1000,
      acquireTimeout: 1000,
      socketTimeout: 1000,
      pingTimeout: 500,
      initializationTimeout: 2_147_483_647,
      minimumIdle: 1,
      initSql: 'SET SESSION lock_wait_timeout = 1, innodb_lock_wait_timeout = 1, autocommit = 1',
    })
  })
})
