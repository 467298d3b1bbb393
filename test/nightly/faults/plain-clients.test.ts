import { describe, expect, it } from 'vitest'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { PostgresServer, postgresIsInstalled, RedisServer, TcpProxy } from '../../support/servers.js'
import { type Closers, killedServer, measureFault, proxyFaults, stoppedServer } from '../../support/stores/faults.js'

// What the same faults cost a client as many services configure it, and its connect function. Nothing is promised for the plain client,
// except that it accepts no request twice. docs/operate/failures.md shows the results.

const FAULTS = [
  'the server is killed and restarted',
  'the server hangs',
  'a firewall drops all open connections',
  'a firewall drops all packets for 10 s',
]

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
  const startAlone = async (closers: Closers) => {
    const server = await start()
    closers.push(() => server.stop())
    return { server, address: server.url }
  }
  const startBehindProxy = async (closers: Closers) => {
    const { server } = await startAlone(closers)
    const proxy = await TcpProxy.start(server.port)
    closers.push(() => proxy.stop())
    return { proxy, address: server.url.replace(String(server.port), String(proxy.port)) }
  }
  const clients = { store: 'Plain clients', kinds }
  const rows = [
    killedServer(clients, startAlone),
    stoppedServer(clients, startAlone),
    ...proxyFaults(clients, startBehindProxy),
  ].filter(({ fault }) => FAULTS.includes(fault))

  it.concurrent.each(
    rows.flatMap((row) =>
      kinds.flatMap((kind) => [kind, `plain ${kind}`].map((client) => [client, row.fault, row] as const)),
    ),
  )(
    '%s: %s',
    async (client, _, row) => {
      const report = await measureFault(client, row, 10_000)
      expect(report.acceptedTwice, 'requests that were accepted twice').toBe(0)
    },
    600_000,
  )
})
