// A server that reads the body and answers 204, with verification ('verify') or without. It prints its port when it listens.
import { createServer } from 'node:http'
import { MemoryNonceStore, verify } from '../../dist/index.js'

const [secret, mode] = process.argv.slice(2)
if (secret === undefined) throw new Error('usage: server.js SECRET verify|none')

const nonceStore = new MemoryNonceStore({ maxEntries: 8_000_000 })

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const isAccepted =
    mode === 'none' || (await verify({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)).ok
  response.writeHead(isAccepted ? 204 : 401).end()
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address !== null ? address.port : address)
})
