import { createHash } from 'node:crypto'

/**
 * @param {string} webhookId
 * @param {string} key
 */
const hashOf = (webhookId, key) =>
  createHash('sha256')
    .update(JSON.stringify([webhookId, key]))
    .digest('hex')

/**
 * Run this once, before the first request.
 *
 * @param {import('pg').Pool} pool
 */
export async function createTable(pool) {
  await pool.query('CREATE TABLE nonces (hash text PRIMARY KEY, expires_at timestamptz NOT NULL, owner text)')
}

/**
 * Run this every minute.
 *
 * @param {import('pg').Pool} pool
 */
export async function deleteExpired(pool) {
  await pool.query('DELETE FROM nonces WHERE expires_at < clock_timestamp()')
}

/**
 * @param {import('pg').Pool} pool
 * @returns {import('inbound-webhook-auth').NonceStore}
 */
export function createStore(pool) {
  return {
    async reserve(webhookId, key, ttlSeconds, owner) {
      const { rowCount } = await pool.query(
        `INSERT INTO nonces AS nonce (hash, expires_at, owner)
         VALUES ($1, clock_timestamp() + $2 * interval '1 second' + interval '1 millisecond', $3)
         ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at, owner = excluded.owner
         WHERE nonce.expires_at < clock_timestamp()`,
        [hashOf(webhookId, key), ttlSeconds, owner],
      )
      return rowCount === 1
    },
    async release(webhookId, keys, owner) {
      const hashes = keys.map((key) => hashOf(webhookId, key))
      await pool.query('DELETE FROM nonces WHERE hash = ANY ($1) AND owner = $2', [hashes, owner])
    },
  }
}
