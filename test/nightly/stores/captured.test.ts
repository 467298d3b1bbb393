import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handle } from '../../../src/index.js'
import { beginMysql2, MySqlNonceStore, MySqlTransactionStore } from '../../../src/stores/mysql/index.js'
import { beginPg, PostgresNonceStore, PostgresTransactionStore } from '../../../src/stores/postgres/index.js'
import { type LoadRequest, newRequest, SECRET } from '../../support/stores/load.js'
import { atRate } from './offer.js'
import { MARIADB, POSTGRES } from './shared-stores.js'

// An attacker sends 1000 captured requests per second, each of which was accepted once, to a service with a pool of four connections and a
// slow database. Each statement or transaction takes 20 ms longer than usual, so each pool does at most 200 per second.

const CONNECTIONS = 4
const SLOW_SECONDS = 0.02
const CAPTURED = 1000
const REPLAYS_PER_SECOND = 1000
const GENUINE = 800
const SECONDS = 20

/** A store of one process, with a pool of its own. */
interface Opened {
  /** `handle` has the same parameters for a transaction store, whose transaction is not used here. */
  store: PostgresNonceStore | MySqlNonceStore
  close(): Promise<unknown>
}

/** The database is slow only while this is true. */
let isSlow = false

function openPostgres(url: string, kind: 'nonce' | 'transaction'): Opened {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS }).on('error', () => {})
  const slow = async (client: pg.PoolClient) => {
    if (isSlow) await client.query(`SELECT pg_sleep(${SLOW_SECONDS})`)
  }
  const begin = beginPg(pool)
  const store =
    kind === 'transaction'
      ? new PostgresTransactionStore<pg.PoolClient>({
          begin: (run) => begin((client) => slow(client).then(() => run(client))),
          query: (client, text) => client.query(text),
        })
      : new PostgresNonceStore({
          async query(text, values) {
            const client = await pool.connect()
            try {
              await slow(client)
              return await client.query(text, values)
            } finally {
              client.release()
            }
          },
        })
  return { store: store as PostgresNonceStore, close: () => pool.end() }
}

function openMariaDb(url: string, kind: 'nonce' | 'transaction'): Opened {
  const pool = mysql.createPool({ uri: url, connectionLimit: CONNECTIONS })
  const slow = async (connection: mysql.PoolConnection) => {
    if (isSlow) await connection.query(`DO SLEEP(${SLOW_SECONDS})`)
  }
  const begin = beginMysql2(pool)
  const store =
    kind === 'transaction'
      ? new MySqlTransactionStore<mysql.PoolConnection>({
          begin: (run) => begin((connection) => slow(connection).then(() => run(connection))),
          query: (connection, text) => connection.query(text),
        })
      : new MySqlNonceStore({
          async query(text, values) {
            const connection = await pool.getConnection()
            try {
              await slow(connection)
              return await connection.query(text, values)
            } finally {
              connection.release()
            }
          },
        })
  return { store: store as MySqlNonceStore, close: () => pool.end() }
}

const SERVERS = [
  { name: 'PostgreSQL', open: openPostgres, ...POSTGRES },
  { name: 'MariaDB', open: openMariaDb, ...MARIADB },
]

/** Resolves to `accepted`, or to the code of the error. */
async function send(stores: readonly Opened[], { webhookId, headers, body }: LoadRequest): Promise<string> {
  const { store } = stores[Math.floor(Math.random() * stores.length)] as Opened
  const source = { webhookId, request: { headers: { ...headers }, body: Buffer.from(body) } }
  return handle(source, SECRET, store, () => 'accepted').catch((error: unknown) => String(Object(error).code))
}

describe.each(SERVERS.filter(({ installed }) => installed))('$name', ({ name, start, open }) => {
  let server: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    server = await start()
  })
  afterAll(async () => {
    await server.stop()
  })

  it.each([
    ['nonce', 1],
    ['nonce', 2],
    ['transaction', 1],
    ['transaction', 2],
  ] as const)('serves new requests beside 1000 captured ones: a %s store, processes: %i', async (kind, processes) => {
    isSlow = false
    const stores = Array.from({ length: processes }, () => open(server.url, kind))
    await stores[0]?.store.createTable()
    const captured = Array.from({ length: CAPTURED }, newRequest)
    for (let first = 0; first < CAPTURED; first += 20) {
      const batch = captured.slice(first, first + 20)
      expect(new Set(await Promise.all(batch.map((request) => send(stores, request))))).toEqual(new Set(['accepted']))
    }

    isSlow = true
    const [outcomes, sent] = await Promise.all([
      atRate(REPLAYS_PER_SECOND, SECONDS, (index) => send(stores, captured[index % CAPTURED] as LoadRequest)),
      atRate(GENUINE / SECONDS, SECONDS, () => send(stores, newRequest())),
    ])
    const accepted = sent.filter((outcome) => outcome === 'accepted').length
    const counts = [...new Set(outcomes)].map(
      (outcome) => `${outcomes.filter((other) => other === outcome).length} ${outcome}`,
    )
    console.log(`${name}, ${kind}, ${processes}: ${accepted} of ${GENUINE} accepted. Replays: ${counts.join(', ')}`)
    await Promise.all(stores.map(({ close }) => close()))

    expect(outcomes).not.toContain('accepted')
    // Another process can release the keys that it holds, so a process asks for them again every 250 ms.
    if (processes === 1) expect(accepted).toBeGreaterThanOrEqual(790)
  })
})
