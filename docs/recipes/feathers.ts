// # Feathers
//
// For Feathers 5 with Koa. With `@feathersjs/express`, use [the handler for Express](express.md) before `express.json()`.

import { feathers } from '@feathersjs/feathers'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()
const app = koa(feathers())

app.use(async (ctx, next) => {
  if (ctx.method !== 'POST' || ctx.path !== '/hooks/billing') return next()
  try {
    const source = { webhookId: 'billing', request: ctx.req }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    ctx.status = 204
  } catch (error) {
    refuse(ctx.res, error)
  }
})
// After the handler, because they read its body and handle its errors.
app.use(errorHandler())
app.use(bodyParser())
app.configure(rest())
app.on('error', (error, ctx) => ctx.req.socket.errored ?? console.error(error)) // silent if a sender hangs up
await app.listen(Number(PORT))
