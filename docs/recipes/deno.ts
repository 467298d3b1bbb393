// # Deno
//
// For Deno 2. Save this as `server.ts` and run it with `deno run --allow-net --allow-env server.ts`:
//
// - Put a proxy before Deno that limits how long a request takes to arrive, such as nginx with `client_body_timeout`.
// - Deno reads the rest of a refused body.

import process from 'node:process'
import { handle, MemoryNonceStore, refusal } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()

Deno.serve({ port: Number(PORT) }, async (request) => {
  const isWebhook = request.method === 'POST' && new URL(request.url).pathname === '/hooks/billing'
  if (!isWebhook) return new Response(null, { status: 404 })
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return new Response(null, { status: 204 })
  } catch (error) {
    return refusal(error)
  }
})
