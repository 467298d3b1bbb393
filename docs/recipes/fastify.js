import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { MemoryNonceStore, verify } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000
const nonceStore = new MemoryNonceStore() // one for the process, not one a request
const app = Fastify({ logger: true })

// In a plugin of its own, so that other routes keep their parsers and their handling of errors.
app.register(async (hooks) => {
  hooks.removeAllContentTypeParsers()
  hooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_, body, done) => done(null, body))

  hooks.post('/hooks/:name', async (request, reply) => {
    const webhook = await findWebhook(request.params.name)
    if (webhook === undefined) return reply.code(404).send()

    const { headers, body = '' } = request // a request without a body leaves it undefined
    const verdict = await verify({ webhookId: webhook.id, headers, body }, webhook.secret, nonceStore)
    if (!verdict.ok) {
      request.log.warn({ webhookId: webhook.id, reason: verdict.reason }, verdict.message)
      return reply.code(401).send()
    }

    const event = parse(body)
    if (event === undefined) return reply.code(400).send('genuine, but not JSON')
    await receive(webhook, event)
    return reply.code(204).send()
  })

  hooks.setErrorHandler((error, request, reply) => {
    request.log.error(error)
    reply.code(error.code === 'ERR_NONCE_STORE' ? 503 : (error.statusCode ?? 500)).send()
  })
})

await app.listen({ port: process.env.PORT ?? 3000 })

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
