import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { handle, sign } from '../../../src/index.js'
import { MySqlTransactionStore } from '../../../src/stores/mysql/index.js'
import { PostgresTransactionStore } from '../../../src/stores/postgres/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, PostgresServer, postgresIsInstalled } from '../../support/servers.js'
import { type Client, MYSQL_CLIENTS, POSTGRES_CLIENTS } from './transaction-clients.js'

const PROGRAM = fileURLToPath(new URL('../../support/transactions/program.js', import.meta.url))
const SECRET = 'the secret of webhook 42'

const DATABASES = [
  {
    name: 'PostgreSQL',
    isInstalled: isInstalled('postgresql', postgresIsInstalled()),
    start: () => PostgresServer.start(),
    Store: PostgresTransactionStore,
    clients: POSTGRES_CLIENTS,
    endOwnConnection: 'SELECT pg_terminate_backend(pg_backend_pid())',
  },
  {
    name: 'MariaDB',
    isInstalled: isInstalled('mariadb', mariadbIsInstalled()),
    start: () => MariaDbServer.start(),
    Store: MySqlTransactionStore,
    clients: MYSQL_CLIENTS,
    endOwnConnection: 'KILL CONNECTION_ID()',
  },
]

type Server = PostgresServer | MariaDbServer
type Store = PostgresTransactionStore<unknown> | MySqlTransactionStore<unknown>

function newSource() {
  const body = Buffer.from(`{"event":"${randomUUID()}"}`)
  return { webhookId: '42', request: { headers: sign(body, SECRET), body } }
}

describe.each(DATABASES.filter((database) => database.isInstalled))(
  'handle over a transaction in $name',
  (database) => {
    let server: Server
    beforeAll(async () => {
      server = await database.start()
      const [open] = Object.values(database.clients)
      if (open === undefined) throw new Error('no client')
      const client = await open(server.url, 1)
      await new database.Store({ begin: client.begin, query: client.query }).createTable()
      await client.begin((transaction) => exec(client, transaction, 'CREATE TABLE events (id VARCHAR(36) PRIMARY KEY)'))
      await client.close()
    })
    afterAll(() => server.stop())

    const exec = async (client: Client, transaction: unknown, text: string) =>
      void (await client.query(transaction, text))

    describe.each(Object.entries(database.clients))('with %s', (name, open) => {
      /** Each store has its own list of the requests in progress, like two processes. */
      let clients: readonly [Client, Client]
      let stores: readonly Store[]
      beforeAll(async () => {
        clients = [await open(server.url, 10), await open(server.url, 10)]
        stores = clients.map(({ begin, query }) => new database.Store({ begin, query, timeout: 20_000 }))
      })
      beforeEach(() => run('DELETE FROM events'))
      afterAll(async () => {
        for (const client of clients ?? []) await client.close()
      })

      const run = (text: string) => clients[0].begin((transaction) => exec(clients[0], transaction, text))

      async function countEvents(): Promise<number> {
        let rows: unknown[] = []
        await clients[0].begin(async (transaction) => {
          const result: unknown = await clients[0].query(transaction, 'SELECT id FROM events')
          const listed = Array.isArray(result) ? result : Object(result).rows
          rows = Array.isArray(listed[0]) ? listed[0] : listed
        })
        return rows.length
      }

      const insert = (transaction: unknown) =>
        clients[0].query(transaction, `INSERT INTO events VALUES ('${randomUUID()}')`)

      /** Handles a request with one of the two stores, and resolves to `accepted`, the reason, or the code or message of the error. */
      async function outcomeOf(
        source: ReturnType<typeof newSource>,
        work: (transaction: unknown) => PromiseLike<unknown> = insert,
        store = stores[0] as Store,
      ): Promise<string> {
        try {
          await handle(source, SECRET, store, async (_, transaction) => void (await work(transaction)))
          return 'accepted'
        } catch (error) {
          const { reason, code, message } = Object(error)
          return String(reason ?? (String(code).startsWith('ERR_') ? code : message))
        }
      }

      const isBare = name === 'pg' || name === 'mysql2'

      /** Lets a process handle a request, and kills the process when it has said this word. */
      async function killWhen(word: 'inserted' | 'accepted', { request }: ReturnType<typeof newSource>): Promise<void> {
        const text = JSON.stringify({ headers: request.headers, body: request.body.toString() })
        const child = spawn(process.execPath, [PROGRAM, database.name, server.url, text, SECRET], {
          stdio: ['pipe', 'pipe', 'inherit'],
        })
        const closed = once(child, 'close')
        let output = ''
        await new Promise<void>((resolve, reject) => {
          closed.then(() => reject(new Error(`the program ended: ${output}`)), reject)
          child.stdout.setEncoding('utf8').on('data', (chunk) => {
            output += chunk
            if (output.includes(word)) resolve()
            else child.stdin.write('\n')
          })
        })
        child.kill('SIGKILL')
        await closed
      }

      it('accepts a request once, and again if the code fails', async () => {
        const source = newSource()
        const failing = async (transaction: unknown) => {
          await insert(transaction)
          throw new Error('no such customer')
        }
        expect(await outcomeOf(source, failing)).toBe('no such customer')
        expect(await countEvents()).toBe(0)
        expect(await outcomeOf(source)).toBe('accepted')
        expect(await outcomeOf(source)).toBe('replayed_nonce')
        expect(await countEvents()).toBe(1)
      })

      it('answers a copy from another process at once while the code runs', async () => {
        const source = newSource()
        let copy = ''
        const outcome = await outcomeOf(source, async (transaction) => {
          await insert(transaction)
          copy = await outcomeOf(source, insert, stores[1])
        })
        expect([outcome, copy]).toEqual(['accepted', 'ERR_WEBHOOK_IN_PROGRESS'])
        expect(await countEvents()).toBe(1)
      })

      it('leaves one row of 20 copies to two processes whose first fails', async () => {
        const source = newSource()
        let isFirst = true
        const work = async (transaction: unknown) => {
          await insert(transaction)
          if (!isFirst) return
          isFirst = false
          throw new Error('the first fails')
        }
        const copies = Array.from({ length: 20 }, (_, index) => outcomeOf(source, work, stores[index % 2]))
        const outcomes = await Promise.all(copies)
        expect(outcomes).toContain('the first fails')
        const done = outcomes.filter((outcome) => outcome === 'accepted').length
        expect(await outcomeOf(source)).toBe(done === 0 ? 'accepted' : 'replayed_nonce')
        expect(await countEvents()).toBe(1)
      })

      it('does not accept what a swallowed error has undone', async () => {
        const source = newSource()
        const outcome = await outcomeOf(source, async (transaction) => {
          await insert(transaction)
          // In PostgreSQL, the first error ends the transaction. In MySQL, the code must end it itself.
          const failing = database.name === 'PostgreSQL' ? 'INSERT INTO missing VALUES (1)' : 'ROLLBACK'
          await Promise.resolve(clients[0].query(transaction, failing)).catch(() => {})
        })
        expect(outcome).toMatch(/^The transaction ended or failed in your code/)
        expect(await countEvents()).toBe(0)
        expect(await outcomeOf(source)).toBe('accepted')
        expect(await countEvents()).toBe(1)
      })

      // sql.begin of postgres.js 3.4 itself ends the process: it writes ROLLBACK to a socket that is gone.
      it.skipIf(name.endsWith('postgres.js'))(
        'lets the process live when the connection of the code is cut, and accepts the request again',
        async () => {
          const source = newSource()
          const outcome = await outcomeOf(source, async (transaction) => {
            await insert(transaction)
            await clients[0].query(transaction, database.endOwnConnection)
          })
          expect(outcome).not.toBe('accepted')
          expect(await countEvents()).toBe(0)
          expect(await outcomeOf(source)).toBe('accepted')
        },
      )

      it.runIf(isBare)(
        'loses nothing and repeats nothing if the process is killed before or after the commit',
        async () => {
          const [before, after] = [newSource(), newSource()]
          await killWhen('inserted', before)
          // The server notices a moment later that the process is gone.
          await eventually(async () => expect(await outcomeOf(before)).toBe('accepted'))
          expect(await countEvents()).toBe(1)
          await killWhen('accepted', after)
          expect(await outcomeOf(after)).toBe('replayed_nonce')
          expect(await countEvents()).toBe(2)
        },
      )

      it.runIf(isBare)('serves all genuine requests beside 500 copies per second of 20 captured ones', async () => {
        const captured = Array.from({ length: 20 }, newSource)
        for (const source of captured.slice(10)) expect(await outcomeOf(source)).toBe('accepted')
        let end = () => {}
        const ended = new Promise<void>((resolve) => {
          end = resolve
        })
        let started = 0
        const workUntilEnd = () => {
          started++
          return ended
        }
        // Another process is working on the first ten.
        const inWork = captured.slice(0, 10).map((source) => outcomeOf(source, workUntilEnd, stores[1]))
        await eventually(() => expect(started).toBe(10))
        const copies: Promise<string>[] = []
        const genuine: Promise<string>[] = []
        for (let tick = 0; tick < 100; tick++) {
          for (let copy = 0; copy < 20; copy++) copies.push(outcomeOf(captured[copy] as ReturnType<typeof newSource>))
          for (let request = 0; request < 2; request++) genuine.push(outcomeOf(newSource()))
          await sleep(40)
        }
        expect((await Promise.all(genuine)).filter((outcome) => outcome !== 'accepted')).toEqual([])
        expect(new Set(await Promise.all(copies))).toEqual(new Set(['ERR_WEBHOOK_IN_PROGRESS', 'replayed_nonce']))
        end()
        expect(new Set(await Promise.all(inWork))).toEqual(new Set(['accepted']))
        expect(await countEvents()).toBe(210)
      })

      it.runIf(name === 'Knex' || name === 'Sequelize')(
        'accepts the request again if the code rolls back itself',
        async () => {
          const source = newSource()
          const outcome = await outcomeOf(source, async (transaction) => {
            await insert(transaction)
            await Object(transaction).rollback()
          })
          expect(outcome).toMatch(/^The transaction ended or failed in your code/)
          expect(await countEvents()).toBe(0)
          expect(await outcomeOf(source, insert, stores[1])).toBe('accepted')
        },
      )
    })
  },
)
