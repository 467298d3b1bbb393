import { createServer } from 'node:http'
import { createApp, createRouter, defineEventHandler, setResponseHeader, setResponseStatus, toNodeListener } from 'h3'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request

const handler = defineEventHandler(async (event) => {
  const { req: request } = event.node
  try {
    const body = await readBody(request)
    await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)

    console.log(body.toString()) // Replace this with your code.
    setResponseStatus(event, 204)
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    if (!request.complete) setResponseHeader(event, 'Connection', 'close') // The rest of the body is not read.
    setResponseStatus(event, statusOf(error))
  }
  return null
})

const router = createRouter().post('/hooks/billing', handler)
createServer(toNodeListener(createApp().use(router))).listen(Number(PORT))
