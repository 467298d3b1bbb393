import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually, TcpProxy } from '../../support/servers.js'
import { openGuide } from '../stores/guides.js'
import { MARIADB, POSTGRES } from '../stores/shared-stores.js'

// A firewall forgets all connections of a pool, while few requests arrive. Each connection costs at most one of them.

const CONNECTIONS = 10
/** Milliseconds between two requests. */
const INTERVAL = 400

const DATABASES = [
  { file: 'pg.ts', ...POSTGRES },
  { file: 'mysql2.ts', ...MARIADB },
]

describe.concurrent.each(DATABASES.filter(({ installed }) => installed))('$file', ({ file, start }) => {
  it('loses at most one request per connection that was dropped', async () => {
    const server = await start()
    const proxy = await TcpProxy.start(server.port)
    const address = server.url.replace(String(server.port), String(proxy.port))
    const { nonceStore, close } = await eventually(() => openGuide(file, address))
    const reserve = async () => nonceStore.reserve('42', randomUUID(), 600)
    const outcome = () => reserve().catch(String)
    await eventually(async () => {
      await Promise.all(Array.from({ length: 100 }, outcome))
      expect(proxy.connections).toBeGreaterThanOrEqual(CONNECTIONS)
    })
    proxy.dropConnections()
    const outcomes: Promise<boolean | string>[] = []
    for (let count = 0; count < CONNECTIONS + 3; count++) {
      outcomes.push(outcome())
      await sleep(INTERVAL)
    }
    // The requests until here have found all lost connections.
    expect((await Promise.all(outcomes)).filter((outcome) => outcome !== true).length).toBeLessThanOrEqual(CONNECTIONS)
    expect(await Promise.all([outcome(), outcome(), outcome()])).toEqual([true, true, true])
    await close()
    proxy.stop()
    await server.stop()
  })
})
