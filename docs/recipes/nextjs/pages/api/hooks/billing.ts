// # The Pages Router
//
// For the Pages Router, save the handler as `pages/api/hooks/billing.ts`:

import { handle, refuse } from 'inbound-webhook-auth'
import type { NextApiRequest, NextApiResponse } from 'next'
import { nonceStore } from '../../../nonce-store'

const { WEBHOOK_SECRET: secret = '' } = process.env
export const config = { api: { bodyParser: false } } // Otherwise Next.js reads the body first.

export default async function handler(request: NextApiRequest, response: NextApiResponse) {
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    response.status(204).end()
  } catch (error) {
    refuse(response, error)
  }
}
