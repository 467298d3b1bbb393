import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, verify } from '../../../src/index.js'
import { TestClock } from '../../../test/support/request.js'
import { call, FROM_ENV } from './call.js'

/** A secret of 32 random bytes, because a weaker one adds a note to the output. */
const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

const servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

type Handler = (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown

async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Starts a server that reads each request and responds with `handler`. */
async function serve(handler: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    await handler(request, Buffer.concat(chunks), response)
    response.end()
  })
  return `http://127.0.0.1:${await listening(server)}/hooks/42?a=b`
}

/** Starts an endpoint that verifies, with the given weaknesses. */
async function endpoint({
  nonceStore = new MemoryNonceStore() as NonceStore,
  clock = new TestClock(),
  secret = SECRET,
  rejection = 401,
  refuses = (_request: IncomingMessage): boolean => false,
} = {}): Promise<string> {
  return serve(async (request, body, response) => {
    const result = await verify({ webhookId: '42', headers: request.headers, body }, secret, nonceStore, clock)
    response.statusCode = result.ok && !refuses(request) ? 204 : rejection
  })
}

const BODY = '{"event":"paid","amount":100}'

function send(url: string, args: readonly string[] = [], stdin: string | Uint8Array = BODY, clock = new TestClock()) {
  return call(['send', url, '-', ...FROM_ENV, ...args], { stdin, clock, env: { WEBHOOK_SECRET: SECRET } })
}

describe('send', () => {
  it('signs and sends a body, and prints that it was accepted', async () => {
    const { exitCode, text, stderr } = await send(await endpoint())
    expect([exitCode, stderr, text]).toEqual([0, '', 'Accepted: 204 No Content\n'])
  })

  it.each([[[]], [['--json']]])('masks the secret if the endpoint answers with it: %j', async (args) => {
    const url = await serve((_request, _body, response) => {
      const headers = { Location: `/${SECRET}`, 'Set-Cookie': [`a=${SECRET}`], 'Content-Type': 'text/plain' }
      response.writeHead(302, `Found ${SECRET}`, headers).write(`the key is ${SECRET}`)
    })
    const { text, stderr } = await send(url, args)
    expect(text).toContain('the key is [secret]')
    expect(text + stderr).not.toContain(SECRET)
  })

  it('sends exactly these headers and bytes', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    let got: { raw: string[]; url: string | undefined; body: Buffer } | undefined
    const url = await serve((request, body) => {
      got = { raw: request.rawHeaders, url: request.url, body }
    })
    await send(url, ['--header', 'X-Test: a', '--header', 'x-test:b', '--header', 'user-agent: me'], bytes)
    expect(got?.url).toBe('/hooks/42?a=b')
    expect(got?.body.equals(bytes)).toBe(true)
    const pairs = Array.from({ length: (got?.raw.length ?? 0) / 2 }, (_, index) =>
      got?.raw.slice(2 * index, 2 * index + 2),
    )
    expect(pairs).toEqual([
      ['Host', new URL(url).host],
      ['Content-Type', 'application/octet-stream'],
      ['X-Timestamp', '1700000000'],
      ['X-Nonce', expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ['X-Signature', expect.stringMatching(/^[0-9a-f]{64}$/)],
      ['Content-Length', '256'],
      ['X-Test', 'a'],
      ['x-test', 'b'],
      ['user-agent', 'me'],
      ['Connection', 'close'],
    ])
  })

  it('prints the response, safe for a terminal', async () => {
    const url = await serve((_request, _body, response) => {
      response.writeHead(500, 'Oh\x80no')
      response.write('first\n\x1b[2Jsecond\n')
    })
    const { exitCode, text } = await send(url)
    expect(exitCode).toBe(1)
    expect(text).toBe(
      "Not accepted: 500 Oh\\u0080no\n\nfirst\n\\u001b[2Jsecond\nThe handler failed. The endpoint's log has the error.\n",
    )
  })

  it.each([
    [401, "The endpoint's log has the reason."],
    [307, 'Redirects are not followed. Location: /elsewhere'],
    [503, 'The endpoint did not decide,'],
    [404, ''],
  ])('exits with 1 for a response of %d', async (status, hint) => {
    let requests = 0
    const url = await serve((_request, _body, response) => {
      requests++
      response.writeHead(status, { Location: '/elsewhere' })
    })
    const { exitCode, text } = await send(url)
    expect([exitCode, requests]).toEqual([1, 1])
    expect(text).toContain(`Not accepted: ${status}`)
    expect(text).toContain(hint)
  })

  it('prints a note about an empty body', async () => {
    expect(await send(await endpoint(), [], '')).toMatchObject({ exitCode: 0, stderr: 'The body is empty.\n' })
  })
})

describe('send prints why there is no response', () => {
  it('if nothing listens on the port', async () => {
    const server = createServer()
    const port = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    servers.pop()
    const { exitCode, text } = await send(`http://127.0.0.1:${port}/`)
    expect([exitCode, text]).toEqual([1, 'Not accepted: no response (connection refused)\n'])
    const document = JSON.parse((await send(`http://127.0.0.1:${port}/`, ['--json'])).text)
    expect(document).toMatchObject({ ok: false, status: 0, statusText: 'no response (connection refused)' })
  })

  it('if the timeout ends first', async () => {
    const server = createServer(() => {})
    const { exitCode, text } = await send(`http://127.0.0.1:${await listening(server)}/`, ['--timeout', '0.1'])
    server.closeAllConnections()
    expect([exitCode, text]).toEqual([1, 'Not accepted: no response (none within 0.1 s)\n'])
  })

  it('if the server closes the connection', async () => {
    const server = createServer((request) => request.socket.destroy())
    const { exitCode, text } = await send(`http://127.0.0.1:${await listening(server)}/`)
    expect([exitCode, text]).toEqual([
      1,
      expect.stringMatching(/no response \((connection reset by peer|ECONNRESET)\)/),
    ])
  })

  it('if the server does not use TLS', async () => {
    const { exitCode, text } = await send((await endpoint()).replace('http:', 'https:'))
    expect([exitCode, text]).toEqual([1, expect.stringContaining('try http instead of https')])
  })
})

describe('a wrong call', () => {
  const URL = 'http://localhost/'
  it.each([
    [[], 'Missing URL. Pass a URL such as'],
    [['localhost'], 'URL "localhost" is not an http or https URL.'],
    [['file:///etc/passwd'], 'URL is not an http or https URL.'],
    [['http://user@localhost/'], 'without a user name'],
    [['http://:password@localhost/'], 'without a user name'],
    [[URL, '-', '--timeout', 'long'], '--timeout "long" is not a number.'],
    [[URL, '-', '--replay'], 'Unknown option "--replay".'],
    [[URL, '-', '--header', 'nonsense'], '--header "nonsense" is not a header. Pass --header \'Name: value\'.'],
    [[URL, 'none.json'], 'Cannot read the body "none.json": no such file'],
  ])('%j prints what to do', async (args, message) => {
    const { exitCode, text, said } = await call(['send', ...args, ...FROM_ENV])
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
  })
})
