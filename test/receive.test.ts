import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  type BodySource,
  type Clock,
  type NonceStore,
  receive,
  refusal,
  refuse,
  type Secret,
  WebhookRejectedError,
} from '../src/index.js'
import { serve, write } from './support/http-server.js'
import { NONCE, NOW, RecordingStore, SECRET, signedRequest, TestClock, TIMESTAMP } from './support/request.js'

const BODY = Buffer.from('a body that is split in one way only')
const SIGNED = signedRequest({ body: BODY })

/** A Fetch request with these headers, to any body. */
function fetchRequest(
  headers: Record<string, string> = SIGNED.headers,
  body: string | Uint8Array<ArrayBuffer> = BODY,
): Request {
  return new Request('http://localhost/', { method: 'POST', headers, body })
}

/** Returns what `receive` returned, or what it threw. */
function outcomeOf(
  request: BodySource,
  { secret = SECRET, nonceStore = new RecordingStore(), clock = new TestClock(), ...limits }: Setting = {},
): Promise<unknown> {
  return receive({ webhookId: '42', request, ...limits }, secret, nonceStore, clock).catch((error: unknown) => error)
}

interface Setting {
  readonly secret?: Secret
  readonly nonceStore?: NonceStore
  readonly clock?: Clock
  readonly maxBytes?: number | undefined
  readonly bodyTimeout?: number | undefined
}

const ACCEPTED = {
  ok: true,
  webhookId: '42',
  timestamp: Number(TIMESTAMP),
  nonce: NONCE,
  secretIndex: 0,
  body: BODY,
  release: expect.any(Function),
}

describe('a valid request', () => {
  it('is accepted, and returns its body in a Buffer', async () => {
    const received = await receive({ webhookId: '42', request: fetchRequest() }, SECRET, new RecordingStore(), {
      now: () => NOW,
    })
    expect(received).toEqual(ACCEPTED)
    expect(Buffer.isBuffer(received.body)).toBe(true)
    expect(received.body.toString('utf8')).toBe('a body that is split in one way only')
  })

  it('uses Date if there is no clock', async () => {
    const { headers } = signedRequest({ body: BODY, timestamp: String(Math.floor(Date.now() / 1000)) })
    const request = fetchRequest(headers)
    expect(await receive({ webhookId: '42', request }, SECRET, new RecordingStore())).toMatchObject({ ok: true })
  })
})

it('uses the secrets of the call, even if the list changes while the body arrives', async () => {
  const secrets = ['an old secret']
  const outcome = outcomeOf(fetchRequest(), { secret: secrets })
  secrets[0] = SECRET
  expect(await outcome).toMatchObject({ reason: 'signature_mismatch' })
})

it('throws an error whose message and stack are safe to send: neither says what is wrong', async () => {
  const error = await outcomeOf(fetchRequest(HEADERS, 'a forged body'))
  if (!(error instanceof WebhookRejectedError)) throw new Error('not rejected')
  expect(error.message).toBe('The request is not authenticated')
  expect(error.stack).not.toMatch(/signature_mismatch|X-Signature|bytes/)
  expect(error.detail).toMatch(/^X-Signature is not the signature/)
})

describe('the error of a refused request has the request', () => {
  const requestOf = (error: unknown) => (error instanceof WebhookRejectedError ? error.received : 'not rejected')
  const forged = () => fetchRequest(HEADERS, 'a forged body')
  const rawBody = Buffer.from('a body')

  it('if the signature does not match', async () => {
    const request = forged()
    const received = requestOf(await outcomeOf(request))
    expect(received).toEqual({ headers: request.headers, body: Buffer.from('a forged body') })
  })

  it('if the request is a replay, or the window has closed while the store answered', async () => {
    const clock = new TestClock()
    const stores: NonceStore[] = [
      { reserve: () => false },
      {
        reserve() {
          clock.milliseconds += 300_001
          return true
        },
      },
    ]
    for (const nonceStore of stores) {
      const error = await outcomeOf(fetchRequest(), { nonceStore, clock })
      expect(requestOf(error)).toEqual({ headers: expect.any(Headers), body: BODY })
    }
  })

  it('only if the body was read, so not if the headers break a rule', async () => {
    expect(requestOf(await outcomeOf(fetchRequest({})))).toBeUndefined()
    const headers = {}
    expect(requestOf(await outcomeOf({ headers, rawBody }))).toEqual({ headers, body: rawBody })
  })

  it.each<[string, BodySource]>([
    ['too large', { headers: {}, rawBody }],
    ['not base64', { headers: {}, body: 'e', isBase64Encoded: true }],
  ])('without a body that is %s, because the headers are wrong first', async (_, request) => {
    const error = await outcomeOf(request, { maxBytes: 5 })
    expect(error).toMatchObject({ reason: 'missing_header' })
    expect(requestOf(error)).toBeUndefined()
  })

  it('where no logger and no response finds it', async () => {
    const error = Object(await outcomeOf(forged()))
    expect(requestOf(error)).toBeDefined()
    const names = [...Object.getOwnPropertyNames(error), ...Object.keys(structuredClone(error))]
    const lines: string[] = []
    const response = refusal(error, { log: ({ message }) => void lines.push(message) })
    const texts = [inspect(error, { showHidden: true }), JSON.stringify(error), ...lines, await response.text()]
    expect(names).not.toContain('received')
    expect(texts.join('\n')).not.toMatch(/forged|6f9619ff|Buffer/)
  })
})

it('has no body without await', () => {
  const pending = receive({ webhookId: '42', request: fetchRequest({}) }, SECRET, new RecordingStore())
  pending.catch(() => {})
  // @ts-expect-error: a promise has no body.
  expect(pending.body).toBeUndefined()
  // @ts-expect-error: the same in a handler.
  expect(() => pending.body.toString()).toThrow(TypeError)
})

const HEADERS = SIGNED.headers

/** Requests that break a rule which needs no body. */
const BROKEN_HEADERS: readonly (readonly [reason: string, headers: Record<string, string>])[] = [
  ['missing_header', {}],
  ['missing_header', { 'x-timestamp': TIMESTAMP, 'x-nonce': NONCE }],
  ['invalid_timestamp', { ...HEADERS, 'x-timestamp': '2023-11-14T22:13:20Z' }],
  ['timestamp_outside_window', { ...HEADERS, 'x-timestamp': String(Number(TIMESTAMP) - 301) }],
  ['invalid_nonce', { ...HEADERS, 'x-nonce': 'a b' }],
  ['signature_mismatch', { ...HEADERS, 'x-signature': HEADERS['x-signature'].toUpperCase() }],
  ['signature_mismatch', { ...HEADERS, 'x-signature': HEADERS['x-signature'].slice(1) }],
  ['signature_mismatch', { ...HEADERS, 'x-signature': '' }],
]

describe('a request whose headers break a rule', () => {
  type Thrown = { readonly [name in 'code' | 'reason' | 'webhookId' | 'headers' | 'hasRead']: unknown }

  /** Starts a handler, and returns its port, what `receive` threw, and the requests. */
  async function handler() {
    const errors: Thrown[] = []
    const port = await serve(async (request, response) => {
      try {
        await receive({ webhookId: '42', request }, SECRET, new RecordingStore(), new TestClock())
        response.end()
      } catch (error) {
        // Plain fields: if one is wrong, the difference shows it, which it does not for an error.
        const { code, reason, webhookId, headers } = error as Partial<WebhookRejectedError>
        errors.push({ code, reason, webhookId, headers, hasRead: request.readableDidRead })
        refuse(response, error, { log() {} })
      }
    })
    return { port, errors }
  }

  /** Announces a body, sends the first ten bytes of it, and returns the first answer. */
  function announce(port: number, length: number, headers: Record<string, string>): Promise<string> {
    const lines = Object.entries({ host: 'a', 'content-length': String(length), ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return write(port, `POST / HTTP/1.1\r\n${head}\r\n0123456789`)
  }

  it.each(BROKEN_HEADERS)('is answered before its body arrives: %s %j', async (reason, headers) => {
    const { port, errors } = await handler()
    // The length is above the limit too, but the headers come first.
    const answer = await announce(port, 50_000_000, headers)
    expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
    expect(answer).toMatch(/\r\nConnection: close\r\n/)
    expect(answer).not.toMatch(/nonce|timestamp|signature|header/i)
    const headersOfAnswer = { Connection: 'close' }
    expect(errors).toEqual([
      { code: 'ERR_WEBHOOK_REJECTED', reason, webhookId: '42', headers: headersOfAnswer, hasRead: false },
    ])
  })

  it('is too large if only its length is wrong', async () => {
    const { port, errors } = await handler()
    expect(await announce(port, 50_000_000, HEADERS)).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/s)
    expect(errors).toMatchObject([{ code: 'ERR_BODY_TOO_LARGE' }])
  })

  it.each(BROKEN_HEADERS)('keeps the body of a Fetch request untouched: %s %j', async (reason, headers) => {
    let touched = 0
    const request = {
      headers: new Headers(headers),
      bodyUsed: false,
      arrayBuffer() {},
      get body() {
        touched++
        return null
      },
    }
    expect(await outcomeOf(request)).toMatchObject({ reason })
    expect(touched).toBe(0)
  })

  it.each([{ rawBody: BODY }, { body: BODY }, { body: '', isBase64Encoded: false }])(
    'does not close the connection if the body was read before: %j',
    async (read) => {
      const error = await outcomeOf({ headers: {}, ...read })
      expect(error).toMatchObject({ reason: 'missing_header', headers: undefined })
    },
  )
})

describe('the window', () => {
  /** A Fetch request whose body moves the clock when it is read. */
  function slowRequest(move: () => void): Request {
    const body = new ReadableStream(
      {
        pull(controller) {
          move()
          controller.enqueue(new Uint8Array(BODY))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return new Request('http://localhost/', { method: 'POST', headers: HEADERS, body, duplex: 'half' } as RequestInit)
  }

  it.each([
    [300_000, true],
    [300_001, false],
  ])('is checked again %i ms later, when the body has arrived', async (milliseconds, isAccepted) => {
    const clock = new TestClock()
    const nonceStore = new RecordingStore()
    const request = slowRequest(() => {
      clock.milliseconds += milliseconds
    })
    expect(await outcomeOf(request, { clock, nonceStore })).toMatchObject(
      isAccepted ? { ok: true } : { reason: 'timestamp_outside_window' },
    )
    expect(nonceStore.calls).toHaveLength(isAccepted ? 1 : 0)
  })
})

describe('an event of AWS Lambda', () => {
  const text = BODY.toString()
  const lists = Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name, [value]]))

  it.each<[string, BodySource]>([
    ['payload 2.0 and function URL', { headers: HEADERS, body: text, isBase64Encoded: false }],
    ['base64', { headers: HEADERS, body: BODY.toString('base64'), isBase64Encoded: true }],
    ['payload 1.0', { headers: HEADERS, multiValueHeaders: lists, body: text, isBase64Encoded: false } as BodySource],
    ['ALB with lists', { multiValueHeaders: lists, body: text, isBase64Encoded: false } as BodySource],
  ])('of %s is accepted', async (_, event) => {
    expect(await outcomeOf(event)).toEqual(ACCEPTED)
  })

  it('shows all values of a header only in multiValueHeaders', async () => {
    const multiValueHeaders = { ...lists, 'x-nonce': ['first', NONCE] }
    const event = { headers: HEADERS, multiValueHeaders, body: text, isBase64Encoded: false }
    expect(await outcomeOf(event)).toMatchObject({ reason: 'invalid_nonce' })
  })
})

describe("a framework's object around the request", () => {
  it.each<[string, (request: object) => object]>([
    ["Hono's c", (request) => ({ req: { raw: request, arrayBuffer() {} }, body() {} })],
    ["Hono's c.req", (request) => ({ raw: request, arrayBuffer() {} })],
    ["h3's event", (request) => ({ req: request })],
    ["Koa's ctx", (request) => ({ req: request, request: { req: request }, headers: HEADERS, body: undefined })],
    ["Fastify's request", (request) => ({ raw: request, headers: HEADERS, body: undefined })],
    ["hapi's request", (request) => ({ raw: { req: request, res: {} }, headers: HEADERS, payload: null })],
    ["hapi's request with bytes", () => ({ raw: { req: {} }, headers: HEADERS, payload: BODY })],
    ["SvelteKit's event", (request) => ({ request, params: {} })],
    ["AdonisJS's ctx", (request) => ({ request: { request, headers() {}, body() {}, raw() {} } })],
  ])('%s', async (_, around) => {
    expect(await outcomeOf(around(fetchRequest()) as BodySource)).toEqual(ACCEPTED)
    const message = Object.assign(Readable.from([BODY], { objectMode: false }), { headers: HEADERS })
    expect(await outcomeOf(around(message) as BodySource)).toEqual(ACCEPTED)
  })

  it('takes the headers of the object around bytes that have none', async () => {
    expect(await outcomeOf({ headers: HEADERS, req: { rawBody: BODY } })).toEqual(ACCEPTED)
  })
})

describe('a mistake of the caller is an error before a byte is read:', () => {
  const request = { headers: HEADERS, body: BODY }
  const store = new RecordingStore()
  const json = { a: 1 }

  /** The arguments with a part of the source, or another secret, store or clock. */
  const source = (part: object, ...rest: unknown[]) => [{ webhookId: '42', request, ...part }, ...rest]
  const from = (request: unknown) => source({ request }, SECRET, store)
  const event = { headers: HEADERS, body: json, isBase64Encoded: false }

  it.each<[string, unknown[], RegExp]>([
    ['nothing', [undefined, SECRET, store], /^source is undefined\. Pass an object with webhookId, request, maxBytes/],
    [
      'a request alone',
      [fetchRequest(), SECRET, store],
      /^source\.webhookId is undefined\. Pass \{ webhookId, request \} /,
    ],
    [
      'an unknown option',
      source({ maxbytes: 10 }, SECRET, store),
      /^source\.maxbytes is unknown\. Use one of: webhookId, request, maxBytes, bodyTimeout\.$/,
    ],
    ['no request', from(undefined), /^source\.request is undefined\. Pass \{ webhookId, request \}\.$/],
    ['no headers', from({ rawBody: BODY }), /^request\.headers is undefined\. Pass Node's request\.headers, /],
    ['no body', from({ headers: HEADERS }), /^request is an object without raw bytes\. Pass the request/],
    [
      'a parsed body',
      from({ headers: HEADERS, body: json }),
      /^request\.body is an object, as a body parser returns it\. /,
    ],
    [
      'a parsed event',
      from(event),
      /^request\.body is an object, .*\nAWS Lambda: .*, and remove the body parser from this function/,
    ],
    ['a wrong limit', source({ maxBytes: '1mb' }, SECRET, store), /^maxBytes must be a whole number of bytes\. /],
  ])('%s', async (_, args, message) => {
    const error: unknown = await Reflect.apply(receive, undefined, args).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(message) })
    expect((error as Error).message.split('\n')[0]?.length).toBeLessThanOrEqual(200)
  })

  it('a body that was read, even if the headers break a rule', async () => {
    const read = fetchRequest({})
    await read.text()
    const stream = Object.assign(Readable.from([BODY], { objectMode: false }), { headers: {} })
    for await (const _ of stream);
    const ended = Object.assign(stream, { destroyed: false })
    for (const request of [read, ended]) {
      const error = await outcomeOf(request)
      expect(error).toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
        message: expect.stringMatching(/^request was already read, /),
      })
    }
  })

  it('a wrong argument, although the body of the request never arrives', async () => {
    const never = () => Object.assign(new Readable({ read() {} }), { headers: HEADERS })
    for (const setting of [{ secret: '' }, { nonceStore: {} as never }, { clock: {} as never }, { maxBytes: -1 }]) {
      expect(await outcomeOf(never(), setting)).toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    }
  })
})
