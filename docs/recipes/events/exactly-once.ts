import express from 'express'
import { handle, refuse } from 'inbound-webhook-auth'
import { beginPg, PostgresTransactionStore } from 'inbound-webhook-auth/postgres'
import { Pool, type PoolClient } from 'pg'

const { WEBHOOK_SECRET: secret, DATABASE_URL: connectionString, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')

// Without these listeners, a connection that breaks ends the process.
const pool = new Pool({ connectionString, connectionTimeoutMillis: 1000 }).on('error', console.error)
pool.on('connect', (client) => client.on('error', console.error))

const begin = beginPg(pool)
const store = new PostgresTransactionStore<PoolClient>({ begin, query: (client, text) => client.query(text) })
await store.createTable()
await pool.query('CREATE TABLE IF NOT EXISTS events (id text PRIMARY KEY, body jsonb NOT NULL)')

const app = express()
app.post('/hooks/billing', async (request, response) => {
  try {
    const eventId = ({ body }: { body: Buffer }): string => JSON.parse(body.toString()).id
    await handle({ webhookId: 'billing', request, eventId }, secret, store, work)
    response.sendStatus(204)
  } catch (error) {
    refuse(response, error)
  }
})
app.listen(Number(PORT))

/** Your code. Use only the client of the transaction here, not the pool. */
async function work({ body }: { body: Buffer }, client: PoolClient) {
  const text = body.toString()
  await client.query('INSERT INTO events VALUES ($1, $2)', [JSON.parse(text).id, text])
}
