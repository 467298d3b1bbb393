import express from 'express'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = express()

// Not /hooks/:name, because Express logs a stack if it cannot decode a name such as %zz.
app.post(/^\/hooks\/(?<name>[\w-]+)$/, async (request, response) => {
  try {
    const webhook = await findWebhook(request.params['name'])
    if (webhook === undefined) return response.set('Connection', 'close').sendStatus(404)
    await handle({ webhookId: webhook.id, request }, webhook.secret, nonceStore, ({ body }) => {
      console.log(webhook.id, body.toString()) // your code
    })
    return response.sendStatus(204)
  } catch (error) {
    return refuse(response, error)
  }
})
app.listen(Number(process.env['PORT'] ?? 3000))

/** Replace this with a look-up in your database. Return the record's own ID, never the text of the URL. */
async function findWebhook(name = ''): Promise<{ id: string; secret: string } | undefined> {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env['WEBHOOK_SECRET'] ?? '' } : undefined
}
