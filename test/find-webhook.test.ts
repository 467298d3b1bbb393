import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type FindWebhook,
  handle,
  MemoryNonceStore,
  receive,
  refuse,
  sign,
  verify,
  type WebhookResult,
} from '../src/index.js'
import { OWN_SCHEME } from '../src/scheme.js'
import * as standard from '../src/standard-webhooks/index.js'
import { serve, write } from './support/http-server.js'
import { NONCE, RecordingStore, SECRET, signedRequest, TestClock, TIMESTAMP } from './support/request.js'
import { STANDARD_SECRET, signedMessage } from './support/standard-webhooks.js'

// A function finds the webhook of a request.

const BODY = Buffer.from('a body that is split in one way only')
const OWN = signedRequest({ body: BODY }).headers
const STANDARD = signedMessage({ body: BODY }).headers
const CHANNEL = 'inbound-webhook-auth:result'

const published: WebhookResult[] = []
const listener = (message: unknown) => {
  published.push(message as WebhookResult)
}
beforeEach(() => {
  published.length = 0
  subscribe(CHANNEL, listener)
})
afterEach(() => {
  unsubscribe(CHANNEL, listener)
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const requestOf = (headers: object = OWN, body: Uint8Array = BODY) => ({ headers, rawBody: body })
/** What the tests pass besides the function. */
interface Setting {
  request?: object
  store?: RecordingStore | MemoryNonceStore
  clock?: TestClock
  maxBytes?: number
  bodyTimeout?: number
  webhookId?: string
}
/** Returns what `receive` resolves to or throws. The function may return anything. */
function outcomeOf(find: () => unknown, setting: Setting = {}): Promise<unknown> {
  const { request = requestOf(), store = new RecordingStore(), clock = new TestClock(), ...source } = setting
  const call = receive({ request, ...source } as never, find as FindWebhook, store, clock)
  return call.catch((error: unknown) => error)
}

const found = { webhookId: '42', secret: SECRET }

/** Both functions, each of one scheme, with a request that is accepted. */
const CALLS = [
  ['receive', (find: () => unknown, store: RecordingStore) => outcomeOf(find, { store })],
  [
    'handle of Standard Webhooks',
    (find: () => unknown, store: RecordingStore) =>
      standard.handle(
        { request: requestOf(STANDARD) },
        find as FindWebhook,
        Object.assign(store, { release() {} }),
        (webhook) => webhook,
        new TestClock(),
      ),
  ],
] as const

describe.each(CALLS)('%s', (name, call) => {
  const secret = name.includes('Standard') ? STANDARD_SECRET : SECRET

  it('uses the ID and the secrets that the function returns, also in a promise', async () => {
    const store = new RecordingStore()
    expect(await call(() => ({ webhookId: 'a', secret }), store)).toMatchObject({ webhookId: 'a', body: BODY })
    const rotating = async () => ({ webhookId: 'b', secret: [`${secret.slice(0, -1)}A`, secret] })
    expect(await call(rotating, store)).toMatchObject({ webhookId: 'b', secretIndex: 1 })
    expect(store.calls.map(([webhookId]) => webhookId)).toEqual(['a', 'b'])
    expect(published).toMatchObject([
      { webhookId: 'a', outcome: 'accepted' },
      { webhookId: 'b', outcome: 'accepted' },
    ])
  })

  // `findUnique` of Prisma, `findOne` of TypeORM, Sequelize and Mongoose return `null`.
  it.each([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a promise of null', async () => null],
  ])('rejects the request to an unknown webhook, which is %s, and reserves nothing', async (_, find) => {
    const store = new RecordingStore()
    const outcome = await Promise.resolve(call(find, store)).catch((error: unknown) => error)
    expect(outcome).toMatchObject({ code: 'ERR_WEBHOOK_REJECTED', reason: 'unknown_webhook', webhookId: undefined })
    expect(store.calls).toEqual([])
    expect(published).toMatchObject([{ webhookId: undefined, outcome: 'unknown_webhook', bytes: BODY.length }])
  })
})

it('the result of the work keeps its type', async () => {
  const length: number = await handle(
    { request: requestOf() },
    () => found,
    new MemoryNonceStore(),
    ({ body, webhookId }) => body.length + webhookId.length,
    new TestClock(),
  )
  expect(length).toBe(BODY.length + 2)
})

it('the types of database clients fit: null, but no secret that may be null', async () => {
  const findUnique = async (): Promise<typeof found | null> => found
  const findOne = async (): Promise<{ webhookId: string; secret: string | null } | null> => found
  const request = requestOf()
  await expect(receive({ request }, findUnique, new MemoryNonceStore(), new TestClock())).resolves.toHaveProperty(
    'webhookId',
    '42',
  )
  // @ts-expect-error: the secret of a record may be null
  await receive({ request }, findOne, new MemoryNonceStore(), new TestClock())
})

it('verify and sign have a secret, not a function', async () => {
  // @ts-expect-error: the function would have to be called before the headers are checked.
  const verified = verify({ webhookId: '42', headers: OWN, body: BODY }, () => found, new MemoryNonceStore())
  await expect(verified).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
  // @ts-expect-error: a request is signed with one secret.
  expect(() => sign(BODY, () => found)).toThrow(TypeError)
})

describe('the function is called', () => {
  const wrong: readonly (readonly [string, object, Setting?])[] = [
    ['missing_header', { ...OWN, 'x-nonce': undefined }],
    ['invalid_timestamp', { ...OWN, 'x-timestamp': 'now' }],
    ['timestamp_outside_window', { ...OWN, 'x-timestamp': String(Number(TIMESTAMP) - 301) }],
    ['invalid_nonce', { ...OWN, 'x-nonce': 'a b' }],
    ['signature_mismatch', { ...OWN, 'x-signature': 'A'.repeat(64) }],
    ['ERR_BODY_TOO_LARGE', { ...OWN, 'content-length': '101' }, { maxBytes: 100 }],
  ]

  it('0 times for 600 requests whose headers break a rule or announce too much', async () => {
    const find = vi.fn(() => found)
    const outcomes = new Set<string>()
    for (const [expected, headers, setting] of Array(100).fill(wrong).flat() as typeof wrong) {
      const outcome = Object(await outcomeOf(find, { request: requestOf(headers), ...setting }))
      outcomes.add(`${expected}: ${outcome.reason ?? outcome.code}, ${outcome.webhookId}`)
    }
    expect([...outcomes]).toEqual(wrong.map(([expected]) => `${expected}: ${expected}, undefined`))
    expect(find).not.toHaveBeenCalled()
    expect(published.filter(({ webhookId }) => webhookId !== undefined)).toEqual([])
  })

  it('once, and before the body is read', async () => {
    const read = vi.fn(function (this: Readable) {
      this.push(BODY)
      this.push(null)
    })
    const request = Object.assign(new Readable({ read }), { headers: OWN })
    const find = vi.fn(async () => {
      await new Promise(setImmediate)
      expect(read).not.toHaveBeenCalled()
      return found
    })
    expect(await outcomeOf(find, { request })).toMatchObject({ ok: true, webhookId: '42' })
    expect(find).toHaveBeenCalledOnce()
    expect(find).toHaveBeenCalledWith()
  })
})

describe('an unknown webhook gets the same response as a wrong signature', () => {
  /** Starts a handler that knows the webhook of /known, and returns its port and what it logged. */
  async function start(limits: object = {}) {
    const logged: string[] = []
    const port = await serve(async (request, response) => {
      try {
        const find = () => (request.url === '/known' ? { webhookId: '42', secret: 'another secret' } : undefined)
        await receive({ request, ...limits }, find, new RecordingStore(), new TestClock())
      } catch (error) {
        refuse(response, error, { log: ({ message }) => logged.push(message) })
      }
    })
    return { port, logged }
  }

  /** Returns the response, without the line that has the time. */
  async function responseTo(port: number, path: string, framing: string, body: string) {
    const head = Object.entries(OWN).map(([name, value]) => `${name}: ${value}\r\n`)
    const answer = await write(port, `POST ${path} HTTP/1.1\r\nHost: a\r\n${framing}\r\n${head.join('')}\r\n${body}`)
    return answer.replace(/\r\nDate: [^\r]*/, '')
  }

  it.each<[string, number, string, string, object?]>([
    ['whole body', 401, `Content-Length: ${BODY.length}`, String(BODY)],
    ['body that is announced too large', 413, 'Content-Length: 9', 'a body', { maxBytes: 8 }],
    ['body that becomes too large', 413, 'Transfer-Encoding: chunked', '9\r\n123456789\r\n', { maxBytes: 8 }],
    ['body that is too slow', 408, 'Content-Length: 9', 'a', { bodyTimeout: 1 }],
  ])('with a %s: %i', async (_, status, framing, body, limits) => {
    const { port, logged } = await start(limits)
    const [known, unknown] = [
      await responseTo(port, '/known', framing, body),
      await responseTo(port, '/unknown', framing, body),
    ]
    expect(unknown).toBe(known)
    expect(unknown).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (status === 401) {
      expect(logged).toEqual([
        expect.stringMatching(/^Webhook 42: signature_mismatch: /),
        expect.stringMatching(/^Webhook \(unknown\): unknown_webhook: No webhook was found\. /),
      ])
    }
  })
})

it.each([
  ['a known webhook with another secret', { ...found, secret: 'another' }],
  ['an unknown webhook', null],
])('%s costs one comparison, so that no response time shows which webhooks exist', async (_, result) => {
  let comparisons = 0
  const { matcher } = OWN_SCHEME
  vi.spyOn(OWN_SCHEME, 'matcher').mockImplementation((...message) => {
    const isMatch = matcher(...message)
    return (secret) => {
      comparisons++
      return isMatch(secret)
    }
  })
  await outcomeOf(() => result)
  expect(comparisons).toBe(1)
})

describe('the error of the function', () => {
  it.each<[string, (error: Error) => unknown]>([
    [
      'is thrown',
      (error) => {
        throw error
      },
    ],
    ['is in a promise', (error) => Promise.reject(error)],
  ])('is unchanged if it %s, and nothing is read or reserved', async (_, fail) => {
    const error = new Error('the database is down')
    const read = vi.fn()
    const store = new RecordingStore()
    const request = Object.assign(new Readable({ read }), { headers: OWN })
    expect(await outcomeOf(() => fail(error), { request, store })).toBe(error)
    expect(read).not.toHaveBeenCalled()
    expect(store.calls).toEqual([])
    expect(published).toMatchObject([{ outcome: 'failed', webhookId: undefined, bytes: undefined }])
  })

  it.each<[string, unknown, RegExp]>([
    ['an empty list of records', [], /^webhookId of the function's result is undefined\. Return .*, or null if there/],
    ['false', false, /^webhookId of the function's result is undefined\. Return/],
    ['a secret', SECRET, /Return \{ webhookId, secret \}/],
    [
      'a number as the ID',
      { webhookId: 42, secret: SECRET },
      /is a number\. Return \{ webhookId, secret \} with the ID as a string/,
    ],
    ['half a character in the ID', { webhookId: '\ud800', secret: SECRET }, /lone surrogate.*Pass the whole text/],
    ['null as the ID', { webhookId: null, secret: SECRET }, /^webhookId of the function's result is null\. Return/],
    ['no secret', { webhookId: '42' }, /^secret of the function's result is undefined\. Pass the secret as text/],
    ['null as the secret', { webhookId: '42', secret: null }, /^secret of the function's result is null\. Pass the/],
    ['an empty secret', { webhookId: '42', secret: '' }, /^secret of the function's result is an empty string\. Pass/],
    [
      'null as a second secret',
      { webhookId: '42', secret: [SECRET, null] },
      /^secret\[1\] of the function's result is null/,
    ],
  ])('says what to return instead of %s', async (_, value, message) => {
    const read = vi.fn()
    const request = Object.assign(new Readable({ read }), { headers: OWN })
    const error = await outcomeOf(async () => value, { request })
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(message) })
    expect(String(error)).not.toContain(SECRET)
    expect(read).not.toHaveBeenCalled()
  })

  it('names the field of the record in Standard Webhooks too', async () => {
    for (const [secret, message] of [
      [null, /^secret of the function's result is null\. /],
      [[STANDARD_SECRET, null], /^secret\[1\] of the function's result is null\. /],
      ['short', /^secret of the function's result is not base64 with the right padding/],
    ] as const) {
      const find = () => ({ webhookId: '42', secret }) as never
      const error = standard.receive({ request: requestOf(STANDARD) }, find, new RecordingStore(), new TestClock())
      await expect(error).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
        message: expect.stringMatching(message),
      })
    }
  })

  it('says that the ID is not passed beside a function', async () => {
    const find = vi.fn(() => found)
    expect(await outcomeOf(find, { webhookId: '42' })).toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message:
        'source.webhookId is set, but secret is a function. Return { webhookId, secret } from it and remove source.webhookId.',
    })
    expect(find).not.toHaveBeenCalled()
  })
})

describe('the time-out', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })

  it('is that of the body: 503, and a late answer is ignored', async () => {
    const late: { resolve?: (webhook: typeof found) => void; reject?: (error: Error) => void } = {}
    for (const settle of [() => late.resolve?.(found), () => late.reject?.(new Error('late'))]) {
      const store = new RecordingStore()
      const find = () => new Promise<typeof found>((resolve, reject) => Object.assign(late, { resolve, reject }))
      const settled = vi.fn()
      const outcome = outcomeOf(find, { store, bodyTimeout: 100 }).then((error) => settled(error))
      await vi.advanceTimersByTimeAsync(99)
      expect(settled).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      await outcome
      const headers = { 'Retry-After': '1' }
      const message = expect.stringContaining('The lookup of the webhook took longer than 100 ms')
      expect(settled.mock.lastCall).toMatchObject([{ code: 'ERR_LOOKUP_TIMEOUT', status: 503, headers, message }])
      settle()
      await new Promise(setImmediate)
      expect(store.calls).toEqual([])
    }
    expect(published).toMatchObject(Array(2).fill({ outcome: 'ERR_LOOKUP_TIMEOUT', webhookId: undefined }))
  })

  it('of the body begins when the function has answered', async () => {
    const request = Object.assign(new Readable({ read() {} }), { headers: OWN })
    const find = () => new Promise((resolve) => setTimeout(() => resolve(found), 99))
    const outcome = outcomeOf(find, { request, bodyTimeout: 100 })
    await vi.advanceTimersByTimeAsync(99 + 99)
    request.push(BODY)
    request.push(null)
    expect(await outcome).toMatchObject({ ok: true })
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('a request that is aborted while the function runs is 400', async () => {
  const request = Object.assign(new Readable({ read() {} }), { headers: { ...OWN, 'x-nonce': NONCE } })
  const find = async () => {
    request.destroy(new Error('reset'))
    await new Promise(setImmediate)
    return found
  }
  expect(await outcomeOf(find, { request })).toMatchObject({ code: 'ERR_BODY_ABORTED', status: 400 })
})
