import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EndpointCase, endpointContract } from '../../../tools/src/testing/index.js'
import { SPELLINGS } from '../../support/cases/header-spellings.js'
import { isInstalled } from '../../support/programs.js'
import {
  announce,
  hangUpHalfway,
  pushEndlessly,
  type RawRequest,
  send,
  signedHeaders,
} from '../../support/raw-client.js'
import { SECRET } from '../../support/request.js'
import { Server } from '../../support/server-process.js'
import { eventually, RedisServer } from '../../support/servers.js'
import { createProject, type Recipe, removeProjects, sourceOf } from './recipes.js'

// One suite for every recipe, in its own process with the real framework, over a real socket.

const LIMIT = 1_048_576
const EVENT = Buffer.from('{"event":"invoice.paid","name":"Zoë"}')
const JSON_TYPE = ['Content-Type', 'application/json'] as const
const ACCEPTED = { status: 204 }

/** The time that a body and the store may take on the server whose store is down, in milliseconds. A machine may stall for less. */
const TIMEOUT = '3000'

function signed(body: Uint8Array = EVENT, secret = SECRET) {
  return { headers: [JSON_TYPE, ...signedHeaders({ body, secret })], body }
}

/** JSON of this size. */
function jsonOf(bytes: number): Buffer {
  const body = Buffer.from(`{"event":"${'x'.repeat(bytes - 12)}"}`)
  expect(body).toHaveLength(bytes)
  return body
}

/** An event for which the user's code rejects without an error. */
const REJECTED_EVENT = Buffer.from('{"reject":"with undefined"}')

/** It would be inflated to 50 MB. */
const BOMB = gzipSync(Buffer.alloc(50 * LIMIT, '1'))

/** A line of a stack, printed as text. A logger that writes JSON keeps a stack in one line. */
const STACK = /^ +at /m

export function describeRecipes(recipes: readonly Recipe[]) {
  describe.runIf(isInstalled('redis-server'))('the recipe', () => {
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

    for (const recipe of recipes) {
      describe(`for ${recipe.name}`, () => {
        suite(recipe, () => ({ redis, redisDown }))
      })
    }
  })
}

function suite(recipe: Recipe, servers: () => { redis: RedisServer; redisDown: RedisServer }) {
  let server: Server
  let unavailable: Server
  let project: string
  let command: readonly string[]

  beforeAll(async () => {
    project = createProject()
    command = recipe.install(project, withFaults(sourceOf(recipe)), withFaults)
    const { redis, redisDown } = servers()
    if (recipe.store === 'Redis') {
      await redisDown.kill()
      await redisDown.restart()
    }
    // A machine under load may stall for longer than the store's usual time-out.
    server = await Server.start(command, project, { REDIS_URL: redis.url, STORE_TIMEOUT: '30000' })
    // The function on Redis does not start without it.
    const store = recipe.store === 'Redis' ? { REDIS_URL: redisDown.url } : { STORE: 'down' }
    unavailable = await Server.start(command, project, { ...store, BODY_TIMEOUT: TIMEOUT, STORE_TIMEOUT: TIMEOUT })
    if (recipe.store === 'Redis') await redisDown.kill()
  })

  afterAll(async () => {
    await server?.stop()
    await unavailable?.stop()
  })

  const { path = '/hooks/billing' } = recipe
  const ask = (request: RawRequest) => send(server.port, { path, ...request })

  it.skipIf(recipe.loadsLate)('does not start without a secret', () => {
    const { WEBHOOK_SECRET: _, ...env } = process.env
    const [program = '', ...args] = command
    const { redis } = servers()
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: project,
      env: { ...env, PORT: '0', REDIS_URL: redis.url },
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
    expect(stdout + stderr).toMatch(
      /WEBHOOK_SECRET( is not set|\n {2}- Value is missing)|Missing environment variable "WEBHOOK_SECRET"/,
    )
    // Next.js keeps running, and answers 500 to every request.
    expect(status).not.toBe(0)
  })

  it.runIf(recipe.loadsLate)('answers 500 without a secret, and logs why', async () => {
    const unset = await Server.start(command, project, { WEBHOOK_SECRET: '' })
    try {
      expect(await send(unset.port, { path, ...signed() })).toMatchObject({ status: 500 })
      await eventually(() => expect(unset.output).toContain('WEBHOOK_SECRET is not set'))
    } finally {
      await unset.stop()
    }
  })

  /** Expects 401 without detail for the sender, and the reason in the log. */
  async function expectRejected(request: RawRequest, reason: string | RegExp): Promise<void> {
    const before = server.output.length
    const { status, text } = await ask(request)
    expect(status).toBe(401)
    expect(text).not.toMatch(/nonce|timestamp|signature|header/i)
    await eventually(() => expect(server.output.slice(before)).toMatch(reason))
  }

  const contract = endpointContract({
    post: (headers, body) => ask({ headers, body }),
    secret: SECRET,
    timeout: 60_000,
  })
  const impossible = [
    ...(recipe.gzip === undefined ? [] : ['accepted-compressed']),
    ...(recipe.decodesText ? ['body-replacement'] : []),
  ]
  const cases = contract.filter(({ code }) => !impossible.includes(code))
  const [first, last] = [cases.slice(0, -2), cases.slice(-2)]

  describe('keeps the specification', () => {
    it.each(first)('$name', runCase)
  })

  describe('answers as all others to headers with', () => {
    it.each(SPELLINGS)('$what', async ({ what, status, request }) => {
      expect(await ask(request(EVENT))).toMatchObject({ status: recipe.spellings?.[what] ?? status })
    })
  })

  it('answers without a body, and logs why it rejects', async () => {
    const request = signed()
    expect(await ask(request)).toMatchObject({ ...ACCEPTED, text: '' })
    await expectRejected(request, 'replayed_nonce')
    const { headers } = signed()
    await expectRejected({ headers: headers.filter(([name]) => name !== 'X-Nonce'), body: EVENT }, 'missing_header')
    await expectRejected({ headers: signedHeaders({ timestamp: '1700000000' }) }, 'timestamp_outside_window')
  })

  if (!recipe.answersAll) {
    it.each(['/hooks/unknown', '/hooks', '/hooks/billing/more', '/hooks/%zz', '/'])('is not at %s', async (path) => {
      const { status } = await ask({ ...signed(), path })
      expect([400, 404, 405]).toContain(status)
    })

    it('answers no GET', async () => {
      const { status } = await ask({ ...signed(), method: 'GET', body: undefined })
      expect([400, 404, 405]).toContain(status)
    })
  }

  it.each<[string, Partial<RawRequest>]>([
    ['without a length', { body: undefined }],
    ['of length 0', { body: Buffer.alloc(0) }],
    ['of no chunks', { body: Buffer.alloc(0), chunkBytes: 1 }],
  ])('verifies an empty body %s', async (_, framing) => {
    const valid = { headers: signedHeaders(), ...framing }
    expect(await ask(valid)).toMatchObject(ACCEPTED)
    await expectRejected(valid, 'replayed_nonce')
    await expectRejected(
      { headers: [JSON_TYPE, ...signedHeaders({ body: 'not empty' })], ...framing },
      'signature_mismatch',
    )
  })

  it('verifies a body that arrives in chunks, even of one byte', async () => {
    for (const chunkBytes of [1, 7, 1000]) {
      const request = signed()
      await expectRejected({ ...request, body: Buffer.from('{}'), chunkBytes }, 'signature_mismatch')
      expect(await ask({ ...request, chunkBytes })).toMatchObject(ACCEPTED)
    }
  })

  const GZIP = ['Content-Encoding', 'gzip'] as const

  if (recipe.gzip === 401) {
    it('answers 401 to a gzipped body, because the framework inflates it', async () => {
      const { headers, body } = signed(gzipSync(EVENT))
      expect(await ask({ headers: [GZIP, ...headers], body })).toMatchObject({ status: 401 })
    })
  } else {
    it('does not accept a gzipped body that was signed before the compression', async () => {
      const { headers } = signed()
      await expectRejected({ headers: [GZIP, ...headers], body: gzipSync(EVENT) }, 'signature_mismatch')
    })

    it('does not inflate a body', async () => {
      const { headers, body } = signed(BOMB)
      expect(await ask({ headers: [GZIP, ...headers], body })).toMatchObject(ACCEPTED)
    })
  }

  it('accepts a body of exactly its limit', async () => {
    const body = jsonOf(LIMIT)
    expect(await ask({ ...signed(body), pause: 0 })).toMatchObject(ACCEPTED)
    expect(await ask({ ...signed(body), chunkBytes: 100_000, pause: 0 })).toMatchObject(ACCEPTED)
  })

  /** Expects this answer, or none: a server that closes a connection before it has read everything may lose its answer on the way. */
  async function expectRefused(request: RawRequest, status: number): Promise<void> {
    const answer = await ask(request).catch((error: Error) => error.message)
    expect(answer).toEqual(typeof answer === 'string' ? 'no answer, but ""' : expect.objectContaining({ status }))
  }

  it('answers 413 to a larger one', async () => {
    for (const bytes of [LIMIT + 1, 3 * LIMIT]) {
      const request = signed(jsonOf(bytes))
      await expectRefused(request, 413)
      await expectRefused({ ...request, chunkBytes: 100_000 }, 413)
    }
  })

  if (recipe.readsRest !== 'before the handler') {
    it('answers 413 to a Content-Length above the limit, before a byte of the body', async () => {
      const { head, isClosed } = await announce(server.port, 50_000_000, path)
      expect(head).toMatch(/^HTTP\/1\.1 413 /)
      // Otherwise the sender uploads what nobody reads.
      expect(isClosed).toBe(recipe.readsRest === undefined)
    })

    it.each<[string, RawRequest['headers']]>([
      ['has no signature', []],
      ['is too old', signedHeaders({ timestamp: '1700000000' })],
    ])('answers 401 to a request that %s, before a byte of the body', async (_, headers) => {
      const { head, isClosed } = await announce(server.port, 90_000, path, headers)
      expect(head).toMatch(/^HTTP\/1\.1 401 /)
      expect(isClosed).toBe(recipe.readsRest === undefined)
    })

    it('answers 408 to a sender that is too slow', async () => {
      const { head, isClosed } = await announce(unavailable.port, 90_000, path)
      expect(head).toMatch(/^HTTP\/1\.1 408 /)
      expect(isClosed).toBe(recipe.readsRest === undefined)
    })
  }

  if (recipe.readsRest === undefined) {
    it.each(['length', 'chunks'] as const)(
      'ends the connection of a sender that never stops, with %s',
      async (framing) => {
        const { head, sentBytes } = await pushEndlessly(server.port, framing, path)
        // The rest is in the buffers of the operating system. The answer may be lost with them.
        expect(sentBytes).toBeLessThan(2 ** 24)
        expect(head).toMatch(/^$|^HTTP\/1\.1 413 /)
      },
    )
  }

  const largeHeaders = recipe.largeHeaders ?? 431

  it(`answers ${largeHeaders} to 64 KB of headers`, async () => {
    const { headers, body } = signed()
    const large = Array.from({ length: 64 }, (_, index) => [`X-${index}`, randomBytes(512).toString('hex')] as const)
    await expectRefused({ headers: [...large, ...headers], body }, largeHeaders)
  })

  it('keeps running when a sender hangs up halfway, and does not use up its nonce', async () => {
    const request = signed()
    await hangUpHalfway(server.port, { path, ...request })
    await hangUpHalfway(server.port, { path, ...request, chunkBytes: 10 })
    expect(await ask(request)).toMatchObject(ACCEPTED)
  })

  it.skipIf(recipe.parsesFirst)('logs no stack for errors that anyone can cause', async () => {
    const before = server.output.length
    await hangUpHalfway(server.port, signed())
    await hangUpHalfway(server.port, { path, ...signed(), chunkBytes: 10 })
    await pushEndlessly(server.port, 'length', path)
    // Deno stops reading such a body after its answer, and keeps the connection open.
    if (recipe.readsRest !== 'after the answer') await pushEndlessly(server.port, 'chunks', path)
    await ask({ ...signed(), headers: [GZIP, JSON_TYPE] })
    await expectRejected(signed(EVENT, 'another secret'), 'signature_mismatch')
    expect(server.output.slice(before)).not.toMatch(STACK)
  })

  it('answers 500 if your part rejects with undefined', async () => {
    expect(await ask(signed(REJECTED_EVENT))).toMatchObject({ status: 500 })
    expect(await ask(signed())).toMatchObject(ACCEPTED)
  })

  it('answers 503 while the store is down, but only to a valid request', async () => {
    const { status, text } = await send(unavailable.port, { path, ...signed() })
    expect(status).toBe(503)
    expect(text).not.toMatch(/\bdown\b|redis|ECONN|at /i)
    expect(await send(unavailable.port, { path, ...signed(EVENT, 'another secret') })).toMatchObject({ status: 401 })
  })

  if (recipe.store === 'Redis') {
    it('answers 503 while Redis hangs, and serves again once it is back', async () => {
      const { redisDown } = servers()
      await redisDown.restart()
      await eventually(async () => expect(await send(unavailable.port, { path, ...signed() })).toMatchObject(ACCEPTED))
      redisDown.signal('SIGSTOP')
      expect(await send(unavailable.port, { path, ...signed() })).toMatchObject({ status: 503 })
      redisDown.signal('SIGCONT')
      await eventually(async () => expect(await send(unavailable.port, { path, ...signed() })).toMatchObject(ACCEPTED))
    })
  }

  // They are the last, because the contract waits for the time between its first request and its last replay.
  describe('keeps the specification to the end', () => {
    it.each(last)('$name', runCase)
  })

  it('has logged nothing that was not caught, and still runs', () => {
    for (const { isRunning, output } of [server, unavailable]) {
      expect(isRunning).toBe(true)
      expect(output).not.toMatch(/unhandled|uncaught/i)
    }
  })
}

async function runCase({ check }: EndpointCase): Promise<void> {
  expect(await check()).toEqual({ ok: true, statuses: expect.any(Array) })
}

/** The same recipe with other time-outs for bodies and for Redis, with user code that may reject without an error, and with a store that may be down. */
function withFaults(source: string): string {
  const failing = source.replace(
    /^ *(console\.log|request\.log\.info)\(body/m,
    `if (String(body) === ${JSON.stringify(REJECTED_EVENT.toString())}) return Promise.reject()\n$&`,
  )
  expect(failing).not.toBe(source)
  const down = "process.env['STORE'] === 'down' ? { reserve: () => Promise.reject(new Error('down')), release() {} } : "
  return failing
    .replace("{ webhookId: 'billing', ", "$&bodyTimeout: Number(process.env['BODY_TIMEOUT']) || 30_000, ")
    .replace('createClient({ url, ...options })', "$&, { timeout: Number(process.env['STORE_TIMEOUT']) || 1000 }")
    .replace('new MemoryNonceStore()', `${down}$&`)
    .replace('nonces.getByName', "process.env['STORE'] === 'down' ? Promise.reject(new Error('down')) : $&")
}
