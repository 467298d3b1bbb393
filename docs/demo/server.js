import { createServer } from 'node:http'
import { hasErrorCode, verifyOrThrow } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000

/**
 * A webhook as its service stores it.
 *
 * @typedef {object} Webhook
 * @property {string} id - its canonical identifier, whatever its URL looked like.
 * @property {string} secret
 * @property {import('inbound-webhook-auth').NonceStore} nonceStore
 */

/**
 * A plain `node:http` server that receives webhooks at `POST /hooks/:name`.
 *
 * @param {Map<string, Webhook>} webhooks - by lowercase name.
 * @param {(status: number, why: string) => void} log - gets each answer with its reason, which the sender does not get.
 */
export function createWebhookServer(webhooks, log) {
  return createServer(async (request, response) => {
    /** @type {(status: number, why: string) => void} */
    const answer = (status, why) => {
      log(status, why)
      if (!request.complete) response.setHeader('Connection', 'close') // The rest of the body is never read.
      response.writeHead(status).end()
    }
    try {
      const name = /^\/hooks\/([^/?]+)$/.exec(request.url ?? '')?.[1] ?? ''
      const webhook = webhooks.get(name.toLowerCase())
      if (request.method !== 'POST' || webhook === undefined) return answer(404, 'no such webhook')
      const body = await readBody(request)
      if (body === undefined) return answer(413, `more than ${MAX_BODY_BYTES} bytes`)

      const { id, secret, nonceStore } = webhook
      await verifyOrThrow({ webhookId: id, headers: request.headers, body }, secret, nonceStore)

      // Parse the body only now: JSON.parse(body.toString()).
      answer(204, 'accepted')
    } catch (error) {
      if (request.errored) return log(0, 'the sender hung up')
      if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) return answer(401, error.reason)
      if (hasErrorCode(error, 'ERR_NONCE_STORE')) return answer(503, error.code)
      answer(500, String(error))
    }
  })
}

/**
 * Reads the raw body. Returns `undefined` once it is known to be too large, and leaves the rest unread.
 *
 * @param {import('node:http').IncomingMessage} request
 */
async function readBody(request) {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) return undefined
  let buffer = Buffer.alloc(0) // It grows with the body, so a connection that sends nothing takes no memory.
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const end = size + chunk.length
    if (end > MAX_BODY_BYTES) return undefined
    if (end > buffer.length) buffer = Buffer.concat([buffer], 2 * end)
    buffer.set(chunk, size)
    size = end
  }
  return buffer.subarray(0, size)
}
