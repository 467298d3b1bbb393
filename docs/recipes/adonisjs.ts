// # AdonisJS
//
// For AdonisJS 7 and 6. Save this server middleware, which runs before the body parser, as `app/middleware/receive_webhook.ts`:
//
// - Add the first line to `Env.create`, and the second line to the end of the kernel:
//
// ```js
// // start/env.ts
// WEBHOOK_SECRET: Env.schema.string(),
// ```
//
// ```js
// // start/kernel.ts
// server.use([() => import('#middleware/receive_webhook')])
// ```

import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'
import env from '#start/env'

const secret = env.get('WEBHOOK_SECRET')
const nonceStore = new MemoryNonceStore()

export default class ReceiveWebhook {
  async handle({ request: { request }, response: { response } }: HttpContext, next: NextFn) {
    if (request.method !== 'POST' || request.url !== '/hooks/billing') return next()
    try {
      const source = { webhookId: 'billing', request }
      await handle(source, secret, nonceStore, ({ body }) => {
        console.log(body.toString()) // your code
      })
      response.writeHead(204).end()
    } catch (error) {
      refuse(response, error)
    }
  }
}
