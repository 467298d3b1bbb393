import express, { type NextFunction, type Request, type Response } from 'express'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = express()

app.post('/hooks/:name', async (request: Request<{ name: string }>, response: Response) => {
  const answer = (status: number) => {
    if (!request.complete) response.set('Connection', 'close') // The rest of the body is not read.
    response.sendStatus(status)
  }
  try {
    const webhook = await findWebhook(request.params.name)
    if (webhook === undefined) return answer(404)
    const body = await readBody(request)
    await verifyOrThrow({ webhookId: webhook.id, headers: request.headers, body }, webhook.secret, nonceStore)

    console.log(webhook.id, body.toString()) // Replace this with your code.
    answer(204)
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    answer(statusOf(error))
  }
})
// Express calls it if a name cannot be decoded, such as /hooks/%zz.
app.use((error: unknown, _: Request, response: Response, next: NextFunction) =>
  error instanceof URIError ? response.sendStatus(400) : next(error),
)
app.listen(Number(process.env['PORT'] ?? 3000))
/** Replace this with a look-up in your database. Return the record's own ID, never the text of the URL. */
async function findWebhook(name: string): Promise<{ id: string; secret: string } | undefined> {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env['WEBHOOK_SECRET'] ?? '' } : undefined
}
