import { describe, expect, it } from 'vitest'
import { type Body, type HeadersInput, MemoryNonceStore, sign, verify } from '../../../src/index.js'
import { send, signedHeaders } from '../../support/raw-client.js'
import { SECRET } from '../../support/request.js'
import { ask, FRAMEWORKS, type Untyped } from './apps.js'

// The most common mistakes in each framework. The real framework makes the values, and the message must name the fix.

const EVENT = '{"event":"invoice.paid"}'
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const nonceStore = new MemoryNonceStore()

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

/** Returns a function that sends a signed request and returns the text of the response. */
const post =
  (type = JSON_TYPE, body: string | Buffer = EVENT, encoding = 'identity') =>
  async (port: number) => {
    const headers = { ...sign(body, SECRET), 'Content-Encoding': encoding, 'Content-Type': type }
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: Buffer.from(body) })
    return response.text()
  }

/** If the value shows the framework, the message has the line for it. Otherwise the message has a link. */
const EXPRESS =
  /Express: pass await readBody\(req\), and define this route before app\.use\(express\.json\(\)\).*NestJS: .*bodyParser: false/
const NODE = /Koa and node:http: pass await readBody\(req\), and put this route before any body parser/
const LINK = /How to get the bytes in each framework: node_modules\/inbound-webhook-auth\/docs\/receive\/index\.md/
const HEADERS = /Pass the headers of the request/

const PARSED = /an object, as a body parser/
const READ = /a stream that was already read/
const EMPTY = /undefined|an empty object/

function expectFix(outcome: string, found: RegExp, fix: RegExp): void {
  expect(outcome).toMatch(/^ERR_INVALID_ARGUMENT: request\.(body|headers) is /)
  expect(outcome).toMatch(found)
  expect(outcome).toMatch(fix)
}

/** What is wrong, the setting of the app, the body that the handler passes, and the message. */
type Row<Setting> = [
  what: string,
  setting: Setting,
  body: (request: Untyped) => unknown,
  found: RegExp,
  fix: RegExp,
  type?: string,
]

const body = (request: Untyped) => request.body

describe.each(['Express 5', 'Express 4'] as const)('in %s', (version) => {
  it.each<Row<(express: Untyped) => unknown[]>>([
    ['no body parser', () => [], body, /undefined: nothing read the body/, LINK],
    ['express.json()', (express) => [express.json()], body, PARSED, LINK],
    ['express.raw() without a type, which skips JSON', (express) => [express.raw()], body, EMPTY, LINK],
    ['express.urlencoded()', (express) => [express.urlencoded({ extended: false })], body, PARSED, LINK, FORM_TYPE],
    ['a request that was read', (express) => [express.json()], (request) => request, READ, EXPRESS],
  ])('%s', async (_, parsers, bodyOf, found, fix, type) => {
    const app = FRAMEWORKS[version]((request) => outcomeOf(request.headers, bodyOf(request)), parsers)
    expectFix(await ask(app, post(type)), found, fix)
  })
})

it('express.raw() of Express 4 leaves a request without a body as it was', async () => {
  const app = FRAMEWORKS['Express 4'](
    (request) => outcomeOf(request.headers, request.body),
    (express) => [express.raw({ type: () => true })],
  )
  const { text } = await ask(app, (port) => send(port, { path: '/', headers: signedHeaders() }))
  expectFix(text, /an empty object: .*there is no body \(then pass ''\)/, LINK)
})

describe('in Fastify', () => {
  it.each<Row<undefined>>([
    ['its own parser', undefined, body, PARSED, LINK],
    ['the request that its parser has read', undefined, (request) => request.raw, READ, NODE],
  ])('%s', async (_, setting, bodyOf, found, fix) => {
    const app = FRAMEWORKS.Fastify((request) => outcomeOf(request.headers, bodyOf(request)), setting)
    expectFix(await ask(app, post()), found, fix)
  })

  it('the request as its headers', async () => {
    const app = FRAMEWORKS.Fastify((request) => outcomeOf(request, ''))
    expectFix(await ask(app, post()), /a whole request/, HEADERS)
  })
})

describe('in Koa', () => {
  it.each<Row<boolean>>([
    ['@koa/bodyparser', true, (ctx) => ctx.request.body, PARSED, LINK],
    ['no body parser', false, (ctx) => ctx.request.body, /undefined: nothing read the body/, LINK],
    ['ctx.req, which a body parser has read', true, (ctx) => ctx.req, READ, NODE],
    ['ctx.req, which nothing has read', false, (ctx) => ctx.req, /a stream\. /, NODE],
  ])('%s', async (_, isParsed, bodyOf, found, fix, type) => {
    const app = FRAMEWORKS.Koa((ctx) => outcomeOf(ctx.headers, bodyOf(ctx)), { isParsed })
    expectFix(await ask(app, post(type)), found, fix)
  })
})

describe('in Hono', () => {
  /** @param code - the handler's expressions for the headers and the body. */
  const askHono = (headers: string, body: string) => {
    const values = new Function('c', 'request', `return (async () => [${headers}, ${body}])()`)
    const app = FRAMEWORKS.Hono(async (c) => {
      const [passedHeaders, passedBody] = await values(c, c.req.raw)
      return outcomeOf(passedHeaders, passedBody)
    })
    return ask(app, post(/formData|parseBody/.test(body) ? FORM_TYPE : JSON_TYPE))
  }

  it.each(['c.req', 'c.req.raw', 'c'])('%s as its headers', async (code) => {
    expectFix(await askHono(code, '""'), /a whole request/, /Pass the headers .* \(Hono: c\.req\.raw\.headers\)/)
  })
})

describe('in NestJS', () => {
  it.each<[string, object, (request: Untyped, parsed: unknown) => unknown, RegExp, RegExp, string?]>([
    ['@Body()', {}, (_, parsed) => parsed, PARSED, LINK],
    ['@Body() of text', {}, (_, parsed) => parsed, EMPTY, LINK, 'text/plain'],
    ['req.rawBody without rawBody: true', {}, (request) => request.rawBody, /undefined/, LINK],
    ['the request', {}, (request) => request, READ, EXPRESS],
  ])('%s', async (_, options, bodyOf, found, fix, type) => {
    const app = FRAMEWORKS.NestJS((request, parsed) => outcomeOf(request.headers, bodyOf(request, parsed)), options)
    expectFix(await ask(app, post(type)), found, fix)
  })
})
