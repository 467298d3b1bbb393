import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, sign, verify } from '../../../src/index.js'
import { NOW, TestClock } from '../../../test/support/request.js'
import { freePort } from '../../../test/support/servers.js'
import { type Answer, serve as serveOrigin } from '../resources.js'
import { call, capture, FROM_ENV } from './call.js'

/** A secret of 32 random bytes, because a weaker one adds a note to the output. */
const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

/** Starts a server, and returns the address of a webhook. */
const serve = async (answer: Answer) => `${(await serveOrigin(answer)).origin}/hooks/42?a=b`

/** Starts an endpoint that verifies. */
const endpoint = () =>
  serve(async ({ headers }, response, body) => {
    const result = await verify({ webhookId: '42', headers, body }, SECRET, new MemoryNonceStore(), new TestClock())
    response.writeHead(result.ok ? 204 : 401).end()
  })

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
    const url = await serve((_request, response) => {
      const headers = { Location: `/${SECRET}`, 'Set-Cookie': [`a=${SECRET}`], 'Content-Type': 'text/plain' }
      response.writeHead(302, `Found ${SECRET}`, headers).end(`the key is ${SECRET}`)
    })
    const { text, stderr } = await send(url, args)
    expect(text).toContain('the key is [secret]')
    expect(text + stderr).not.toContain(SECRET)
  })

  it('sends exactly these headers and bytes', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const { origin, received } = await serveOrigin()
    const own = ['X-Test: a', 'x-test:b', 'user-agent: me'].flatMap((header) => ['--header', header])
    await send(`${origin}/hooks/42?a=b`, own, bytes)
    expect(received).toMatchObject([{ url: '/hooks/42?a=b', body: Buffer.from(bytes) }])
    const headers = received[0]?.rawHeaders.join(' ') ?? ''
    expect(headers.replace(/(?<=X-Nonce )[0-9a-f-]{36}/, 'UUID').replace(/(?<=X-Signature )[0-9a-f]{64}/, 'HEX')).toBe(
      `Host ${new URL(origin).host} Content-Type application/octet-stream X-Timestamp 1700000000 X-Nonce UUID X-Signature HEX ` +
        'Content-Length 256 X-Test a x-test b user-agent me Connection close',
    )
  })

  it.each([
    [BODY, 'application/json'],
    [Buffer.from('"\xff"', 'latin1'), 'application/octet-stream'],
  ])('says what it is and what it sends: %j', async (body, type) => {
    const { origin, received } = await serveOrigin()
    await send(origin, [], body)
    const headers = { 'user-agent': 'inbound-webhook-tools', 'content-type': type }
    expect(received).toMatchObject([{ method: 'POST', headers }])
  })

  it.each([
    [401, 301, 'X-Timestamp is 301 s old, so a correct endpoint refuses the request. --resign signs it again.'],
    [401, 300, ''],
    [204, 301, ''],
  ])('says why a saved request gets %d after %d s: %j', async (status, age, note) => {
    const url = await serve((_, response) => response.writeHead(status).end())
    const stdin = capture(BODY, { secret: SECRET })
    const clock = new TestClock(NOW + age * 1000)
    const { said } = await call(['send', url, '--request', '-'], { stdin, clock })
    expect(said).toBe(note)
  })

  it('sends no saved request whose JSON was written again', async () => {
    const headers = { ...sign('{"a":1}', SECRET), 'Content-Length': '7' }
    const stdin = JSON.stringify({ headers, body: { a: 1 } })
    const { exitCode, said } = await call(['send', 'http://localhost/', '--request', '-'], { stdin })
    expect([exitCode, said]).toEqual([2, expect.stringContaining('does not hold the bytes that arrived')])
  })

  it('prints the response, safe for a terminal', async () => {
    const url = await serve((_, response) => response.writeHead(500, 'Oh\x80no').end('first\n\x1b[2Jsecond\n'))
    const { exitCode, text } = await send(url)
    expect(exitCode).toBe(1)
    expect(text).toBe(
      "Not accepted: 500 Oh\\u0080no\n\nfirst\n\\u001b[2Jsecond\nThe handler failed. See the endpoint's log for the error.\n",
    )
  })

  it.each([
    [401, "See the endpoint's log for the reason."],
    [307, 'Redirects are not followed. Location: /elsewhere'],
    [503, 'The endpoint did not decide,'],
    [404, ''],
  ])('exits with 1 for a response of %d', async (status, hint) => {
    const { origin, received } = await serveOrigin((_, response) =>
      response.writeHead(status, { Location: '/elsewhere' }).end(),
    )
    const { exitCode, text } = await send(origin)
    expect([exitCode, received.length]).toEqual([1, 1])
    expect(text).toContain(`Not accepted: ${status}`)
    expect(text).toContain(hint)
  })
})

describe('send prints why there is no response', () => {
  it('if nothing listens on the port', async () => {
    const port = await freePort()
    const { exitCode, text } = await send(`http://127.0.0.1:${port}/`)
    expect([exitCode, text]).toEqual([1, 'Not accepted: no response (connection refused)\n'])
    const document = JSON.parse((await send(`http://127.0.0.1:${port}/`, ['--json'])).text)
    expect(document).toMatchObject({ ok: false, status: 0, statusText: 'no response (connection refused)' })
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
    [[URL, '-', '--timeout', '0'], '--timeout is 0. Pass a number of seconds above 0, and up to 86400.'],
    [[URL, '-', '--header', 'X-A: b\nc'], 'The value of --header "X-A" has a newline or another character'],
    [[URL, '-', '--header', 'nonsense'], '--header "nonsense" is not a header. Pass --header \'Name: value\'.'],
  ])('%j prints what to do', async (args, message) => {
    const { exitCode, text, said } = await call(['send', ...args, ...FROM_ENV])
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
  })
})
