import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectSqlOptions, connectMariadb, connectMysql2, MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { createCertificate } from '../support/certificate.js'
import { codeBlocks } from '../support/code-blocks.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { eventually, freePort, LONG_TIMEOUT, TcpProxy, UNKNOWN_HOST } from '../support/servers.js'
import { expectToClose } from '../support/stores/expect-to-close.js'
import { newRequest, send } from '../support/stores/load.js'
import { connect } from '../support/stores/source.js'

const installed = isInstalled('mariadb', mariadbIsInstalled()) && isInstalled('openssl')

type Server = { host?: string; port?: number; socketPath?: string; ssl?: { ca?: string } }

const PATIENT = { timeout: LONG_TIMEOUT }
/** A pool of mariadb tries to connect until this time-out. A machine that stalls for less ends no call too early. */
const REFUSED = { timeout: 5000 }

const USER = { user: 'test', database: 'hooks' }

/** Connects each client by the parts of an address. */
const WITH_PARTS = {
  mysql2: (server: Server, options = PATIENT) =>
    connectMysql2((more) => mysql.createPool({ ...server, ...USER, ...more }), options),
  mariadb: (server: Server, options = PATIENT) =>
    connectMariadb((more) => mariadb.createPool({ ...server, ...USER, ...more }), options),
}

describe.runIf(installed)('connecting to MySQL', () => {
  const certificate = createCertificate('mysql')
  const closers: (() => unknown)[] = []
  let server: MariaDbServer
  beforeAll(async () => {
    server = await MariaDbServer.start(
      `--ssl-cert=${certificate.cert}`,
      `--ssl-key=${certificate.key}`,
      // A connection that does not turn autocommit on would never store anything.
      '--autocommit=OFF',
    )
    await server.sql('CREATE USER test@localhost; GRANT ALL ON hooks.* TO test@localhost; SET GLOBAL autocommit = 0')
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(certificate.folder, { recursive: true })
  })

  describe.each(['mysql2', 'mariadb'] as const)('%s', (kind) => {
    const open = async (url = server.url, options: ConnectSqlOptions = {}) => {
      const nonceStore = await connect[kind](url, { ...PATIENT, ...options })
      closers.push(() => nonceStore.close())
      return nonceStore
    }
    const urlOf = (user: string, database = 'hooks') => `mysql://${user}@127.0.0.1:${server.port}/${database}`

    it.each(['TCP', 'TLS', 'Unix socket'])('works over %s', async (way) => {
      const nonceStore = await WITH_PARTS[kind](
        {
          TCP: { host: '127.0.0.1', port: server.port },
          TLS: { host: '127.0.0.1', port: server.port, ssl: { ca: certificate.ca } },
        }[way] ?? { socketPath: server.socket },
      )
      closers.push(() => nonceStore.close())
      const request = newRequest()
      expect(await send(request, nonceStore)).toBe('accepted')
      expect(await send(request, nonceStore)).toBe('replayed_nonce')
    })

    it('stores every reservation, though autocommit is off by default', async () => {
      expect(await server.sql('SELECT @@global.autocommit')).toBe('0')
      const nonceStore = await open()
      const requests = Array.from({ length: 20 }, newRequest)
      for (const request of requests) expect(await send(request, nonceStore)).toBe('accepted')
      await nonceStore.close()
      const another = await open()
      for (const request of requests) expect(await send(request, another)).toBe('replayed_nonce')
    })

    it('says that the server is down', async () => {
      const down = open(`mysql://test@127.0.0.1:${await freePort()}/hooks`, REFUSED)
      await expect(down).rejects.toThrow('No server listens at the address')
    })

    it('says that the host name is unknown', async () => {
      const unknown = open(`mysql://test@${UNKNOWN_HOST}:3306/hooks`, REFUSED)
      await expect(unknown).rejects.toThrow('The host name of the server is unknown')
    })

    it('says that the password is wrong', async () => {
      await server.sql("CREATE OR REPLACE USER locked@'127.0.0.1' IDENTIFIED BY 'right'")
      await expect(open(urlOf('locked:wrong'), REFUSED)).rejects.toThrow(
        'The server refused the user name or the password.',
      )
    })

    it('says that the database does not exist', async () => {
      await server.sql("GRANT ALL ON absent.* TO test@'127.0.0.1'")
      await expect(open(urlOf('test', 'absent'), REFUSED)).rejects.toThrow('The database does not exist.')
    })

    it('says that the certificate is not trusted', async () => {
      const untrusted = WITH_PARTS[kind]({ host: '127.0.0.1', port: server.port, ssl: {} }, REFUSED)
      await expect(untrusted).rejects.toThrow("The server's TLS certificate is not trusted.")
    })

    it('refuses a server that is read-only, also for a user who may write there', async () => {
      await server.sql('SET GLOBAL read_only = 1')
      closers.push(() => server.sql('SET GLOBAL read_only = 0'))
      await expect(open()).rejects.toThrow('The server is read-only or a replica. Connect to the primary.')
      await server.sql("GRANT READ_ONLY ADMIN ON *.* TO test@'127.0.0.1'")
      closers.push(() => server.sql("REVOKE READ_ONLY ADMIN ON *.* FROM test@'127.0.0.1'"))
      await expect(open()).rejects.toThrow('The server is read-only')
    })

    it('says that the table is absent, if it must not create it', async () => {
      const absent = open(server.url, { table: 'absent', createTable: false })
      await expect(absent).rejects.toThrow('The table does not exist.')
    })

    it('needs exactly the permissions of the guide', async () => {
      const guide = readFileSync(join(ROOT, 'docs/operate/mysql.md'), 'utf8')
      const [sql = ''] = codeBlocks(guide, 'sql')
      const [, rights = ''] = /GRANT (.*) ON hooks\.webhook_nonces TO hooks;/.exec(sql) ?? []
      expect(rights.split(', ')).toHaveLength(3)
      const user = "hooks@'127.0.0.1'"
      await server.sql(`CREATE OR REPLACE USER ${user}; DROP TABLE IF EXISTS hooks.webhook_nonces; USE hooks;
        ${sql.replace(' TO hooks;', ` TO ${user};`)}`)
      const nonceStore = await open(urlOf('hooks'), { createTable: false })
      expect(await nonceStore.reserve('42', crypto.randomUUID(), 600)).toBe(true)
      await nonceStore.reserve('42', 'short', 0.001)
      await eventually(async () => expect(await nonceStore.deleteExpired()).toBe(1))
      for (const right of rights.split(', ')) {
        await server.sql(`REVOKE ${right} ON hooks.webhook_nonces FROM ${user}`)
        const rejected = await open(urlOf('hooks'), { createTable: false }).catch((error: unknown) => error)
        expect(rejected, right).toMatchObject({ message: expect.stringContaining('lacks a permission') })
        expect(String(Object(rejected).cause), right).toContain(`${right} command denied`)
        await server.sql(`GRANT ${right} ON hooks.webhook_nonces TO ${user}`)
      }
      await expect(open(urlOf('hooks'), { table: 'another' })).rejects.toThrow('lacks a permission')
    })

    it('opens new connections when the server has become read-only, because they reach the new primary', async () => {
      const other = await MariaDbServer.start()
      closers.push(() => other.stop())
      const proxy = await TcpProxy.start(server.port)
      closers.push(() => proxy.stop())
      const nonceStore = await open(server.url.replace(String(server.port), String(proxy.port)))
      const created = await connect[kind](other.url, PATIENT)
      await created.close()
      expect(await send(newRequest(), nonceStore)).toBe('accepted')
      // The connections that are open stay at the old server.
      proxy.target = other.port
      await server.sql('SET GLOBAL read_only = 1')
      closers.push(() => server.sql('SET GLOBAL read_only = 0'))
      await eventually(async () => expect(await send(newRequest(), nonceStore)).toBe('ERR_NONCE_STORE'))
      await eventually(async () => expect(await send(newRequest(), nonceStore)).toBe('accepted'))
      expect(await other.sql('SELECT COUNT(*) FROM hooks.webhook_nonces')).not.toBe('0')
    })

    it('is refused after close(), which settles twice and while the server hangs', async () => {
      await expectToClose(await open(server.url, REFUSED), server, closers)
    })
  })

  it('createTable() refuses a connection without autocommit, because nothing would be stored', async () => {
    const connection = await mysql.createConnection({ uri: server.url })
    closers.push(() => connection.end())
    const nonces = new MySqlNonceStore({ query: (sql, values) => connection.query(sql, values) })
    await expect(nonces.createTable()).rejects.toThrow(/^autocommit is off\. Run SET SESSION autocommit = 1/)
    await connection.query('SET SESSION autocommit = 1')
    await nonces.createTable()
  })
})
