import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = new Hono()

app.post('/hooks/billing', async (c) => {
  try {
    const body = await readBody(c.req.raw)
    await verifyOrThrow({ webhookId: 'billing', headers: c.req.raw.headers, body }, secret, nonceStore)

    console.log(body.toString()) // Replace this with your code.
    return c.body(null, 204)
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    return new Response(null, { status: statusOf(error), headers: { Connection: 'close' } })
  }
})

serve({ fetch: app.fetch, port: Number(PORT) })
