import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
import postgres from 'postgres'

const limits = { connect_timeout: 1, backoff: () => 0.1, connection: { statement_timeout: 1000 } }
const sql = postgres('postgres://hooks@db.example.com/hooks', { ...limits, fetch_types: false })
export const nonceStore = new PostgresNonceStore({ query: (text, args) => sql.unsafe(text, args, { prepare: true }) })
await nonceStore.createTable()
await nonceStore.check()
