import querystring from 'node:querystring'
import { gunzipSync } from 'node:zlib'
import { verify } from 'inbound-webhook-auth'
import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const MAX_BODY_BYTES = 100_000

// Every instance has a memory of its own, and loses it: the nonces are kept where all instances see them.
const redis = new Redis(process.env.REDIS_URL, {
  lazyConnect: true,
  connectTimeout: 1000,
  commandTimeout: 1000,
  maxRetriesPerRequest: 1,
})
redis.on('error', console.error)
const nonceStore = new RedisNonceStore({ sendCommand: ([name, ...args]) => redis.call(name, ...args) })

export async function handler(event) {
  const answer = (statusCode, body = '') => ({ statusCode, body })
  try {
    // In payload format 1.0, headers has one value of several: multiValueHeaders has them all.
    const [, name = ''] = /\/hooks\/([^/]+)$/.exec(event.rawPath ?? event.path) ?? []
    const headers = event.multiValueHeaders ?? event.headers
    const method = event.requestContext.http?.method ?? event.httpMethod
    const webhook = await findWebhook(querystring.unescape(name))
    if (webhook === undefined || method !== 'POST') return answer(404)

    const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
    if (body.length > MAX_BODY_BYTES) return answer(413)

    const verdict = await verify({ webhookId: webhook.id, headers, body }, webhook.secret, nonceStore)
    if (!verdict.ok) {
      console.warn(webhook.id, verdict.reason, verdict.message)
      return answer(401)
    }

    const payload = parse(body)
    if (payload === undefined) return answer(400, 'genuine, but not JSON')
    await receive(webhook, payload)
    return answer(204)
  } catch (error) {
    console.error(error)
    return answer(error.code === 'ERR_NONCE_STORE' ? 503 : 500)
  }
}

/** Replace it by a look-up in your database: the record's own id, never the URL's text; undefined if there is none. */
async function findWebhook(name) {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env.WEBHOOK_SECRET } : undefined
}

/** Your part. A failed event is sent again, signed anew: do nothing if you have seen the identifier in its payload. */
async function receive(webhook, event) {
  console.log(webhook.id, event)
}

/** The event, if the body is JSON. Gzip is told by its first byte, which starts no JSON: Content-Encoding is not signed. */
function parse(body) {
  try {
    return JSON.parse(body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body)
  } catch {
    return undefined
  }
}
