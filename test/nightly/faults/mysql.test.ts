import mysql from 'mysql2/promise'
import { describe, expect } from 'vitest'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { canMount, isInstalled } from '../../support/programs.js'
import { eventually } from '../../support/servers.js'
import {
  behindProxy,
  type Closers,
  clockFaults,
  killedServer,
  proxyFaults,
  type Row,
  silentConnections,
  stoppedServer,
  switchover,
  testFaults,
} from './faults.js'

const CLIENTS = { store: 'MySQL, MariaDB', kinds: ['mysql2.ts', 'mariadb.ts', 'mysql2-shared.ts'] }

async function start(closers: Closers, ...options: string[]) {
  const server = await MariaDbServer.start(...options)
  closers.push(() => server.stop())
  return { server, address: server.url }
}

async function startBehindProxy(closers: Closers, ...options: string[]) {
  const { server } = await start(closers, ...options)
  return { server, ...(await behindProxy(closers, server)) }
}

async function startPair(closers: Closers) {
  const { server: primary, ...rest } = await startBehindProxy(closers, '--log-bin=binlog', '--server-id=1')
  const { server: replica } = await start(closers, '--server-id=2')
  await replica.follow(primary)
  return { ...rest, primary, replica }
}

const TABLE = `CREATE TABLE hooks.webhook_nonces (
  key_hash BINARY(32) NOT NULL PRIMARY KEY,
  expires_at DATETIME(6) NOT NULL,
  reserved_by VARBINARY(16) NOT NULL,
  KEY expires_at (expires_at)
) ENGINE = InnoDB`

const ROWS: Row[] = [
  killedServer(CLIENTS, start),
  stoppedServer(CLIENTS, start),
  // If connections are lost one by one, these clients recover within 1 s alone on a machine, but after 3.6 s on one under load.
  ...proxyFaults(CLIENTS, startBehindProxy).filter(({ fault }) => !fault.includes('one by one')),
  switchover(CLIENTS, startPair, (primary) => primary.sql('SET GLOBAL read_only = 1')),
  silentConnections(
    'connections close, and new connections get only the handshake for 10 s',
    CLIENTS,
    startBehindProxy,
    (proxy) => {
      // The server sends its greeting and the result of the handshake.
      proxy.onReply = (before) => (before < 2 ? 'pass' : 'hold')
      proxy.cutConnections()
    },
  ),
  ...clockFaults(CLIENTS, start, (server) => server.sql('SELECT UNIX_TIMESTAMP(NOW(6))')),
  {
    fault: 'the table is locked',
    ...CLIENTS,
    async start(closers) {
      const { server, address } = await start(closers)
      const session = await mysql.createConnection({ uri: server.url })
      closers.push(() => session.destroy())
      const begin = () => session.query('LOCK TABLES webhook_nonces WRITE')
      return { address, begin, end: () => session.query('UNLOCK TABLES') }
    },
  },
  {
    fault: 'the table is dropped and created again',
    ...CLIENTS,
    loses: 'everything',
    async start(closers) {
      const { server, address } = await start(closers)
      return { address, begin: () => server.sql('DROP TABLE hooks.webhook_nonces'), end: () => server.sql(TABLE) }
    },
  },
  {
    fault: 'the server becomes read-only',
    ...CLIENTS,
    async start(closers) {
      const { server, address } = await start(closers)
      const begin = () => server.sql('SET GLOBAL read_only = 1')
      return { address, begin, end: () => server.sql('SET GLOBAL read_only = 0') }
    },
  },
  {
    fault: 'the server ends every connection',
    ...CLIENTS,
    proof: 'own',
    async start(closers) {
      const { server, address } = await start(closers)
      const connections = async () =>
        (await server.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'test'")).split('\n')
      const begin = async () => {
        const before = await connections()
        expect(before.length).toBeGreaterThanOrEqual(2)
        await server.sql('KILL USER test')
        await eventually(async () => expect((await connections()).filter((id) => before.includes(id))).toEqual([]))
      }
      return { address, begin }
    },
  },
]

const DISK_FULL: Row = {
  fault: 'the disk is full',
  ...CLIENTS,
  async start(closers) {
    const server = await MariaDbServer.startOnSmallDisk(96 * 2 ** 20)
    closers.push(() => server.stop())
    // Each row takes half a page, so that the file has to grow.
    await server.sql(TABLE.replace('\n)', ",\n  padding VARBINARY(7000) NOT NULL DEFAULT REPEAT('x', 7000)\n)"))
    return { address: server.url, begin: () => server.fillDisk(), end: () => server.freeDisk() }
  },
}

const serverIsInstalled = isInstalled('mariadb', mariadbIsInstalled())
if (serverIsInstalled && isInstalled('a disk to fill', canMount())) ROWS.push(DISK_FULL)

describe.runIf(serverIsInstalled)('the faults of the guide', () => testFaults(ROWS))
