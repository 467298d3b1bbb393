// Starts a webhook server, and sends it genuine requests and attacks over real HTTP.
// With --serve, the server keeps running, so that you can send requests.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { generateSecret, MemoryNonceStore, sign } from 'inbound-webhook-auth'
import { createWebhookServer } from './server.js'

const nonceStore = new MemoryNonceStore()
const billing = { id: 'billing', secret: generateSecret(), nonceStore }
const shipping = { id: 'shipping', secret: generateSecret(), nonceStore }
const tiny = { id: 'tiny', secret: generateSecret(), nonceStore: new MemoryNonceStore({ maxEntries: 1 }) }
tiny.nonceStore.reserve(tiny.id, 'the one that fits', 600)
const webhooks = new Map([billing, shipping, tiny].map((webhook) => [webhook.id, webhook]))

/** @type {string[]} */
const heard = []
const server = createWebhookServer(webhooks, (status, why) => {
  heard.push(why)
  if (process.argv.includes('--serve')) console.log(`${new Date().toISOString()}  ${status}  ${why}`)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
const origin = `http://127.0.0.1:${port}`

if (process.argv.includes('--serve')) serve()
else await play()

function serve() {
  const body = '{"event":"invoice.paid"}'
  const headers = Object.entries(sign(body, billing.secret)).map(([name, value]) => `-H '${name}: ${value}'`)
  console.log(`Listening on ${origin}. Paste this into a shell within 5 minutes. Press Ctrl+C here to stop.

curl -i ${origin}/hooks/billing ${headers.join(' ')} --data-binary '${body}'

It answers 204. Paste it again, and it answers 401: the nonce is used up.
`)
}

/**
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {string} body
 */
async function send(path, headers, body) {
  const response = await fetch(`${origin}/hooks/${path}`, { method: 'POST', headers, body })
  return response.status
}

async function play() {
  const body = '{"event":"invoice.paid","amount":100}'
  const nonce = randomUUID()
  const genuine = sign(body, billing.secret, { nonce })
  const old = Math.floor(Date.now() / 1000) - 301
  const { 'X-Signature': _, ...unsigned } = sign(body, billing.secret)
  const copy = sign(body, billing.secret)
  // The message is timestamp:nonce:body, so the nonce can take the body's beginning up to its first colon.
  const cut = body.indexOf(':')
  const resplit = { ...genuine, 'X-Nonce': `${nonce}:${body.slice(0, cut)}` }

  /** @type {[sent: string, expected: string, why: string, () => Promise<number> | Promise<number[]>][]} */
  const scenes = [
    ['a genuine request', '204', 'accepted', () => send('billing', genuine, body)],
    ['the same again', '401', 'replayed_nonce', () => send('billing', genuine, body)],
    ['the same, the URL in capitals', '401', 'replayed_nonce', () => send('BILLING', genuine, body)],
    [
      'one byte changed',
      '401',
      'signature_mismatch',
      () => send('billing', sign(body, billing.secret), body.replace('1', '9')),
    ],
    [
      'signed with another secret',
      '401',
      'signature_mismatch',
      () => send('billing', sign(body, shipping.secret), body),
    ],
    [
      'signed 301 s ago',
      '401',
      'timestamp_outside_window',
      () => send('billing', sign(body, billing.secret, { timestamp: old }), body),
    ],
    [
      'a nonce with a space',
      '401',
      'invalid_nonce',
      () => send('billing', { ...sign(body, billing.secret), 'X-Nonce': 'a nonce' }, body),
    ],
    ['no signature', '401', 'missing_header', () => send('billing', unsigned, body)],
    [
      'the genuine one, split differently',
      '401',
      'replayed_nonce',
      () => send('billing', resplit, body.slice(cut + 1)),
    ],
    [
      'its nonce on another webhook',
      '204',
      'accepted',
      () => send('shipping', sign(body, shipping.secret, { nonce }), body),
    ],
    [
      '100 copies at once',
      '1 × 204, 99 × 401',
      '1 × accepted, 99 × replayed_nonce',
      () => Promise.all(Array.from({ length: 100 }, () => send('billing', copy, body))),
    ],
    [
      'a body over the limit',
      '413',
      'ERR_BODY_TOO_LARGE',
      () => send('billing', sign('', billing.secret), 'x'.repeat(100_001)),
    ],
    [
      'a webhook whose nonce store is full',
      '503',
      'ERR_NONCE_STORE',
      () => send('tiny', sign(body, tiny.secret), body),
    ],
  ]

  const rows = [['sent', 'came back', 'why', '']]
  for (const [sent, expected, expectedWhy, act] of scenes) {
    heard.length = 0
    const came = tally([await act()].flat())
    const why = tally(heard)
    const right = came === expected && why === expectedWhy
    if (!right) process.exitCode = 1
    rows.push([sent, came, why, right ? 'as expected' : `EXPECTED ${expected}, ${expectedWhy}`])
  }
  server.close()

  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
  console.log(
    process.exitCode
      ? '\nSome answers are not the expected ones.'
      : `\nAll ${scenes.length} answers are the expected ones.`,
  )
}

/**
 * `204` for one, `1 × 204, 99 × 401` for several.
 *
 * @param {(string | number)[]} results
 */
function tally(results) {
  if (results.length === 1) return String(results[0])
  const counts = new Map()
  for (const result of [...results].sort()) counts.set(result, (counts.get(result) ?? 0) + 1)
  return [...counts].map(([result, count]) => `${count} × ${result}`).join(', ')
}
