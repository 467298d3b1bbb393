import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as requestHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { EndpointContractOptions } from '../../../src/testing/index.js'
import type { Answered, Receiver } from './receiver.js'

// Serves receivers over real sockets, and posts to them.

/** A server of receivers. Each has a path of its own. */
export class ReceiverServer {
  readonly #receivers = new Map<string, Pick<Receiver, 'answer'>>()
  // A connection that closes just when a contract uses it again would lose the request.
  readonly #server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { status, text = '' } = await this.#answer(request, Buffer.concat(chunks))
    response.writeHead(status).end(text)
  })

  async #answer(request: IncomingMessage, sent: Buffer): Promise<Answered> {
    try {
      return (await this.#receivers.get(String(request.url))?.answer(request, sent)) ?? { status: 404 }
    } catch {
      return { status: 500 }
    }
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Serves a receiver, and returns its URL. */
  add(receiver: Pick<Receiver, 'answer'>): string {
    const path = `/hooks/${this.#receivers.size}`
    this.#receivers.set(path, receiver)
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }
}

/** Returns the `post` of a contract that calls a receiver without a network, so that a test can simulate the time. */
export function postDirectly(receiver: Pick<Receiver, 'answer'>): EndpointContractOptions['post'] {
  return async (headers, body) => {
    const headersDistinct: { [name: string]: string[] } = {}
    // A server removes the spaces around a value.
    for (const [name, value] of headers) {
      const values = headersDistinct[name.toLowerCase()] ?? []
      headersDistinct[name.toLowerCase()] = [...values, value.replace(/^[ \t]+|[ \t]+$/g, '')]
    }
    const first = Object.entries(headersDistinct).map(([name, values]) => [name, values[0]])
    const request = { headersDistinct, headers: Object.fromEntries(first), rawHeaders: headers.flat() }
    return receiver.answer(request as unknown as IncomingMessage, Buffer.from(body)).catch(() => ({ status: 500 }))
  }
}

const AGENT = new Agent({ keepAlive: true })

/** Returns the `post` of a contract that sends the headers as they are. */
export function postTo(url: string): EndpointContractOptions['post'] {
  return (headers, body) =>
    new Promise((resolve, reject) => {
      const length: [string, string] = ['Content-Length', String(body.length)]
      requestHttp(url, { method: 'POST', headers: [...headers, length, ['Host', 'localhost']].flat(), agent: AGENT })
        .on('response', async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          const { statusCode = 0, statusMessage: statusText = '', headers } = response
          resolve({ statusCode, statusText, headers, text })
        })
        .on('error', reject)
        .end(body)
    })
}

/** Starts the receiver in Python. */
export async function startPython(secret: string) {
  const program = fileURLToPath(new URL('receiver.py', import.meta.url))
  const env = { ...process.env, WEBHOOK_SECRET: secret }
  const child = spawn('python3', [program], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  // The receiver ends with its input.
  return { origin: `http://127.0.0.1:${String(port).trim()}`, stop: () => child.stdin.end() }
}
