import { server as createServer } from '@hapi/hapi'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request
const server = createServer({ port: Number(PORT) })

server.route({
  method: 'POST',
  path: '/hooks/billing',
  // hapi does not read the body. Its own limit would answer only after the whole body.
  options: { payload: { output: 'stream', parse: false, maxBytes: Number.MAX_SAFE_INTEGER } },
  async handler({ raw: { req: request } }, h) {
    try {
      const body = await readBody(request)
      await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)

      console.log(body.toString()) // Replace this with your code.
      return h.response().code(204)
    } catch (error) {
      if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
      else if (statusOf(error) >= 500) console.error(error)
      return h
        .response()
        .code(statusOf(error))
        .header('Connection', request.complete ? 'keep-alive' : 'close')
    }
  },
})

await server.start()
