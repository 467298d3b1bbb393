// A process of the storm: handles the requests that its parent sends, until it is killed.
// Arguments: the kind of store (`redis`, or `MariaDB/Knex` for transactions), its address, `once` if the events have an ID, the file of
// effects, and the time of the work, which then never fails.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { handle, type NonceStore, refusal } from '../../../src/index.js'
import { MySqlTransactionStore } from '../../../src/stores/mysql/index.js'
import { PostgresTransactionStore } from '../../../src/stores/postgres/index.js'
import { connectStore } from './connect.js'
import { type Client, MYSQL_CLIENTS, POSTGRES_CLIENTS } from './transaction-clients.js'

const [kind = '', address = '', mode, file = '', milliseconds] = process.argv.slice(2)
const [database = '', name = ''] = kind.split('/')
const isPostgres = database === 'PostgreSQL'
const client = await (isPostgres ? POSTGRES_CLIENTS : MYSQL_CLIENTS)[name]?.(address, 10)
const nonceStore =
  client === undefined ? (await connectStore(kind, address, 1000)).nonceStore : openTransactions(client)
// The set-ups log each connection that is lost.
console.error = () => {}

/** `handle` has the same parameters for a transaction store. */
function openTransactions({ begin, query }: Client): NonceStore {
  const options = { begin, query, timeout: 10_000 }
  const store = isPostgres ? new PostgresTransactionStore(options) : new MySqlTransactionStore(options)
  return store as unknown as NonceStore
}

/** The effect is a line of the file, or a row that the transaction commits. */
async function work(id: string, transaction: unknown): Promise<void> {
  if (client !== undefined) await client.query(transaction, `INSERT INTO storm VALUES ('${id}')`)
  await (client === undefined
    ? sleep(Number(milliseconds ?? 5 + Math.random() * 100))
    : updateCounters(client, transaction))
  if (milliseconds === undefined && Math.random() < 0.1) throw new Error('the work fails')
  // One line is one write, which a kill does not cut.
  if (client === undefined) appendFileSync(file, `${JSON.stringify({ id, pid: process.pid, at: Date.now() })}\n`)
}

/** Two transactions that take the same counters in another order end in a deadlock. A few lose their connection. */
async function updateCounters({ query }: Client, transaction: unknown): Promise<void> {
  for (const counter of [0, 0].map(() => Math.ceil(Math.random() * 8))) {
    await query(transaction, `UPDATE counters SET value = value + 1 WHERE id = ${counter}`)
    await sleep(Math.random() * 5)
  }
  const endOwnConnection = isPostgres ? 'SELECT pg_terminate_backend(pg_backend_pid())' : 'KILL CONNECTION_ID()'
  if (Math.random() < 0.05) await query(transaction, endOwnConnection)
}

process.on('message', async ({ number, headers, body }: { number: number; headers: object; body: string }) => {
  const request = { headers: headers as Record<string, string>, body: Buffer.from(body) }
  const source = { webhookId: '42', request, ...(mode === 'once' ? { eventId: () => JSON.parse(body).id } : {}) }
  let status = 204
  try {
    await handle(source, 'the secret of webhook 42', nonceStore, (...args: unknown[]) =>
      work(JSON.parse(body).id, args[1]),
    )
  } catch (error) {
    status = refusal(error, { log() {} }).status
  }
  process.send?.({ number, status })
})
process.on('uncaughtException', (error) => process.stderr.write(`uncaught: ${error.message}\n`))
process.send?.('ready')
