// A project in JavaScript, with ES modules.
import { generateSecret, MemoryNonceStore, NonceStoreError, sign, verify } from 'inbound-webhook-auth'

const secret = generateSecret()
const request = { webhookId: '42', headers: sign('a body', secret), body: 'a body' }
const nonceStore = new MemoryNonceStore({ maxEntries: 1 })

/** @param {import('inbound-webhook-auth').WebhookRequest} received */
async function receive(received) {
  const result = await verify(received, secret, nonceStore)
  return result.ok || result.reason
}

async function main() {
  const results = [await receive(request), await receive(request), await receive({ ...request, body: 'another' })]
  const full = await receive({ ...request, headers: sign('a body', secret) }).catch((error) => error)
  const parsed = await receive({ ...request, body: JSON.parse('{"a":1}') }).catch((error) => error)
  console.log(...results, full instanceof NonceStoreError, full.code, full.cause.code, parsed.code)
}

main()
