import { createServer } from 'node:http'
import { hasErrorCode, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

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
      const body = await readBody(request, { maxBytes: 100_000 })

      const { id, secret, nonceStore } = webhook
      await verifyOrThrow({ webhookId: id, headers: request.headers, body }, secret, nonceStore)

      // Parse the body only now: JSON.parse(body.toString()).
      answer(204, 'accepted')
    } catch (error) {
      if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) return answer(401, error.reason)
      answer(statusOf(error), error instanceof Error && 'code' in error ? String(error.code) : String(error))
    }
  })
}
