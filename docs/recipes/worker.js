import { DurableObject, env } from 'cloudflare:workers'
import { Buffer } from 'node:buffer'
import querystring from 'node:querystring'
import { gunzipSync } from 'node:zlib'
import { verify } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000

// A Worker runs in many places at once, each with a memory of its own: one object a webhook keeps its nonces for all.
const nonceStore = {
  reserve: (webhookId, key, ttlSeconds) => env.WEBHOOK_NONCES.getByName(webhookId).reserve(key, ttlSeconds),
}

export class WebhookNonces extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env)
    this.sql = ctx.storage.sql
    this.sql.exec('CREATE TABLE IF NOT EXISTS nonces (key TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID')
    this.sql.exec('CREATE INDEX IF NOT EXISTS nonces_expires_at ON nonces (expires_at)')
  }

  /** Nothing here awaits, so no other call comes between; and no answer leaves before what was written is kept. */
  reserve(key, ttlSeconds) {
    const now = Date.now()
    const expiresAt = now + ttlSeconds * 1000 + 1
    this.sql.exec('DELETE FROM nonces WHERE expires_at < ?', now)
    const rows = this.sql.exec('INSERT INTO nonces VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING 1', key, expiresAt)
    return rows.toArray().length === 1
  }
}

export default {
  async fetch(request) {
    const answer = (status, text = null) => new Response(text, { status })
    try {
      const name = /^\/hooks\/([^/]+)$/.exec(new URL(request.url).pathname)?.[1] ?? ''
      const webhook = await findWebhook(querystring.unescape(name))
      if (webhook === undefined || request.method !== 'POST') return answer(404)

      const body = await rawBody(request)
      if (body === undefined) return answer(413)

      const received = { webhookId: webhook.id, headers: request.headers, body }
      const verdict = await verify(received, webhook.secret, nonceStore)
      if (!verdict.ok) {
        console.warn(webhook.id, verdict.reason, verdict.message)
        return answer(401)
      }

      const event = parse(body)
      if (event === undefined) return answer(400, 'genuine, but not JSON')
      await receive(webhook, event)
      return answer(204)
    } catch (error) {
      console.error(error)
      return answer(error.code === 'ERR_NONCE_STORE' ? 503 : 500)
    }
  },
}

/** Replace it by a look-up in your database: the record's own id, never the URL's text; undefined if there is none. */
async function findWebhook(name) {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: env.WEBHOOK_SECRET } : undefined
}

/** Your part. A failed event is sent again, signed anew: do nothing if you have seen the identifier in its payload. */
async function receive(webhook, event) {
  console.log(webhook.id, event)
}

/** The bytes as received; undefined if they are too many. */
async function rawBody(request) {
  const buffer = Buffer.alloc(MAX_BODY_BYTES)
  let size = 0
  for await (const chunk of request.body ?? []) {
    if (size + chunk.length > MAX_BODY_BYTES) return undefined
    buffer.set(chunk, size)
    size += chunk.length
  }
  return buffer.subarray(0, size)
}

/** The event, if the body is JSON. Gzip is told by its first byte, which starts no JSON: Content-Encoding is not signed. */
function parse(body) {
  try {
    return JSON.parse(body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body)
  } catch {
    return undefined
  }
}
