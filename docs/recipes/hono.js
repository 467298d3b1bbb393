import { gunzipSync } from 'node:zlib'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { MemoryNonceStore, verify } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000
const nonceStore = new MemoryNonceStore() // one for the process, not one a request
const app = new Hono()

app.post('/hooks/:name', bodyLimit({ maxSize: MAX_BODY_BYTES }), async (c) => {
  const webhook = await findWebhook(c.req.param('name'))
  if (webhook === undefined) return c.body(null, 404)

  const body = Buffer.from(await c.req.arrayBuffer())
  const received = { webhookId: webhook.id, headers: c.req.raw.headers, body }
  const verdict = await verify(received, webhook.secret, nonceStore)
  if (!verdict.ok) {
    console.warn(webhook.id, verdict.reason, verdict.message)
    return c.body(null, 401)
  }

  const event = parse(body)
  if (event === undefined) return c.text('genuine, but not JSON', 400)
  await receive(webhook, event)
  return c.body(null, 204)
})

app.onError((error, c) => {
  console.error(error)
  return c.body(null, error.code === 'ERR_NONCE_STORE' ? 503 : (error.status ?? 500))
})

serve({ fetch: app.fetch, port: process.env.PORT ?? 3000 })

/** Replace it by a look-up in your database: the record's own id, never the URL's text; undefined if there is none. */
async function findWebhook(name) {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env.WEBHOOK_SECRET } : undefined
}

/** Your part. A failed event is sent again, signed anew: do nothing if you have seen the identifier in its payload. */
async function receive(webhook, event) {
  console.log(webhook.id, event)
}

/** The event, if the body is JSON. Gzip is told by its first byte, which starts no JSON: Content-Encoding is not signed. */
function parse(body) {
  try {
    return JSON.parse(body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body)
  } catch {
    return undefined
  }
}
