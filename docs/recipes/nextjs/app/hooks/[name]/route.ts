import { gunzipSync } from 'node:zlib'
import { hasErrorCode, verifyOrThrow } from 'inbound-webhook-auth'
import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const MAX_BODY_BYTES = 100_000

// Instances come and go, and one request may reach two of them. So their nonces are in Redis.
// It connects with the first request, not while Next.js builds.
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

export async function POST(request: Request, { params }: { params: Promise<{ name: string }> }): Promise<Response> {
  const answer = (status: number, text: string | null = null) => new Response(text, { status })
  try {
    const { name } = await params
    const webhook = await findWebhook(name)
    if (webhook === undefined) return answer(404)

    const body = await readBody(request).catch(logAbort)
    if (body === undefined) return answer(413)
    await verifyOrThrow({ webhookId: webhook.id, headers: request.headers, body }, webhook.secret, nonceStore)

    const event = parse(body)
    if (event === undefined) return answer(400, 'genuine, but not JSON')
    await receive(webhook.id, event)
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

/** If a sender hangs up, this logs one line, because it is not a fault. */
function logAbort(error: unknown): undefined {
  console.warn(String(error))
}

/** Reads the raw body. Returns undefined once it is known to be too large, and leaves the rest unread. */
async function readBody(request: Request): Promise<Buffer | undefined> {
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) return undefined
  let buffer = Buffer.alloc(0) // It grows with the body, so a connection that sends nothing takes no memory.
  let size = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { value: chunk } = (await reader?.read()) ?? {}
    if (chunk === undefined) return buffer.subarray(0, size)
    const end = size + chunk.length
    if (end > MAX_BODY_BYTES) {
      await reader?.cancel()
      return undefined
    }
    if (end > buffer.length) buffer = Buffer.concat([buffer], 2 * end)
    buffer.set(chunk, size)
    size = end
  }
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
