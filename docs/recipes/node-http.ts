import { createServer } from 'node:http'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request

createServer(async (request, response) => {
  // If the handler answers before the whole body has arrived, the rest is not read.
  const answer = (status = 204) => {
    response.writeHead(status, request.complete ? {} : { Connection: 'close' }).end()
  }
  if (request.method !== 'POST' || request.url !== '/hooks/billing') return answer(404)
  try {
    const body = await readBody(request)
    await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)

    console.log(body.toString()) // Replace this with your code.
    answer()
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    answer(statusOf(error))
  }
}).listen(Number(PORT))
