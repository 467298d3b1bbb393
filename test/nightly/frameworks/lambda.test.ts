import { isUtf8 } from 'node:buffer'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { splitAnnotated } from '../../../docs/generate/annotated.js'
import { type EndpointResponse, endpointContract } from '../../../tools/src/testing/index.js'
import { createProject, removeProjects, sourceOf } from '../../docs/recipes/recipes.js'
import { codeBlocks } from '../../support/code-blocks.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { signedHeaders } from '../../support/raw-client.js'
import { SECRET } from '../../support/request.js'
import { RedisServer } from '../../support/servers.js'
import { configOf, DynaliteServer, dynaliteIsInstalled } from '../stores/dynalite-server.js'
import { ALL_RECIPES } from './recipes.js'

// Events with the fields that AWS documents for each format.

type Headers = (readonly [name: string, value: string])[]

/** Returns the values of each header. */
function valuesOf(headers: Headers): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const [name, value] of headers) values[name] = [...(values[name] ?? []), value]
  return values
}

const REQUEST_ID = { accountId: '123456789012', apiId: 'abcdef0123', requestId: 'id', stage: 'prod' }

/** A function URL, or an HTTP API with payload format 2.0. It joins the values of a header. */
function event2(body: string | undefined, isBase64Encoded: boolean, sent: Headers) {
  const joined = Object.entries(valuesOf(sent)).map(([name, values]) => [name.toLowerCase(), values.join(',')])
  const usual = {
    accept: '*/*',
    host: 'abcdef0123.execute-api.eu-central-1.amazonaws.com',
    'x-forwarded-for': '192.0.2.1',
  }
  const http = { method: 'POST', path: '/hooks/billing', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'a' }
  return {
    version: '2.0',
    routeKey: 'POST /hooks/{name}',
    rawPath: '/hooks/billing',
    rawQueryString: 'a=1&a=2',
    cookies: ['cookie1', 'cookie2'],
    headers: { ...usual, ...Object.fromEntries(joined) },
    queryStringParameters: { a: '1,2' },
    requestContext: { ...REQUEST_ID, http, routeKey: 'POST /hooks/{name}' },
    ...(body !== undefined && { body }),
    pathParameters: { name: 'billing' },
    isBase64Encoded,
  }
}

/**
 * A REST API behind a stage and an edge, or payload format 1.0: it has the names as they were sent, the last value of each, and
 * all values.
 */
function event1(body: string | null, isBase64Encoded: boolean, sent: Headers) {
  const headers: Headers = [['Accept', '*/*'], ['X-Forwarded-For', '192.0.2.1, 192.0.2.2'], ...sent]
  return {
    version: '1.0',
    resource: '/hooks/{name}',
    path: '/hooks/billing',
    httpMethod: 'POST',
    headers: Object.fromEntries(headers),
    multiValueHeaders: valuesOf(headers),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    requestContext: { ...REQUEST_ID, httpMethod: 'POST', path: '/prod/hooks/billing', resourcePath: '/hooks/{name}' },
    pathParameters: { name: 'billing' },
    stageVariables: null,
    body,
    isBase64Encoded,
  }
}

const BODY = '{"event":"invoice.paid","name":"Zoë"}'
const signed = (body = BODY): Headers => signedHeaders({ body })

/** Passes a body as an HTTP API does: JSON and other text as text, everything else as base64, and no empty one. */
function encoded(headers: Headers, body: Uint8Array): readonly [body: string | undefined, isBase64Encoded: boolean] {
  if (body.length === 0) return [undefined, false]
  const [, type = ''] = headers.find(([name]) => /^content-type$/i.test(name)) ?? []
  const isText = /^(application\/json|text\/)/.test(type) && isUtf8(body)
  return [Buffer.from(body).toString(isText ? 'utf8' : 'base64'), !isText]
}

describe('the Lambda function', () => {
  let redis: RedisServer
  let handler: (event: unknown) => Promise<EndpointResponse>

  beforeAll(async () => {
    redis = await RedisServer.start()
    Object.assign(process.env, { REDIS_URL: redis.url, WEBHOOK_SECRET: SECRET })
    const recipe = ALL_RECIPES.find(({ file }) => file === 'lambda.ts')
    const project = createProject()
    if (recipe !== undefined) recipe.install(project, sourceOf(recipe))
    const lambda = await import(join(project, 'lambda.mjs'))
    handler = lambda.handler
  })
  // The function logs the events.
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await redis.stop()
    removeProjects()
  })

  describe.each<[string, (body: string | undefined, isBase64Encoded: boolean, headers: Headers) => unknown]>([
    ['1.0', (body, ...rest) => event1(body ?? null, ...rest)],
    ['2.0', event2],
  ])('keeps the specification with payload format %s', (_, eventWith) => {
    const contract = endpointContract({
      post: (headers, body) => handler(eventWith(...encoded(headers, body), headers)),
      secret: SECRET,
      timeout: 60_000,
    })
    it.each(contract)('$name', ({ run }) => run())
  })

  it('answers without a body', async () => {
    expect(await handler(event2(BODY, false, signed()))).toMatchObject({ statusCode: 204, body: '' })
    expect(await handler(event2(BODY, false, signed('another body')))).toMatchObject({ statusCode: 401, body: '' })
  })

  it('rejects a header that arrived twice, if `headers` has only one of its values', async () => {
    const event = event1(BODY, false, signed())
    const { 'X-Nonce': nonces = [] } = event.multiValueHeaders
    const twice = { ...event, multiValueHeaders: { ...event.multiValueHeaders, 'X-Nonce': ['another', ...nonces] } }
    expect(await handler(twice)).toMatchObject({ statusCode: 401, body: '' })
    expect(await handler(event)).toMatchObject({ statusCode: 204, body: '' })
  })

  it('accepts 64 KB of headers, although API Gateway does not', async () => {
    const padding: Headers = Array.from({ length: 64 }, (_, index) => [`x-${index}`, 'x'.repeat(1024)])
    expect(await handler(event2(BODY, false, [...padding, ...signed()]))).toMatchObject({ statusCode: 204, body: '' })
  })
})

describe.runIf(isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled()))(
  'the Lambda function with DynamoDB',
  () => {
    it('accepts a valid event once', async () => {
      const server = await DynaliteServer.start()
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
      vi.spyOn(console, 'log').mockImplementation(() => {})
      try {
        vi.stubEnv('WEBHOOK_SECRET', SECRET)
        vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', configOf(server.port).endpoint)
        vi.stubEnv('AWS_REGION', 'eu-central-1')
        vi.stubEnv('AWS_ACCESS_KEY_ID', 'an id')
        vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a key')
        const project = createProject()
        writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
        // As the guide says for dynalite.
        const store = readFileSync(join(ROOT, 'docs/stores/dynamodb.js'), 'utf8').replace(
          'await nonceStore.check()\n',
          '',
        )
        writeFileSync(join(project, 'dynamodb.js'), store)
        writeFileSync(join(project, 'lambda.mts'), lambdaWithDynamoDB())
        const { handler } = await import(join(project, 'lambda.mts'))

        const event = event2(BODY, false, signed())
        expect(await handler(event)).toMatchObject({ statusCode: 204, body: '' })
        expect(await handler(event)).toMatchObject({ statusCode: 401, body: '' })
        expect(warn.mock.lastCall?.[0]).toContain('replayed_nonce')
        server.signal('SIGSTOP')
        vi.spyOn(console, 'error').mockImplementation(() => {})
        expect(await handler(event2(BODY, false, signed()))).toMatchObject({ statusCode: 503, body: '' })
      } finally {
        vi.unstubAllEnvs()
        vi.restoreAllMocks()
        removeProjects()
        await server.stop()
      }
    })
  },
)

/** The recipe with the lines of the guide instead of the lines for Redis. */
function lambdaWithDynamoDB(): string {
  const { code: recipe } = splitAnnotated(sourceOf({ file: 'lambda.ts' }))
  const guide = readFileSync(join(ROOT, 'docs/receive/serverless.md'), 'utf8')
  const [lines = ''] = codeBlocks(guide, 'js')
  const withoutRedis = recipe.replace(/^import .*redis'\n/gm, '').replace(/, REDIS_URL: [^}]*/, ' ')
  const replaced = withoutRedis.replace(/\/\/ Each instance[\s\S]*?(?=\n\nexport )/, () => lines)
  expect(replaced).toContain("from './dynamodb.js'")
  expect(replaced).not.toMatch(/redis/i)
  return replaced
}
