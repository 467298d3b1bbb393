// A server that reads the body, verifies it in one of the ways below, and answers 204. The parent process gets its port in a message,
// and the processor time that it has used for each message.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { requirePackage } from '../test/nightly/packages/packages.js'

const [secret = '', way = ''] = process.argv.slice(2)

/**
 * Collects the body as most servers do, and answers 204 if `isGenuine` returns `true`.
 *
 * @param {(body: Buffer, headers: Record<string, string>) => boolean} isGenuine
 * @returns {import('node:http').RequestListener}
 */
function collecting(isGenuine) {
  return (request, response) => {
    /** @type {Buffer[]} */
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const headers = /** @type {Record<string, string>} */ (request.headers)
      response.writeHead(isGenuine(Buffer.concat(chunks), headers) ? 204 : 401).end()
    })
  }
}

/**
 * The listeners. Each loads only its own library, because the code of another one would make each garbage collection longer.
 *
 * @type {Readonly<Record<string, () => import('node:http').RequestListener | Promise<import('node:http').RequestListener>>>}
 */
const WAYS = {
  reading: () => collecting((body) => body.length > 0),
  hmac: () =>
    collecting((body, headers) => {
      const hmac = createHmac('sha256', secret).update(`${headers['x-timestamp']}:${headers['x-nonce']}:`).update(body)
      return timingSafeEqual(hmac.digest(), Buffer.from(headers['x-signature'] ?? '', 'hex'))
    }),
  receive: async () => {
    const { MemoryNonceStore, receive, refuse } = await import('../dist/index.js')
    const nonceStore = new MemoryNonceStore()
    return async (request, response) => {
      try {
        await receive({ webhookId: 'billing', request }, secret, nonceStore)
        response.writeHead(204).end()
      } catch (error) {
        refuse(response, error)
      }
    }
  },
  handle: async () => {
    const { handle, MemoryNonceStore, refuse } = await import('../dist/index.js')
    const nonceStore = new MemoryNonceStore()
    return async (request, response) => {
      try {
        await handle({ webhookId: 'billing', request }, secret, nonceStore, async () => {})
        response.writeHead(204).end()
      } catch (error) {
        refuse(response, error)
      }
    }
  },
  stripe: () => {
    const Stripe = requirePackage('stripe')
    const { signature } = new Stripe('not a key').webhooks
    return collecting((body, headers) => signature.verifyHeader(body, headers['stripe-signature'], secret, 300))
  },
  standardwebhooks: () => {
    const { Webhook } = requirePackage('standardwebhooks')
    const webhook = new Webhook(Buffer.from(secret).toString('base64'))
    return collecting((body, headers) => {
      webhook.verify(body, headers, { jsonParse: false })
      return true
    })
  },
}

const server = createServer(await WAYS[way]?.())
server.listen(0, '127.0.0.1', () => process.send?.(Object(server.address()).port))
process.on('message', () => process.send?.(process.cpuUsage()))
