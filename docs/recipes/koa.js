import { gunzipSync } from 'node:zlib'
import Router from '@koa/router'
import { MemoryNonceStore, verify } from 'inbound-webhook-auth'
import Koa from 'koa'

const MAX_BODY_BYTES = 100_000
const nonceStore = new MemoryNonceStore() // one for the process, not one a request
const router = new Router()

router.post('/hooks/:name', async (ctx) => {
  const webhook = await findWebhook(ctx.params.name)
  if (webhook === undefined) return ctx.throw(404)

  const buffer = Buffer.alloc(MAX_BODY_BYTES + 1) // one byte more than is accepted
  let size = 0
  for await (const chunk of ctx.req) size += chunk.copy(buffer, size)
  if (size > MAX_BODY_BYTES) return ctx.throw(413)
  const body = buffer.subarray(0, size)

  const received = { webhookId: webhook.id, headers: ctx.headers, body }
  const verdict = await verify(received, webhook.secret, nonceStore).catch((error) => {
    console.error(error) // with its cause, which Koa would leave out
    ctx.throw(error.code === 'ERR_NONCE_STORE' ? 503 : 500)
  })
  if (!verdict.ok) {
    console.warn(webhook.id, verdict.reason, verdict.message)
    return ctx.throw(401)
  }

  const event = parse(body)
  if (event === undefined) return ctx.throw(400, 'genuine, but not JSON')
  await receive(webhook, event)
  ctx.status = 204
})

new Koa()
  .use(router.routes()) // before any body parser, which would read the body first
  .use(router.allowedMethods())
  .listen(process.env.PORT ?? 3000)

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
