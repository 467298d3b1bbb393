import express from 'express'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = express()

// Not /hooks/:name, because Express logs a stack if it cannot decode a name such as %zz.
app.post(/^\/hooks\/(?<name>[\w-]+)$/, async (request, response) => {
  try {
    await handle(
      { request },
      () => findWebhook(request.params['name']),
      nonceStore,
      ({ webhookId, body }) => {
        console.log(webhookId, body.toString()) // your code
      },
    )
    return response.sendStatus(204)
  } catch (error) {
    return refuse(response, error)
  }
})
app.listen(Number(process.env['PORT'] ?? 3000))

/** Replace this with a look-up in your database. Return the record's own ID, never the text of the URL. */
async function findWebhook(name = ''): Promise<{ webhookId: string; secret: string[] } | undefined> {
  if (name.toLowerCase() !== 'billing') return undefined
  const { WEBHOOK_SECRET = '', OLD_WEBHOOK_SECRET } = process.env
  const old = OLD_WEBHOOK_SECRET === undefined ? [] : [OLD_WEBHOOK_SECRET]
  return { webhookId: '42', secret: [WEBHOOK_SECRET, ...old] }
}
