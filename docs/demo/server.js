import { createServer } from 'node:http'
import { verify } from 'inbound-webhook-auth'

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
 * @param {(status: number, why: string) => void} log - hears of every answer what its sender is not told.
 */
export function createWebhookServer(webhooks, log) {
  return createServer(async (request, response) => {
    /** @type {(status: number, why: string) => void} */
    const answer = (status, why) => {
      log(status, why)
      response.writeHead(status).end()
    }
    try {
      const body = await rawBody(request)
      const name = /^\/hooks\/([^/?]+)$/.exec(request.url ?? '')?.[1]
      const webhook = webhooks.get((name ?? '').toLowerCase())
      if (request.method !== 'POST' || webhook === undefined) return answer(404, 'no such webhook')
      if (body === undefined) return answer(413, `more than ${MAX_BODY_BYTES} bytes`)

      const { id, secret, nonceStore } = webhook
      const verdict = await verify({ webhookId: id, headers: request.headers, body }, secret, nonceStore)
      if (!verdict.ok) return answer(401, verdict.reason)

      // Only now is the body worth a look: JSON.parse(body.toString('utf8')).
      answer(204, 'accepted')
    } catch (error) {
      // No verdict: the store failed, or the sender hung up. It may sign and send again.
      const { code } = /** @type {{ code?: string }} */ (error)
      answer(503, String(code))
    }
  })
}

/**
 * The bytes as received; `undefined` for more than the limit.
 *
 * @param {import('node:http').IncomingMessage} request
 */
async function rawBody(request) {
  // Copied into memory of one size: a sender may cut its body into a chunk a byte. What does not fit is not kept.
  const body = Buffer.alloc(MAX_BODY_BYTES + 1)
  let size = 0
  for await (const chunk of request) size += chunk.copy(body, size)
  return size <= MAX_BODY_BYTES ? body.subarray(0, size) : undefined
}
