// A process of the storm: handles the requests that its parent sends, until it is killed.
// Arguments: the database, its client, its address, and `once` if the events have an ID.
import { setTimeout as sleep } from 'node:timers/promises'
import { handle, refusal } from '../../../src/index.js'
import { MySqlTransactionStore } from '../../../src/stores/mysql/index.js'
import { PostgresTransactionStore } from '../../../src/stores/postgres/index.js'
import { MYSQL_CLIENTS, POSTGRES_CLIENTS } from './transaction-clients.js'

const [database = '', name = '', url = '', mode] = process.argv.slice(2)
const isPostgres = database === 'PostgreSQL'
const client = await (isPostgres ? POSTGRES_CLIENTS : MYSQL_CLIENTS)[name]?.(url, 10)
if (client === undefined) throw new Error(`no client ${name}`)
const { begin, query } = client
const options = { begin, query, timeout: 10_000 }
const store = isPostgres ? new PostgresTransactionStore<unknown>(options) : new MySqlTransactionStore<unknown>(options)
const endOwnConnection = isPostgres ? 'SELECT pg_terminate_backend(pg_backend_pid())' : 'KILL CONNECTION_ID()'

async function work(id: string, transaction: unknown): Promise<void> {
  await query(transaction, `INSERT INTO storm VALUES ('${id}')`)
  // Two transactions that take the same counters in another order end in a deadlock.
  const counters = [0, 0].map(() => Math.ceil(Math.random() * 8))
  for (const counter of counters) {
    await query(transaction, `UPDATE counters SET value = value + 1 WHERE id = ${counter}`)
    await sleep(Math.random() * 5)
  }
  if (Math.random() < 0.1) throw new Error('the work fails')
  if (Math.random() < 0.05) await query(transaction, endOwnConnection)
}

process.on('message', async ({ number, headers, body }: { number: number; headers: object; body: string }) => {
  const request = { headers: headers as Record<string, string>, body: Buffer.from(body) }
  const source = { webhookId: '42', request, ...(mode === 'once' ? { eventId: () => JSON.parse(body).id } : {}) }
  let status = 204
  try {
    await handle(source, 'the secret of webhook 42', store, (_, transaction) => work(JSON.parse(body).id, transaction))
  } catch (error) {
    status = refusal(error, { log() {} }).status
  }
  // Some responses are lost.
  if (Math.random() >= 0.2) process.send?.({ number, status })
})
process.on('uncaughtException', (error) => console.error('uncaught:', error.message))
process.send?.('ready')
