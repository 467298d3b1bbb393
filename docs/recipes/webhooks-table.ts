import { Pool } from 'pg'

const { DATABASE_URL: connectionString } = process.env
const pool = new Pool({ connectionString, connectionTimeoutMillis: 1000, query_timeout: 1000 })
pool.on('error', console.error)
await pool.query('CREATE TABLE IF NOT EXISTS webhooks (id bigserial PRIMARY KEY, name text UNIQUE, secrets text[])')

type Found = { webhookId: string; secret: string[] }
const cache = new Map<string, { found: Found; until: number }>()

/** Asks the database about every 60 s per webhook. While the database is down, the last record is used. */
export async function findWebhook(name = ''): Promise<Found | null> {
  const key = name.toLowerCase()
  const cached = cache.get(key)
  if (cached && cached.until > Date.now()) return cached.found
  try {
    const { rows } = await pool.query('SELECT id, secrets FROM webhooks WHERE name = $1', [key])
    cache.delete(key)
    if (rows.length === 0) return null
    const found = { webhookId: String(rows[0].id), secret: rows[0].secrets } // decrypt the secrets here
    cache.set(key, { found, until: Date.now() + 60_000 })
    return found
  } catch (error) {
    if (cached) return cached.found
    throw error
  }
}
