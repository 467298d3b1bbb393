import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { isInstalled } from '../support/programs.js'
import {
  eventually,
  PostgresServer,
  postgresIsInstalled,
  RedisServer,
  startRedisCluster,
  startRedisSentinel,
} from '../support/servers.js'

// While all servers hang, a store replaces its client again and again. No connection of an old client may be left.

const PROCESS = fileURLToPath(new URL('../support/stores/sockets.js', import.meta.url))
const TIMEOUT = 300

interface Server {
  signal(signal: NodeJS.Signals): unknown
  kill(): Promise<void>
  stop(): Promise<void>
}

interface Row {
  kind: string
  start(): Promise<{ servers: Server[]; address: unknown }>
  /** The most sockets at a time, of the client and of those that replace it. */
  most: number
  /** Milliseconds after close() until all sockets are gone. */
  gone?: number
}

async function one(server: (Server & { url: string }) | Promise<Server & { url: string }>) {
  const started = await server
  return { servers: [started], address: started.url }
}

async function cluster() {
  const servers = await startRedisCluster()
  return { servers, address: servers.map(({ url }) => url) }
}

async function sentinel() {
  const { master, replica, sentinels, address } = await startRedisSentinel()
  return { servers: [master, replica, ...sentinels], address }
}

const REDIS: Row[] = [
  { kind: 'redis', start: () => one(RedisServer.start()), most: 3 },
  { kind: 'redis-cluster', start: cluster, most: 6 },
  { kind: 'redis-sentinel', start: sentinel, most: 6 },
  { kind: 'ioredis', start: () => one(RedisServer.start()), most: 3 },
  // ioredis itself waits for the slots for 1 s, and for a sentinel to close a connection for 2 s.
  { kind: 'ioredis-cluster', start: cluster, most: 12, gone: 2500 },
  { kind: 'ioredis-sentinel', start: sentinel, most: 40, gone: 2500 },
]
const POSTGRES: Row[] = ['pg', 'postgres.js'].map((kind) => ({
  kind,
  start: () => one(PostgresServer.start()),
  most: 30,
}))
const MYSQL: Row[] = ['mysql2', 'mariadb'].map((kind) => ({ kind, start: () => one(MariaDbServer.start()), most: 30 }))

const ROWS = [
  ...(isInstalled('redis-server') ? REDIS : []),
  ...(isInstalled('postgresql', postgresIsInstalled()) ? POSTGRES : []),
  ...(isInstalled('mariadb', mariadbIsInstalled()) ? MYSQL : []),
]

function startProcess(kind: string, address: unknown) {
  const args = [PROCESS, kind, JSON.stringify(address), String(TIMEOUT)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    kill: () => child.kill('SIGKILL'),
    async ask(act: 'open' | 'count' | 'close'): Promise<{ outcome: string; sockets: number }> {
      child.stdin.write(`${act}\n`)
      return JSON.parse((await lines.next()).value)
    },
  }
}

describe.runIf(ROWS.length > 0)('no connection is left', () => {
  it.concurrent.each(ROWS)('$kind', async ({ kind, start, most, gone = 200 }) => {
    const { servers, address } = await start()
    const child = startProcess(kind, address)
    const sockets = async () => (await child.ask('count')).sockets
    const all = (act: (server: Server) => unknown) => Promise.all(servers.map(act))
    try {
      await eventually(async () => expect((await child.ask('open')).outcome).toBe('done'))
      expect(await sockets()).toBeGreaterThan(0)

      await all((server) => server.signal('SIGSTOP'))
      const counts: number[] = []
      for (let round = 0; round < 16; round++) {
        await sleep(500)
        counts.push(await sockets())
      }
      expect(Math.max(...counts)).toBeLessThanOrEqual(most)
      await child.ask('close')
      await sleep(gone)
      expect(await sockets(), 'after close() while the servers hang').toBe(0)

      expect((await child.ask('open')).outcome).toBe('ERR_NONCE_STORE')
      await sleep(gone)
      expect(await sockets(), 'after a start while the servers hang').toBe(0)

      await all((server) => server.signal('SIGCONT'))
      await all((server) => server.kill())
      expect((await child.ask('open')).outcome).toBe('ERR_NONCE_STORE')
      await sleep(gone)
      expect(await sockets(), 'after a start while the servers are down').toBe(0)
    } finally {
      child.kill()
      await all((server) => server.signal('SIGCONT')).catch(() => {})
      await all((server) => server.stop().catch(() => {}))
    }
  })
})
