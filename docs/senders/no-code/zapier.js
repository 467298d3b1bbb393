const { createHmac, randomUUID } = require('crypto')

const { url, secret, ...event } = inputData
const body = JSON.stringify(event)
const timestamp = String(Math.floor(Date.now() / 1000))
const nonce = randomUUID()
const signature = createHmac('sha256', secret).update(`${timestamp}:${nonce}:${body}`).digest('hex')
const headers = {
  'Content-Type': 'application/json',
  'X-Timestamp': timestamp,
  'X-Nonce': nonce,
  'X-Signature': signature,
}
const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
if (!response.ok) throw new Error(`The webhook answered ${response.status}.`)
return { status: response.status }
