import querystring from 'node:querystring'
import { gunzipSync } from 'node:zlib'
import { MemoryNonceStore, verify } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000
const nonceStore = new MemoryNonceStore() // one for the process, not one a request

Bun.serve({
  port: process.env.PORT ?? 3000,
  maxRequestBodySize: MAX_BODY_BYTES, // more is answered 413
  async fetch(request) {
    const answer = (status, text = null) => new Response(text, { status })
    try {
      const name = /^\/hooks\/([^/]+)$/.exec(new URL(request.url).pathname)?.[1] ?? ''
      const webhook = await findWebhook(querystring.unescape(name))
      if (webhook === undefined || request.method !== 'POST') return answer(404)

      const body = Buffer.from(await request.arrayBuffer())

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
})

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
