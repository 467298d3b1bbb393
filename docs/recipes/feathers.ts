import { feathers } from '@feathersjs/feathers'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = koa(feathers())

app.use(async (ctx, next) => {
  if (ctx.method !== 'POST' || ctx.path !== '/hooks/billing') return next()
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

// After the handler, because they handle its errors and read its body.
app.use(errorHandler())
app.use(bodyParser())
app.configure(rest())
// Otherwise Koa logs a stack if a sender hangs up.
app.on('error', (error, ctx) => {
  if (error !== ctx.req.socket.errored) console.error(error)
})
await app.listen(Number(PORT))
