// # Receive with Fastify
//
// For Fastify 5:
//
// - By default, Fastify listens only on `localhost`. In a container, add `host: '0.0.0.0'`.
// - To log with Fastify, pass [a `log` function](index.md#log-requests) to `refuse`.

import Fastify from 'fastify'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()
const app = Fastify()

// In a plugin of its own, so that other routes keep their parsers.
app.register(async (hooks) => {
  hooks.removeAllContentTypeParsers()
  hooks.addContentTypeParser('*', (_request, _payload, done) => done(null))
  hooks.post('/hooks/billing', async (request, reply) => {
    try {
      const source = { webhookId: 'billing', request }
      await handle(source, secret, nonceStore, ({ body }) => {
        console.log(body.toString()) // your code
      })
      return reply.code(204).send()
    } catch (error) {
      refuse(reply.hijack().raw, error)
    }
  })
})
await app.listen({ port: Number(PORT) })
