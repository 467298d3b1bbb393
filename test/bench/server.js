// A server that reads the body and answers 204: bare node:http ('bare'), or with readBody and verify ('verify'). It prints its port
// when it listens.
import { createServer } from 'node:http'
import { MemoryNonceStore, readBody, verify } from '../../dist/index.js'

const [secret, mode] = process.argv.slice(2)
if (secret === undefined) throw new Error('usage: server.js SECRET bare|verify')

const nonceStore = new MemoryNonceStore({ maxEntries: 8_000_000 })

/** @type {import('node:http').RequestListener} */
function bare(request, response) {
  /** @type {Buffer[]} */
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => response.writeHead(Buffer.concat(chunks).length > 0 ? 204 : 400).end())
}

/** @type {import('node:http').RequestListener} */
async function verified(request, response) {
  const body = await readBody(request)
  const result = await verify({ webhookId: 'billing', headers: request.headers, body }, secret ?? '', nonceStore)
  response.writeHead(result.ok ? 204 : 401).end()
}

const server = createServer(mode === 'bare' ? bare : verified)

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address !== null ? address.port : address)
})
