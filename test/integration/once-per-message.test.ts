import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusal } from '../../src/index.js'
import { handle } from '../../src/standard-webhooks/index.js'
import { beginPg, PostgresTransactionStore } from '../../src/stores/postgres/index.js'
import { codeBlocks } from '../support/code-blocks.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { TestClock, TIMESTAMP } from '../support/request.js'
import { LONG_TIMEOUT, PostgresServer, postgresIsInstalled } from '../support/servers.js'
import { STANDARD_SECRET, signedMessage } from '../support/standard-webhooks.js'

// The code of docs/receive/standard-webhooks.md that does the work of a message once.

const guide = readFileSync(join(ROOT, 'docs/receive/standard-webhooks.md'), 'utf8')
const [code = ''] = codeBlocks(guide, 'js').filter((block) => block.includes('messageId'))

describe.runIf(isInstalled('postgresql', postgresIsInstalled()))('once per message', () => {
  let server: PostgresServer
  let pool: pg.Pool
  let store: PostgresTransactionStore<pg.PoolClient>
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ connectionString: server.url })
    const query = (client: pg.PoolClient, text: string) => client.query(text)
    store = new PostgresTransactionStore({ begin: beginPg(pool), query, timeout: LONG_TIMEOUT })
    await store.createTable()
    await pool.query('CREATE TABLE work (message_id text)')
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  const doWork = async (client: pg.PoolClient): Promise<unknown> => client.query("INSERT INTO work VALUES ('done')")

  /** Sends one attempt to the code of the guide. Returns the status that it sent. */
  async function attempt(seconds: number, work = doWork, nonce = 'msg_1'): Promise<number | undefined> {
    const sent: number[] = []
    const names = {
      handle: (source: object, _secret: unknown, _store: unknown, run: unknown) =>
        // The guide's server has the current time, and its secret is that of the webhook.
        handle(source as never, STANDARD_SECRET, store, run as never, new TestClock()),
      refuse: (_: unknown, error: unknown) => sent.push(refusal(error, { log() {} }).status),
      webhookId: '42',
      request: signedMessage({ nonce, timestamp: String(Number(TIMESTAMP) + seconds), body: Buffer.from('{}') }),
      secret: STANDARD_SECRET,
      transactionStore: store,
      work,
      response: { sendStatus: (status: number) => sent.push(status) },
    }
    await new Function(...Object.keys(names), `return (async () => {${code}\n})()`)(...Object.values(names))
    return sent[0]
  }

  const countWork = async () => (await pool.query('SELECT * FROM work')).rowCount

  it('does the work of a message once, and answers its other attempts with 204', async () => {
    expect(await attempt(0, () => Promise.reject(new Error('the work failed')))).toBe(500)
    expect([await attempt(0), await attempt(1), await attempt(2)]).toEqual([204, 204, 204])
    expect(await attempt(1)).toBe(401)
    expect(await countWork()).toBe(1)
    expect(await attempt(0, doWork, 'msg_2')).toBe(204)
    expect(await countWork()).toBe(2)
  })
})
