import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectPostgresOptions, connectPg, connectPostgresJs } from '../../src/stores/postgres/index.js'
import { createCertificate } from '../support/certificate.js'
import { codeBlocks } from '../support/code-blocks.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import {
  eventually,
  freePort,
  LONG_TIMEOUT,
  PostgresServer,
  postgresIsInstalled,
  TcpProxy,
  UNKNOWN_HOST,
} from '../support/servers.js'
import { expectToClose } from '../support/stores/expect-to-close.js'
import { newRequest, send } from '../support/stores/load.js'
import { connect } from '../support/stores/source.js'

const installed = isInstalled('postgresql', postgresIsInstalled()) && isInstalled('openssl')

/** A time-out that a test waits for, in milliseconds. A machine that stalls for less does not end a call too early. */
const CANCEL_AFTER = 3000

type Server = { host: string; port: number; ssl?: { ca: string } }

/** Connects each client by the parts of an address. */
const WITH_PARTS = {
  pg: (server: Server, timeout = LONG_TIMEOUT) =>
    connectPg((options) => new pg.Pool({ ...server, user: 'test', database: 'postgres', ...options }), { timeout }),
  'postgres.js': (server: Server, timeout = LONG_TIMEOUT) =>
    connectPostgresJs((options) => postgres({ ...server, user: 'test', database: 'postgres', ...options }), {
      timeout,
    }),
}

describe.runIf(installed)('connecting to PostgreSQL', () => {
  const certificate = createCertificate('postgres')
  const tlsSettings = ['ssl=on', `ssl_cert_file=${certificate.cert}`, `ssl_key_file=${certificate.key}`]
  const closers: (() => unknown)[] = []
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start(...tlsSettings)
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(certificate.folder, { recursive: true })
  })

  describe.each(['pg', 'postgres.js'] as const)('%s', (kind) => {
    const open = async (url = server.url, options: ConnectPostgresOptions = {}) => {
      const nonceStore = await connect[kind](url, { timeout: LONG_TIMEOUT, ...options })
      closers.push(() => nonceStore.close())
      return nonceStore
    }
    const urlOf = (user: string, database = 'postgres') => `postgres://${user}@127.0.0.1:${server.port}/${database}`

    it.each(['TCP', 'TLS', 'Unix socket'])(
      'works over %s, and cancels a statement that waits for a lock',
      async (way) => {
        const tls = way === 'TLS' ? { ssl: { ca: certificate.ca } } : {}
        const host = { TCP: '127.0.0.1', TLS: 'localhost' }[way] ?? server.folder
        const nonceStore = await WITH_PARTS[kind]({ host, port: server.port, ...tls }, CANCEL_AFTER)
        closers.push(() => nonceStore.close())
        const request = newRequest()
        expect(await send(request, nonceStore)).toBe('accepted')
        expect(await send(request, nonceStore)).toBe('replayed_nonce')

        const locker = await server.connect()
        closers.push(() => locker.end())
        await locker.query('BEGIN; LOCK TABLE webhook_nonces IN ACCESS EXCLUSIVE MODE')
        const before = server.cancelled
        expect(await send(newRequest(), nonceStore)).toBe('ERR_NONCE_STORE')
        await eventually(() => expect(server.cancelled).toBe(before + 1))
        await locker.query('ROLLBACK')
        await eventually(async () => expect(await send(newRequest(), nonceStore)).toBe('accepted'))
      },
    )

    it('says that the server is down', async () => {
      const down = open(`postgres://test@127.0.0.1:${await freePort()}/postgres`)
      await expect(down).rejects.toThrow('No server listens at the address')
      const noSocket = WITH_PARTS[kind]({ host: certificate.folder, port: 5432 })
      await expect(noSocket).rejects.toThrow('No server listens at the address')
    })

    it('says that the host name is unknown', async () => {
      const unknown = WITH_PARTS[kind]({ host: UNKNOWN_HOST, port: 5432 })
      await expect(unknown).rejects.toThrow('The host name of the server is unknown')
    })

    it('says that the password is wrong', async () => {
      await server.sql("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'right'")
      await server.requirePassword('locked')
      await expect(open(urlOf('locked:wrong'))).rejects.toThrow('The server refused the user name or the password.')
    })

    it('works without prepared statements', async () => {
      const nonceStore = await open(server.url, { prepare: false })
      expect(await send(newRequest(), nonceStore)).toBe('accepted')
      expect(await server.sql('SELECT count(*) FROM pg_prepared_statements')).toBe('0')
    })

    it('says that the database does not exist', async () => {
      await expect(open(urlOf('test', 'absent'))).rejects.toThrow('The database does not exist.')
    })

    it('says that the certificate is not trusted', async () => {
      const host = { host: 'localhost', port: server.port }
      const untrusted = WITH_PARTS[kind]({ ...host, ssl: Object({ rejectUnauthorized: true }) })
      await expect(untrusted).rejects.toThrow("The server's TLS certificate is not trusted.")
    })

    it('refuses a hot standby, and a server that is read-only', async () => {
      const standby = await server.startStandby()
      closers.push(() => standby.stop())
      await expect(open(standby.url)).rejects.toThrow('The server is read-only or a replica. Connect to the primary.')
      await server.sql("CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = 'on'")
      closers.push(() => server.sql('DROP ROLE reader'))
      await expect(open(urlOf('reader'))).rejects.toThrow('The server is read-only')
    })

    it('says that the table is absent, if it must not create it', async () => {
      await expect(open(server.url, { table: 'absent', createTable: false })).rejects.toThrow(
        'The table does not exist.',
      )
    })

    it('needs exactly the permissions of the guide', async () => {
      const guide = readFileSync(join(ROOT, 'docs/operate/postgres.md'), 'utf8')
      const [sql = ''] = codeBlocks(guide, 'sql')
      const [, rights = ''] = /GRANT (.*) ON webhook_nonces TO hooks;/.exec(sql) ?? []
      expect(rights.split(', ')).toHaveLength(4)
      await server.sql(`DROP TABLE IF EXISTS webhook_nonces; CREATE ROLE hooks LOGIN; ${sql}`)
      closers.push(() => server.sql('DROP OWNED BY hooks; DROP ROLE hooks'))
      const nonceStore = await open(urlOf('hooks'), { createTable: false })
      expect(await nonceStore.reserve('42', 'nonce', 600)).toBe(true)
      await nonceStore.reserve('42', 'short', 0.001)
      await eventually(async () => expect(await nonceStore.deleteExpired()).toBe(1))
      for (const right of rights.split(', ')) {
        await server.sql(`REVOKE ${right} ON webhook_nonces FROM hooks`)
        const rejected = open(urlOf('hooks'), { createTable: false })
        await expect(rejected, right).rejects.toMatchObject({
          message: expect.stringContaining('lacks a permission'),
          cause: expect.objectContaining({ message: 'permission denied for table webhook_nonces' }),
        })
        await server.sql(`GRANT ${right} ON webhook_nonces TO hooks`)
      }
      await expect(open(urlOf('hooks'), { table: 'another' })).rejects.toThrow('lacks a permission')
    })

    it('opens new connections when the server has become read-only, because they reach the new primary', async () => {
      const other = await PostgresServer.start()
      closers.push(() => other.stop())
      const proxy = await TcpProxy.start(server.port)
      closers.push(() => proxy.stop())
      const nonceStore = await open(server.url.replace(String(server.port), String(proxy.port)))
      expect(await send(newRequest(), nonceStore)).toBe('accepted')
      await (await connect.pg(other.url, { timeout: LONG_TIMEOUT })).close()
      // The connections that are open stay at the old server.
      proxy.target = other.port
      await server.sql('ALTER SYSTEM SET default_transaction_read_only = on')
      await server.sql('SELECT pg_reload_conf()')
      closers.push(async () => {
        await server.sql('ALTER SYSTEM RESET default_transaction_read_only')
        await server.sql('SELECT pg_reload_conf()')
      })
      await eventually(async () => expect(await send(newRequest(), nonceStore)).toBe('ERR_NONCE_STORE'))
      await eventually(async () => expect(await send(newRequest(), nonceStore)).toBe('accepted'))
      expect(await other.sql('SELECT count(*) FROM webhook_nonces')).not.toBe('0')
    })

    it('is refused after close(), which settles twice and while the server hangs', async () => {
      await expectToClose(await open(server.url, { timeout: CANCEL_AFTER }), server, closers)
    })
  })
})
