import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: 'postgres://hooks@db.example.com/hooks' }).on('error', console.error)
export const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values) })
await nonceStore.createTable()
