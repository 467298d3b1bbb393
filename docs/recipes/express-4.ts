import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import express, { type NextFunction, type Request, type Response } from 'express'
import { hasErrorCode, MemoryNonceStore, verifyOrThrow } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000
const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = express()

// Before any express.json(), which would read the body first.
app.post('/hooks/:name', async (request, response, next) => {
  try {
    const webhook = await findWebhook(request.params.name)
    if (webhook === undefined) return response.sendStatus(404)

    const body = await readBody(request).catch(logAbort)
    if (body === undefined) return response.set('Connection', 'close').sendStatus(413)
    await verifyOrThrow({ webhookId: webhook.id, headers: request.headers, body }, webhook.secret, nonceStore)

    const event = parse(body)
    if (event === undefined) return response.status(400).send('genuine, but not JSON')
    await receive(webhook.id, event)
    return response.sendStatus(204)
  } catch (error) {
    return next(error ?? new Error('rejected with nothing')) // Express 5 does this itself.
  }
})

// Without this handler, Express answers 401 or 503 too. But it logs a stack for each rejection, and sends stacks in development.
app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (response.headersSent) return next(error)
  if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) {
    console.warn(error.reason, error.detail)
    return response.sendStatus(401)
  }
  if (error instanceof URIError) return response.sendStatus(400) // The URL is malformed.
  console.error(error)
  return response.sendStatus(hasErrorCode(error, 'ERR_NONCE_STORE') ? 503 : 500)
})

app.listen(Number(process.env.PORT ?? 3000))

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
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
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

/** Returns the event, or undefined if the body is not JSON. It recognises gzip by the first byte, because Content-Encoding is not signed. */
function parse(body: Buffer): unknown {
  try {
    const json = body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body
    return JSON.parse(json.toString())
  } catch {
    return undefined
  }
}
