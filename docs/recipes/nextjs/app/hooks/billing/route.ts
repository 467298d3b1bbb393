// # The App Router
//
// For the App Router, save the handler as `app/hooks/billing/route.ts`:

import { handle, refusal } from 'inbound-webhook-auth'
import { nonceStore } from '../../../nonce-store'

const { WEBHOOK_SECRET: secret = '' } = process.env

export const POST = async (request: Request) => {
  try {
    await handle({ webhookId: 'billing', request }, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return new Response(null, { status: 204 })
  } catch (error) {
    return refusal(error)
  }
}
