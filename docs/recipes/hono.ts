// # Hono
//
// For Hono 4 on Node, with `@hono/node-server` 2:
//
// - On Bun, Deno and Workers, the route is the same. On Workers, use [their store](serverless.md#cloudflare-workers).

import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { handle, MemoryNonceStore, refusal } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()
const app = new Hono()

app.post('/hooks/billing', async (c) => {
  try {
    const source = { webhookId: 'billing', request: c.req.raw }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return c.body(null, 204)
  } catch (error) {
    return refusal(error)
  }
})
serve({ fetch: app.fetch, port: Number(PORT) })
