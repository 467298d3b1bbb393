// # Receive with Express
//
// For Express 5 and Express 4:
//
// - Define this route before `app.use(express.json())`, which would read the body first.
// - Keep the `try`. Without it, one refused request ends the process in Express 4, and Express 5 logs a stack for each rejection.

import express from 'express'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request
const app = express()

app.post('/hooks/billing', async (request, response) => {
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    response.sendStatus(204)
  } catch (error) {
    refuse(response, error)
  }
})
app.listen(Number(PORT))
