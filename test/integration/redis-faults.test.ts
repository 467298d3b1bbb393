import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect as connectIoredis } from '../../docs/stores/ioredis.js'
import { connect as connectRedis } from '../../docs/stores/redis.js'
import type { NonceStore } from '../../src/index.js'
import { nonceStoreContract } from '../../src/testing/index.js'
import { isInstalled } from '../support/programs.js'
import { eventually, RedisServer, TcpProxy } from '../support/servers.js'
import { Load, newRequest, send, sendAll } from '../support/stores/load.js'

/** The clients' time-out is 1 s. The rest is for a machine under load. */
const BOUND_MILLISECONDS = 15_000

const CLIENTS = { redis: connectRedis, ioredis: connectIoredis }

const closers: (() => unknown)[] = []

beforeEach(() => {
  // The clients' lines log every lost connection.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  vi.restoreAllMocks()
})

async function startServer(...options: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options)
  closers.push(() => server.stop())
  return server
}

async function connected(client: keyof typeof CLIENTS, url: string): Promise<NonceStore> {
  const { nonceStore, close } = await CLIENTS[client](url)
  closers.push(close)
  return nonceStore
}

async function expectResumed(store: NonceStore): Promise<void> {
  await eventually(async () => expect(await send(newRequest(), store)).toBe('accepted'))
}

const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always']
const VOLATILE = ['--appendonly', 'no']

describe.runIf(isInstalled('redis-server')).each(['redis', 'ioredis'] as const)('with %s, a server', (client) => {
  async function killedMidLoad(options: string[]) {
    const server = await startServer(...options)
    const store = await connected(client, server.url)
    const load = new Load(store)
    await eventually(() => expect(load.accepted.length).toBeGreaterThan(100))
    await server.kill()
    await eventually(() => expect(load.failures).toBeGreaterThan(20))
    const acceptedBefore = load.accepted.length
    await server.restart()
    await eventually(() => expect(load.accepted.length).toBeGreaterThan(acceptedBefore))
    await load.stop()
    return { load, store, acceptedBefore }
  }

  it('killed and restarted mid-load: errors within the bound, then service again; with appendfsync always nothing is lost', async () => {
    const { load, store } = await killedMidLoad(DURABLE)
    expect([...load.outcomes].sort()).toEqual(['ERR_NONCE_STORE', 'accepted'])
    expect(load.slowestMilliseconds).toBeLessThan(BOUND_MILLISECONDS)
    expect(await sendAll(load.accepted, store)).toEqual({ replayed_nonce: load.accepted.length })
  })

  it('killed and restarted mid-load without persistence: exactly what was accepted before can be replayed, once', async () => {
    const { load, store, acceptedBefore } = await killedMidLoad(VOLATILE)
    const after = load.accepted.length - acceptedBefore
    expect(acceptedBefore).toBeGreaterThan(0)
    expect(await sendAll(load.accepted, store)).toEqual({ accepted: acceptedBefore, replayed_nonce: after })
    expect(await sendAll(load.accepted, store)).toEqual({ replayed_nonce: load.accepted.length })
  })

  it('that is gone: an error, soon', async () => {
    const server = await startServer()
    const store = await connected(client, server.url)
    await server.kill()
    const [, ...rest] = nonceStoreContract(() => store, { createUnreachableStore: () => store })
    await rest.at(-1)?.run()
    expect(await send(newRequest(), store)).toBe('ERR_NONCE_STORE')
  })

  it('that hangs: an error within the bound, and service again when it goes on', async () => {
    const server = await startServer()
    const store = await connected(client, server.url)
    server.signal('SIGSTOP')
    const start = performance.now()
    expect(await send(newRequest(), store)).toBe('ERR_NONCE_STORE')
    expect(performance.now() - start).toBeLessThan(BOUND_MILLISECONDS)
    server.signal('SIGCONT')
    await expectResumed(store)
  })

  it('out of memory, with noeviction: an error, and service again when there is room', async () => {
    const server = await startServer('--maxmemory-policy', 'noeviction')
    const store = await connected(client, server.url)
    const before = newRequest()
    expect(await send(before, store)).toBe('accepted')
    server.cli('CONFIG', 'SET', 'maxmemory', '1')
    expect(await send(newRequest(), store)).toBe('ERR_NONCE_STORE')
    server.cli('CONFIG', 'SET', 'maxmemory', '0')
    await expectResumed(store)
    expect(await send(before, store)).toBe('replayed_nonce')
  })

  it.each(['allkeys-lru', 'volatile-ttl'])(
    'that may evict keys, with %s: the set-up of the guide refuses it',
    async (policy) => {
      const server = await startServer('--maxmemory-policy', policy)
      await expect(CLIENTS[client](server.url)).rejects.toThrow(/set maxmemory-policy to noeviction/)
    },
  )

  it('that is a read-only replica: an error', async () => {
    const server = await startServer()
    const replica = await startServer('--replicaof', '127.0.0.1', String(server.port))
    const store = await connected(client, replica.url)
    await expect(store.reserve('42', 'nonce', 600)).rejects.toThrow(/READONLY/)
    expect(await send(newRequest(), store)).toBe('ERR_NONCE_STORE')
  })

  it('that is still loading its data: an error, and service when it has', async () => {
    const server = await startServer('--enable-debug-command', 'yes', '--dbfilename', 'nonces.rdb')
    const store = await connected(client, server.url)
    const before = newRequest()
    expect(await send(before, store)).toBe('accepted')
    server.cli('DEBUG', 'POPULATE', '60000')
    server.cli('SAVE')
    await server.kill()
    server.spawn('--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024')
    await eventually(() => expect(server.cli('PING')).toMatch(/LOADING/))
    expect(await send(newRequest(), store)).toBe('ERR_NONCE_STORE')
    server.cli('CONFIG', 'SET', 'key-load-delay', '0')
    await expectResumed(store)
    expect(await send(before, store)).toBe('replayed_nonce')
  })
})

describe.runIf(isInstalled('redis-server'))('a failover', () => {
  it('before replication: what the replica had not heard of can be replayed, once', async () => {
    const master = await startServer()
    const link = await TcpProxy.start(master.port)
    closers.push(() => link.stop())
    const replica = await startServer('--replicaof', '127.0.0.1', String(link.port))
    const before = await connected('redis', master.url)
    const replicated = newRequest()
    expect(await send(replicated, before)).toBe('accepted')
    await eventually(() => expect(Number(replica.cli('DBSIZE'))).toBeGreaterThan(0))
    await eventually(() => expect(replica.cli('INFO', 'replication')).toContain('master_link_status:up'))

    link.onReply = () => 'hold'
    const lost = newRequest()
    expect(await send(lost, before)).toBe('accepted')
    await master.kill()
    replica.cli('REPLICAOF', 'NO', 'ONE')

    const after = await connected('redis', replica.url)
    expect(await send(replicated, after)).toBe('replayed_nonce')
    expect(await send(lost, after)).toBe('accepted')
    expect(await send(lost, after)).toBe('replayed_nonce')
  })
})

describe.runIf(isInstalled('redis-server'))('a connection cut between command and reply', () => {
  async function cutOnce(client: keyof typeof CLIENTS) {
    const server = await startServer()
    const proxy = await TcpProxy.start(server.port)
    closers.push(() => proxy.stop())
    const store = await connected(client, `redis://127.0.0.1:${proxy.port}`)
    let cuts = 0
    proxy.onReply = () => (cuts++ > 0 ? 'pass' : 'cut')
    const request = newRequest()
    const first = await send(request, store)
    await expectResumed(store)
    return { first, again: await send(request, store), cuts }
  }

  it('ioredis sends the command again, finds its own token, and the request is accepted', async () => {
    expect(await cutOnce('ioredis')).toMatchObject({ first: 'accepted', again: 'replayed_nonce' })
  })

  it('redis does not: there is no verdict, and the nonce is spent', async () => {
    expect(await cutOnce('redis')).toMatchObject({ first: 'ERR_NONCE_STORE', again: 'replayed_nonce' })
  })
})
