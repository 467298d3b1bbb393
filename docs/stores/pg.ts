import { connectPg } from 'inbound-webhook-auth/postgres'
import pg from 'pg'

const connectionString = 'postgres://hooks@db.example.com/hooks'
export const nonceStore = await connectPg((options) => new pg.Pool({ connectionString, ...options }))
