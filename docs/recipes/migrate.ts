import { createHmac, timingSafeEqual } from 'node:crypto'
import express, { type Request } from 'express'
import { MemoryNonceStore, readBody, receive, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, OLD_SECRET: oldSecret, PORT = '3000' } = process.env
if (!secret || !oldSecret) throw new Error('WEBHOOK_SECRET or OLD_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = express()
app.post('/hooks/billing', async (request, response) => {
  try {
    const isNew = request.headers['x-nonce'] !== undefined
    const received = isNew && (await receive({ webhookId: 'billing', request }, secret, nonceStore))
    const body = received ? received.body : await receiveOld(request, oldSecret)
    if (body === undefined) return response.sendStatus(401)
    console.log(isNew ? 'new format:' : 'old format:', body.toString()) // your code
    return response.sendStatus(204)
  } catch (error) {
    return refuse(response, error)
  }
})
app.listen(Number(PORT))

/** Returns the body if its old signature is right. A captured request passes again for 300 s, so delete this function soon. */
async function receiveOld(request: Request, key: string): Promise<Buffer | undefined> {
  const body = await readBody(request)
  const [, t = '', v1 = ''] = /^t=(\d+), ?v1=([\da-f]{64})$/.exec(request.get('Signature') ?? '') ?? []
  const expected = createHmac('sha256', key).update(`${t}.`).update(body).digest('hex')
  const isRight = v1 !== '' && timingSafeEqual(Buffer.from(v1), Buffer.from(expected))
  return isRight && Math.abs(Date.now() / 1000 - Number(t)) <= 300 ? body : undefined
}
