// # h3
//
// For h3 version 2, which Nitro 3 uses. With h3 version 1, use the route of Nitro 2.

import { H3, serve } from 'h3'
import { handle, MemoryNonceStore, refusal } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()
const app = new H3()

app.post('/hooks/billing', async ({ req: request }) => {
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
serve(app, { port: Number(PORT) })
