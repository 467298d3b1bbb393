import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handle, type NonceStore } from '../../../src/index.js'
import { eventually, RedisServer, TcpProxy, temporaryFolder } from '../../support/servers.js'
import { connectStore } from './connect.js'
import { Receiver, type SignedText, signed } from './receiver.js'
import { MARIADB, POSTGRES, REDIS, type Server } from './shared-stores.js'

// What happens to an event if the server of its store stands still for 3 s, or is killed, at each step of `handle`.

const FAULTS = {
  async 'stands still for 3 s'(server: Server) {
    await server.signal('SIGSTOP')
    setTimeout(() => server.signal('SIGCONT'), 3000)
  },
  async 'is killed'(server: Server) {
    await server.kill()
    setTimeout(() => void server.restart(), 500)
  },
}

describe.each(
  [
    // Without this option, a server that is killed forgets what it stored.
    { client: 'redis', ...REDIS, start: () => RedisServer.start('--appendonly', 'yes', '--appendfsync', 'always') },
    { client: 'pg', ...POSTGRES },
    { client: 'mysql2', ...MARIADB },
  ].filter(({ installed }) => installed),
)('an event over $client', ({ client, start }) => {
  let server: Server & { url: string; port: number }
  let processes: { nonceStore: NonceStore; close: () => unknown }[]
  beforeAll(async () => {
    server = await start()
    processes = [await connectStore(client, server.url, 1000), await connectStore(client, server.url, 1000)]
  })
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
  afterAll(async () => {
    for (const { close } of processes ?? []) await close()
    await server?.stop()
  })

  /** Sends one attempt to a process, and calls `act` when a step begins. Resolves to the value of `handle`, or to the code of its error. */
  function send(
    { headers, body }: SignedText,
    process: number,
    work: () => unknown,
    act: (step: 'claim' | 'record') => unknown = () => {},
  ): Promise<unknown> {
    const { nonceStore } = processes[process] as (typeof processes)[number]
    const store: NonceStore = {
      reserve: (...call) => nonceStore.reserve(...call),
      release: (...call) => nonceStore.release?.(...call),
      async claim(...call) {
        await act(call[4] ? 'record' : 'claim')
        return (await nonceStore.claim?.(...call)) as 'claimed'
      },
    }
    const eventId = ({ body }: { body: Buffer }) => String(JSON.parse(body.toString()).id)
    const source = { webhookId: '42', request: { headers, body: Buffer.from(body) }, eventId }
    return handle(source, 'the secret of webhook 42', store, work).catch((error) => error.reason ?? error.code)
  }

  for (const [fault, cause] of Object.entries(FAULTS)) {
    it.each(['claim', 'work', 'record'] as const)(`runs once if the server ${fault} at the %s`, async (step) => {
      let effects = 0
      let isDue = true
      const once = async (current: string) => {
        if (current !== step || !isDue) return
        isDue = false
        await cause(server)
      }
      const work = async () => {
        await once('work')
        await sleep(100)
        effects++
        return 'done'
      }
      const id = `${client} ${fault} ${step} ${Date.now()}`
      const first = signed(id)
      // The sender repeats its request until it is accepted, and 401 is final.
      const outcome = await eventually(async () => {
        const result = await send(first, 0, work, once)
        expect(['done', 'replayed_nonce']).toContain(result)
        return result
      })
      expect([outcome, effects]).toEqual(['done', 1])
      await eventually(async () => expect(await send(signed(id), 1, work)).toBeUndefined())
      await eventually(async () => expect(await send(first, 1, work)).toBe('replayed_nonce'))
      expect(effects).toBe(1)
    })
  }

  it('is recorded after a firewall dropped the connections, although other events end one after the other', async () => {
    const proxy = await TcpProxy.start(server.port)
    const address = server.url.replace(String(server.port), String(proxy.port))
    processes.push(await connectStore(`${client}.ts`, address, 1000))
    let effects = 0
    const work = async (milliseconds: number) => {
      await sleep(milliseconds)
      effects++
      return 'done'
    }
    const ids = Array.from({ length: 8 }, (_, index) => `${client} ${index} ${Date.now()}`)
    const first = Promise.all(ids.map((id, index) => send(signed(id), 2, () => work(1000 + 300 * index))))
    await sleep(500)
    proxy.dropConnections()
    expect(await first).toEqual(ids.map(() => 'done'))
    for (const id of ids) await eventually(async () => expect(await send(signed(id), 1, () => work(0))).toBeUndefined())
    expect(effects).toBe(8)
    proxy.stop()
  })

  it('runs again if its process stands still for 40 s, and is then done', async () => {
    const file = join(temporaryFolder(), 'effects')
    writeFileSync(file, '')
    const effects = () => readFileSync(file, 'utf8').split('\n').length - 1
    const receivers = [0, 1].map(() => new Receiver([client, server.url, 'once', file, '1000'])) as [Receiver, Receiver]
    for (const receiver of receivers) await receiver.start()
    const id = `stall ${Date.now()}`
    const slow = receivers[0].send(signed(id))
    await sleep(500)
    receivers[0].signal('SIGSTOP')
    const stalledAt = Date.now()
    expect(await receivers[1].send(signed(id))).toBe(503)
    await eventually(async () => expect(await receivers[1].send(signed(id))).toBe(204))
    const seconds = (Date.now() - stalledAt) / 1000
    console.log(client, `the second process ran the work after ${seconds.toFixed(1)} s`)
    expect(effects()).toBe(1)
    await sleep(40_000 - (Date.now() - stalledAt))
    receivers[0].signal('SIGCONT')
    await slow
    await eventually(() => expect(effects()).toBe(2))
    for (const receiver of receivers) {
      await eventually(async () => expect(await receiver.send(signed(id))).toBe(204))
    }
    expect(effects()).toBe(2)
    for (const receiver of receivers) await receiver.kill()
  })
})
