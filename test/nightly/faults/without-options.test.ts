import { describe, expect, it } from 'vitest'
import { RedisServer } from '../../support/servers.js'
import { MARIADB, POSTGRES, REDIS } from '../stores/shared-stores.js'
import { behindProxy, type Closers, measureFault, proxyFaults } from './faults.js'

// Two faults, with clients that have only an address. Nothing is promised, except that no request is accepted twice.
// docs/operate/failures.md shows the results.

const FAULTS = ['a firewall drops all open connections', 'a firewall drops all packets for 10 s']

/** This Redis keeps its data when it is killed. */
const startRedis = () => RedisServer.start('--appendonly', 'yes', '--appendfsync', 'always')

const SERVERS = [
  { kinds: ['redis', 'ioredis'], ...REDIS, start: startRedis },
  { kinds: ['pg', 'postgres.js'], ...POSTGRES },
  { kinds: ['mysql2', 'mariadb'], ...MARIADB },
]

describe.concurrent.each(SERVERS.filter(({ installed }) => installed))('$kinds', ({ kinds, start }) => {
  const startBehindProxy = async (closers: Closers) => {
    const server = await start()
    closers.push(() => server.stop())
    return behindProxy(closers, server)
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
