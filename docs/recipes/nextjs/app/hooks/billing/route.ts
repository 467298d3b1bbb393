// # The App Router
//
// For the App Router, save the handler as `app/hooks/billing/route.ts`:

import { handle, refusal } from 'inbound-webhook-auth'
import { nonceStore } from '../../../nonce-store'

const { WEBHOOK_SECRET: secret = '' } = process.env

export const POST = async (request: Request) => {
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return new Response(null, { status: 204 })
  } catch (error) {
    return refusal(error)
  }
}
