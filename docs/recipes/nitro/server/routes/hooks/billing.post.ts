import { MemoryNonceStore, receive, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret = '' } = process.env
const nonceStore = new MemoryNonceStore()

export default defineEventHandler(async ({ node: { req: request, res: response } }) => {
  try {
    const { body } = await receive({ webhookId: 'billing', request }, secret, nonceStore)
    console.log(body.toString()) // your code
    response.writeHead(204).end()
  } catch (error) {
    refuse(response, error)
  }
})
