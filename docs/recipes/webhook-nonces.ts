// # The nonces
//
// Save this Durable Object as `webhook-nonces.ts`:

import { DurableObject } from 'cloudflare:workers'

export class WebhookNonces extends DurableObject {
  readonly #sql = this.ctx.storage.sql

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS nonces (key TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, owner TEXT) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS nonces_expires_at ON nonces (expires_at)`)
  }

  /** This method does not await, so no other call runs in between. The response is sent only after the row is stored. */
  reserve(key: string, ttlSeconds: number, owner?: string): boolean {
    const now = Date.now()
    // At most 10 rows per call, so that no call is slow. Each call adds at most one row.
    const expired = 'SELECT key FROM nonces WHERE expires_at < ? LIMIT 10'
    this.#sql.exec(`DELETE FROM nonces WHERE key IN (${expired})`, now)
    const rows = this.#sql.exec(
      `INSERT INTO nonces VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, owner = excluded.owner
       WHERE nonces.expires_at < ?
       RETURNING 1`,
      key,
      now + ttlSeconds * 1000 + 1,
      owner ?? null,
      now,
    )
    return rows.toArray().length === 1
  }

  /** Frees what was reserved for this owner. */
  release(keys: readonly string[], owner: string): void {
    for (const key of keys) this.#sql.exec('DELETE FROM nonces WHERE key = ? AND owner = ?', key, owner)
  }
}
