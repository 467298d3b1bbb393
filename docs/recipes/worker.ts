// # Cloudflare Workers
//
// Save this handler as `worker.ts`:
//
// - Save `WEBHOOK_SECRET=...` as `.dev.vars` and run the Worker with `npx wrangler dev`.
// - Run `npx wrangler secret put WEBHOOK_SECRET`, then `npx wrangler deploy`.
// - Do not use KV, because two Workers could read at the same time that a key is free.

import { env } from 'cloudflare:workers'
import { handle, type NonceStore, refusal } from 'inbound-webhook-auth'
import { WebhookNonces } from './webhook-nonces'

const { WEBHOOK_SECRET: secret, WEBHOOK_NONCES: nonces } = env as {
  WEBHOOK_SECRET: string
  WEBHOOK_NONCES: DurableObjectNamespace<WebhookNonces>
}
if (!secret) throw new Error('WEBHOOK_SECRET is not set')

export { WebhookNonces }

// A Worker runs in many places, each with its own memory. So one Durable Object per webhook keeps the nonces.
const nonceStore: NonceStore = {
  reserve: (webhookId, key, ttlSeconds, owner) => nonces.getByName(webhookId).reserve(key, ttlSeconds, owner),
  release: (webhookId, keys, owner) => nonces.getByName(webhookId).release(keys, owner),
}

export default {
  async fetch(request) {
    if (new URL(request.url).pathname !== '/hooks/billing') return new Response(null, { status: 404 })
    try {
      const source = { webhookId: 'billing', request }
      await handle(source, secret, nonceStore, ({ body }) => {
        console.log(body.toString()) // your code
      })
      return new Response(null, { status: 204 })
    } catch (error) {
      return refusal(error)
    }
  },
} satisfies ExportedHandler
