import { PGlite } from '@electric-sql/pglite'
import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'

/** @param {string} [folder] - where to keep the data; in memory by default. */
export async function connect(folder) {
  const database = new PGlite(folder)
  const nonceStore = new PostgresNonceStore({ query: (text, values) => database.query(text, values) })
  await nonceStore.createTable()
  return { client: database, nonceStore, close: () => database.close() }
}
