import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, PostgresServer, postgresIsInstalled, TcpProxy } from '../../support/servers.js'
import { connect } from '../../support/stores/source.js'

// A firewall forgets the connections of a pool at once, while few requests arrive. Each connection would cost one of them.

/** Milliseconds between two requests: a pool of ten connections lasts longer than the guide allows. */
const INTERVAL = 400
const CLEAN_AFTER = 3000

const DATABASES = [
  {
    database: 'PostgreSQL',
    kinds: ['pg', 'postgres.js'],
    installed: isInstalled('postgresql', postgresIsInstalled()),
    start: () => PostgresServer.start(),
  },
  {
    database: 'MariaDB',
    kinds: ['mysql2', 'mariadb'],
    installed: isInstalled('mariadb', mariadbIsInstalled()),
    start: () => MariaDbServer.start(),
  },
] as const

describe.concurrent.each(DATABASES.filter(({ installed }) => installed))(
  'a pool of silent, idle connections to $database is clean after 3 s',
  ({ kinds, start }) => {
    it('with each client', async () => {
      const server = await start()
      try {
        await Promise.all(kinds.map((kind) => isClean(kind, server)))
      } finally {
        await server.stop()
      }
    })
  },
)

async function isClean(kind: (typeof DATABASES)[number]['kinds'][number], server: { url: string; port: number }) {
  const proxy = await TcpProxy.start(server.port)
  const nonceStore = await eventually(() => connect[kind](server.url.replace(String(server.port), String(proxy.port))))
  const reserve = () => nonceStore.reserve('42', randomUUID(), 600).catch(String)
  try {
    await eventually(async () => {
      await Promise.all(Array.from({ length: 100 }, reserve))
      expect(proxy.connections).toBeGreaterThanOrEqual(10)
    })
    proxy.dropConnections()
    const outcomes: Promise<boolean | string>[] = []
    const late: Promise<boolean | string>[] = []
    for (const start = Date.now(); late.length < 3; await sleep(INTERVAL)) {
      if (Date.now() - start < CLEAN_AFTER) outcomes.push(reserve())
      else late.push(reserve())
    }
    // mariadb pings a connection that was idle, and loses no request.
    const lost = (await Promise.all(outcomes)).filter((outcome) => outcome !== true)
    if (kind !== 'mariadb') expect(lost.length, `${kind}, the fault`).toBeGreaterThan(0)
    expect(await Promise.all(late), `${kind}, after 3 s`).toEqual([true, true, true])
  } finally {
    await nonceStore.close()
    proxy.stop()
  }
}
