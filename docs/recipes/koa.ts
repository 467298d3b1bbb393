import Router from '@koa/router'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'
import Koa from 'koa'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request
const router = new Router()

router.post('/hooks/billing', async (ctx) => {
  try {
    const body = await readBody(ctx.req)
    await verifyOrThrow({ webhookId: 'billing', headers: ctx.headers, body }, secret, nonceStore)

    console.log(body.toString()) // Replace this with your code.
    ctx.status = 204
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    if (!ctx.req.complete) ctx.set('Connection', 'close') // The rest of the body is not read.
    ctx.status = statusOf(error)
  }
})

const app = new Koa()
app.use(router.routes()) // Before any body parser, which would read the body first.
// Otherwise Koa logs a stack if a sender hangs up.
app.on('error', (error, ctx) => {
  if (error !== ctx.req.socket.errored) console.error(error)
})
app.listen(Number(PORT))
