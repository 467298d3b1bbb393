// # Koa
//
// For Koa 3:

import Router from '@koa/router'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'
import Koa from 'koa'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()
const router = new Router()

router.post('/hooks/billing', async (ctx) => {
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
const app = new Koa()
app.use(router.routes()) // before any body parser
app.on('error', (error, ctx) => ctx.req.socket.errored ?? console.error(error)) // silent if a sender hangs up
app.listen(Number(PORT))
