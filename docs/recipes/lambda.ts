import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, APIGatewayProxyResult } from 'aws-lambda'
import { hasErrorCode, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'
import { connectNodeRedis } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const { WEBHOOK_SECRET: secret, REDIS_URL: url = 'redis://localhost' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
// Each instance has its own memory, and loses it when it stops. So Redis keeps the nonces.
const nonceStore = await connectNodeRedis((options) => createClient({ url, ...options }))

export const handler = async (event: APIGatewayProxyEvent | APIGatewayProxyEventV2): Promise<APIGatewayProxyResult> => {
  try {
    const body = await readBody(event)
    // In payload format 1.0, only `multiValueHeaders` has all values of a header.
    const headers = ('multiValueHeaders' in event && event.multiValueHeaders) || event.headers
    await verifyOrThrow({ webhookId: 'billing', headers, body }, secret, nonceStore)

    console.log(body.toString()) // Replace this with your code.
    return { statusCode: 204, body: '' }
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    return { statusCode: statusOf(error), body: '' }
  }
}
