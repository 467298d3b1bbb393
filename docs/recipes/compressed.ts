import { gunzipSync } from 'node:zlib'
import express from 'express'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = express()

app.post('/hooks/billing', async (request, response) => {
  try {
    const body = await readBody(request)
    await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)

    console.log(textOf(body)) // Replace this with your code.
    response.sendStatus(204)
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    if (!request.complete) response.set('Connection', 'close') // The rest of the body is not read.
    response.sendStatus(statusOf(error))
  }
})
app.listen(Number(PORT))

/** Recognises gzip by its first byte, because Content-Encoding is not signed. */
function textOf(body: Uint8Array): string {
  return (body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: 1_048_576 }) : body).toString()
}
