import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCertificate } from '../support/certificate.js'
import { codeBlocks } from '../support/code-blocks.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { freePort, LONG_TIMEOUT, PostgresServer, postgresIsInstalled, UNKNOWN_HOST } from '../support/servers.js'
import { POSTGRES_CLIENTS } from '../support/stores/clients.js'
import { expectFailure } from '../support/stores/expect-failure.js'

const installed = isInstalled('postgresql', postgresIsInstalled()) && isInstalled('openssl')

/** The columns of the guide. */
const COLUMNS = 'key_hash bytea PRIMARY KEY, expires_at timestamptz NOT NULL, reserved_by bytea NOT NULL'

describe.runIf(installed)('check() of a store in PostgreSQL', () => {
  const certificate = createCertificate('postgres')
  const closers: (() => unknown)[] = []
  let server: PostgresServer
  beforeAll(async () => {
    const tls = ['ssl=on', `ssl_cert_file=${certificate.cert}`, `ssl_key_file=${certificate.key}`]
    server = await PostgresServer.start(...tls)
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(certificate.folder, { recursive: true })
  })

  describe.each(['pg', 'postgres.js'] as const)('with %s', (kind) => {
    function open(url = server.url, options: { table?: string } = {}, ssl?: { ca?: string }) {
      const { nonceStore, close } = POSTGRES_CLIENTS[kind](url, { timeout: LONG_TIMEOUT, ...options }, ssl)
      closers.push(close)
      return nonceStore
    }
    const urlOf = (user: string, database = 'postgres') => `postgres://${user}@127.0.0.1:${server.port}/${database}`

    it('works, and leaves no row', async () => {
      await server.sql('DROP TABLE IF EXISTS webhook_nonces')
      const url = server.url.replace('127.0.0.1', 'localhost')
      for (const nonceStore of [open(), open(url, {}, { ca: certificate.ca })]) {
        await nonceStore.createTable()
        await nonceStore.check()
        await nonceStore.check()
      }
      expect(await server.sql('SELECT count(*) FROM webhook_nonces')).toBe('0')
    })

    it.each<[string, () => Promise<string> | string, object?]>([
      ['No server listens at the address', async () => `postgres://test@127.0.0.1:${await freePort()}/postgres`],
      ['The host name of the server is unknown', () => `postgres://test@${UNKNOWN_HOST}/postgres`],
      [
        'The server refused the user name or the password.',
        async () => {
          await server.sql("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'right'")
          await server.requirePassword('locked')
          return urlOf('locked:wrong')
        },
      ],
      ['The database does not exist.', () => urlOf('test', 'absent')],
      ["The server's TLS certificate is not trusted.", () => server.url.replace('127.0.0.1', 'localhost'), {}],
    ])('says: %s', async (message, address, ssl) => {
      await expectFailure(open(await address(), {}, ssl), message)
    })

    it('refuses a hot standby, and a server that is read-only', async () => {
      const message = 'The server is read-only or a replica. Connect to the primary.'
      await open().createTable()
      const standby = await server.startStandby()
      closers.push(() => standby.stop())
      await expect(open(standby.url).check()).rejects.toThrow(message)
      await server.sql("CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = 'on'")
      await server.sql('GRANT ALL ON webhook_nonces TO reader')
      closers.push(() => server.sql('DROP OWNED BY reader; DROP ROLE reader'))
      await expect(open(urlOf('reader')).check()).rejects.toThrow(message)
    })

    it('says that the table is absent', async () => {
      await expect(open(server.url, { table: 'absent' }).check()).rejects.toThrow(
        'The table does not exist. Call createTable() first.',
      )
    })

    it.each([
      COLUMNS.replace('key_hash', 'id'),
      COLUMNS.replace('bytea', 'integer'),
      COLUMNS.replace(' PRIMARY KEY', ' NOT NULL'),
      `${COLUMNS}, tenant integer NOT NULL`,
    ])('refuses a table with other columns: %s', async (columns) => {
      await server.sql(`DROP TABLE IF EXISTS other; CREATE TABLE other (${columns})`)
      await expect(open(server.url, { table: 'other' }).check()).rejects.toThrow(/^The table has the wrong columns/)
    })

    it('refuses a table whose trigger suppresses the insertion', async () => {
      await server.sql(`DROP TABLE IF EXISTS quiet; CREATE TABLE quiet (${COLUMNS});
        CREATE OR REPLACE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER suppress BEFORE INSERT ON quiet FOR EACH ROW EXECUTE FUNCTION suppress()`)
      await expect(open(server.url, { table: 'quiet' }).check()).rejects.toThrow('The server refuses a new nonce.')
    })

    it('needs exactly the permissions of the guide', async () => {
      const guide = readFileSync(join(ROOT, 'docs/operate/sql.md'), 'utf8')
      const sql = codeBlocks(guide, 'sql').find((code) => code.includes('ON webhook_nonces TO hooks')) ?? ''
      const [, rights = ''] = /GRANT (.*) ON webhook_nonces TO hooks;/.exec(sql) ?? []
      expect(rights.split(', ')).toHaveLength(4)
      await server.sql(`DROP TABLE IF EXISTS webhook_nonces; CREATE ROLE hooks LOGIN; ${sql}`)
      closers.push(() => server.sql('DROP OWNED BY hooks; DROP ROLE hooks'))
      const nonceStore = open(urlOf('hooks'))
      await nonceStore.createTable()
      await nonceStore.check()
      await server.sql("INSERT INTO webhook_nonces VALUES ('', now() - interval '1 s', '')")
      expect(await nonceStore.deleteExpired()).toBe(1)
      for (const right of rights.split(', ')) {
        await server.sql(`REVOKE ${right} ON webhook_nonces FROM hooks`)
        await expect(nonceStore.check(), right).rejects.toMatchObject({
          message: expect.stringContaining('lacks a permission'),
          cause: expect.objectContaining({ message: 'permission denied for table webhook_nonces' }),
        })
        await server.sql(`GRANT ${right} ON webhook_nonces TO hooks`)
      }
      await expect(open(urlOf('hooks'), { table: 'another' }).createTable()).rejects.toThrow('lacks a permission')
    })
  })
})
