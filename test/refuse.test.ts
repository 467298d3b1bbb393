import { once } from 'node:events'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import {
  NonceStoreError,
  type RefusalLog,
  readBody,
  receive,
  refusal,
  refuse,
  WebhookRejectedError,
} from '../src/index.js'
import { post, serve, serveHttp2, write } from './support/http-server.js'
import { RecordingStore, signedRequest, TestClock } from './support/request.js'

const REJECTED = new WebhookRejectedError(
  { ok: false, reason: 'replayed_nonce', message: 'X-Nonce was used. Sign again.' },
  '42',
)
const FAULT = new Error('no connection', { cause: new Error('ECONNREFUSED') })

let consoles: Record<'info' | 'warn' | 'error', MockInstance>
beforeEach(() => {
  consoles = {
    info: vi.spyOn(console, 'info').mockImplementation(() => {}),
    warn: vi.spyOn(console, 'warn').mockImplementation(() => {}),
    error: vi.spyOn(console, 'error').mockImplementation(() => {}),
  }
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Everything that was logged: the method of console and its arguments. */
const logged = () => Object.entries(consoles).flatMap(([level, spy]) => spy.mock.calls.map((call) => [level, ...call]))

const withCode = (code: string, message = 'a message') => Object.assign(new Error(message), { code })

/** Errors with their status, and the level and the beginning of their line in the log. */
const CASES: readonly (readonly [status: number, level: 'info' | 'warn' | 'error', line: string, error: unknown])[] = [
  [401, 'warn', 'Webhook 42: replayed_nonce: X-Nonce was used. Sign again.', REJECTED],
  [401, 'warn', 'a message', withCode('ERR_WEBHOOK_REJECTED')],
  [413, 'info', 'a message', withCode('ERR_BODY_TOO_LARGE')],
  [408, 'info', 'a message', withCode('ERR_BODY_TIMEOUT')],
  [400, 'info', 'a message', withCode('ERR_BODY_ABORTED')],
  [503, 'error', 'NonceStoreError: The store failed. at ', new NonceStoreError('The store failed.', { cause: FAULT })],
  [503, 'error', 'Error: a message at ', withCode('ERR_NONCE_STORE_FULL')],
  [503, 'error', 'Error: a message at ', withCode('ERR_NONCE_STORE_BUSY')],
  [500, 'error', 'Error: a message at ', withCode('ERR_INVALID_ARGUMENT')],
  [500, 'error', 'Error: a message at ', withCode('ECONNREFUSED')],
  [500, 'error', 'Error: a message at ', withCode('toString')],
  [500, 'error', 'Error: no connection at ', FAULT],
  [500, 'error', 'Error: Not found at ', Object.assign(new Error('Not found'), { status: 404 })],
  [500, 'error', "'text'", 'text'],
  [500, 'error', 'undefined', undefined],
  [500, 'error', 'null', null],
  [500, 'error', 'Symbol(s)', Symbol('s')],
  [500, 'error', '[Object: null prototype] {}', Object.create(null)],
  [500, 'error', "{ code: [ 'ERR_NONCE_STORE' ], status: 200 }", { code: ['ERR_NONCE_STORE'], status: 200 }],
  [500, 'error', '{ code: [Getter] }', Object.defineProperty({}, 'code', { get: fail, enumerable: true })],
  [500, 'error', 'The error cannot be shown', Object.assign(new Error(), { message: Object.create(null) })],
  [500, 'error', '<Revoked Proxy>', revokedProxy()],
]

function revokedProxy(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Errors that throw when something about them is read. */
const HOSTILE: readonly (readonly [string, number, () => unknown])[] = [
  ['whose class cannot be read', 401, () => new Proxy(withCode('ERR_WEBHOOK_REJECTED'), { getPrototypeOf: fail })],
  ['whose headers cannot be read', 401, () => withGetter('ERR_WEBHOOK_REJECTED', 'headers')],
  ['whose reason cannot be read', 401, () => withGetter('ERR_WEBHOOK_REJECTED', 'reason')],
  ['whose cause cannot be read', 503, () => withGetter('ERR_NONCE_STORE', 'cause')],
  ['of which nothing can be read', 500, () => new Proxy({}, { get: fail, getPrototypeOf: fail, ownKeys: fail })],
]

function fail(): never {
  throw new Error('a trap')
}

function withGetter(code: string, name: string): unknown {
  return Object.defineProperty(withCode(code), name, { get: fail })
}

it.each(HOSTILE)('an error %s gets %i, and one line in the log', async (_, status, create) => {
  const logged: string[] = []
  const log = ({ message }: { message: string }) => void logged.push(message)
  expect(refusal(create(), { log }).status).toBe(status)
  const port = await serve((_, response) => refuse(response, create(), { log }))
  expect((await post(port, 'a body')).status).toBe(status)
  expect(logged).toEqual([expect.stringMatching(/^[^\n]+$/), expect.stringMatching(/^[^\n]+$/)])
})

describe('refuse', () => {
  it.each(CASES)('answers with %i and nothing else: %s %s', async (status, _level, _line, error) => {
    const port = await serve((_, response) => refuse(response, error))
    const { headers, ...response } = await post(port, 'a body')
    expect(response).toEqual({ status, text: '' })
    const { date: _, connection: __, 'keep-alive': ___, ...others } = headers
    expect(others).toEqual({ 'content-length': '0', ...(status === 503 && { 'retry-after': '1' }) })
  })

  it('closes the connection only if the body is not complete', async () => {
    const port = await serve(async (request, response) => {
      if (request.url === '/read') await readBody(request)
      refuse(response, REJECTED)
    })
    const answerTo = (path: string, body: string) =>
      write(port, `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n${body}`)
    expect(await answerTo('/', '12345')).toMatch(/^HTTP\/1\.1 401 .*\r\nConnection: close\r\n/s)
    expect(await answerTo('/read', '1234567890')).toMatch(/^HTTP\/1\.1 401 .*\r\nConnection: keep-alive\r\n/s)
  })

  it('forgets what the handler said about the body of its response', async () => {
    const port = await serve((_, response) => {
      response.setHeader('Content-Type', 'application/json').setHeader('Content-Length', '100')
      response.setHeader('Transfer-Encoding', 'chunked').setHeader('Content-Encoding', 'gzip')
      response.setHeader('Trailer', 'X-Sum').setHeader('X-Other', '1')
      refuse(response, FAULT)
    })
    const { status, headers, text } = await post(port)
    expect([status, text]).toEqual([500, ''])
    expect(headers).toMatchObject({ 'content-length': '0', 'x-other': '1' })
    for (const name of ['content-type', 'content-encoding', 'transfer-encoding', 'trailer']) {
      expect(headers).not.toHaveProperty(name)
    }
  })

  it('only logs if the handler has already responded', async () => {
    let isCut: boolean | undefined
    const port = await serve((_, response) => {
      response.writeHead(200).end('the answer')
      refuse(response, FAULT)
      isCut = response.destroyed
    })
    expect(await post(port)).toMatchObject({ status: 200, text: 'the answer' })
    expect(isCut).toBe(false)
    expect(logged()).toEqual([['error', expect.stringMatching(/^Error: no connection at .*cause.*ECONNREFUSED/)]])
  })

  it('cuts a response that the handler has begun, so that the sender does not wait', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200).write('the first part', () => refuse(response, FAULT))
    })
    await expect(post(port)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(logged()).toEqual([['error', expect.stringMatching(/^Error: no connection at .*cause.*ECONNREFUSED/)]])
  })

  it('sends no Connection header on HTTP/2', async () => {
    const warnings: unknown[] = []
    const onWarning = (warning: unknown) => warnings.push(warning)
    process.on('warning', onWarning)
    const stream = await serveHttp2((_, response) => refuse(response, REJECTED), { 'content-length': '10' })
    const [headers] = await once(stream, 'response')
    stream.destroy()
    await new Promise(setImmediate)
    process.off('warning', onWarning)
    expect(headers[':status']).toBe(401)
    expect(headers).not.toHaveProperty('connection')
    expect(warnings).toEqual([])
  })

  it('resets the stream of HTTP/2 whose body was not read, after the response', async () => {
    const stream = await serveHttp2((_, response) => refuse(response, REJECTED), { 'content-length': '10' })
    const closed = once(stream, 'close')
    const [headers] = await once(stream, 'response')
    stream.resume()
    await closed
    expect([headers[':status'], stream.rstCode]).toEqual([401, 0])
  })

  it('responds and logs if the response has no request, as a mock has none', () => {
    const calls: unknown[] = []
    const response = {
      statusCode: 200,
      headersSent: false,
      writableEnded: false,
      setHeader: (...header: unknown[]) => calls.push(header),
      removeHeader() {},
      end: () => calls.push('end'),
      destroy() {},
    }
    refuse(response, REJECTED)
    expect([response.statusCode, calls]).toEqual([401, [['Content-Length', '0'], 'end']])
    expect(logged()).toEqual([['warn', expect.stringMatching(/^Webhook 42: replayed_nonce: /)]])
  })

  it.each([
    [
      'undefined',
      undefined,
      /^response is undefined\. Pass Node's response \(Koa: ctx\.res\), or return refusal\(error\) for Fetch\.$/,
    ],
    ['null', null, /^response is null\./],
    ["a framework's object", { res: {} }, /^response is an object without setHeader\(\)\. /],
    ['an object that cannot end', { setHeader() {}, removeHeader() {} }, /^response is an object without end\(\)\. /],
  ])('names the response to pass instead of %s', (_, response, message) => {
    expect(() => refuse(response as never, FAULT)).toThrow(message)
  })
})

describe('refusal', () => {
  it.each(CASES)('is a Response with %i and nothing else, and logs one line: %s %s', (status, level, line, error) => {
    const response = refusal(error)
    expect(logged()).toEqual([[level, expect.stringMatching(/^[^\n]+$/)]])
    expect(String(logged()[0]?.[1]).slice(0, line.length)).toBe(line)
    expect(response).toBeInstanceOf(Response)
    expect(response.status).toBe(status)
    expect(response.body).toBeNull()
    const headers: Record<number, object> = {
      503: { 'retry-after': '1' },
      400: { connection: 'close' },
      408: { connection: 'close' },
      413: { connection: 'close' },
    }
    expect(Object.fromEntries(response.headers)).toEqual(headers[status] ?? {})
  })

  const fromReceive = (headers: Record<string, string>, body: string) =>
    receive(
      { webhookId: '42', request: new Request('http://localhost/', { method: 'POST', headers, body }) },
      'secret',
      new RecordingStore(),
      new TestClock(),
    ).catch((error: unknown) => error)

  it('closes the connection to a request whose body was not read, and keeps it otherwise', async () => {
    const unread = await fromReceive({}, 'a body')
    expect([...refusal(unread).headers]).toEqual([['connection', 'close']])
    const read = await fromReceive(signedRequest({ secret: 'another' }).headers, 'a body')
    expect([...refusal(read).headers]).toEqual([])
    expect([unread, read]).toMatchObject([{ reason: 'missing_header' }, { reason: 'signature_mismatch' }])
  })
})

describe('options.log', () => {
  it('replaces the console', () => {
    const entries: RefusalLog[] = []
    const log = (entry: RefusalLog) => {
      entries.push(entry)
    }
    for (const error of [REJECTED, FAULT]) refusal(error, { log })
    expect(entries).toEqual([
      {
        level: 'warn',
        status: 401,
        message: 'Webhook 42: replayed_nonce: X-Nonce was used. Sign again.',
        error: REJECTED,
      },
      {
        level: 'error',
        status: 500,
        message: expect.stringMatching(/^Error: no connection at .*ECONNREFUSED/),
        error: FAULT,
      },
    ])
    expect(logged()).toEqual([])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('may fail, and changes no response: it %s', async (_, log) => {
    const port = await serve((_, response) => refuse(response, REJECTED, { log }))
    expect(await post(port)).toMatchObject({ status: 401 })
    expect(refusal(REJECTED, { log }).status).toBe(401)
    await new Promise(setImmediate)
    expect(logged()).toEqual([
      ['error', new Error('disk full')],
      ['error', new Error('disk full')],
    ])
  })

  it.each([
    ['a logger', { log: console }, 'options.log is an object. Pass a function.'],
    ['an unknown option', { logger: () => {} }, 'options.logger is unknown. Use one of: log.'],
  ])('is not %s', (_, options, message) => {
    expect(() => refusal(FAULT, options as never)).toThrow(message)
    expect(() => refuse({ setHeader() {} } as never, FAULT, options as never)).toThrow(message)
  })

  const lineOf = (error: unknown) => {
    const lines: string[] = []
    refusal(error, { log: ({ message }) => void lines.push(message) })
    return lines.join('\n')
  }
  const rejectedWith = (webhookId?: string) =>
    new WebhookRejectedError({ ok: false, reason: 'replayed_nonce', message: 'b' }, webhookId)

  it.each([
    ['a\r\nb\u001b[31mc\u0085d', 'a\\u000d\\u000ab\\u001b[31mc\\u0085d'],
    ['a\u2028b\u2029c\u007fd', 'a\\u2028b\\u2029c\\u007fd'],
    ['a\u202eb\u200bc\ufeffd\u00ade', 'a\\u202eb\\u200bc\\ufeffd\\u00ade'],
    ['a\u{e0041}b', 'a\\u{e0041}b'],
    ['ë 🔑', 'ë 🔑'],
  ])('gets one line, whatever is in it: %j', (text, escaped) => {
    expect(lineOf(withCode('ERR_BODY_ABORTED', text))).toBe(escaped)
    expect(lineOf(rejectedWith(text))).toBe(`Webhook ${escaped}: replayed_nonce: b`)
    // Node's text of an error has each newline as a space, and the spaces after it are removed.
    const fault = lineOf(Object.assign(new Error(text), { stack: `Error: ${text}` }))
    expect(fault).toContain(`Error: ${escaped.replace('\\u000a', ' ')}`)
    expect(fault).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
  })

  it('has at most 200 characters of a value, and then the length of the value', () => {
    const long = '\u001b'.repeat(201)
    expect(lineOf(rejectedWith('a'.repeat(200)))).toBe(`Webhook ${'a'.repeat(200)}: replayed_nonce: b`)
    expect(lineOf(rejectedWith(long))).toBe(`Webhook ${'\\u001b'.repeat(200)}… (201 characters): replayed_nonce: b`)
    expect(lineOf(rejectedWith(`${'a'.repeat(199)}🔑`))).toContain(`${'a'.repeat(199)}\ufffd… (201 characters): `)
    expect(lineOf(withCode('ERR_BODY_ABORTED', long))).toBe(`${'\\u001b'.repeat(200)}… (201 characters)`)
  })

  it('has at most 12 000 characters of an error, and then the length of the error', () => {
    const lineWith = (text: string) => lineOf({ [inspect.custom]: () => text })
    const longest = 'a'.repeat(12_000)
    expect(lineWith(longest) === longest).toBe(true)
    expect(lineWith(`${longest}b`) === `${longest}… (12001 characters)`).toBe(true)
  })

  it('gets a line for a rejection without a webhook, and for one that throws when it is read', () => {
    expect(lineOf(rejectedWith())).toBe('Webhook (unknown): replayed_nonce: b')
    const unreadable = withGetter('ERR_WEBHOOK_REJECTED', 'reason')
    expect(lineOf(unreadable)).toMatch(/^Error: a message at /)
    expect(lineOf({ [inspect.custom]: () => Object(unreadable).reason })).toBe(
      'The error cannot be shown, because reading the error throws another error.',
    )
  })
})
