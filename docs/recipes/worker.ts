import { env } from 'cloudflare:workers'
import { hasErrorCode, type NonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'
import { WebhookNonces } from './webhook-nonces'

const { WEBHOOK_SECRET: secret, WEBHOOK_NONCES: nonces } = env as {
  WEBHOOK_SECRET: string
  WEBHOOK_NONCES: DurableObjectNamespace<WebhookNonces>
}
if (!secret) throw new Error('WEBHOOK_SECRET is not set')

export { WebhookNonces }

// A Worker runs in many places, each with its own memory. So one Durable Object per webhook keeps the nonces.
const nonceStore: NonceStore = {
  reserve: (webhookId, key, ttlSeconds) => nonces.getByName(webhookId).reserve(key, ttlSeconds),
}

export default {
  async fetch(request) {
    if (new URL(request.url).pathname !== '/hooks/billing') return new Response(null, { status: 404 })
    try {
      const body = await readBody(request)
      await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)

      console.log(body.toString()) // Replace this with your code.
      return new Response(null, { status: 204 })
    } catch (error) {
      if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
      else if (statusOf(error) >= 500) console.error(error)
      return new Response(null, { status: statusOf(error) })
    }
  },
} satisfies ExportedHandler
