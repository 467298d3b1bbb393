import { DurableObject } from 'cloudflare:workers'
import { Buffer } from 'node:buffer'
import querystring from 'node:querystring'
import { gunzipSync } from 'node:zlib'
import { hasErrorCode, type NonceStore, verifyOrThrow } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000

interface Env {
  WEBHOOK_SECRET: string
  WEBHOOK_NONCES: DurableObjectNamespace<WebhookNonces>
}

// A Worker runs in many places, each with its own memory. So one Durable Object per webhook keeps the nonces.
function nonceStoreOf(env: Env): NonceStore {
  return {
    reserve: (webhookId, key, ttlSeconds) => env.WEBHOOK_NONCES.getByName(webhookId).reserve(key, ttlSeconds),
  }
}

export class WebhookNonces extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS nonces (key TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID',
    )
    this.#sql.exec('CREATE INDEX IF NOT EXISTS nonces_expires_at ON nonces (expires_at)')
  }

  /** It does not await, so no other call runs in between. The answer is sent only after the row is stored. */
  reserve(key: string, ttlSeconds: number): boolean {
    const now = Date.now()
    // At most 10 rows per call, so that no call is slow. Each call adds at most one row.
    const expired = 'SELECT key FROM nonces WHERE expires_at < ? LIMIT 10'
    this.#sql.exec(`DELETE FROM nonces WHERE key IN (${expired})`, now)
    const rows = this.#sql.exec(
      `INSERT INTO nonces VALUES (?, ?)
       ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE nonces.expires_at < ?
       RETURNING 1`,
      key,
      now + ttlSeconds * 1000 + 1,
      now,
    )
    return rows.toArray().length === 1
  }
}

export default {
  async fetch(request, env) {
    const answer = (status: number, text: string | null = null) => new Response(text, { status })
    try {
      const name = /^\/hooks\/([^/]+)$/.exec(new URL(request.url).pathname)?.[1] ?? ''
      const webhook = await findWebhook(querystring.unescape(name), env)
      if (webhook === undefined || request.method !== 'POST') return answer(404)

      const body = await readBody(request).catch(logAbort)
      if (body === undefined) return answer(413)
      await verifyOrThrow({ webhookId: webhook.id, headers: request.headers, body }, webhook.secret, nonceStoreOf(env))

      const event = parse(body)
      if (event === undefined) return answer(400, 'genuine, but not JSON')
      await receive(webhook.id, event)
      return answer(204)
    } catch (error) {
      if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) {
        console.warn(error.reason, error.detail)
        return answer(401)
      }
      console.error(error)
      return answer(hasErrorCode(error, 'ERR_NONCE_STORE') ? 503 : 500)
    }
  },
} satisfies ExportedHandler<Env>

/** Replace this with a look-up in your database. Return the record's own id, never the text of the URL. */
async function findWebhook(name: string, env: Env): Promise<{ id: string; secret: string } | undefined> {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: env.WEBHOOK_SECRET } : undefined
}

/** Your code. A sender sends an event again if the answer was lost, so do nothing if its identifier is known. */
async function receive(webhookId: string, event: unknown): Promise<void> {
  console.log(webhookId, event)
}

/** If a sender hangs up, this logs one line, because it is not a fault. */
function logAbort(error: unknown): undefined {
  console.warn(String(error))
}

/** Reads the raw body. Returns undefined once it is known to be too large, and leaves the rest unread. */
async function readBody(request: Request): Promise<Buffer | undefined> {
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) return undefined
  let buffer = Buffer.alloc(0) // It grows with the body, so a connection that sends nothing takes no memory.
  let size = 0
  for await (const chunk of request.body ?? []) {
    const end = size + chunk.length
    if (end > MAX_BODY_BYTES) return undefined
    if (end > buffer.length) buffer = Buffer.concat([buffer], 2 * end)
    buffer.set(chunk, size)
    size = end
  }
  return buffer.subarray(0, size)
}

/** Returns the event, or undefined if the body is not JSON. It recognises gzip by the first byte, because Content-Encoding is not signed. */
function parse(body: Buffer): unknown {
  try {
    const json = body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body
    return JSON.parse(json.toString())
  } catch {
    return undefined
  }
}
