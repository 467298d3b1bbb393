import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MySqlTransactionStore } from '../../../src/stores/mysql/index.js'
import { PostgresTransactionStore } from '../../../src/stores/postgres/index.js'
import { ROOT } from '../../support/packed.js'
import { BUILD } from '../packages/packages.js'
import { Receiver, signed } from './receiver.js'
import { MARIADB, POSTGRES, type Server } from './shared-stores.js'
import { generatePrismaClient, MYSQL_CLIENTS, POSTGRES_CLIENTS } from './transaction-clients.js'

// A sender signs each of 200 events three times, and sends it to two processes, which are killed at random. The work fails, ends in a
// deadlock or loses its connection, and responses are lost. The sender then repeats each event until the response is 2xx.

const EVENTS = 200
const PROGRAM = join(BUILD, 'storm.mjs')
const PRISMA_CLIENT = join(BUILD, 'prisma-client.mjs')

const DATABASES = [
  {
    database: 'PostgreSQL',
    ...POSTGRES,
    first: POSTGRES_CLIENTS['pg'],
    Store: PostgresTransactionStore<unknown>,
    clients: ['pg', 'Knex', 'Prisma'],
  },
  {
    database: 'MariaDB',
    ...MARIADB,
    first: MYSQL_CLIENTS['mysql2'],
    Store: MySqlTransactionStore<unknown>,
    clients: ['mysql2', 'Knex'],
  },
]

describe.each(DATABASES.filter(({ installed }) => installed))('a storm over $database', (row) => {
  let server: Server & { url: string }
  let query: (text: string) => Promise<Record<string, unknown>[]>
  let close: () => Promise<unknown>
  beforeAll(async () => {
    for (const [entry, outfile] of [
      [join(ROOT, 'test/nightly/stores/storm.ts'), PROGRAM],
      [generatePrismaClient(), PRISMA_CLIENT],
    ] as const) {
      await build({
        entryPoints: [entry],
        outfile,
        bundle: true,
        packages: 'external',
        platform: 'node',
        format: 'esm',
      })
    }
    server = await row.start()
    const client = await row.first?.(server.url, 4)
    if (client === undefined) throw new Error('no client')
    query = async (text) => {
      let result: unknown
      await client.begin(async (transaction) => {
        result = await client.query(transaction, text)
      })
      return Array.isArray(result) ? result[0] : Object(result).rows
    }
    close = client.close
    await new row.Store({ begin: client.begin, query: client.query }).createTable()
    await query('CREATE TABLE storm (id VARCHAR(36))')
    await query('CREATE TABLE counters (id INTEGER PRIMARY KEY, value INTEGER)')
    await query(`INSERT INTO counters VALUES ${Array.from({ length: 8 }, (_, index) => `(${index + 1}, 0)`).join()}`)
  })
  afterAll(async () => {
    await close?.()
    await server?.stop()
  })

  const count = async (condition = '') =>
    Number((await query(`SELECT COUNT(*) AS count FROM storm ${condition}`))[0]?.['count'])

  /** Resolves to how many rows the storm left, how many events have a row, and how many responses came before the commit. */
  async function storm(client: string, mode: 'once' | 'again') {
    await query('DELETE FROM storm')
    const args = [row.database, client, server.url, mode]
    const receivers = [0, 1].map(() => new Receiver(PROGRAM, args, { ...process.env, PRISMA_CLIENT }))
    for (const receiver of receivers) await receiver.start()
    let isOver = false
    let kills = 0
    const killing = (async () => {
      while (!isOver) {
        await sleep(1000 + Math.random() * 3000)
        const receiver = receivers[kills++ % 2] as Receiver
        await receiver.kill()
        await receiver.start()
      }
    })()
    let early = 0
    const attempt = async (id: string, number: number): Promise<boolean> => {
      const status = await receivers[number % 2]?.send(signed(id))
      const isDone = status === 200 || status === 204
      if (isDone && (await count(`WHERE id = '${id}'`)) === 0) early++
      return isDone
    }
    const deliver = async (id: string, index: number) => {
      const attempts = [0, 1, 2].map((number) => index + number)
      let isDone = false
      if (index % 2 === 0) {
        isDone = (await Promise.all(attempts.map((number) => attempt(id, number)))).includes(true)
      } else for (const number of attempts) isDone = (await attempt(id, number)) || isDone
      for (let number = 0; !isDone; number++) {
        isDone = await attempt(id, number)
        await sleep(20)
      }
    }
    const ids = Array.from({ length: EVENTS }, () => randomUUID())
    const senders = Array.from({ length: 10 }, async (_, sender) => {
      for (let index = sender; index < EVENTS; index += 10) await deliver(ids[index] as string, index)
    })
    await Promise.all(senders)
    isOver = true
    await killing
    for (const receiver of receivers) await receiver.kill()
    const distinct = Number((await query('SELECT COUNT(DISTINCT id) AS count FROM storm'))[0]?.['count'])
    const result = { rows: await count(), events: distinct, early }
    console.log(row.database, client, mode, { ...result, kills })
    return result
  }

  it.each(row.clients)('does the work of each event once: %s', async (client) => {
    expect(await storm(client, 'once')).toEqual({ rows: EVENTS, events: EVENTS, early: 0 })
  })

  it('does the work of some events again without eventId', async () => {
    const { rows, events, early } = await storm(row.clients[0] as string, 'again')
    expect([events, early]).toEqual([EVENTS, 0])
    expect(rows).toBeGreaterThan(EVENTS)
  })
})
