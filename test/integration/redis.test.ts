import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { isInstalled } from '../support/programs.js'
import { eventually, LONG_TIMEOUT, RedisServer, startRedisCluster } from '../support/servers.js'
import { twoConnections } from '../support/stores/connections.js'
import { connect } from '../support/stores/source.js'

const CLIENTS = { redis: connect.redis, ioredis: connect.ioredis }
const CLUSTER_CLIENTS = { redis: connect['redis-cluster'], ioredis: connect['ioredis-cluster'] }

describe.runIf(isInstalled('redis-server'))('RedisNonceStore', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  it('reserves for a command that a client sends twice, because its first reply was lost', async () => {
    const sendCommand = async (args: string[]) => {
      server.cli(...args)
      return server.cli(...args)
    }
    // A store remembers keys, so each call has a new store.
    const reserve = (...keys: string[]) =>
      new RedisNonceStore({ sendCommand, timeout: LONG_TIMEOUT }).reserveAll('42', keys, 600)
    for (const isFree of [true, false]) {
      expect(await reserve('sent twice')).toBe(isFree)
      expect(await reserve('a pair', 'its signature')).toBe(isFree)
    }
  })

  describe.each(Object.entries(CLIENTS))('with %s', (_, open) => {
    const store = twoConnections(() => open(server.url, { timeout: LONG_TIMEOUT }))
    it.concurrent.each(nonceStoreContract(() => store()))('$name', ({ run }) => run())

    it('expires a key one millisecond after its TTL', async () => {
      server.cli('FLUSHALL')
      await store().reserve('42', 'nonce', 600)
      const key = server.cli('KEYS', '*')
      const [expiresAt, now] = [server.cli('PEXPIRETIME', key), server.cli('TIME').split('\n')]
      const left = Number(expiresAt) - (Number(now[0]) * 1000 + Number(now[1]) / 1000)
      expect(left).toBeGreaterThan(590_000)
      expect(left).toBeLessThanOrEqual(600_001)
    })
  })
})

describe.runIf(isInstalled('redis-server'))('a master with min-replicas-to-write', () => {
  let [master, replica]: RedisServer[] = []
  beforeAll(async () => {
    const limits = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '2']
    master = await RedisServer.start(...limits)
    replica = await RedisServer.start('--replicaof', '127.0.0.1', String(master.port))
  })
  afterAll(async () => {
    await replica?.stop()
    await master?.stop()
  })

  it.each(Object.entries(CLIENTS))('refuses writes while no replica answers it, with %s', async (_, open) => {
    const isGood = () => expect(master?.cli('INFO', 'replication')).toContain('min_slaves_good_slaves:1')
    await eventually(isGood)
    // A machine that stalls may count its replica as lost for a moment.
    const store = await eventually(() => open(master?.url ?? '', { timeout: LONG_TIMEOUT }))
    const reserved = async () => expect(await store.reserve('42', crypto.randomUUID(), 600)).toBe(true)
    await eventually(reserved)

    replica?.signal('SIGSTOP')
    const reserveAll = async () => {
      for (;;) await store.reserve('42', crypto.randomUUID(), 600)
    }
    await expect(reserveAll()).rejects.toThrow('NOREPLICAS')
    replica?.signal('SIGCONT')
    await eventually(reserved)
    await store.close()
  })
})

describe.runIf(isInstalled('redis-server'))('RedisNonceStore in a cluster', () => {
  let nodes: RedisServer[]
  beforeAll(async () => {
    nodes = await startRedisCluster()
  })
  afterAll(() => Promise.all(nodes.map((node) => node.stop())))

  describe.each(Object.entries(CLUSTER_CLIENTS))('with %s', (_, open) => {
    const store = twoConnections(() =>
      open(
        nodes.map(({ url }) => url),
        { timeout: LONG_TIMEOUT },
      ),
    )
    it.concurrent.each(nonceStoreContract(() => store()))('$name', ({ run }) => run())

    it('spreads the keys of one webhook over all nodes, with any hash tags in the nonces', async () => {
      for (const node of nodes) node.cli('FLUSHALL')
      for (let index = 0; index < 300; index++) await store().reserve('{42}', `{slot}${index}`, 600)
      const sizes = nodes.map((node) => Number(node.cli('DBSIZE')))
      expect(sizes.reduce((sum, size) => sum + size)).toBe(300)
      for (const size of sizes) expect(size).toBeGreaterThan(50)
    })
  })
})
