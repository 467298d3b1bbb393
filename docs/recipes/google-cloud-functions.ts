// # Google Cloud Functions
//
// For `@google-cloud/functions-framework` 5, which Cloud Run functions use. Save the function as `index.mjs`:
//
// - Run the function with `npm pkg set main=index.mjs && npx functions-framework --target=billing`.
// - The framework reads the body before your function runs. JSON that cannot be parsed gets 400.
// - The sender must not compress the body, because the framework would inflate it.
// - With more than one instance, [choose a shared store](../operate/index.md).

import { http } from '@google-cloud/functions-framework'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()

http('billing', async (request, response) => {
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    response.sendStatus(204)
  } catch (error) {
    refuse(response, error)
  }
})
