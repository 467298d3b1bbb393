import { gunzipSync } from 'node:zlib'
import { verify } from 'inbound-webhook-auth'
import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const MAX_BODY_BYTES = 100_000

// Instances come and go, and two may be sent the same request: their nonces are kept where all of them see them.
// Connected with the first request, not while Next.js builds.
const redis = new Redis(process.env.REDIS_URL, {
  lazyConnect: true,
  connectTimeout: 1000,
  commandTimeout: 1000,
  maxRetriesPerRequest: 1,
})
redis.on('error', console.error)
const nonceStore = new RedisNonceStore({ sendCommand: ([name, ...args]) => redis.call(name, ...args) })

export async function POST(request, { params }) {
  const answer = (status, text = null) => new Response(text, { status })
  try {
    const { name } = await params
    const webhook = await findWebhook(name)
    if (webhook === undefined) return answer(404)

    const body = await rawBody(request)
    if (body === undefined) return answer(413)

    const received = { webhookId: webhook.id, headers: request.headers, body }
    const verdict = await verify(received, webhook.secret, nonceStore)
    if (!verdict.ok) {
      console.warn(webhook.id, verdict.reason, verdict.message)
      return answer(401)
    }

    const event = parse(body)
    if (event === undefined) return answer(400, 'genuine, but not JSON')
    await receive(webhook, event)
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

/** The bytes as received; undefined if they are too many. */
async function rawBody(request) {
  const buffer = Buffer.alloc(MAX_BODY_BYTES)
  let size = 0
  for await (const chunk of request.body ?? []) {
    if (size + chunk.length > MAX_BODY_BYTES) return undefined
    buffer.set(chunk, size)
    size += chunk.length
  }
  return buffer.subarray(0, size)
}

/** The event, if the body is JSON. Gzip is told by its first byte, which starts no JSON: Content-Encoding is not signed. */
function parse(body) {
  try {
    return JSON.parse(body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body)
  } catch {
    return undefined
  }
}
