import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInstalled } from '../support/programs.js'
import {
  type Answer,
  hangUpHalfway,
  pushEndlessly,
  type RawRequest,
  send,
  signedHeaders,
} from '../support/raw-client.js'
import { SECRET } from '../support/request.js'
import { Server } from '../support/server-process.js'
import { eventually, RedisServer } from '../support/servers.js'
import { createProject, PROGRAMS, RECIPES, type Recipe, removeProjects, sourceOf } from './recipes.js'

// One suite for every recipe, in its own process with the real framework, over a real socket.

const LIMIT = 100_000
const EVENT = Buffer.from('{"event":"invoice.paid","name":"Zoë"}')
const JSON_TYPE = ['Content-Type', 'application/json'] as const
const ACCEPTED = { status: 204 }
/** Only a body that was accepted is parsed. */
const ACCEPTED_BUT_NOT_JSON = { status: 400, text: expect.stringContaining('genuine, but not JSON') }

function signed(body: Uint8Array = EVENT, secret = SECRET) {
  return { headers: [JSON_TYPE, ...signedHeaders({ body, secret })], body }
}

/** An event for which the user's code rejects without an error. */
const REJECTED_EVENT = Buffer.from('"reject with undefined"')

/** A line of a stack, printed as text. A logger that writes JSON keeps a stack in one line. */
const STACK = /^ +at /m

const ready = isInstalled('the frameworks of the recipes', PROGRAMS.frameworks) && isInstalled('redis-server')

describe.runIf(ready)('the recipe', () => {
  let redis: RedisServer
  let redisDown: RedisServer
  beforeAll(async () => {
    redis = await RedisServer.start()
    redisDown = await RedisServer.start()
  })
  afterAll(async () => {
    await redis.stop()
    await redisDown.stop()
    removeProjects()
  })

  for (const recipe of RECIPES) {
    if (recipe.needs && !isInstalled(recipe.needs, PROGRAMS[recipe.needs])) continue
    describe(`for ${recipe.name}`, () => {
      suite(recipe, () => ({ redis, redisDown }))
    })
  }
})

function suite(recipe: Recipe, servers: () => { redis: RedisServer; redisDown: RedisServer }) {
  let server: Server
  let unavailable: Server

  beforeAll(async () => {
    const install = (source: string) => {
      const project = createProject()
      return { project, command: recipe.install(project, source) }
    }
    const { redis, redisDown } = servers()
    await redisDown.kill()
    const source = withFailingPart(sourceOf(recipe))
    const up = install(source)
    // If the test cannot stop the store, its line is replaced with a store that is down.
    const down = recipe.store === 'Redis' ? up : install(withStoreDown(source))
    server = await Server.start(up.command, up.project, { REDIS_URL: redis.url })
    unavailable = await Server.start(down.command, down.project, { REDIS_URL: redisDown.url })
  })

  afterAll(async () => {
    await server?.stop()
    await unavailable?.stop()
  })

  const ask = (request: RawRequest) => send(server.port, request)

  /** Expects 401 without detail for the sender, and the reason in the log. */
  async function expectRejected(request: RawRequest, reason: string | RegExp): Promise<void> {
    const before = server.output.length
    const { status, text } = await ask(request)
    expect(status).toBe(401)
    expect(text).not.toMatch(/nonce|timestamp|signature|header/i)
    await eventually(() => expect(server.output.slice(before)).toMatch(reason))
  }

  it('accepts a genuine request, once', async () => {
    const request = signed()
    expect(await ask(request)).toMatchObject({ ...ACCEPTED, text: '' })
    await expectRejected(request, 'replayed_nonce')
    expect(await ask(signed())).toMatchObject(ACCEPTED)
  })

  it('accepts one of 100 copies at once', async () => {
    const request = signed()
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(request)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([204, ...Array<number>(99).fill(401)])
  })

  it('rejects a body with one changed byte', async () => {
    const request = signed()
    await expectRejected(
      { ...request, body: Buffer.from(EVENT.toString().replace('paid', 'void')) },
      'signature_mismatch',
    )
  })

  it('rejects a request with a timestamp that is too old or too far ahead', async () => {
    for (const seconds of [-310, 310]) {
      const timestamp = String(Math.floor(Date.now() / 1000) + seconds)
      await expectRejected(
        { headers: signedHeaders({ timestamp, body: EVENT }), body: EVENT },
        'timestamp_outside_window',
      )
    }
  })

  it.each(['X-Timestamp', 'X-Nonce', 'X-Signature'])('rejects a request without %s', async (missing) => {
    const { headers, body } = signed()
    await expectRejected({ headers: headers.filter(([name]) => name !== missing), body }, 'missing_header')
  })

  it.each(['X-Timestamp', 'X-Nonce', 'X-Signature'])('rejects a request with %s twice', async (repeated) => {
    const { headers, body } = signed()
    const twice = headers.flatMap((header) => (header[0] === repeated ? [header, header] : [header]))
    // Joined with a comma without a space, two nonces look like one.
    await expectRejected({ headers: twice, body }, /invalid_timestamp|invalid_nonce|signature_mismatch/)
  })

  it('accepts headers spelled in any case', async () => {
    for (const spell of ['toLowerCase', 'toUpperCase'] as const) {
      const { headers, body } = signed()
      expect(await ask({ headers: headers.map(([name, value]) => [name[spell](), value]), body })).toMatchObject(
        ACCEPTED,
      )
    }
  })

  it('rejects a request signed under the secret of another webhook', async () => {
    await expectRejected(signed(EVENT, 'the secret of another webhook'), 'signature_mismatch')
  })

  it.each(['/hooks/unknown', '/hooks/', '/hooks', '/hooks/billing/more', '/unknown', '/'])(
    'knows no webhook at %s',
    async (path) => {
      const { status } = await ask({ ...signed(), path })
      // Next.js redirects if there is a `/` at the end.
      expect([404, 308]).toContain(status)
    },
  )

  it('knows no webhook at a path whose percent-encoding is malformed', async () => {
    expect(await ask({ ...signed(), path: '/hooks/%zz' })).toMatchObject({ status: recipe.malformedPath })
  })

  it('answers no other method', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status } = await ask({ ...signed(), method })
      expect([404, 405]).toContain(status)
    }
  })

  it.each(['/hooks/BILLING', '/hooks/b%69lling', '/hooks/%42ILLING', '/hooks/billing?a=b'])(
    'shares the nonces of a webhook between the spellings of its path: %s',
    async (path) => {
      const first = signed()
      expect(await ask({ ...first, path })).toMatchObject(ACCEPTED)
      await expectRejected(first, 'replayed_nonce')
      const second = signed()
      expect(await ask(second)).toMatchObject(ACCEPTED)
      await expectRejected({ ...second, path }, 'replayed_nonce')
    },
  )

  it('verifies the bytes of a body that is not valid UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.of(0xff, 0xfe, 0xc3), Buffer.from('"}')])
    const asDecoded = Buffer.from(bytes.toString('utf8'))
    const { headers } = signed(bytes)
    const binary = [['Content-Type', 'application/octet-stream'] as const, ...headers.slice(1)]
    await expectRejected({ headers: binary, body: asDecoded }, 'signature_mismatch')
    expect(await ask({ headers: binary, body: bytes })).toMatchObject(ACCEPTED)
  })

  it.each<[string, Partial<RawRequest>]>([
    ['without a length', { body: undefined }],
    ['of length 0', { body: Buffer.alloc(0) }],
    ['of no chunks', { body: Buffer.alloc(0), chunkBytes: 1 }],
  ])('verifies an empty body %s', async (_, framing) => {
    const genuine = { headers: signedHeaders(), ...framing }
    expect(await ask(genuine)).toMatchObject(ACCEPTED_BUT_NOT_JSON)
    await expectRejected(genuine, 'replayed_nonce')
    await expectRejected(
      { headers: [JSON_TYPE, ...signedHeaders({ body: 'not empty' })], ...framing },
      'signature_mismatch',
    )
  })

  it('verifies a body that arrives in chunks, even of one byte', async () => {
    for (const chunkBytes of [1, 7, 1000]) {
      const request = signed()
      await expectRejected({ ...request, body: EVENT.subarray(1), chunkBytes }, 'signature_mismatch')
      expect(await ask({ ...request, chunkBytes })).toMatchObject(ACCEPTED)
    }
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/vnd.example+json',
    '*/*',
    undefined,
  ])('verifies a body of the content type %s', async (type) => {
    const headers = signedHeaders({ body: EVENT })
    if (type !== undefined) headers.push(['Content-Type', type])
    await expectRejected({ headers, body: Buffer.from('{}') }, 'signature_mismatch')
    expect(await ask({ headers, body: EVENT })).toMatchObject(ACCEPTED)
  })

  const GZIP = ['Content-Encoding', 'gzip'] as const

  it(`${recipe.gzip === 204 ? 'accepts' : 'refuses'} a gzipped body, signed as sent`, async () => {
    const { headers, body } = signed(gzipSync(EVENT))
    const answer: Answer = await ask({ headers: [GZIP, ...headers], body })
    expect(answer.status).toBe(recipe.gzip)
  })

  it('does not accept a gzipped body that was signed before the compression', async () => {
    const { headers } = signed()
    const request = { headers: [GZIP, ...headers], body: gzipSync(EVENT) }
    if (recipe.gzip === 415) expect(await ask(request)).toMatchObject({ status: 415 })
    else await expectRejected(request, 'signature_mismatch')
  })

  it('does not inflate a genuine body beyond its limit', async () => {
    const { headers, body } = signed(gzipSync(Buffer.alloc(50 * LIMIT, '1')))
    const { status } = await ask({ headers: [GZIP, ...headers], body })
    expect(status).toBe(recipe.gzip === 204 ? 400 : 415)
  })

  it('accepts a body of exactly its limit', async () => {
    const body = Buffer.from(JSON.stringify('x'.repeat(LIMIT - 2)))
    expect(await ask(signed(body))).toMatchObject(ACCEPTED)
    expect(await ask({ ...signed(body), chunkBytes: 10_000 })).toMatchObject(ACCEPTED)
  })

  // A server may close the connection before it has read everything. Then the answer is sometimes lost on the way.
  it('answers 413 to a larger one', { retry: 5 }, async () => {
    for (const bytes of [LIMIT + 1, 10 * LIMIT]) {
      const request = signed(Buffer.alloc(bytes, '1'))
      expect(await ask(request)).toMatchObject({ status: 413 })
      expect(await ask({ ...request, chunkBytes: 10_000 })).toMatchObject({ status: 413 })
    }
  })

  if (recipe.rest === 'unread') {
    it.each(['length', 'chunks'] as const)(
      'ends the connection of a sender that never stops, with %s',
      async (framing) => {
        const { head, sentBytes, milliseconds } = await pushEndlessly(server.port, framing)
        // The rest is in the buffers of the operating system. The answer may be lost with them.
        expect(sentBytes).toBeLessThan(2 ** 24)
        expect(milliseconds).toBeLessThan(5000)
        expect(head).toMatch(/^$|^HTTP\/1\.1 413 /)
      },
    )
  }

  it(`answers ${recipe.largeHeaders} to 64 KB of headers`, { retry: 5 }, async () => {
    const { headers, body } = signed()
    const large = Array.from({ length: 64 }, (_, index) => [`X-${index}`, randomBytes(512).toString('hex')] as const)
    expect(await ask({ headers: [...large, ...headers], body })).toMatchObject({ status: recipe.largeHeaders })
  })

  it('answers 400 to a genuine body that is not JSON, and 401 to another', async () => {
    const body = Buffer.from('{"event":')
    await expectRejected(signed(body, 'another secret'), 'signature_mismatch')
    expect(await ask(signed(body))).toMatchObject(ACCEPTED_BUT_NOT_JSON)
  })

  it('keeps running when a sender hangs up halfway, and does not use up its nonce', async () => {
    const request = signed()
    await hangUpHalfway(server.port, request)
    await hangUpHalfway(server.port, { ...request, chunkBytes: 10 })
    expect(await ask(request)).toMatchObject(ACCEPTED)
  })

  it('logs no stack for errors that anyone can cause', async () => {
    const before = server.output.length
    await hangUpHalfway(server.port, signed())
    await hangUpHalfway(server.port, { ...signed(), chunkBytes: 10 })
    await pushEndlessly(server.port, 'length')
    await pushEndlessly(server.port, 'chunks')
    await ask({ ...signed(), headers: [GZIP, JSON_TYPE] })
    await ask({ ...signed(), path: '/hooks/unknown' })
    await ask(signed(Buffer.from('{"event":')))
    await expectRejected(signed(EVENT, 'another secret'), 'signature_mismatch')
    expect(server.output.slice(before)).not.toMatch(STACK)
  })

  // Koa ignores an error that is undefined: it never answers.
  if (recipe.name !== 'Koa') {
    it('answers 500 if your part rejects with undefined', async () => {
      expect(await ask(signed(REJECTED_EVENT))).toMatchObject({ status: 500 })
      expect(await ask(signed())).toMatchObject(ACCEPTED)
    })
  }

  it('answers 503 while the store is down, but only to a genuine request', async () => {
    const { status, text } = await send(unavailable.port, signed())
    expect(status).toBe(503)
    expect(text).not.toMatch(/\bdown\b|redis|ECONN|at /i)
    expect(await send(unavailable.port, signed(EVENT, 'another secret'))).toMatchObject({ status: 401 })
  })

  if (recipe.store === 'Redis') {
    it('answers 503 while Redis hangs, and serves again once it is back', async () => {
      const { redisDown } = servers()
      await redisDown.restart()
      await eventually(async () => expect(await send(unavailable.port, signed())).toMatchObject(ACCEPTED))
      redisDown.signal('SIGSTOP')
      expect(await send(unavailable.port, signed())).toMatchObject({ status: 503 })
      redisDown.signal('SIGCONT')
      await eventually(async () => expect(await send(unavailable.port, signed())).toMatchObject(ACCEPTED))
    })
  }

  it('has logged nothing that was not caught, and still runs', () => {
    for (const { isRunning, output } of [server, unavailable]) {
      expect(isRunning).toBe(true)
      expect(output).not.toMatch(/unhandled|uncaught/i)
    }
  })
}

/** The same recipe, with user code that rejects without an error. */
function withFailingPart(source: string): string {
  const failing = source.replace(
    'console.log(webhookId, event)',
    `if (event === ${REJECTED_EVENT}) return Promise.reject()\n  $&`,
  )
  expect(failing).not.toBe(source)
  return failing
}

/** The same recipe with a store that is down. */
function withStoreDown(source: string): string {
  const down = source
    .replace('new MemoryNonceStore()', '{ reserve: async () => { throw new Error("down") } }')
    .replace('reserve(key: string, ttlSeconds: number): boolean {', '$& throw new Error("down")')
  expect(down).not.toBe(source)
  return down
}
