import { createServer } from 'node:http'
import { receive, refuse, WebhookRejectedError } from 'inbound-webhook-auth'

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
    const [, name = ''] = /^\/hooks\/([^/?]+)$/.exec(request.url ?? '') ?? []
    const webhook = webhooks.get(name.toLowerCase())
    if (request.method !== 'POST' || webhook === undefined) {
      log(404, 'no such webhook')
      return response.writeHead(404, { Connection: 'close' }).end()
    }
    try {
      const { id: webhookId, secret, nonceStore } = webhook
      await receive({ webhookId, request, maxBytes: 100_000 }, secret, nonceStore)
      // Your code is here. It gets { body } from receive.
      log(204, 'accepted')
      return response.writeHead(204).end()
    } catch (error) {
      return refuse(response, error, { log: ({ status }) => log(status, whyOf(error)) })
    }
  })
}

/** @param {unknown} error */
function whyOf(error) {
  if (error instanceof WebhookRejectedError) return error.reason
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
