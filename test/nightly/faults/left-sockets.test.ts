import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/servers.js'
import { type Server, STORES } from '../../support/stores/shared-stores.js'

// While all servers hang, a store replaces its client again and again. No connection of an old client may be left.

const PROCESS = fileURLToPath(new URL('../../support/stores/sockets.js', import.meta.url))
const TIMEOUT = 300

/** The most sockets at a time, of the client and of those that replace it: one each 0.4 s, which ends within `GONE`. */
const MOST: Record<string, number> = {
  redis: 3,
  'redis-cluster': 7,
  'redis-sentinel': 6,
  ioredis: 3,
  'ioredis-cluster': 12,
}
const REDIS_GONE = 1000 + 2 * TIMEOUT + 200
/**
 * The milliseconds after which no connection is left. ioredis itself waits 1 s for the slots, and 2 s until a sentinel closes a
 * connection. The pool of mariadb gives up a connection that it is opening only at the deadline of that connection. A client of redis
 * forgets a connection that is being opened, which then ends when it was idle for long enough.
 */
const GONE: Record<string, number> = {
  'ioredis-cluster': 2500,
  'ioredis-sentinel': 2500,
  redis: REDIS_GONE,
  'redis-cluster': REDIS_GONE,
  'redis-sentinel': REDIS_GONE,
  mariadb: 2 * TIMEOUT + 200,
}

const ROWS = STORES.filter(({ store, installed }) => installed && store !== 'DynamoDB').flatMap(({ kinds, start }) =>
  kinds.map((kind) => ({ kind, start, most: MOST[kind] ?? 40, gone: GONE[kind] ?? 200 })),
)

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

// A connection that is left only now and then is a mistake too.
describe.runIf(ROWS.length > 0)('no connection is left', () => {
  it.concurrent.each(ROWS)('$kind', async ({ kind, start, most, gone }) => {
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
