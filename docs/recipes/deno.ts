import process from 'node:process'
import { MemoryNonceStore, receive, refusal } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()

Deno.serve({ port: Number(PORT) }, async (request) => {
  const isWebhook = request.method === 'POST' && new URL(request.url).pathname === '/hooks/billing'
  if (!isWebhook) return new Response(null, { status: 404 })
  try {
    const { body } = await receive({ webhookId: 'billing', request }, secret, nonceStore)
    console.log(body.toString()) // your code
    return new Response(null, { status: 204 })
  } catch (error) {
    return refusal(error)
  }
})
