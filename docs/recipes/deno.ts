import process from 'node:process'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request

Deno.serve({ port: Number(PORT) }, async (request) => {
  const isWebhook = request.method === 'POST' && new URL(request.url).pathname === '/hooks/billing'
  if (!isWebhook) return new Response(null, { status: 404 })
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
})
