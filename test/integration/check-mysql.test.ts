import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCertificate } from '../support/certificate.js'
import { codeBlocks } from '../support/code-blocks.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { freePort, LONG_TIMEOUT, UNKNOWN_HOST } from '../support/servers.js'
import { MYSQL_CLIENTS } from '../support/stores/clients.js'
import { expectFailure } from '../support/stores/expect-failure.js'

const installed = isInstalled('mariadb', mariadbIsInstalled()) && isInstalled('openssl')

/** The columns of the guide, without the index. */
const COLUMNS =
  'key_hash BINARY(32) NOT NULL PRIMARY KEY, expires_at DATETIME(6) NOT NULL, reserved_by VARBINARY(16) NOT NULL'

describe.runIf(installed)('check() of a store in MySQL', () => {
  const certificate = createCertificate('mysql')
  const closers: (() => unknown)[] = []
  let server: MariaDbServer
  beforeAll(async () => {
    server = await MariaDbServer.start(`--ssl-cert=${certificate.cert}`, `--ssl-key=${certificate.key}`)
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(certificate.folder, { recursive: true })
  })

  describe.each(['mysql2', 'mariadb'] as const)('with %s', (kind) => {
    function open(url = server.url, options: { table?: string } = {}, ssl?: { ca?: string }) {
      const { nonceStore, close } = MYSQL_CLIENTS[kind](url, { timeout: LONG_TIMEOUT, ...options }, ssl)
      closers.push(close)
      return nonceStore
    }
    const urlOf = (user: string, database = 'hooks') => `mysql://${user}@127.0.0.1:${server.port}/${database}`

    it('works, and leaves no row', async () => {
      await server.sql('DROP TABLE IF EXISTS hooks.webhook_nonces')
      for (const nonceStore of [open(), open(server.url, {}, { ca: certificate.ca })]) {
        await nonceStore.createTable()
        await nonceStore.check()
        await nonceStore.check()
      }
      expect(await server.sql('SELECT COUNT(*) FROM hooks.webhook_nonces')).toBe('0')
    })

    it.each<[string, () => Promise<string> | string, object?]>([
      ['No server listens at the address', async () => `mysql://test@127.0.0.1:${await freePort()}/hooks`],
      ['The host name of the server is unknown', () => `mysql://test@${UNKNOWN_HOST}:3306/hooks`],
      [
        'The server refused the user name or the password.',
        () =>
          server
            .sql("CREATE OR REPLACE USER locked@'127.0.0.1' IDENTIFIED BY 'right'")
            .then(() => urlOf('locked:wrong')),
      ],
      [
        'The database does not exist.',
        () => server.sql("GRANT ALL ON absent.* TO test@'127.0.0.1'").then(() => urlOf('test', 'absent')),
      ],
      ["The server's TLS certificate is not trusted.", () => server.url, {}],
    ])('says: %s', async (message, address, ssl) => {
      await expectFailure(open(await address(), {}, ssl), message)
    })

    it('refuses a server that is read-only, also for a user who may write there', async () => {
      const nonceStore = open()
      await nonceStore.createTable()
      await server.sql('SET GLOBAL read_only = 1')
      closers.push(() => server.sql('SET GLOBAL read_only = 0'))
      const message = 'The server is read-only or a replica. Connect to the primary.'
      await expect(nonceStore.check()).rejects.toThrow(message)
      await server.sql("GRANT READ_ONLY ADMIN ON *.* TO test@'127.0.0.1'")
      closers.push(() => server.sql("REVOKE READ_ONLY ADMIN ON *.* FROM test@'127.0.0.1'"))
      const another = open()
      expect(await another.reserve('42', crypto.randomUUID(), 600)).toBe(true)
      await expect(another.check()).rejects.toThrow(message)
    })

    it('refuses a connection without autocommit, because nothing would be stored', async () => {
      await open().createTable()
      await server.sql('SET GLOBAL autocommit = 0')
      closers.push(() => server.sql('SET GLOBAL autocommit = 1'))
      await expect(open().check()).rejects.toThrow(/^autocommit is off\. Run SET SESSION autocommit = 1/)
    })

    it('says that the table is absent', async () => {
      await expect(open(server.url, { table: 'absent' }).check()).rejects.toThrow(
        'The table does not exist. Call createTable() first.',
      )
    })

    it.each<[string, string, RegExp]>([
      ['key_hash VARCHAR(64)', 'InnoDB', /^The table has the wrong columns/],
      [COLUMNS.replace('(32)', '(16)'), 'InnoDB', /^The table has the wrong columns/],
      [`${COLUMNS}, tenant INT NOT NULL`, 'InnoDB', /^The table has the wrong columns/],
      [COLUMNS, 'MyISAM', /^The table uses MyISAM.* Run ALTER TABLE `other` ENGINE = InnoDB\.$/],
      [COLUMNS, 'Aria', /^The table uses Aria/],
      [COLUMNS.replace('PRIMARY KEY', ''), 'InnoDB', /^The server accepts a nonce twice\. .* ADD PRIMARY KEY/],
    ])('refuses a table with other columns or guarantees: %s, %s', async (columns, engine, message) => {
      await server.sql(`DROP TABLE IF EXISTS hooks.other; CREATE TABLE hooks.other (${columns}) ENGINE = ${engine}`)
      await expect(open(server.url, { table: 'other' }).check()).rejects.toThrow(message)
      await expect(open(server.url, { table: 'hooks.other' }).check()).rejects.toThrow()
    })

    it('works with a view on a table of the right form', async () => {
      await server.sql(`DROP VIEW IF EXISTS hooks.above_table; DROP TABLE IF EXISTS hooks.below_view;
        CREATE TABLE hooks.below_view (${COLUMNS}); CREATE VIEW hooks.above_table AS SELECT * FROM hooks.below_view`)
      await open(server.url, { table: 'above_table' }).check()
    })

    it('needs exactly the permissions of the guide', async () => {
      const guide = readFileSync(join(ROOT, 'docs/operate/sql.md'), 'utf8')
      const sql = codeBlocks(guide, 'sql').find((code) => code.includes('ON hooks.webhook_nonces TO hooks')) ?? ''
      const [, rights = ''] = /GRANT (.*) ON hooks\.webhook_nonces TO hooks;/.exec(sql) ?? []
      expect(rights.split(', ')).toHaveLength(4)
      const user = "hooks@'127.0.0.1'"
      await server.sql(`CREATE OR REPLACE USER ${user}; DROP TABLE IF EXISTS hooks.webhook_nonces; USE hooks;
        ${sql.replace(' TO hooks;', ` TO ${user};`)}`)
      const nonceStore = open(urlOf('hooks'))
      await nonceStore.createTable()
      await nonceStore.check()
      await server.sql("INSERT INTO hooks.webhook_nonces VALUES ('', UTC_TIMESTAMP(6) - INTERVAL 61 SECOND, '')")
      expect(await nonceStore.deleteExpired()).toBe(1)
      for (const right of rights.split(', ')) {
        await server.sql(`REVOKE ${right} ON hooks.webhook_nonces FROM ${user}`)
        const rejected = await open(urlOf('hooks'))
          .check()
          .catch((error: unknown) => error)
        expect(rejected, right).toMatchObject({ message: expect.stringContaining('lacks a permission') })
        expect(String(Object(rejected).cause), right).toContain(`${right} command denied`)
        await server.sql(`GRANT ${right} ON hooks.webhook_nonces TO ${user}`)
      }
      await expect(open(urlOf('hooks'), { table: 'another' }).createTable()).rejects.toThrow('lacks a permission')
    })
  })
})
