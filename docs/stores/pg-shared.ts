import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import pg from 'pg'

const connectionString = 'postgres://hooks@db.example.com/hooks'
const pool = new pg.Pool({ connectionString }).on('error', console.error) // The pool of your service.
const limit = { query_timeout: 1000 }
export const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query({ text, values, ...limit }) })
await nonceStore.createTable()
await nonceStore.check()
