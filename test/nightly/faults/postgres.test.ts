import type pg from 'pg'
import { describe, expect } from 'vitest'
import { isInstalled } from '../../support/programs.js'
import { eventually, PostgresServer, postgresIsInstalled } from '../../support/servers.js'
import {
  behindProxy,
  type Closers,
  clockFaults,
  killedServer,
  proxyFaults,
  type Row,
  stoppedServer,
  switchover,
  testFaults,
} from './faults.js'
import { PgBouncer } from './pgbouncer.js'

const CLIENTS = { store: 'PostgreSQL', kinds: ['pg.ts', 'postgres-js.ts', 'pg-shared.ts'] }
const BOUNCED = { store: 'PgBouncer', kinds: ['pg-shared.ts'] }

async function start(closers: Closers, ...settings: string[]) {
  const server = await PostgresServer.start(...settings)
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

async function startPair(closers: Closers) {
  const { server: primary, ...rest } = await startBehindProxy(closers)
  const replica = await primary.startStandby()
  closers.push(() => replica.stop())
  return { ...rest, primary, replica }
}

async function startBouncer(closers: Closers) {
  const server = await start(closers)
  const bouncer = await PgBouncer.start(server)
  closers.push(() => bouncer.stop())
  return { server, bouncer, address: bouncer.url }
}

/** Changes a setting of the server while it runs. */
async function set(server: PostgresServer, setting: string): Promise<void> {
  await server.sql(`ALTER SYSTEM SET ${setting}`)
  await server.sql('SELECT pg_reload_conf()')
}

const TABLE =
  'CREATE TABLE webhook_nonces (key_hash bytea PRIMARY KEY, expires_at timestamptz NOT NULL, reserved_by bytea NOT NULL)'

const ROWS: Row[] = [
  killedServer(CLIENTS, startAlone),
  stoppedServer(CLIENTS, startAlone),
  ...proxyFaults(CLIENTS, startBehindProxy),
  switchover(CLIENTS, startPair, (primary) => set(primary, 'default_transaction_read_only = on')),
  ...clockFaults(CLIENTS, startAlone, (server) => server.sql('SELECT extract(epoch FROM clock_timestamp())')),
  {
    fault: 'the table is locked',
    ...CLIENTS,
    async start(closers) {
      const server = await start(closers)
      const session = await server.connect()
      closers.push(() => session.end())
      const begin = () => session.query('BEGIN; LOCK TABLE webhook_nonces IN ACCESS EXCLUSIVE MODE')
      return { address: server.url, begin, end: () => session.query('COMMIT') }
    },
  },
  {
    fault: 'the table is dropped and created again',
    ...CLIENTS,
    loses: 'everything',
    async start(closers) {
      const server = await start(closers)
      return { address: server.url, begin: () => server.sql('DROP TABLE webhook_nonces'), end: () => server.sql(TABLE) }
    },
  },
  {
    fault: 'the server becomes read-only',
    ...CLIENTS,
    async start(closers) {
      const server = await start(closers)
      const begin = () => set(server, 'default_transaction_read_only = on')
      return { address: server.url, begin, end: () => set(server, 'default_transaction_read_only = off') }
    },
  },
  {
    fault: 'the disk is full',
    ...CLIENTS,
    async start(closers) {
      const server = await start(closers)
      // Each row takes a page, because of its padding and the fillfactor. No row expires, so the file has to grow.
      await server.sql(`${TABLE.replace(/\)$/, ", padding char(700) NOT NULL DEFAULT '')")} WITH (fillfactor = 10)`)
      // The file must be larger than a segment of the WAL (16 MiB), because PostgreSQL ends if it cannot write its WAL.
      const rows =
        "SELECT decode(md5(n::text), 'hex'), now() + '1 day', decode('00', 'hex') FROM generate_series(1, 2500) n"
      await server.sql(`INSERT INTO webhook_nonces ${rows}`)
      return {
        address: server.url,
        // A file that is larger cannot grow, as on a full disk.
        begin: () => server.limitFileSize(String(16 * 1024 * 1024)),
        end: () => server.limitFileSize('unlimited'),
      }
    },
  },
  {
    fault: 'the server has no free connection',
    ...CLIENTS,
    // postgres.js throws an error that no code can catch, which ends the process.
    kinds: ['pg.ts', 'pg-shared.ts'],
    async start(closers) {
      const server = await start(closers, 'max_connections=20')
      // Before the pools, which may use up the connections themselves.
      const first = await server.connect('taker')
      const sessions: pg.Client[] = [first]
      /** Opens a new session for each session that ends. */
      async function begin() {
        const others = 'FROM pg_stat_activity WHERE application_name <> $1 AND backend_type = $2'
        for (let round = 0; round < 20; round++) {
          await first.query(`SELECT pg_terminate_backend(pid) ${others}`, ['taker', 'client backend'])
          for (;;) {
            const session = await server.connect('taker').catch(() => undefined)
            if (session === undefined) break
            sessions.push(session)
          }
        }
      }
      return { address: server.url, begin, end: () => Promise.all(sessions.map((session) => session.end())) }
    },
  },
  {
    fault: 'the synchronous standby hangs',
    ...CLIENTS,
    async start(closers) {
      const server = await start(closers, 'max_connections=40')
      const standby = await server.startStandby()
      closers.push(() => standby.stop())
      closers.push(() => standby.signal('SIGCONT'))
      await set(server, "synchronous_standby_names = '*'")
      await eventually(async () => expect(await server.sql('SELECT sync_state FROM pg_stat_replication')).toBe('sync'))
      return { address: server.url, begin: () => standby.signal('SIGSTOP'), end: () => standby.signal('SIGCONT') }
    },
  },
  {
    fault: 'PostgreSQL is killed and restarted',
    ...BOUNCED,
    async start(closers) {
      const { server, address } = await startBouncer(closers)
      return { address, begin: () => server.kill(), end: () => server.restart() }
    },
  },
  {
    fault: 'PgBouncer hangs',
    ...BOUNCED,
    async start(closers) {
      const { bouncer, address } = await startBouncer(closers)
      closers.push(() => bouncer.signal('SIGCONT'))
      return { address, begin: () => bouncer.signal('SIGSTOP'), end: () => bouncer.signal('SIGCONT') }
    },
  },
]

const installed = isInstalled('postgresql', postgresIsInstalled()) && isInstalled('pgbouncer')

describe.runIf(installed)('the faults of the guide', () => testFaults(ROWS))
