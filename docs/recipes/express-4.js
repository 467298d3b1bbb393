import express from 'express'
import { MemoryNonceStore, verify } from 'inbound-webhook-auth'

const nonceStore = new MemoryNonceStore() // one for the process, not one a request
const app = express()

// On this route alone, and before any express.json(). Compressed bodies are refused: inflated, they are not what was signed.
const rawBody = express.raw({ type: () => true, limit: 100_000, inflate: false })

app.post('/hooks/:name', rawBody, async (request, response, next) => {
  try {
    const webhook = await findWebhook(request.params.name)
    if (webhook === undefined) return response.sendStatus(404)

    const { headers } = request
    const body = hasBody(request) ? request.body : '' // a request without a body leaves it {}
    const verdict = await verify({ webhookId: webhook.id, headers, body }, webhook.secret, nonceStore)
    if (!verdict.ok) {
      console.warn(webhook.id, verdict.reason, verdict.message)
      return response.sendStatus(401)
    }

    const event = parse(body)
    if (event === undefined) return response.status(400).send('genuine, but not JSON')
    await receive(webhook, event)
    response.sendStatus(204)
  } catch (error) {
    next(error) // Express 5 does so by itself
  }
})

app.use((error, _request, response, _next) => {
  console.error(error)
  response.sendStatus(error.code === 'ERR_NONCE_STORE' ? 503 : (error.status ?? 500))
})

app.listen(process.env.PORT ?? 3000)

/** Whether the request has a body, by the rule of HTTP. */
function hasBody({ headers }) {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Replace it by a look-up in your database: the record's own id, never the URL's text; undefined if there is none. */
async function findWebhook(name) {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env.WEBHOOK_SECRET } : undefined
}

/** Your part. A failed event is sent again, signed anew: do nothing if you have seen the identifier in its payload. */
async function receive(webhook, event) {
  console.log(webhook.id, event)
}

/** The event, if the body is JSON. */
function parse(body) {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
