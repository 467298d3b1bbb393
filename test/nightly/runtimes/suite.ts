import assert from 'node:assert/strict'
import published from '../../../docs/vectors.json' with { type: 'json' }
import type { NonceStore } from '../../../src/index.js'
import type { SqliteNonceStore } from '../../../src/stores/sqlite.js'
import { BYTES, SHAPES, TEXT, WIDER } from '../../support/cases/bodies.js'
import { ABSENT, FOUND, NO_HEADERS, type Shape, TWICE } from '../../support/cases/headers.js'
import { SIGN_MISTAKES, VERIFY_MISTAKES } from '../../support/cases/mistakes.js'
import { NO_RAW_BODIES, NO_RAW_BODIES_ONCE_READ } from '../../support/cases/raw-body.js'
import { RecordingStore, SECRET, signedRequest, TestClock } from '../../support/request.js'
import { ED25519_SIGNATURE, MESSAGE_ID, PRIVATE_KEY, PUBLIC_KEY } from '../../support/standard-webhooks.js'

// The cases that run on every runtime.

type Core = typeof import('../../../src/index.js')
type Testing = typeof import('../../../tools/src/testing/index.js')
type Standard = typeof import('../../../src/standard-webhooks/index.js')
type Redis = typeof import('../../../src/stores/redis/index.js')
type Sqlite = typeof import('../../../src/stores/sqlite.js')
type Arguments = Parameters<Core['verify']>

/** A check that must pass on every runtime. */
interface Case {
  name: string
  run(): unknown
}

/** Returns the result of a request at the time of the tests: `accepted`, or the reason. */
async function resultOf(
  { verify }: Core,
  request: Arguments[0],
  store: Arguments[2] = new RecordingStore(),
  clock: Arguments[3] = new TestClock(),
): Promise<string> {
  const result = await verify(request, SECRET, store, clock)
  return result.ok ? 'accepted' : result.reason
}

/** The exports of each subpath of the package on this runtime, by import name. */
type Loaded = ReadonlyMap<string, object>

export interface Outcome {
  passed: number
  /** Says what is wrong, with one text per failed case. */
  failed: string[]
}

/**
 * Runs the core's tables of cases on this runtime, and the contract of the nonce stores.
 *
 * @param database - an empty database of the runtime's SQLite, if it has one.
 */
export async function outcomeOf(
  loaded: Loaded,
  database?: ConstructorParameters<typeof SqliteNonceStore>[0],
): Promise<Outcome> {
  const core = loaded.get('inbound-webhook-auth') as Core
  const testing = loaded.get('inbound-webhook-tools/testing') as Testing
  const standard = loaded.get('inbound-webhook-auth/standard-webhooks') as Standard
  const redis = loaded.get('inbound-webhook-auth/redis') as Redis
  const sqlite = loaded.get('inbound-webhook-auth/sqlite') as Sqlite

  const outcome: Outcome = { passed: 0, failed: [] }
  async function run({ name, run }: Case): Promise<void> {
    try {
      await run()
      outcome.passed++
    } catch (error) {
      outcome.failed.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  const imports = [...loaded].map(([name, exports]) => ({
    name: `${name} is loaded`,
    run: () => assert.notDeepEqual(Object.keys(exports), []),
  }))
  const shapes = [...headerShapes(core), ...bodyShapes(core)]
  const cases = [
    ...imports,
    ...vectors(core),
    ...shapes,
    ...mistakes(core),
    ...readBodies(core),
    networkStore(redis),
    ...ed25519(core, standard),
  ]
  for (const one of cases) await run(one)
  // These cases wait for real time to pass, so they run at once.
  await Promise.all(
    contract(core, testing, database && ((clock) => new sqlite.SqliteNonceStore(database, { clock }))).map(run),
  )
  return outcome
}

/** The vectors for receivers in any language: requests in order, and the result of each. */
function vectors({ MemoryNonceStore, sign, verify }: Core): Case[] {
  return published.vectors.map(({ description, secrets, requests }) => ({
    name: `the published vector: ${description}`,
    async run() {
      const clock = new TestClock()
      const store = new MemoryNonceStore({ clock })
      for (const { webhookId, now, headers, bodyBase64, expected } of requests) {
        clock.milliseconds = now
        const received = { webhookId, headers: headers as [string, string][], body: Buffer.from(bodyBase64, 'base64') }
        const result = await verify(received, secrets, store, clock)
        for (const [name, value] of Object.entries(expected)) assert.equal(Reflect.get(result, name), value)
        if (!result.ok) continue
        const { timestamp, nonce, secretIndex } = result
        const signed = sign(received.body, secrets[secretIndex] ?? '', { timestamp, nonce })
        const sent = new Headers(received.headers)
        // `sign` writes no leading zeros.
        if (sent.get('x-timestamp') !== signed['X-Timestamp']) continue
        assert.equal(signed['X-Signature'], sent.get('x-signature'))
      }
    },
  }))
}

/** The signatures of version 1a, which need more of `node:crypto` than an HMAC. */
function ed25519({ MemoryNonceStore }: Core, { generateKeyPair, sign, verify }: Standard): Case[] {
  const options = { messageId: MESSAGE_ID, timestamp: 1_614_265_330 }
  const [body, clock] = ['{"test": 2432232314}', new TestClock(1_614_265_330_000)]
  const outcome = async (key: string, headers: Parameters<Standard['verify']>[0]['headers']) => {
    const result = await verify({ webhookId: '42', headers, body }, key, new MemoryNonceStore(), clock)
    return result.ok ? 'accepted' : result.reason
  }
  const signed = sign(body, PRIVATE_KEY, options)
  const filledWith = (byte: number) => `whpk_${Buffer.alloc(32, byte).toString('base64')}`
  return [
    {
      name: 'Ed25519: the example of the specification',
      async run() {
        assert.equal(signed['webhook-signature'], ED25519_SIGNATURE)
        assert.equal(await outcome(PUBLIC_KEY, signed), 'accepted')
      },
    },
    {
      name: 'Ed25519: another key pair, and keys that are no points',
      async run() {
        const { publicKey, privateKey } = generateKeyPair()
        assert.equal(await outcome(publicKey, sign(body, privateKey, options)), 'accepted')
        for (const key of [publicKey, filledWith(2), filledWith(3), filledWith(4)]) {
          assert.equal(await outcome(key, signed), 'signature_mismatch')
        }
      },
    },
  ]
}

/** Every store that uses a server has the same timers, which differ between runtimes. */
function networkStore({ RedisNonceStore }: Redis): Case {
  return {
    name: 'a network store reserves a nonce once',
    async run() {
      const store = new RedisNonceStore({ sendCommand: async (args) => `reserved ${args.at(-2)}` })
      assert.deepEqual(
        [await store.reserve('42', 'nonce', 600), await store.reserve('42', 'nonce', 600)],
        [true, false],
      )
    },
  }
}

function headerShapes(core: Core): Case[] {
  const found = (shapes: readonly Shape[], expected: string) =>
    shapes.map(([name, headers]) => ({
      name: `headers, ${expected}: ${name}`,
      run: async () => assert.equal(await resultOf(core, { ...signedRequest(), headers: headers() }), expected),
    }))
  return [...found(FOUND, 'accepted'), ...found(TWICE, 'invalid_nonce'), ...found(ABSENT, 'missing_header')]
}

function bodyShapes(core: Core): Case[] {
  const accepts = (name: string, signed: Uint8Array, body: () => unknown) => ({
    name: `a body: ${name}`,
    run: async () => {
      const request = Object.assign(signedRequest({ body: signed }), { body: await body() })
      assert.equal(await resultOf(core, request as Parameters<Core['verify']>[0]), 'accepted')
    },
  })
  return [
    ...SHAPES.map(([name, body]) => accepts(name, BYTES, body)),
    ...WIDER.map(([name, body]) => accepts(name, BYTES.subarray(2, 6), body)),
    accepts('text', new TextEncoder().encode(TEXT), () => TEXT),
    {
      name: 'a body: read before the promise is returned',
      async run() {
        const body = Uint8Array.from(BYTES)
        const got = resultOf(core, signedRequest({ body }))
        body.fill(0)
        assert.equal(await got, 'accepted')
      },
    },
  ]
}

function mistakes(core: Core): Case[] {
  type Case = readonly [name: string, args: () => unknown[] | Promise<unknown[]>, message: RegExp]
  const refuses = (call: (...args: unknown[]) => unknown, where: string, [name, args, message]: Case) => ({
    name: `a mistake in ${where}: ${name}`,
    async run() {
      const values = await args()
      const error = { name: 'TypeError', code: 'ERR_INVALID_ARGUMENT', message }
      await assert.rejects(async () => await call(...values), error)
    },
  })
  const verify = core.verify as (...args: unknown[]) => unknown
  const sign = core.sign as (...args: unknown[]) => unknown
  const withPart = (part: object) => [{ ...signedRequest(), ...part }, SECRET, new RecordingStore()]
  return [
    ...VERIFY_MISTAKES.map((mistake) => refuses(verify, 'verify', mistake)),
    ...SIGN_MISTAKES.map((mistake) => refuses(sign, 'sign', mistake)),
    ...NO_HEADERS.map(([name, headers, message]) =>
      refuses(verify, 'headers', [name, () => withPart({ headers: headers() }), message]),
    ),
    ...NO_RAW_BODIES.map(([name, body, message]) =>
      refuses(verify, 'body', [name, () => withPart({ body: body() }), message]),
    ),
    ...NO_RAW_BODIES_ONCE_READ.map(([name, body, message]) =>
      refuses(verify, 'body', [name, async () => withPart({ body: await body() }), message]),
    ),
  ]
}

/** Checks that `readBody` and `receive` read the runtime's own requests and streams. */
function readBodies({ MemoryNonceStore, readBody, receive, refusal, sign }: Core): Case[] {
  const post = (body: RequestInit['body'], headers = {}) =>
    new Request('http://localhost/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
  const streamOf = (...chunks: (Uint8Array | Error)[]) =>
    new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else if (chunk instanceof Error) controller.error(chunk)
        else controller.enqueue(chunk)
      },
    })
  const returns = (name: string, source: () => Parameters<typeof readBody>[0], expected: Uint8Array) => ({
    name: `readBody: ${name}`,
    run: async () => assert.deepEqual([...(await readBody(source()))], [...expected]),
  })
  const refuses = (name: string, source: () => Parameters<typeof readBody>[0], status: number) => ({
    name: `readBody: ${name}`,
    run: async () => {
      const error: unknown = await readBody(source(), { maxBytes: 10 }).catch((thrown: unknown) => thrown)
      assert.equal(Object(error).status, status, String(error))
    },
  })
  const ten = () => new Uint8Array(10)
  const signed = (body: string) => post(body, sign(body, 'secret'))
  const receiveFrom = (request: Request, nonceStore = new MemoryNonceStore()) =>
    receive({ webhookId: '42', request }, 'secret', nonceStore)
  return [
    {
      name: 'receive: accepts a Request once',
      async run() {
        const nonceStore = new MemoryNonceStore()
        const request = signed('{"a":1}')
        const { body } = await receiveFrom(request.clone(), nonceStore)
        assert.equal(body.toString(), '{"a":1}')
        await assert.rejects(receiveFrom(request, nonceStore), { reason: 'replayed_nonce' })
      },
    },
    {
      name: 'receive: leaves the body of a Request unread if its headers break a rule',
      async run() {
        const request = post('{"a":1}')
        const error: unknown = await receiveFrom(request).catch((thrown: unknown) => thrown)
        assert.equal(request.bodyUsed, false)
        assert.equal(refusal(error, { log() {} }).status, 401)
      },
    },
    returns('every byte of a Request', () => post(Uint8Array.from(BYTES)), BYTES),
    returns('a stream', () => post(streamOf(BYTES.slice(0, 1), BYTES.slice(1))), BYTES),
    returns('a Request without a body', () => new Request('http://localhost/'), new Uint8Array()),
    returns('an empty body', () => post(''), new Uint8Array()),
    returns('an object around the Request', () => ({ req: { raw: post(Uint8Array.from(BYTES)) } }), BYTES),
    returns('an event of AWS Lambda', () => ({ body: 'AAE=', isBase64Encoded: true }), Uint8Array.of(0, 1)),
    refuses('a large Content-Length', () => ({ headers: new Headers({ 'content-length': '11' }), body: ten() }), 413),
    refuses('a stream that is too large', () => post(streamOf(ten(), Uint8Array.of(1))), 413),
    refuses('a stream that fails', () => post(streamOf(ten(), new Error('reset'))), 400),
    {
      name: 'readBody: a stream that stops',
      async run() {
        const error: unknown = await readBody(post(new ReadableStream()), { bodyTimeout: 50 }).catch((thrown) => thrown)
        assert.equal(Object(error).status, 408, String(error))
      },
    },
    {
      name: 'readBody: a Request that was read',
      async run() {
        const request = post('{}')
        await request.json()
        await assert.rejects(readBody(request), { code: 'ERR_INVALID_ARGUMENT', message: /^source was already read, / })
      },
    },
  ]
}

/** The contract of nonce stores, with the clock and timers of this runtime, and with its SQLite if it has one. */
function contract(
  { MemoryNonceStore }: Core,
  { nonceStoreContract }: Testing,
  openSqlite: ((clock: TestClock) => NonceStore) | undefined,
): Case[] {
  const store = new MemoryNonceStore()
  const down = { reserve: () => Promise.reject(new Error('connection refused')) }
  const cases = nonceStoreContract(() => store, { createUnreachableStore: () => down })
  const inMemory = cases.map(({ name, run }) => ({ name: `MemoryNonceStore ${name}`, run }))
  if (openSqlite === undefined) return inMemory
  const inSqlite = {
    name: 'SqliteNonceStore passes with a clock that the test moves',
    // One after the other, because each case moves the clock.
    async run() {
      const clock = new TestClock()
      const moved = openSqlite(clock)
      const wait = (milliseconds: number) => {
        clock.milliseconds += milliseconds
      }
      for (const { run } of nonceStoreContract(() => moved, { wait })) await run()
    },
  }
  return [...inMemory, inSqlite]
}
