import { connectPostgresJs } from 'inbound-webhook-auth/postgres'
import postgres from 'postgres'

const url = 'postgres://hooks@db.example.com/hooks'
export const nonceStore = await connectPostgresJs((options) => postgres(url, options))
