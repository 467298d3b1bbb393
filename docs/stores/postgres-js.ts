import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import postgres from 'postgres'

const sql = postgres('postgres://hooks@db.example.com/hooks')
export const nonceStore = new PostgresNonceStore({ query: (text, values) => sql.unsafe(text, values) })
await nonceStore.createTable()
