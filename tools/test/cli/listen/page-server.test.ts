import { once } from 'node:events'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MemoryNonceStore, verify } from '../../../../src/index.js'
import * as standard from '../../../../src/standard-webhooks/index.js'
import { eventually } from '../../../../test/support/servers.js'
import { PUBLIC_KEY } from '../../../../test/support/standard-webhooks.js'
import { PageServer, type PageSettings } from '../../../src/cli/listen/page-server.js'
import { serve } from '../../resources.js'
import { BODY, RECEIVED, REPORT, SECRET } from './examples.js'

const HTML = `<!doctype html><html lang="en"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; connect-src 'none'">`

/** Its event has about 1 KB. */
const LONG_REPORT = {
  ...REPORT,
  method: 'a'.repeat(300),
  path: 'a'.repeat(300),
  detail: 'a'.repeat(300),
  differences: ['a'.repeat(300)],
}

async function start(settings: Partial<PageSettings> = {}) {
  const usual = { html: HTML, endpoint: undefined, secrets: [SECRET], language: undefined, clock: Date }
  const page = new PageServer({ ...usual, ...settings })
  onTestFinished(() => page.end())
  const url = await page.start('http://127.0.0.1:4000')
  return { page, url, origin: new URL(url).origin, host: new URL(url).host, token: new URL(url).pathname.slice(1, -1) }
}

/** Sends a request with exactly these headers, and returns the response before its body. */
async function request(url: string, headers: Record<string, string> = {}, method = 'GET', body = '') {
  const [response] = await once(sendRequest(url, { method, headers, agent: false }).end(body), 'response')
  return response as IncomingMessage
}

async function ask(...given: Parameters<typeof request>) {
  const response = await request(...given)
  const text = (await response.setEncoding('utf8').toArray()).join('')
  return { status: response.statusCode, headers: response.headers, text }
}

const act = (url: string, action: string, headers: Record<string, string> = {}) =>
  ask(`${url}${action}`, { Origin: new URL(url).origin, 'Content-Type': 'application/json', ...headers }, 'POST', '{}')

interface Event {
  name: string
  data: { id: number; requests: { id: number }[] }
}

/** Opens the events, and collects what arrives. */
async function openEvents(url: string) {
  const response = await request(`${url}events`)
  let text = ''
  response.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  response.on('error', () => {})
  const closed = once(response, 'close')
  const events = () =>
    [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(
      ([, name = '', data = '']): Event => ({ name, data: JSON.parse(data) }),
    )
  const waitFor = (count: number) =>
    eventually(() => {
      if (events().length < count) throw new Error(`${events().length} events of ${count}`)
      return events()
    })
  return { response, closed, text: () => text, events, waitFor }
}

describe('the page', () => {
  it('is on 127.0.0.1, below a token of 128 bits that differs each time', async () => {
    const [one, other] = [await start(), await start()]
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/)
    expect(Buffer.from(one.token, 'base64url')).toHaveLength(16)
    expect(other.token).not.toBe(one.token)
    const socket = connect(Number(one.host.split(':')[1]), '::1')
    await expect(once(socket, 'connect')).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL|EAFNOSUPPORT|ENETUNREACH/)
  })

  it('may connect to its own server only, and no other page may show or keep it', async () => {
    const { url } = await start()
    const { status, headers, text } = await ask(url)
    expect(status).toBe(200)
    expect(text).toMatch(/<html data-live data-findings="https:\/\/[^"]+findings[^"]+" lang="en">/)
    expect(text).toContain("connect-src 'self'")
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('an empty 404 is the response', () => {
  const paths = ['', 'events', 'requests/1']

  it.each<[string, (url: URL) => string]>([
    ['no token', (url) => `${url.origin}/`],
    ['a token of another length', (url) => `${url.href.slice(0, -2)}/`],
    ['a token with one other character', ({ href }) => href.replace(/.\/$/, (last) => (last === 'A/' ? 'Q/' : 'A/'))],
    ['the token at a deeper place', (url) => `${url.origin}/a${url.pathname}`],
  ])('to %s', async (_, change) => {
    const { page, url, token } = await start()
    page.add(REPORT, RECEIVED)
    for (const path of paths) {
      const { status, text, headers } = await ask(`${change(new URL(url))}${path}`)
      expect([status, text]).toEqual([404, ''])
      expect(JSON.stringify(headers)).not.toContain(token)
    }
  })

  it.each<[string, (host: string) => Record<string, string>]>([
    ['another host', () => ({ Host: 'evil.example' })],
    ['another host with the port', (host) => ({ Host: `evil.example:${host.split(':')[1]}` })],
    ['another port', () => ({ Host: '127.0.0.1:1' })],
    ['no port', () => ({ Host: '127.0.0.1' })],
    ['another origin', () => ({ Origin: 'http://evil.example' })],
    ['an origin with another port', () => ({ Origin: 'http://127.0.0.1:1' })],
    ['the origin of a file or a frame', () => ({ Origin: 'null' })],
    ['a script of another site', () => ({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' })],
  ])('to %s, with the right token', async (_, headersFor) => {
    const { page, url, host } = await start()
    page.add(REPORT, RECEIVED)
    for (const path of paths) {
      const { status, text } = await ask(`${url}${path}`, headersFor(host))
      expect([status, text]).toEqual([404, ''])
    }
    expect((await act(url, 'requests/1/sign-and-send', headersFor(host))).status).toBe(404)
  })

  it.each<[string, Record<string, string>]>([
    ['no origin', { Origin: '' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['text, which a page may send without asking', { 'Content-Type': 'text/plain' }],
  ])('to an action of %s', async (_, headers) => {
    const { page, url } = await start({ endpoint: new URL('http://127.0.0.1:1/') })
    page.add(REPORT, RECEIVED)
    expect(await act(url, 'requests/1/sign-and-send', headers)).toMatchObject({ status: 404, text: '' })
    expect((await act(url, 'requests/1/sign-and-send')).status).toBe(200)
  })

  it.each([
    ['GET', 'requests/2'],
    ['GET', 'requests/1/sign-and-send/a'],
    ['POST', 'requests/2/sign-and-send'],
    ['GET', 'requests/1/sign-and-send'],
    ['GET', 'package.json'],
    ['POST', ''],
    ['POST', 'requests/1'],
    ['POST', 'requests/1/unknown'],
    ['OPTIONS', ''],
  ])('to %s %s', async (method, path) => {
    const endpoint = await serve((_, response) => response.end())
    const { page, url, origin } = await start({ endpoint: new URL(endpoint.origin) })
    page.add(REPORT, RECEIVED)
    const headers = { Origin: origin, 'Content-Type': 'application/json' }
    expect(await ask(`${url}${path}`, headers, method)).toMatchObject({ status: 404, text: '' })
    expect(endpoint.received).toEqual([])
  })
})

it('a connection without HTTP is closed without a response', async () => {
  const { host } = await start()
  const socket = connect(Number(host.split(':')[1]), '127.0.0.1')
  socket.write('no HTTP\r\n\r\n')
  expect(await socket.setEncoding('utf8').toArray()).toEqual([])
})

describe('the events', () => {
  it('begin with all requests that are kept, also after a reconnect, and then have each new one', async () => {
    const { page, url } = await start({ language: 'php', endpoint: new URL('http://127.0.0.1:3000/hooks/42') })
    page.add(REPORT, RECEIVED)
    page.add(REPORT, undefined)
    const first = await openEvents(url)
    await first.waitFor(1)
    page.add(REPORT, RECEIVED)
    const events = await first.waitFor(2)
    expect(first.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    expect(events[0]).toMatchObject({
      name: 'hello',
      data: { listening: 'http://127.0.0.1:4000', endpoint: 'http://127.0.0.1:3000/hooks/42', language: 'php' },
    })
    expect(events[0]?.data.requests.map(({ id }) => id)).toEqual([1, 2])
    expect([events[1]?.name, events[1]?.data.id]).toEqual(['request', 3])

    const again = await openEvents(url)
    expect((await again.waitFor(1))[0]?.data.requests.map(({ id }) => id)).toEqual([1, 2, 3])
  })

  it('say that the listener has ended, and close', async () => {
    const { page, url } = await start()
    const { waitFor, closed, events } = await openEvents(url)
    await waitFor(1)
    await page.end()
    await closed
    expect(events().at(-1)?.name).toBe('end')
    await expect(ask(url)).rejects.toThrow(/ECONNRE(FUSED|SET)/)
  })

  it('go to at most 20 pages, and to a new one when another is closed', async () => {
    const { url } = await start()
    const opened = await Promise.all(Array.from({ length: 20 }, () => openEvents(url)))
    expect((await ask(`${url}events`)).status).toBe(503)
    opened[0]?.response.destroy()
    await eventually(async () => {
      const { response } = await openEvents(url)
      if (response.statusCode !== 200) throw new Error('still full')
    })
  })

  it('do not wait for a page that does not read: it is disconnected', async () => {
    // Without secrets, nothing is masked, which takes most of the time.
    const { page, url, host, token } = await start({ secrets: [] })
    const stalled = connect(Number(host.split(':')[1]), '127.0.0.1').on('error', () => {})
    stalled.write(`GET /${token}/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await once(stalled, 'readable')
    const reader = await openEvents(url)
    for (let index = 0; index < 12_000; index++) {
      page.add(LONG_REPORT, undefined)
      // Often enough that the page that reads is never far behind.
      if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    // The page that reads gets everything, and the other one gets the end of its connection.
    await eventually(() => {
      if (!reader.text().includes('"id":12000,')) throw new Error('still unread')
    })
    await once(stalled.resume(), 'close')
    // It got what the buffers of the system hold.
    expect(stalled.bytesRead).toBeLessThan(2 ** 23)
  }, 60_000)
})

describe('an action', () => {
  it('signs with the secret that matched, sends the same bytes, and returns the beginning of the response', async () => {
    const { origin, received } = await serve((_, response) => {
      response.writeHead(403, 'No', { 'X-Answer': 'yes' }).end(`<script>${SECRET}</script>${'a'.repeat(20_000)}`)
    })
    const { page, url } = await start({ endpoint: new URL(origin), secrets: ['another secret', SECRET] })
    page.add(REPORT, RECEIVED)
    const { text, headers: sent } = await act(url, 'requests/1/sign-and-send')
    expect(sent['content-type']).toBe('application/json')
    const answer = JSON.parse(text)
    const type = { 'content-type': 'application/json' }
    expect(received).toMatchObject([{ url: '/hooks/42', body: Buffer.from(BODY), headers: type }])
    const { headers = {} } = received[0] ?? {}
    const store = new MemoryNonceStore()
    expect(await verify({ webhookId: '42', headers, body: BODY }, SECRET, store)).toMatchObject({ ok: true })
    expect(answer).toMatchObject({ status: 403, statusText: 'No' })
    expect(answer.headers).toContainEqual(['X-Answer', 'yes'])
    expect(answer.body).toHaveLength(16_384 - SECRET.length + '[secret]'.length)
    expect(answer.body.startsWith('<script>[secret]</script>aaa')).toBe(true)
  })

  it.each([
    ['svix', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    // The last character has stray bits, so only a lenient decoder accepts this secret.
    ['webhook', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAB=='],
  ])('signs a request of Standard Webhooks by its own scheme, with the headers %s-…', async (names, secret) => {
    const { origin, received } = await serve((_, response) => response.end())
    const { page, url } = await start({ endpoint: new URL(origin), secrets: [secret] })
    const headers = ['id', 'timestamp', 'signature'].map((name) => [`${names}-${name}`, 'old'] as const)
    page.add(REPORT, { ...RECEIVED, headers: [['Host', 'example.com'], ...headers], secret })
    expect(JSON.parse((await act(url, 'requests/1/sign-and-send')).text)).toMatchObject({ status: 200 })
    const sent = received[0]?.headers ?? {}
    expect(Object.keys(sent).filter((name) => /-(id|timestamp|signature)$/.test(name))).toEqual(
      headers.map(([name]) => name),
    )
    const key = Buffer.from(secret.slice(6), 'base64')
    const request = { webhookId: '42', headers: sent, body: BODY }
    expect(await standard.verify(request, key, new MemoryNonceStore())).toMatchObject({ ok: true })
  })

  it('sends nothing with a public key, which cannot sign, and says so', async () => {
    const { origin, received } = await serve((_, response) => response.end())
    const { page, url } = await start({ endpoint: new URL(origin), secrets: [PUBLIC_KEY] })
    page.add(REPORT, { ...RECEIVED, headers: [['webhook-signature', 'v1a,']], secret: PUBLIC_KEY })
    expect(JSON.parse((await act(url, 'requests/1/sign-and-send')).text)).toMatchObject({
      status: 0,
      statusText: expect.stringContaining('nothing was sent. Secret is a public key, which cannot sign.'),
    })
    expect(received).toEqual([])
  })
})
