import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { MemoryNonceStore, verifyOrThrow } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000
const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = Fastify({ logger: true })

// This is in its own plugin, so that other routes keep their parsers.
app.register(async (hooks) => {
  hooks.removeAllContentTypeParsers()
  hooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_, body, done) => done(null, body))

  hooks.post<{ Params: { name: string }; Body?: Buffer }>('/hooks/:name', async (request, reply) => {
    const webhook = await findWebhook(request.params.name)
    if (webhook === undefined) return reply.code(404).send()

    // Fastify answers 401 or 503 by the error's status, and logs the reason.
    const { headers, body = Buffer.alloc(0) } = request // Fastify leaves undefined if there is no body.
    await verifyOrThrow({ webhookId: webhook.id, headers, body }, webhook.secret, nonceStore)

    const event = parse(body)
    if (event === undefined) return reply.code(400).send('genuine, but not JSON')
    await receive(webhook.id, event)
    return reply.code(204).send()
  })
})

await app.listen({ port: Number(process.env.PORT ?? 3000) })

/** Replace this with a look-up in your database. Return the record's own id, never the text of the URL. */
async function findWebhook(name: string): Promise<{ id: string; secret: string } | undefined> {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env.WEBHOOK_SECRET ?? '' } : undefined
}

/** Your code. A sender sends an event again if the answer was lost, so do nothing if its identifier is known. */
async function receive(webhookId: string, event: unknown): Promise<void> {
  console.log(webhookId, event)
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
