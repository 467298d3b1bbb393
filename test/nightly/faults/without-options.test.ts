import { describe, expect, it } from 'vitest'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { PostgresServer, postgresIsInstalled, RedisServer, TcpProxy } from '../../support/servers.js'
import { type Closers, measureFault, proxyFaults } from './faults.js'

// What two faults cost a client that has only an address. Nothing is promised, except that no request is accepted twice.
// docs/operate/failures.md shows the results.

const FAULTS = ['a firewall drops all open connections', 'a firewall drops all packets for 10 s']

const SERVERS = [
  { kinds: ['redis', 'ioredis'], start: startRedis, installed: isInstalled('redis-server') },
  {
    kinds: ['pg', 'postgres.js'],
    start: () => PostgresServer.start(),
    installed: isInstalled('postgresql', postgresIsInstalled()),
  },
  {
    kinds: ['mysql2', 'mariadb'],
    start: () => MariaDbServer.start(),
    installed: isInstalled('mariadb', mariadbIsInstalled()),
  },
]

/** This Redis keeps its data when it is killed. */
function startRedis() {
  return RedisServer.start('--appendonly', 'yes', '--appendfsync', 'always')
}

describe.concurrent.each(SERVERS.filter(({ installed }) => installed))('$kinds', ({ kinds, start }) => {
  const startBehindProxy = async (closers: Closers) => {
    const server = await start()
    closers.push(() => server.stop())
    const proxy = await TcpProxy.start(server.port)
    closers.push(() => proxy.stop())
    return { proxy, address: server.url.replace(String(server.port), String(proxy.port)) }
  }
  const rows = proxyFaults({ store: 'Without options', kinds }, startBehindProxy).filter(({ fault }) =>
    FAULTS.includes(fault),
  )

  it.concurrent.each(rows.flatMap((row) => kinds.map((kind) => [kind, row.fault, row] as const)))(
    '%s: %s',
    async (kind, _, row) => {
      const report = await measureFault(kind, row, 10_000)
      expect(report.acceptedTwice, 'requests that were accepted twice').toBe(0)
    },
    600_000,
  )
})
