// # hapi
//
// For hapi 21:

import { server as createServer, type Lifecycle } from '@hapi/hapi'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()
const server = createServer({ port: Number(PORT) })
// hapi does not parse the body. Its own limit would answer 413 only after it has read the whole body.
const payload = { output: 'stream', parse: false, maxBytes: Number.MAX_SAFE_INTEGER } as const

const handler: Lifecycle.Method = async ({ raw }, h) => {
  try {
    const source = { webhookId: 'billing', request: raw.req }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return h.response().code(204)
  } catch (error) {
    refuse(raw.res, error)
    return h.abandon
  }
}
server.route({ method: 'POST', path: '/hooks/billing', options: { payload, handler } })
await server.start()
