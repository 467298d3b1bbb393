// # Send from Node

// node send.mjs URL FILE, with the secret in WEBHOOK_SECRET.
import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const [url, file] = process.argv.slice(2)
const { WEBHOOK_SECRET: secret } = process.env
if (!url || !file || !secret) throw new Error('usage: node send.mjs URL FILE, with WEBHOOK_SECRET set')
const body = readFileSync(file)

/** @param {string} secret */
function signedHeaders(secret) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  const signature = createHmac('sha256', secret).update(`${timestamp}:${nonce}:`).update(body).digest('hex')
  return { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
}

for (const wait of [0, 1, 2, 4]) {
  await sleep(wait * 1000 * (1 + Math.random() / 2)) // up to 50 % longer, so that senders do not retry together
  try {
    const headers = { 'Content-Type': 'application/json', ...signedHeaders(secret) } // new for each attempt
    const signal = AbortSignal.timeout(10_000)
    const { status } = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    console.error(`response ${status}`)
    if (status !== 429 && status < 500) process.exit(status >= 200 && status < 300 ? 0 : 1)
  } catch (error) {
    console.error('no response', error)
  }
}
process.exit(1)
