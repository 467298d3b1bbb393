import { describe, expect } from 'vitest'
import { isInstalled } from '../../support/programs.js'
import {
  eventually,
  RedisServer,
  startRedisCluster,
  startRedisSentinel,
  startReplicas,
  TcpProxy,
} from '../../support/servers.js'
import { type Closers, type Row, testFaults } from '../../support/stores/faults.js'

// The option `replicas` of the Redis connect functions. The same faults without it: redis-faults and redis-cluster-faults.

const SINGLE = { store: 'Redis with replicas', kinds: ['redis, replicas: 1', 'ioredis, replicas: 1'] }
const CLUSTER = { store: 'Redis with replicas', kinds: ['redis-cluster, replicas: 1', 'ioredis-cluster, replicas: 1'] }
const SENTINEL = {
  store: 'Redis with replicas',
  kinds: ['redis-sentinel, replicas: 1', 'ioredis-sentinel, replicas: 1'],
}
/** More requests, so that each moment of the failover has some. */
const DENSE = { interval: 20 }

const isMaster = (node: RedisServer) => node.cli('INFO', 'replication').includes('role:master')

async function becomesMaster(nodes: readonly RedisServer[]): Promise<RedisServer> {
  return eventually(() => {
    const master = nodes.find(isMaster)
    if (master === undefined) throw new Error('no replica took over')
    return master
  })
}

/** Makes a server a replica of another one, and waits until both are in step. */
async function follow(server: RedisServer, master: RedisServer): Promise<void> {
  server.cli('REPLICAOF', '127.0.0.1', String(master.port))
  await eventually(() => expect(server.cli('INFO', 'replication')).toContain('master_link_status:up'))
}

async function startSentinel(closers: Closers, replicas: number) {
  const servers = await startRedisSentinel({ replicas })
  closers.push(servers.stop)
  return servers
}

/** The master lives on, and its clients reach it, but its replica does not. */
async function startCutOff(closers: Closers, ...settings: string[]) {
  const master = await RedisServer.start()
  const [proxy, link] = await Promise.all([TcpProxy.start(master.port), TcpProxy.start(master.port)])
  const [replica] = (await startReplicas(master, 1, link.port)) as [RedisServer]
  closers.push(() => Promise.all([master.stop(), replica.stop(), proxy.stop(), link.stop()]))
  if (settings.length > 0) master.cli('CONFIG', 'SET', ...settings)
  return {
    address: `redis://127.0.0.1:${proxy.port}`,
    begin: () => link.dropConnections(),
    milliseconds: 1000,
    async end() {
      replica.cli('REPLICAOF', 'NO', 'ONE')
      proxy.target = replica.port
      proxy.cutConnections()
      await follow(master, replica)
    },
  }
}

/** Another way to limit the loss, without the option. */
const LIMITS = ['min-replicas-to-write', '1', 'min-replicas-max-lag', '1']

const ROWS: Row[] = [
  {
    fault: 'planned failover, with `min-replicas-to-write 1`',
    store: 'Redis Sentinel',
    kinds: ['ioredis-sentinel'],
    ...DENSE,
    loses: 'something',
    async start(closers) {
      const { master, replica, sentinels, address } = await startSentinel(closers, 1)
      for (const server of [master, replica]) server.cli('CONFIG', 'SET', ...LIMITS)
      const begin = () => sentinels[0]?.cli('SENTINEL', 'FAILOVER', address.name)
      const end = async () => follow(master, await becomesMaster([replica]))
      return { address, begin, end }
    },
  },
  {
    fault: 'planned failover of Sentinel, with one replica',
    ...SENTINEL,
    ...DENSE,
    async start(closers) {
      const { master, replica, sentinels, address } = await startSentinel(closers, 1)
      const begin = () => sentinels[0]?.cli('SENTINEL', 'FAILOVER', address.name)
      const end = async () => {
        await becomesMaster([replica])
        // A sentinel does so after up to 10 s. Until then, the new master has no replica.
        await follow(master, replica)
      }
      return { address, begin, end }
    },
  },
  {
    fault: 'planned failover of Sentinel, with two replicas',
    ...SENTINEL,
    ...DENSE,
    async start(closers) {
      const { replicas, sentinels, address } = await startSentinel(closers, 2)
      const begin = () => sentinels[0]?.cli('SENTINEL', 'FAILOVER', address.name)
      const end = async () => {
        const { port } = await becomesMaster(replicas)
        await eventually(() => {
          for (const sentinel of sentinels) {
            expect(sentinel.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', address.name)).toContain(String(port))
          }
        })
      }
      return { address, begin, milliseconds: 0, end }
    },
  },
  {
    fault: 'the master is killed, with two replicas',
    ...SENTINEL,
    async start(closers) {
      const { master, replicas, address } = await startSentinel(closers, 2)
      return { address, begin: () => master.kill(), milliseconds: 0, end: () => becomesMaster(replicas) }
    },
  },
  {
    fault: 'one of two replicas is killed and restarted',
    ...SINGLE,
    async start(closers) {
      const master = await RedisServer.start()
      const replicas = await startReplicas(master, 2)
      closers.push(() => Promise.all([master, ...replicas].map((server) => server.stop())))
      return { address: master.url, begin: () => replicas[0]?.kill(), end: () => replicas[0]?.restart() }
    },
  },
  {
    fault: 'the only replica is stopped',
    ...SINGLE,
    async start(closers) {
      const master = await RedisServer.start()
      const [replica] = await startReplicas(master, 1)
      closers.push(() => Promise.all([master.stop(), replica?.stop()]))
      closers.push(() => replica?.signal('SIGCONT'))
      return { address: master.url, begin: () => replica?.signal('SIGSTOP'), end: () => replica?.signal('SIGCONT') }
    },
  },
  {
    fault: 'a replica that was cut off takes over',
    ...SINGLE,
    ...DENSE,
    start: (closers) => startCutOff(closers),
  },
  {
    fault: 'a replica that was cut off takes over, with `min-replicas-to-write 1`',
    store: 'Redis',
    kinds: ['ioredis'],
    ...DENSE,
    loses: 'something',
    proof: 'loss',
    start: (closers) => startCutOff(closers, ...LIMITS),
  },
  {
    fault: 'a master of a cluster is killed, its replica takes over, and it returns',
    ...CLUSTER,
    async start(closers) {
      const nodes = (await startRedisCluster({ replicas: 1 })) as [RedisServer, ...RedisServer[]]
      closers.push(() => Promise.all(nodes.map((node) => node.stop())))
      const [master, ...survivors] = nodes
      const end = async () => {
        await eventually(() => expect(survivors.filter(isMaster)).toHaveLength(3))
        await master.restart()
        await eventually(() => expect(master.cli('INFO', 'replication')).toContain('master_link_status:up'))
      }
      return { address: nodes.map(({ url }) => url), begin: () => master.kill(), milliseconds: 0, end }
    },
  },
]

describe.runIf(isInstalled('redis-server'))('the faults of the guide', () => testFaults(ROWS))
