import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, APIGatewayProxyResult } from 'aws-lambda'
import { receive, refusal } from 'inbound-webhook-auth'
import { connectNodeRedis } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const { WEBHOOK_SECRET: secret, REDIS_URL: url = 'redis://localhost' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
// Each instance has its own memory, and loses it when it stops. So Redis keeps the nonces.
const nonceStore = await connectNodeRedis((options) => createClient({ url, ...options }))

export const handler = async (event: APIGatewayProxyEvent | APIGatewayProxyEventV2): Promise<APIGatewayProxyResult> => {
  try {
    const { body } = await receive({ webhookId: 'billing', request: event }, secret, nonceStore)
    console.log(body.toString()) // your code
    return { statusCode: 204, body: '' }
  } catch (error) {
    return { statusCode: refusal(error).status, body: '' }
  }
}
