import { MemoryNonceStore, receive, refusal } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request

export const POST = async ({ request }: { request: Request }) => {
  try {
    const { body } = await receive({ webhookId: 'billing', request }, secret, nonceStore)
    console.log(body.toString()) // your code
    return new Response(null, { status: 204 })
  } catch (error) {
    return refusal(error)
  }
}
