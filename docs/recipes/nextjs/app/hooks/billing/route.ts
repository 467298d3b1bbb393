import { hasErrorCode, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'
import { nonceStore } from '../../../nonce-store'

const { WEBHOOK_SECRET: secret = '' } = process.env

export const POST = async (request: Request) => {
  try {
    const body = await readBody(request)
    await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)

    console.log(body.toString()) // Replace this with your code.
    return new Response(null, { status: 204 })
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    return new Response(null, { status: statusOf(error), headers: { Connection: 'close' } })
  }
}
