import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryNonceStore, type NonceStore, receive, type WebhookSource } from '../../../src/index.js'
import { type RawRequest, send, signedHeaders } from '../../support/raw-client.js'
import { SECRET } from '../../support/request.js'
import { ask, FRAMEWORKS, type Untyped } from './apps.js'

// If `receive` throws and nothing handles the error, each framework answers 401 or 503 without the reason.

type Check = (headers: unknown, body: unknown) => Promise<string>

/** The app of each framework with a handler that reads the raw body and calls `check`. */
const APPS: [framework: string, start: (check: Check) => ReturnType<(typeof FRAMEWORKS)['h3']>][] = [
  ...(['Express 5', 'Express 4'] as const).map(
    (version) =>
      [
        version,
        (check: Check) =>
          FRAMEWORKS[version](
            ({ headers, body }) => check(headers, body),
            (express) => [express.raw({ type: () => true })],
          ),
      ] as (typeof APPS)[number],
  ),
  ['Fastify', (check) => FRAMEWORKS.Fastify(({ headers, body }) => check(headers, body), { isRaw: true })],
  ['Koa', (check) => FRAMEWORKS.Koa(async ({ headers, req }) => check(headers, await bytesOf(req)))],
  ['h3', (check) => FRAMEWORKS.h3(async ({ req }) => check(req.headers, await req.arrayBuffer()))],
  ['NestJS', (check) => FRAMEWORKS.NestJS(({ headers, rawBody }) => check(headers, rawBody), { rawBody: true })],
]

async function bytesOf(request: Untyped): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const checkWith =
  (nonceStore: NonceStore): Check =>
  async (headers, body) => {
    await receive({ webhookId: '42', request: { headers, body } as WebhookSource['request'] }, SECRET, nonceStore)
    return 'accepted'
  }

const DOWN: NonceStore = {
  async reserve() {
    throw new Error('connect ECONNREFUSED 192.0.2.1')
  },
}

/** Texts that only the log may contain. */
const REASON = /signature_mismatch|missing_header|bytes|X-Signature|secret/i
const CAUSE = /ECONNREFUSED|192\.0\.2\.1/

const BODY = Buffer.from('{"event":"invoice.paid"}')
const post = (port: number, headers: RawRequest['headers'] = signedHeaders({ body: BODY })) =>
  send(port, { path: '/', headers: [['Content-Type', 'application/json'], ...headers], body: BODY })

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.each(['production', 'development'])('in %s mode', (mode) => {
  it.each(APPS)('%s answers 401 to a forged request, without the reason', async (_, start) => {
    vi.stubEnv('NODE_ENV', mode)
    await ask(start(checkWith(new MemoryNonceStore())), async (port) => {
      expect((await post(port)).text).toContain('accepted')
      for (const headers of [signedHeaders({ body: 'another body' }), []]) {
        const { status, text } = await post(port, headers)
        expect(status).toBe(401)
        expect(text).not.toMatch(REASON)
        if (mode === 'production') expect(text).not.toMatch(/node_modules/)
      }
    })
  })

  it.each(APPS)('%s answers 503 while the store is down, without the cause', async (_, start) => {
    vi.stubEnv('NODE_ENV', mode)
    const { status, text } = await ask(start(checkWith(DOWN)), (port) => post(port))
    expect(status).toBe(503)
    expect(text).not.toMatch(CAUSE)
    if (mode === 'production') expect(text).not.toMatch(/node_modules/)
  })
})
