import { http } from '@google-cloud/functions-framework'
import { MemoryNonceStore, receive, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()

http('billing', async (request, response) => {
  try {
    const { body } = await receive({ webhookId: 'billing', request }, secret, nonceStore)
    console.log(body.toString()) // your code
    response.sendStatus(204)
  } catch (error) {
    refuse(response, error)
  }
})
