import { gunzipSync } from 'node:zlib'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { hasErrorCode, MemoryNonceStore, verifyOrThrow } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000
const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = new Hono()

app.post('/hooks/:name', async (c) => {
  const webhook = await findWebhook(c.req.param('name'))
  if (webhook === undefined) return c.body(null, 404)

  const body = await readBody(c.req.raw).catch(logAbort)
  if (body === undefined) return c.body(null, 413, { Connection: 'close' })
  await verifyOrThrow({ webhookId: webhook.id, headers: c.req.raw.headers, body }, webhook.secret, nonceStore)

  const event = parse(body)
  if (event === undefined) return c.text('genuine, but not JSON', 400)
  await receive(webhook.id, event)
  return c.body(null, 204)
})

app.onError((error, c) => {
  if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) {
    console.warn(error.reason, error.detail)
    return c.body(null, 401)
  }
  console.error(error)
  return c.body(null, hasErrorCode(error, 'ERR_NONCE_STORE') ? 503 : 500)
})

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })

/** Replace this with a look-up in your database. Return the record's own id, never the text of the URL. */
async function findWebhook(name: string): Promise<{ id: string; secret: string } | undefined> {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env.WEBHOOK_SECRET ?? '' } : undefined
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
