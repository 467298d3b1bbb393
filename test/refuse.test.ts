import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import {
  BodyAbortedError,
  BodyTimeoutError,
  BodyTooLargeError,
  NonceStoreError,
  type RefusalLog,
  readBody,
  refusal,
  refuse,
  WebhookRejectedError,
} from '../src/index.js'

const REJECTED = new WebhookRejectedError(
  { ok: false, reason: 'replayed_nonce', message: 'X-Nonce was used. Sign again.' },
  '42',
)
const FAULT = new Error('no connection', { cause: new Error('ECONNREFUSED') })

let server: { close(): unknown } | undefined
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
  server?.close()
  server = undefined
})

async function serve(handle: RequestListener): Promise<number> {
  const started: Server = createServer(handle).listen(0, '127.0.0.1')
  server = {
    close() {
      started.closeAllConnections()
      started.close()
    },
  }
  await once(started, 'listening')
  return (started.address() as AddressInfo).port
}

async function post(port: number, body = 'a body'): Promise<{ response: IncomingMessage; text: string }> {
  const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST' }).end(body)
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { response, text }
}

/** Everything that was logged: the method of console and its arguments. */
const logged = () => Object.entries(consoles).flatMap(([level, spy]) => spy.mock.calls.map((call) => [level, ...call]))

const ANSWERS: readonly (readonly [error: unknown, status: number, log: unknown[]])[] = [
  [REJECTED, 401, ['warn', 'Webhook 42: replayed_nonce: X-Nonce was used. Sign again.']],
  [new BodyTooLargeError(9), 413, ['info', 'The request body has more than 9 bytes']],
  [new BodyTimeoutError(9), 408, ['info', 'The request body was not complete after 9 ms']],
  [new BodyAbortedError(), 400, ['info', 'The sender closed the connection before the body was complete']],
]

const FAULTS: readonly (readonly [error: unknown, status: number])[] = [
  [new NonceStoreError('The nonce store failed. See the cause.', { cause: FAULT }), 503],
  [FAULT, 500],
  [Object.assign(new Error('Not found'), { status: 404 }), 500],
  ['text', 500],
  [undefined, 500],
]

const EVERY: [error: unknown, status: number][] = [...ANSWERS, ...FAULTS].map(([error, status]) => [error, status])

describe('refuse', () => {
  it.each<[unknown, number]>(EVERY)('answers %s with %i and nothing else', async (error, status) => {
    const port = await serve((_, response) => refuse(response, error))
    const { response, text } = await post(port)
    expect(response.statusCode).toBe(status)
    expect(text).toBe('')
    expect(
      Object.keys(response.headers).filter((name) => !['date', 'connection', 'keep-alive'].includes(name)),
    ).toEqual(['content-length'])
  })

  it.each(ANSWERS)('logs %s in one line', async (error, _, line) => {
    await post(await serve((_, response) => refuse(response, error)))
    expect(logged()).toEqual([line])
  })

  it.each(FAULTS)('logs %s as it is, so that console shows its stack and cause', async (error) => {
    await post(await serve((_, response) => refuse(response, error)))
    expect(logged()).toEqual([['error', error]])
  })

  it('closes the connection only if the body is not complete', async () => {
    const port = await serve(async (request, response) => {
      if (request.url === '/read') await readBody(request)
      refuse(response, REJECTED)
    })
    const answerTo = async (path: string, body: string) => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1')
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n${body}`)
      const [answer] = await once(socket, 'data')
      socket.destroy()
      return answer as string
    }
    expect(await answerTo('/', '12345')).toMatch(/^HTTP\/1\.1 401 .*\r\nConnection: close\r\n/s)
    expect(await answerTo('/read', '1234567890')).toMatch(/^HTTP\/1\.1 401 .*\r\nConnection: keep-alive\r\n/s)
  })

  it('forgets what the handler said about the body of its answer', async () => {
    const port = await serve((_, response) => {
      response.setHeader('Content-Type', 'application/json').setHeader('Content-Length', '100')
      response.setHeader('Transfer-Encoding', 'chunked').setHeader('Content-Encoding', 'gzip')
      response.setHeader('Trailer', 'X-Sum').setHeader('X-Other', '1')
      refuse(response, FAULT)
    })
    const { response, text } = await post(port)
    expect(text).toBe('')
    expect(response.statusCode).toBe(500)
    expect(response.headers).toMatchObject({ 'content-length': '0', 'x-other': '1' })
    for (const name of ['content-type', 'content-encoding', 'transfer-encoding', 'trailer']) {
      expect(response.headers).not.toHaveProperty(name)
    }
  })

  it('only logs if the handler has already answered', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200).end('the answer')
      refuse(response, FAULT)
    })
    const { response, text } = await post(port)
    expect([response.statusCode, text]).toEqual([200, 'the answer'])
    expect(logged()).toEqual([['error', FAULT]])
  })

  it('cuts an answer that the handler has begun, so that the sender does not wait', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200).write('the first part', () => refuse(response, FAULT))
    })
    await expect(post(port)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(logged()).toEqual([['error', FAULT]])
  })

  it('sends no Connection header on HTTP/2', async () => {
    const warnings: unknown[] = []
    const onWarning = (warning: unknown) => warnings.push(warning)
    process.on('warning', onWarning)
    const started = createHttp2Server((_, response) => refuse(response, REJECTED)).listen(0, '127.0.0.1')
    await once(started, 'listening')
    const client = connectHttp2(`http://127.0.0.1:${(started.address() as AddressInfo).port}`)
    const stream = client.request({ ':method': 'POST', ':path': '/', 'content-length': '10' })
    stream.write('12345')
    const [headers] = await once(stream, 'response')
    client.destroy()
    started.close()
    await new Promise(setImmediate)
    process.off('warning', onWarning)
    expect(headers[':status']).toBe(401)
    expect(headers).not.toHaveProperty('connection')
    expect(warnings).toEqual([])
  })

  it('resets the stream of HTTP/2 whose body was not read, after the answer', async () => {
    const answered: { stream: { destroyed: boolean } }[] = []
    const started = createHttp2Server((_, response) => {
      answered.push(response)
      refuse(response, REJECTED)
    }).listen(0, '127.0.0.1')
    await once(started, 'listening')
    const client = connectHttp2(`http://127.0.0.1:${(started.address() as AddressInfo).port}`)
    const stream = client.request({ ':method': 'POST', ':path': '/', 'content-length': '10' })
    stream.write('12345')
    const closed = once(stream, 'close')
    const [headers] = await once(stream, 'response')
    stream.resume()
    await closed
    expect([headers[':status'], stream.rstCode]).toEqual([401, 0])
    client.destroy()
    started.close()
  })

  it.each([
    [
      'undefined',
      undefined,
      /^response is undefined\. Pass Node's response \(Koa: ctx\.res\), or return refusal\(error\) for Fetch\.$/,
    ],
    ['null', null, /^response is null\./],
    ["a framework's object", { res: {} }, /^response is an object without setHeader\(\)\. /],
  ])('names the response to pass instead of %s', (_, response, message) => {
    expect(() => refuse(response as never, FAULT)).toThrow(message)
  })
})

describe('refusal', () => {
  it.each<[unknown, number]>(EVERY)('is a Response to %s with %i and nothing else', async (error, status) => {
    const response = refusal(error)
    expect(response).toBeInstanceOf(Response)
    expect(response.status).toBe(status)
    expect(response.body).toBeNull()
    expect([...response.headers]).toEqual([['connection', 'close']])
  })

  it.each(ANSWERS)('logs %s in one line', (error, _, line) => {
    refusal(error)
    expect(logged()).toEqual([line])
  })

  it.each(FAULTS)('logs %s as it is', (error) => {
    refusal(error)
    expect(logged()).toEqual([['error', error]])
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
      { level: 'error', status: 500, message: 'no connection', error: FAULT },
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
  ])('may fail, and changes no answer: it %s', async (_, log) => {
    const port = await serve((_, response) => refuse(response, REJECTED, { log }))
    expect((await post(port)).response.statusCode).toBe(401)
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

  it('gets one line, whatever is in it', () => {
    const lines: string[] = []
    const log = ({ message }: RefusalLog) => {
      lines.push(message)
    }
    refusal(new Error('a\r\nb\u001b[31mc\u0085d\u2028e\u2029f\u007fg ë 🔑'), { log })
    refusal(new WebhookRejectedError({ ok: false, reason: 'replayed_nonce', message: 'b' }, 'a\nb'), { log })
    refusal(new WebhookRejectedError({ ok: false, reason: 'replayed_nonce', message: 'b' }), { log })
    expect(lines).toEqual([
      'a\\u000d\\u000ab\\u001b[31mc\\u0085d\\u2028e\\u2029f\\u007fg ë 🔑',
      'Webhook a\\u000ab: replayed_nonce: b',
      'Webhook (unknown): replayed_nonce: b',
    ])
  })
})
