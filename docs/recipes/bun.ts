// # Bun
//
// For Bun 1.4. Save this as `server.ts` and run it with `bun server.ts`:

import { handle, MemoryNonceStore, refusal } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()

const POST = async (request: Request) => {
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return new Response(null, { status: 204 })
  } catch (error) {
    return refusal(error)
  }
}
Bun.serve({
  port: Number(PORT),
  maxRequestBodySize: 1_048_576, // Bun answers 413 to a larger Content-Length.
  routes: { '/hooks/billing': { POST } },
  fetch: () => new Response(null, { status: 404, headers: { Connection: 'close' } }),
})
