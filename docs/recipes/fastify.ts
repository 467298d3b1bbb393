import Fastify from 'fastify'
import { MemoryNonceStore, readBody, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request
// Fastify has no limit of its own for the time that a request takes to arrive.
const app = Fastify({ logger: true, requestTimeout: 60_000 })

// In a plugin of its own, so that other routes keep their parsers.
app.register(async (hooks) => {
  hooks.removeAllContentTypeParsers()
  hooks.addContentTypeParser('*', (_request, _payload, done) => done(null))

  hooks.post('/hooks/billing', async (request, reply) => {
    // Fastify answers 401, 413 or 503 by the error's status, and logs its reason.
    const body = await readBody(request.raw)
    await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)

    request.log.info(body.toString()) // Replace this with your code.
    return reply.code(204).send()
  })
})

await app.listen({ port: Number(PORT) })
