import { once } from 'node:events'
import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Body, type HeadersInput, MemoryNonceStore, sign, verify } from '../../../src/index.js'
import { send, signedHeaders } from '../../support/raw-client.js'
import { SECRET } from '../../support/request.js'
import { requirePackage } from '../packages/packages.js'

// The most common mistakes in each framework. The real framework makes the values, and the message must name the fix.

const EVENT = '{"event":"invoice.paid"}'
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const nonceStore = new MemoryNonceStore()

/** A value of any type, because the types of the frameworks are not installed. */
type Untyped = ReturnType<typeof JSON.parse>

/** Returns the result or the error of `verify` for the values that a handler passes. */
async function outcomeOf(headers: unknown, body: unknown): Promise<string> {
  try {
    const request = { webhookId: '42', headers: headers as HeadersInput, body: body as Body }
    const result = await verify(request, SECRET, nonceStore)
    return result.ok ? 'accepted' : result.reason
  } catch (error) {
    if (!(error instanceof TypeError) || !('code' in error)) throw error
    return `${error.code}: ${error.message}`
  }
}

async function post(port: number, path = '/', type?: string, body: string | Buffer = EVENT, encoding = 'identity') {
  const signed = { ...sign(body, SECRET), 'Content-Encoding': encoding }
  const headers = { ...signed, ...(type !== undefined && { 'Content-Type': type }) }
  // The body is sent as bytes, because fetch adds a content type to text.
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: Buffer.from(body) })
  return response.text()
}

function portOf(server: HttpServer): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a server without a port')
  return address.port
}

/** Runs a server while `act` uses it. */
async function serve<T>(listener: RequestListener, ask: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await ask(portOf(server))
  } finally {
    server.close()
  }
}

function askOnce(listener: RequestListener, type?: string, body?: string): Promise<string> {
  return serve(listener, (port) => post(port, '/', type, body))
}

/** If the value shows the framework, the message has the line for it. Otherwise the message has a link. */
const EXPRESS =
  /Express: pass await readBody\(req\), and define this route before app\.use\(express\.json\(\)\).*NestJS: .*bodyParser: false/
const NODE = /Koa and node:http: pass await readBody\(req\), and put this route before any body parser/
const LINK = /How to get the bytes in each framework: node_modules\/inbound-webhook-auth\/docs\/receive\/index\.md/

function expectFix(outcome: string, found: RegExp, fix: RegExp): void {
  expect(outcome).toMatch(/^ERR_INVALID_ARGUMENT: request\.(body|headers) is /)
  expect(outcome).toMatch(found)
  expect(outcome).toMatch(fix)
}

async function chunksOf(request: IncomingMessage): Promise<Buffer[]> {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks
}

describe.each(['express', 'express4'])('in %s', (version) => {
  const undefinedOrEmpty = version === 'express' ? /undefined: / : /an empty object/

  /** The parsers before the handler, and the values that the handler passes. */
  const askExpress = (
    parsers: (express: Untyped) => unknown[],
    body: (request: Untyped) => unknown,
    type = JSON_TYPE,
  ) => {
    const express = requirePackage(version)
    const app = express()
    for (const parser of parsers(express)) app.use(parser)
    app.post('/', async (request: Untyped, response: Untyped) => {
      response.send(await outcomeOf(request.headers, body(request)))
    })
    return askOnce(app, type)
  }

  const bodyOf = (request: Untyped) => request.body

  it('no body parser', async () => {
    expectFix(await askExpress(() => [], bodyOf), /undefined: nothing read the body/, LINK)
  })

  it('express.json()', async () => {
    expectFix(await askExpress((express) => [express.json()], bodyOf), /an object, as a body parser/, LINK)
  })

  it('express.json() before express.raw()', async () => {
    const parsers = (express: Untyped) => [express.json(), express.raw({ type: () => true })]
    expectFix(await askExpress(parsers, bodyOf), /an object, as a body parser/, LINK)
  })

  it('express.json(), which skips another content type', async () => {
    const outcome = await askExpress((express) => [express.json()], bodyOf, 'text/plain')
    expectFix(outcome, undefinedOrEmpty, LINK)
  })

  it('express.raw() without a type, which skips JSON', async () => {
    expectFix(await askExpress((express) => [express.raw()], bodyOf), undefinedOrEmpty, LINK)
  })

  if (version === 'express4') {
    it('a request without a body, which express.raw() leaves as it was', async () => {
      const app = requirePackage(version)().use(requirePackage(version).raw({ type: () => true }))
      app.post('/', async (request: Untyped, response: Untyped) => {
        response.send(await outcomeOf(request.headers, request.body))
      })
      const { text } = await serve(app, (port) => send(port, { path: '/', headers: signedHeaders() }))
      expectFix(text, /an empty object: .*there is no body \(then pass ''\)/, LINK)
    })
  }

  it('express.urlencoded()', async () => {
    const outcome = await askExpress((express) => [express.urlencoded({ extended: false })], bodyOf, FORM_TYPE)
    expectFix(outcome, /an object, as a body parser/, LINK)
  })

  it('the request, which express.json() has read', async () => {
    const outcome = await askExpress(
      (express) => [express.json()],
      (request) => request,
    )
    expectFix(outcome, /a stream that was already read, probably by a body parser/, EXPRESS)
  })

  it('req.rawBody, which does not exist', async () => {
    const outcome = await askExpress(
      (express) => [express.json()],
      (request) => request.rawBody,
    )
    expectFix(outcome, /undefined/, LINK)
  })

  it('JSON.stringify of the parsed body is text, but not always the one that was signed', async () => {
    const spaced = '{ "event": "invoice.paid" }'
    const express = requirePackage(version)
    const app = express().use(express.json())
    app.post('/', async (request: Untyped, response: Untyped) => {
      response.send(await outcomeOf(request.headers, JSON.stringify(request.body)))
    })
    expect(await askOnce(app, JSON_TYPE, spaced)).toBe('signature_mismatch')
  })
})

describe('in Fastify', () => {
  const askFastify = async (body: (request: Untyped) => unknown, headers = (request: Untyped) => request.headers) => {
    const app = requirePackage('fastify').fastify()
    app.post('/', async (request: Untyped) => outcomeOf(headers(request), body(request)))
    await app.listen({ port: 0, host: '127.0.0.1' })
    try {
      return await post(app.server.address().port, '/', JSON_TYPE)
    } finally {
      await app.close()
    }
  }

  it.each<[string, (request: Untyped) => unknown, RegExp, RegExp]>([
    ['its own parser', (request) => request.body, /an object, as a body parser/, LINK],
    ['the request that its parser has read', (request) => request.raw, /a stream that was already read/, NODE],
    ['request.rawBody, which does not exist', (request) => request.rawBody, /undefined/, LINK],
  ])('%s', async (_, body, found, fix) => {
    expectFix(await askFastify(body), found, fix)
  })

  it('the request as its headers', async () => {
    const outcome = await askFastify(
      () => '',
      (request) => request,
    )
    expectFix(outcome, /a whole request/, /Pass the headers of the request/)
  })
})

describe('in Koa', () => {
  const askKoa = (body: (ctx: Untyped) => unknown, { parsed = true, type = JSON_TYPE } = {}) => {
    const app = new (requirePackage('koa'))()
    if (parsed) app.use(requirePackage('@koa/bodyparser').bodyParser())
    app.use(async (ctx: Untyped) => {
      ctx.body = await outcomeOf(ctx.headers, body(ctx))
    })
    return askOnce(app.callback(), type)
  }

  it.each<[string, (ctx: Untyped) => unknown, object, RegExp, RegExp]>([
    ['@koa/bodyparser', (ctx) => ctx.request.body, {}, /an object, as a body parser/, LINK],
    [
      '@koa/bodyparser, which skips text',
      (ctx) => ctx.request.body,
      { type: 'text/plain' },
      /undefined|empty object/,
      LINK,
    ],
    ['no body parser', (ctx) => ctx.request.body, { parsed: false }, /undefined: nothing read the body/, LINK],
    ['ctx.body, which is that of the response', (ctx) => ctx.body, {}, /undefined/, LINK],
    ['ctx.req, which a body parser has read', (ctx) => ctx.req, {}, /a stream that was already read/, NODE],
    ['ctx.req, which nothing has read', (ctx) => ctx.req, { parsed: false }, /a stream\. /, NODE],
  ])('%s', async (_, body, setting, found, fix) => {
    expectFix(await askKoa(body, setting), found, fix)
  })

  it('ctx.req is read again after a body parser: there is nothing left, which looks like an empty body', async () => {
    const app = new (requirePackage('koa'))().use(requirePackage('@koa/bodyparser').bodyParser())
    app.use(async (ctx: Untyped) => {
      ctx.body = await outcomeOf(ctx.headers, Buffer.concat(await chunksOf(ctx.req)))
    })
    expect(await askOnce(app.callback(), JSON_TYPE)).toBe('signature_mismatch')
  })
})

/** The values that handlers of the Fetch API pass as `body`. `request` is a Fetch `Request`, or `c.req.raw` in Hono. */
const FETCH_MISTAKES: [code: string, found: RegExp, fix: RegExp][] = [
  ['await request.json()', /an object/, LINK],
  ['request.json()', /a promise/, /Await it/],
  ['request.arrayBuffer()', /a promise/, /Await it/],
  ['request.arrayBuffer', /a function/, /Call the function/],
  ['await request.formData()', /a parsed form/, LINK],
  ['await request.blob()', /a Blob/, /await blob\.arrayBuffer\(\)/],
  ['request', /a request/, /await readBody\(request\)/],
  ['(await request.json(), request)', /already read/, /await readBody\(request\)/],
  ['request.body', /a stream\. /, LINK],
  ['(await request.json(), request.body)', /a stream that was already read/, LINK],
  ['request.rawBody', /undefined/, LINK],
]

const HONO_MISTAKES: typeof FETCH_MISTAKES = [
  ['await c.req.json()', /an object/, LINK],
  ['await c.req.parseBody()', /an object/, LINK],
  ['c.req.arrayBuffer()', /a promise/, /Await it/],
  ['c.req', /a request/, /await readBody\(request\)/],
  ['c.body', /a function/, /Call the function/],
]

const asType = (code: string) => (/formData|parseBody/.test(code) ? FORM_TYPE : JSON_TYPE)

describe('in Hono', () => {
  /** @param code - the handler's expressions for the headers and the body. */
  const askHono = async (headers: string, body: string) => {
    const { Hono } = requirePackage('hono')
    const { serve } = requirePackage('@hono/node-server')
    const handedOver = new Function('c', 'request', `return (async () => ({ headers: ${headers}, body: ${body} }))()`)
    const app = new Hono()
    app.post('/', async (c: Untyped) => {
      const handed = await handedOver(c, c.req.raw)
      return c.text(await outcomeOf(handed.headers, handed.body))
    })
    const server: HttpServer = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
    if (!server.listening) await once(server, 'listening')
    try {
      return await post(portOf(server), '/', asType(body))
    } finally {
      server.close()
    }
  }

  it.each([...FETCH_MISTAKES, ...HONO_MISTAKES])('%s', async (code, found, fix) => {
    expectFix(await askHono('c.req.raw.headers', code), found, fix)
  })

  it.each(['c.req', 'c.req.raw', 'c'])('%s as its headers', async (code) => {
    expectFix(
      await askHono(code, '""'),
      /a whole request/,
      /Pass the headers of the request \(Hono: c\.req\.raw\.headers\)/,
    )
  })
})

describe('in NestJS', () => {
  const askNest = async (
    body: (request: Untyped, parsed: unknown) => unknown,
    options: object,
    ask = (port: number) => post(port, '/', JSON_TYPE),
  ) => {
    const { Body, Controller, Module, Post, Req } = requirePackage('@nestjs/common')
    const { NestFactory } = requirePackage('@nestjs/core')

    class Hooks {
      async receive(request: Untyped, parsed: unknown) {
        return outcomeOf(request.headers, body(request, parsed))
      }
    }
    class App {}
    Req()(Hooks.prototype, 'receive', 0)
    Body()(Hooks.prototype, 'receive', 1)
    Post()(Hooks.prototype, 'receive', Object.getOwnPropertyDescriptor(Hooks.prototype, 'receive'))
    Controller()(Hooks)
    Module({ controllers: [Hooks] })(App)

    const app = await NestFactory.create(App, { logger: false, ...options })
    await app.listen(0, '127.0.0.1')
    try {
      return await ask(app.getHttpServer().address().port)
    } finally {
      await app.close()
    }
  }

  it.each<[string, (request: Untyped, parsed: unknown) => unknown, { rawBody?: true; type?: string }, RegExp, RegExp]>([
    ['@Body()', (_, parsed) => parsed, {}, /an object, as a body parser/, LINK],
    ['@Body() with rawBody: true', (_, parsed) => parsed, { rawBody: true }, /an object, as a body parser/, LINK],
    ['@Body() of a form', (_, parsed) => parsed, { type: FORM_TYPE }, /an object, as a body parser/, LINK],
    ['@Body() of text', (_, parsed) => parsed, { type: 'text/plain' }, /undefined|empty object/, LINK],
    ['req.rawBody without rawBody: true', (request) => request.rawBody, {}, /undefined/, LINK],
    ['req.rawBody of text', (request) => request.rawBody, { rawBody: true, type: 'text/plain' }, /undefined/, LINK],
    ['the request', (request) => request, {}, /a stream that was already read/, EXPRESS],
  ])('%s', async (_, body, { type, ...options }, found, fix) => {
    expectFix(await askNest(body, options, (port) => post(port, '/', type ?? JSON_TYPE)), found, fix)
  })

  it('req.rawBody of a compressed body is inflated, so it differs from the signed bytes', async () => {
    const compressed = (port: number) => post(port, '/', JSON_TYPE, gzipSync(EVENT), 'gzip')
    expect(await askNest((request) => request.rawBody, { rawBody: true }, compressed)).toBe('signature_mismatch')
    expect(await askNest((request) => request.rawBody, { rawBody: true })).toBe('accepted')
  })
})
