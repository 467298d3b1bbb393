import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { isInstalled } from '../../support/programs.js'
import { eventually, RedisServer, TcpProxy } from '../../support/servers.js'
import {
  behindProxy,
  type Closers,
  clockFaults,
  droppedConnections,
  measureFault,
  proxyFaults,
  type Row,
  stoppedServer,
  testFaults,
} from './faults.js'

const CLIENTS = { store: 'Redis', kinds: ['ioredis.ts', 'redis.ts'] }

async function start(closers: Closers, ...options: string[]) {
  const server = await RedisServer.start(...options)
  closers.push(() => server.stop())
  return server
}

async function startAlone(closers: Closers) {
  const server = await start(closers)
  return { server, address: server.url }
}

async function startBehindProxy(closers: Closers) {
  const server = await start(closers)
  return { server, ...(await behindProxy(closers, server)) }
}

function killedAndRestarted(options: string[]): Row['start'] {
  return async (closers) => {
    const server = await start(closers, ...options)
    return { address: server.url, begin: () => server.kill(), end: () => server.restart() }
  }
}

/** A planned failover: the old master becomes a replica, and the address leads to the new one. Open connections stay at the old master. */
const FAILOVER: Row = {
  fault: 'another server takes over, and the old server becomes read-only',
  ...CLIENTS,
  async start(closers) {
    const { server: master, proxy, address } = await startBehindProxy(closers)
    const replica = await start(closers, '--replicaof', '127.0.0.1', String(master.port))
    await eventually(() => expect(master.cli('INFO', 'replication')).toMatch(/state=online,offset=[1-9]/))
    const begin = async () => {
      master.cli('FAILOVER')
      await eventually(() => expect(replica.cli('INFO', 'replication')).toContain('role:master'))
      proxy.target = replica.port
    }
    return { address, begin }
  },
}

const ROWS: Row[] = [
  FAILOVER,
  {
    // Redis writes up to two seconds late while the disk is slow to flush. A file system in memory is never slow.
    fault: 'the server is killed and restarted, with AOF and `appendfsync everysec`',
    ...CLIENTS,
    async start(closers) {
      const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'everysec-'))
      closers.push(() => rmSync(folder, { recursive: true }))
      return killedAndRestarted(['--appendonly', 'yes', '--appendfsync', 'everysec', '--dir', folder])(closers)
    },
  },
  {
    fault: 'the server is killed and restarted, with AOF and `appendfsync always`',
    ...CLIENTS,
    start: killedAndRestarted(['--appendonly', 'yes', '--appendfsync', 'always']),
  },
  {
    fault: 'the server is killed and restarted, without persistence',
    ...CLIENTS,
    loses: 'everything',
    start: killedAndRestarted(['--appendonly', 'no']),
  },
  {
    fault: 'the server is killed and restarted, with the default settings',
    ...CLIENTS,
    loses: 'everything',
    start: killedAndRestarted(['--save', '3600 1 300 100 60 10000']),
  },
  stoppedServer(CLIENTS, startAlone),
  ...proxyFaults(CLIENTS, startBehindProxy),
  ...clockFaults(CLIENTS, startAlone, (server) => server.cli('TIME').split('\n')[0]),
  {
    fault: 'the server is loading its data',
    ...CLIENTS,
    async start(closers) {
      const server = await start(closers, '--enable-debug-command', 'yes', '--dbfilename', 'nonces.rdb')
      return {
        address: server.url,
        async begin() {
          server.cli('DEBUG', 'POPULATE', '60000')
          server.cli('SHUTDOWN', 'SAVE')
          await server.kill()
          server.spawn('--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024')
          await eventually(() => expect(server.cli('PING')).toMatch(/LOADING/))
        },
        milliseconds: 1500,
        async end() {
          server.cli('CONFIG', 'SET', 'key-load-delay', '0')
          await eventually(() => expect(server.cli('PING')).toBe('PONG'))
        },
      }
    },
  },
  {
    fault: 'the master becomes a replica, which is read-only',
    ...CLIENTS,
    async start(closers) {
      const server = await start(closers)
      const begin = () => server.cli('REPLICAOF', '127.0.0.1', '1')
      return { address: server.url, begin, end: () => server.cli('REPLICAOF', 'NO', 'ONE') }
    },
  },
  {
    fault: 'the server is out of memory',
    ...CLIENTS,
    async start(closers) {
      const server = await start(closers)
      const begin = () => server.cli('CONFIG', 'SET', 'maxmemory', '1')
      return { address: server.url, begin, end: () => server.cli('CONFIG', 'SET', 'maxmemory', '0') }
    },
  },
  {
    fault: 'the server may evict keys',
    ...CLIENTS,
    loses: 'something',
    async start(closers) {
      const server = await start(closers)
      return {
        address: server.url,
        async begin() {
          server.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
          server.cli('CONFIG', 'SET', 'maxmemory', '1')
        },
        async end() {
          server.cli('CONFIG', 'SET', 'maxmemory', '0')
          server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
        },
      }
    },
  },
  {
    fault: 'a replica without the newest data takes over',
    ...CLIENTS,
    loses: 'something',
    async start(closers) {
      const { server: master, proxy, address } = await startBehindProxy(closers)
      const link = await TcpProxy.start(master.port)
      closers.push(() => link.stop())
      const replica = await start(closers, '--replicaof', '127.0.0.1', String(link.port))
      await eventually(() => expect(replica.cli('INFO', 'replication')).toContain('master_link_status:up'))
      return {
        address,
        async begin() {
          link.dropConnections()
          await sleep(500)
          await master.kill()
        },
        end() {
          replica.cli('REPLICAOF', 'NO', 'ONE')
          proxy.target = replica.port
        },
      }
    },
  },
]

describe.runIf(isInstalled('redis-server'))('the faults of the guide', () => testFaults(ROWS))

// Files that have no column in the guide.
it.runIf(isInstalled('redis-server')).concurrent.each([
  ['redis-read-only.ts', FAILOVER],
  ['ioredis-shared.ts', droppedConnections(CLIENTS, startBehindProxy)],
  ['redis-shared.ts', droppedConnections(CLIENTS, startBehindProxy)],
  ['redis.ts', { ...droppedConnections(CLIENTS, startBehindProxy), processes: 1, interval: 100, hasEvents: true }],
] as const)('%s recovers', async (file, row) => {
  const { healedAfter, acceptedTwice, failures } = await measureFault(file, { ...row, store: 'Redis, other files' })
  expect(failures).toBeGreaterThan(0)
  expect(acceptedTwice).toBe(0)
  expect(healedAfter).toBeLessThan(3000)
})
