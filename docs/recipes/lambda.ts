import querystring from 'node:querystring'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, APIGatewayProxyResult } from 'aws-lambda'
import { hasErrorCode, verifyOrThrow } from 'inbound-webhook-auth'
import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const MAX_BODY_BYTES = 100_000

// Each instance has its own memory, and loses it when it stops. So Redis keeps the nonces.
const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost', {
  lazyConnect: true,
  connectTimeout: 1000,
  socketTimeout: 1000, // A connection that was lost while the instance slept is replaced.
  commandTimeout: 1000,
  maxRetriesPerRequest: 1,
})
redis.on('error', console.error)

// If Redis evicts keys, it forgets nonces. So each new connection checks this setting.
let info = Promise.resolve('')
redis.on('ready', () => {
  info = redis.info('memory').catch(String)
})
const nonceStore = new RedisNonceStore({
  async sendCommand([name = '', ...args]) {
    const reply = await redis.call(name, ...args)
    if ((await info).includes('maxmemory_policy:noeviction')) return reply
    throw new Error('Redis evicts keys when it is full. Set maxmemory-policy to noeviction.')
  },
})

export async function handler(event: APIGatewayProxyEvent | APIGatewayProxyEventV2): Promise<APIGatewayProxyResult> {
  const answer = (statusCode: number, body = '') => ({ statusCode, body })
  try {
    // Payload format 2.0 or 1.0. In 1.0, only `multiValueHeaders` has all values of a header.
    const { path, method, headers } =
      'rawPath' in event
        ? { path: event.rawPath, method: event.requestContext.http.method, headers: event.headers }
        : { path: event.path, method: event.httpMethod, headers: event.multiValueHeaders ?? event.headers }
    const name = /\/hooks\/([^/]+)$/.exec(path)?.[1] ?? ''
    const webhook = await findWebhook(querystring.unescape(name))
    if (webhook === undefined || method !== 'POST') return answer(404)

    const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
    if (body.length > MAX_BODY_BYTES) return answer(413)
    await verifyOrThrow({ webhookId: webhook.id, headers, body }, webhook.secret, nonceStore)

    const payload = parse(body)
    if (payload === undefined) return answer(400, 'genuine, but not JSON')
    await receive(webhook.id, payload)
    return answer(204)
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) {
      console.warn(error.reason, error.detail)
      return answer(401)
    }
    console.error(error)
    return answer(hasErrorCode(error, 'ERR_NONCE_STORE') ? 503 : 500)
  }
}

/** Replace this with a look-up in your database. Return the record's own id, never the text of the URL. */
async function findWebhook(name: string): Promise<{ id: string; secret: string } | undefined> {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env.WEBHOOK_SECRET ?? '' } : undefined
}

/** Your code. A sender sends an event again if the answer was lost, so do nothing if its identifier is known. */
async function receive(webhookId: string, event: unknown): Promise<void> {
  console.log(webhookId, event)
}

/** Returns the event, or undefined if the body is not JSON. It recognises gzip by the first byte, because Content-Encoding is not signed. */
function parse(body: Buffer): unknown {
  try {
    const json = body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body
    return JSON.parse(json.toString())
  } catch {
    return undefined
  }
}
