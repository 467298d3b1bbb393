import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { handle, sign } from '../../../src/index.js'
import { MySqlTransactionStore } from '../../../src/stores/mysql/index.js'
import { PostgresTransactionStore } from '../../../src/stores/postgres/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { PostgresServer, postgresIsInstalled } from '../../support/servers.js'
import { type Client, MYSQL_CLIENTS, POSTGRES_CLIENTS } from './transaction-clients.js'

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
