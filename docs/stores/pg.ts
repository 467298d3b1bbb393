import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import pg from 'pg'

const connectionString = 'postgres://hooks@db.example.com/hooks'
const limits = { connectionTimeoutMillis: 1000, query_timeout: 1000, statement_timeout: 1000 }
const pool = new pg.Pool({ connectionString, ...limits }).on('error', console.error)
export const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values) })
await nonceStore.createTable()
await nonceStore.check()
