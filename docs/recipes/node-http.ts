// # Receive with node:http
//
// For Node 20.12 and later, in JavaScript or TypeScript:
//
// - A URL with a query gets 404.

import { createServer } from 'node:http'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request

createServer(async (request, response) => {
  const isWebhook = request.method === 'POST' && request.url === '/hooks/billing'
  if (!isWebhook) return response.writeHead(404, { Connection: 'close' }).end()
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return response.writeHead(204).end()
  } catch (error) {
    return refuse(response, error)
  }
}).listen(Number(PORT))
