import { handle, MemoryNonceStore, refusal } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request

export const POST = async ({ request }: { request: Request }) => {
  try {
    await handle({ webhookId: 'billing', request }, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return new Response(null, { status: 204 })
  } catch (error) {
    return refusal(error)
  }
}
