import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { isInstalled } from '../../support/programs.js'
import { eventually, type RedisServer, startRedisCluster, TcpProxy } from '../../support/servers.js'
import { startRedisSentinel } from '../stores/redis-sentinel.js'
import { type Closers, droppedConnections, type Row, silentConnections, testFaults } from './faults.js'

const run = promisify(execFile)

const CLUSTER = { store: 'Redis Cluster', kinds: ['ioredis-cluster.ts', 'redis-cluster.ts'] }
const SENTINEL = { store: 'Redis Sentinel', kinds: ['ioredis-sentinel.ts', 'redis-sentinel.ts'] }

type Nodes = [master: RedisServer, ...others: RedisServer[]]

async function start(closers: Closers, options: { replicas?: number } = {}) {
  const nodes = (await startRedisCluster(options)) as Nodes
  closers.push(() => Promise.all(nodes.map((node) => node.stop())))
  return { nodes, address: nodes.map(({ url }) => url) }
}

/** A cluster that announces its nodes by the addresses of proxies. */
async function startBehindProxies(closers: Closers) {
  const { nodes } = await start(closers)
  const proxies = await Promise.all(nodes.map((node) => TcpProxy.start(node.port)))
  for (const [index, proxy] of proxies.entries()) {
    closers.push(() => proxy.stop())
    // Between each other, the nodes use the bus, which has no proxy.
    nodes[index]?.cli('CONFIG', 'SET', 'cluster-announce-bus-port', String(nodes[index].port + 10_000))
    nodes[index]?.cli('CONFIG', 'SET', 'cluster-announce-port', String(proxy.port))
  }
  await eventually(() => {
    for (const node of nodes) {
      const slots = node.cli('CLUSTER', 'SLOTS').split('\n')
      for (const proxy of proxies) expect(slots).toContain(String(proxy.port))
    }
  })
  return { proxy: new Proxies(proxies), address: proxies.map(({ port }) => `redis://127.0.0.1:${port}`) }
}

/** The proxies of all nodes, as one. */
class Proxies {
  constructor(readonly proxies: readonly TcpProxy[]) {}

  set onReply(onReply: TcpProxy['onReply']) {
    for (const proxy of this.proxies) proxy.onReply = onReply
  }

  get connections(): number[] {
    return this.proxies.map(({ connections }) => connections)
  }

  get dropped(): number {
    return this.proxies.reduce((sum, proxy) => sum + proxy.dropped, 0)
  }

  cutConnections(): void {
    for (const proxy of this.proxies) proxy.cutConnections()
  }

  dropConnections(): void {
    for (const proxy of this.proxies) proxy.dropConnections()
  }

  refuseConnections(): void {
    for (const proxy of this.proxies) proxy.refuseConnections()
  }

  async takeConnections(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.takeConnections()))
  }
}

/** A master that its sentinels know by the address of a proxy. They notice no silence, so nobody takes over. */
async function startSentinelBehindProxy(closers: Closers) {
  const servers = await startRedisSentinel({ isBehindProxy: true })
  closers.push(servers.stop)
  return { proxy: servers.proxy, address: servers.address }
}

async function startSentinel(closers: Closers) {
  const servers = await startRedisSentinel({ downAfter: 500 })
  closers.push(servers.stop)
  return servers
}

const isMaster = (node: RedisServer) => node.cli('INFO', 'replication').includes('role:master')

/** Returns the row of a fault after which the replica of the sentinels becomes the master. */
function failover(fault: string, begin: (servers: Awaited<ReturnType<typeof startSentinel>>) => unknown): Row {
  return {
    fault,
    ...SENTINEL,
    loses: 'something',
    async start(closers) {
      const servers = await startSentinel(closers)
      const end = () => eventually(() => expect(isMaster(servers.replica)).toBe(true))
      return { address: servers.address, begin: () => begin(servers), milliseconds: 0, end }
    },
  }
}

/** Waits until a replica has become a master in place of the lost one. */
async function replaced(survivors: readonly RedisServer[]): Promise<void> {
  await eventually(() => {
    expect(survivors.filter(isMaster)).toHaveLength(3)
    for (const node of survivors) expect(node.cli('CLUSTER', 'INFO')).toContain('cluster_state:ok')
  })
}

const ROWS: Row[] = [
  droppedConnections(CLUSTER, startBehindProxies),
  droppedConnections(SENTINEL, startSentinelBehindProxy),
  silentConnections(
    'connections close, and new connections get no response for 10 s',
    CLUSTER,
    startBehindProxies,
    (proxies) => {
      proxies.onReply = () => 'hold'
      proxies.cutConnections()
    },
  ),
  {
    fault: 'the network resets every connection',
    ...CLUSTER,
    proof: 'own',
    async start(closers) {
      const { proxy, address } = await startBehindProxies(closers)
      const begin = async () => {
        // Each of two processes has a connection to each node, but ioredis opens it when it first needs it.
        await eventually(() => expect(Math.min(...proxy.connections)).toBeGreaterThanOrEqual(2))
        proxy.cutConnections()
      }
      return { address, begin }
    },
  },
  {
    fault: 'the server refuses connections for 10 s',
    ...CLUSTER,
    async start(closers) {
      const { proxy, address } = await startBehindProxies(closers)
      return {
        address,
        begin: () => proxy.refuseConnections(),
        milliseconds: 10_000,
        end: () => proxy.takeConnections(),
      }
    },
  },
  {
    fault: 'a master hangs',
    ...CLUSTER,
    async start(closers) {
      const { nodes, address } = await start(closers)
      closers.push(() => nodes[0].signal('SIGCONT'))
      return { address, begin: () => nodes[0].signal('SIGSTOP'), end: () => nodes[0].signal('SIGCONT') }
    },
  },
  {
    fault: 'a master is killed, and its replica takes over',
    ...CLUSTER,
    loses: 'something',
    async start(closers) {
      const { nodes, address } = await start(closers, { replicas: 1 })
      const [master, ...survivors] = nodes
      return { address, begin: () => master.kill(), milliseconds: 0, end: () => replaced(survivors) }
    },
  },
  {
    fault: 'a master is killed and restarted, without persistence',
    ...CLUSTER,
    loses: 'something',
    async start(closers) {
      const { nodes, address } = await start(closers)
      const ok = () =>
        eventually(() => {
          for (const node of nodes) expect(node.cli('CLUSTER', 'INFO')).toContain('cluster_state:ok')
        })
      const end = async () => {
        await nodes[0].restart()
        await ok()
      }
      return { address, begin: () => nodes[0].kill(), end }
    },
  },
  {
    fault: 'a planned failover',
    ...CLUSTER,
    proof: 'own',
    async start(closers) {
      const { nodes, address } = await start(closers, { replicas: 1 })
      const replica = nodes.findLast((node) => !isMaster(node))
      const end = () =>
        eventually(() => {
          if (replica === undefined || !isMaster(replica)) throw new Error('still a replica')
        })
      return { address, begin: () => replica?.cli('CLUSTER', 'FAILOVER'), milliseconds: 0, end }
    },
  },
  {
    fault: 'the cluster moves keys to another master',
    ...CLUSTER,
    proof: 'own',
    async start(closers) {
      const { nodes, address } = await start(closers)
      const [from, to] = [nodes[0].cli('CLUSTER', 'MYID'), nodes[1]?.cli('CLUSTER', 'MYID') ?? '']
      return {
        address,
        async begin() {
          const slots = ['--cluster-from', from, '--cluster-to', to, '--cluster-slots', '2000', '--cluster-yes']
          const node = `127.0.0.1:${nodes[0].port}`
          await run('redis-cli', ['--cluster', 'reshard', node, ...slots])
          // Before, each of three masters had a third of the 16384 slots.
          expect((await run('redis-cli', ['--cluster', 'info', node])).stdout).toMatch(/\| 346[12] slots/)
        },
      }
    },
  },
  failover('the master is killed', ({ master }) => master.kill()),
  failover('the master hangs', ({ master }) => master.signal('SIGSTOP')),
  // The first sentinel stays stopped.
  failover('the first sentinel and the master hang', ({ sentinels, master }) => {
    sentinels[0]?.signal('SIGSTOP')
    master.signal('SIGSTOP')
  }),
  {
    fault: 'a planned failover',
    ...SENTINEL,
    loses: 'something',
    proof: 'loss',
    async start(closers) {
      const { master, replica, sentinels, address } = await startSentinel(closers)
      const end = () => eventually(() => expect(isMaster(replica)).toBe(true))
      const begin = () => sentinels[0]?.cli('SENTINEL', 'FAILOVER', address.name)
      // The old master accepts writes until a sentinel makes it a replica, which takes up to 10 s.
      const afterwards = () => {
        // If it is already a replica, the test is too late to see who still writes to it.
        expect(isMaster(master), 'the test').toBe(true)
        expect(master.cli('CLIENT', 'LIST')).not.toMatch(/ cmd=eval /)
      }
      return { address, begin, milliseconds: 0, end, afterwards }
    },
  },
]

describe.runIf(isInstalled('redis-server'))('the faults of the guide', () => testFaults(ROWS))
