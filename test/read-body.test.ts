import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BodyError, type BodySource, readBody, refuse } from '../src/index.js'
import { transferredBytes } from './support/cases/bodies.js'
import { post, readOnServer, serve, serveHttp2 } from './support/http-server.js'
import { deferred } from './support/step.js'

const EVENT = '{"event":"invoice.paid","name":"Zoë"}'
const BYTES = Buffer.from(EVENT)
/** Bytes that are not UTF-8: a decoder would replace them. */
const BINARY = Buffer.from([0xff, 0x00, 0xef, 0xbb, 0xbf, 0x0d, 0x0a, 0xc3])

/** Starts a server that reads bodies, and returns its port and what `readBody` returned or threw for each request. */
async function serveReader(options?: { maxBytes?: number }) {
  const outcomes: unknown[] = []
  const port = await serve(async (message, response) => {
    const outcome = await readBody(message, options).catch((error: unknown) => error)
    outcomes.push(outcome)
    const status = outcome instanceof BodyError ? outcome.status : 200
    response.writeHead(status, message.complete ? {} : { Connection: 'close' }).end()
  })
  return { port, outcomes }
}

const statusOf = async (...args: Parameters<typeof post>) => (await post(...args)).status

function fetchRequest(
  body: NonNullable<RequestInit['body']> | null,
  init: RequestInit & { duplex?: 'half' } = {},
): Request {
  return new Request('http://localhost/', { method: 'POST', body, ...init })
}

/** A stream of these chunks that counts how many were pulled. */
function streamOf(chunks: readonly (Uint8Array | string | Error)[]) {
  const rest = [...chunks]
  const counter = { pulled: 0, isCancelled: false }
  const stream = new ReadableStream(
    {
      pull(controller) {
        const chunk = rest.shift()
        counter.pulled++
        if (chunk === undefined) controller.close()
        else if (chunk instanceof Error) controller.error(chunk)
        else controller.enqueue(chunk)
      },
      cancel() {
        counter.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, counter }
}

/** Resolves when a socket or a stream has closed. Not `once()`, which rejects after an error. */
function closeOf(stream: Socket | Readable): Promise<void> {
  return new Promise((resolve) => stream.on('close', resolve))
}

/** The error for a mistake of the caller. */
const invalid = (message: RegExp | string) => ({
  name: 'TypeError',
  code: 'ERR_INVALID_ARGUMENT',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
})

const TOO_LARGE = { code: 'ERR_BODY_TOO_LARGE', status: 413, statusCode: 413, headers: { Connection: 'close' } }
const LATE = { code: 'ERR_BODY_TIMEOUT', status: 408, statusCode: 408, headers: { Connection: 'close' } }
const ABORTED = { code: 'ERR_BODY_ABORTED', status: 400, statusCode: 400 }

describe("readBody of Node's request", () => {
  it.each([
    ['text with several bytes per character', BYTES],
    ['bytes that are not UTF-8', BINARY],
    ['a body of a megabyte, which arrives in many parts', Buffer.alloc(2 ** 20, 'abc')],
    ['an empty body', Buffer.alloc(0)],
  ])('returns %s unchanged, in a Buffer', async (_, body) => {
    const { port, outcomes } = await serveReader()
    expect(await statusOf(port, body)).toBe(200)
    expect(await statusOf(port, body, { 'Transfer-Encoding': 'chunked' })).toBe(200)
    for (const outcome of outcomes) {
      expect(Buffer.isBuffer(outcome)).toBe(true)
      expect(body.equals(outcome as Buffer)).toBe(true)
    }
    expect(outcomes).toHaveLength(2)
  })

  it('accepts a body of exactly maxBytes, and refuses one byte more, with and without Content-Length', async () => {
    const { port, outcomes } = await serveReader({ maxBytes: 8 })
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      expect(await statusOf(port, '12345678', headers)).toBe(200)
      expect(await statusOf(port, '123456789', headers)).toBe(413)
    }
    const refused = { ...TOO_LARGE, message: 'The request body has more than 8 bytes' }
    expect(outcomes).toMatchObject([{ length: 8 }, refused, { length: 8 }, refused])
  })

  it('does not read the rest of a chunked body that is too large', async () => {
    const refused = deferred<IncomingMessage>()
    let read = 0
    const port = await serve(async (message) => {
      await readBody(message, { maxBytes: 10 }).catch(() => {})
      message.on('data', (chunk: Buffer) => {
        read += chunk.length
      })
      refused.resolve(message)
    })
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    for (let index = 0; index < 20; index++) socket.write('8\r\n12345678\r\n')
    const message = await refused.promise
    expect(message.isPaused()).toBe(true)
    expect(read).toBe(0)
    // The error must not become an event, because an event without a listener ends the process.
    const closed = closeOf(message)
    socket.destroy()
    await closed
    expect(read).toBe(0)
  })

  it.each([
    ['just below and above the size that is kept', [4095, 4096, 4097]],
    ['as large as a slab', [10, 65_536, 10]],
  ])('joins chunks %s in their order', async (_, sizes) => {
    const chunks = Array.from({ length: 600 }, (_, index) =>
      Buffer.alloc(sizes[index % sizes.length] ?? 0, index % 251),
    )
    const expected = Buffer.concat(chunks)
    const { stream } = streamOf(chunks)
    const body = await readBody(fetchRequest(stream, { duplex: 'half' }), { maxBytes: expected.length })
    expect(body.equals(expected)).toBe(true)
  })

  it('keeps a body that came in one chunk, and copies nothing', async () => {
    const allocated = vi.spyOn(Buffer, 'allocUnsafeSlow')
    try {
      const chunk = Buffer.from(EVENT)
      const body = await readBody(asSource(Readable.from([Buffer.alloc(0), chunk], { objectMode: false })))
      expect(body).toEqual(chunk)
      expect([body.buffer, body.byteOffset]).toEqual([chunk.buffer, chunk.byteOffset])
      expect(allocated).not.toHaveBeenCalled()
    } finally {
      allocated.mockRestore()
    }
  })

  it('never writes into the memory of a chunk', async () => {
    const memory = Buffer.from('0123456789')
    const { stream } = streamOf([memory.subarray(0, 3), memory.subarray(5, 6), memory.subarray(0, 1)])
    const body = await readBody(fetchRequest(stream, { duplex: 'half' }))
    expect([String(body), String(memory)]).toEqual(['01250', '0123456789'])
  })

  it('copies a chunk of shared memory, because another thread can change shared memory', async () => {
    const chunk = new Uint8Array(new SharedArrayBuffer(2)).fill(1)
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(chunk)
        controller.close()
      },
    })
    const body = await readBody({ headers: new Headers(), arrayBuffer() {}, body: stream } as BodySource)
    chunk.fill(2)
    expect(body).toEqual(Buffer.of(1, 1))
  })

  it.each([
    ['takes at most four times the bytes that have arrived', {}, [8, 36, 148, 596, 2388, 9556, 38_228]],
    ['takes no more than Content-Length', { 'content-length': '10000' }, [8, 36, 148, 596, 2388, 9556, 10_000]],
    [
      'takes little, even if a decompressed body is longer than Content-Length',
      { 'content-length': '100' },
      [8, 36, 100, 404, 1620, 6484, 25_940],
    ],
  ])('%s', async (_, headers, sizes) => {
    const allocated = vi.spyOn(Buffer, 'allocUnsafeSlow')
    try {
      const bytes = Array.from({ length: 10_000 }, () => Buffer.from('a'))
      const stream = Object.assign(Readable.from(bytes, { objectMode: false }), { headers })
      expect(await readBody(stream as unknown as BodySource)).toHaveLength(10_000)
      expect(allocated.mock.calls.map(([size]) => size)).toEqual(sizes)
    } finally {
      allocated.mockRestore()
    }
  })

  it('rejects with ERR_BODY_ABORTED if the sender hangs up halfway', async () => {
    const { promise, resolve } = deferred<unknown>()
    const port = await serve((message) => {
      resolve(readBody(message).catch((error: unknown) => error))
      socket.destroy()
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345')
    expect(await promise).toMatchObject({
      ...ABORTED,
      name: 'BodyError',
      message: 'The sender closed the connection before the body was complete',
      cause: { code: 'ECONNRESET' },
    })
  })

  it('rejects with ERR_BODY_ABORTED if the sender resets a stream of HTTP/2', async () => {
    const { promise, resolve } = deferred<unknown>()
    const stream = await serveHttp2((message) => {
      resolve(readBody(message).catch((error: unknown) => error))
      stream.destroy()
    })
    expect(await promise).toMatchObject(ABORTED)
  })

  it('rejects with ERR_BODY_ABORTED if the sender hung up before readBody was called', async () => {
    const { promise, resolve } = deferred<unknown>()
    const port = await serve(async (message) => {
      message.socket.on('error', () => {})
      const closed = closeOf(message)
      socket.destroy()
      await closed
      resolve(readBody(message).catch((error: unknown) => error))
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345')
    expect(await promise).toMatchObject(ABORTED)
  })

  it('rejects with ERR_BODY_ABORTED if the stream is destroyed without an error', async () => {
    const stream = new Readable({ read() {} })
    const settled = readBody(asSource(stream)).catch((error: unknown) => error)
    stream.destroy()
    expect(await settled).toMatchObject(ABORTED)
  })

  it('accepts only an empty body if maxBytes is 0', async () => {
    expect(await readBody({ rawBody: Buffer.alloc(0) }, { maxBytes: 0 })).toHaveLength(0)
    await expect(readBody({ rawBody: Buffer.alloc(1) }, { maxBytes: 0 })).rejects.toMatchObject(TOO_LARGE)
  })

  it('leaves no listener behind that keeps the request', async () => {
    const read = async (message: IncomingMessage) => {
      await readBody(message)
      return ['data', 'end', 'close'].map((event) => message.listenerCount(event))
    }
    expect(await readOnServer(read, EVENT)).toEqual([0, 0, 0])
  })

  it('returns no bytes if something has already read an empty body', async () => {
    const readAgain = (message: IncomingMessage) => message.toArray().then(() => readBody(message))
    expect(await readOnServer(readAgain)).toEqual(Buffer.alloc(0))
  })

  it('refuses a request that decodes its body', async () => {
    const stream = Readable.from([Buffer.from(EVENT)], { objectMode: false }).setEncoding('utf8')
    await expect(readBody(asSource(stream))).rejects.toMatchObject(
      invalid('source has an encoding, so the bytes are already decoded. Remove setEncoding().'),
    )
  })
})

/** A stream with headers, as far as `readBody` looks at it. */
function asSource(stream: Readable): BodySource {
  return Object.assign(stream, { headers: {} })
}

describe('readBody of a Fetch Request', () => {
  it.each([
    ['text', EVENT, BYTES],
    ['bytes', BINARY, BINARY],
    ['no body', null, Buffer.alloc(0)],
    ['an empty body', '', Buffer.alloc(0)],
    ['a stream', () => streamOf([BYTES.subarray(0, 31), BYTES.subarray(31, 33), BYTES.subarray(33)]).stream, BYTES],
  ])('returns %s in a Buffer', async (_, body, expected) => {
    const request = fetchRequest(typeof body === 'function' ? body() : body, { duplex: 'half' })
    const bytes = await readBody(request)
    expect(Buffer.isBuffer(bytes)).toBe(true)
    expect(bytes).toEqual(expected)
  })

  it('refuses a large Content-Length without touching the body', async () => {
    const { stream, counter } = streamOf([BYTES])
    const request = fetchRequest(stream, { headers: { 'Content-Length': '50000000' }, duplex: 'half' })
    await expect(readBody(request)).rejects.toMatchObject(TOO_LARGE)
    expect(counter).toEqual({ pulled: 0, isCancelled: false })
    expect(request.bodyUsed).toBe(false)
  })

  it('stops at the limit, and leaves the rest unread and not cancelled', async () => {
    const { stream, counter } = streamOf([Buffer.alloc(5), Buffer.alloc(5), Buffer.alloc(1), Buffer.alloc(5)])
    const request = fetchRequest(stream, { duplex: 'half' })
    await expect(readBody(request, { maxBytes: 10 })).rejects.toMatchObject(TOO_LARGE)
    expect(counter).toEqual({ pulled: 3, isCancelled: false })
    expect(request.body?.locked).toBe(false)
  })

  it('rejects with ERR_BODY_ABORTED if the stream fails', async () => {
    const failure = new Error('terminated')
    const request = fetchRequest(streamOf([BYTES, failure]).stream, { duplex: 'half' })
    await expect(readBody(request)).rejects.toMatchObject({ ...ABORTED, cause: failure })
  })

  it('says so if something has already read the body', async () => {
    const read = fetchRequest(EVENT)
    await read.json()
    const locked = fetchRequest(EVENT)
    locked.body?.getReader()
    for (const request of [read, locked]) {
      await expect(readBody(request)).rejects.toMatchObject(invalid(/^source was already read, .*\nFetch API: /))
    }
  })

  it('refuses a stream of strings of Node', async () => {
    for (const stream of [Readable.from([EVENT]), Readable.from([BYTES, EVENT]), Readable.from([{ a: 1 }])]) {
      await expect(readBody(asSource(stream))).rejects.toMatchObject(
        invalid(/^source is a stream of (a string|an object), not of bytes\. Pass the request/),
      )
      expect(stream.listenerCount('data')).toBe(0)
    }
  })
})

describe('readBody of bytes that were already read', () => {
  it.each<[string, BodySource]>([
    ['rawBody beside a parsed body', { headers: {}, rawBody: BYTES, body: { event: 'invoice.paid' } }],
    ['body as bytes', { headers: {}, body: BYTES }],
    ['body as an ArrayBuffer', { headers: {}, body: new Uint8Array(BYTES).buffer }],
    ['body as a part of a larger buffer', { headers: {}, body: Buffer.from(`__${EVENT}__`).subarray(2, -2) }],
  ])('returns %s in a Buffer', async (_, source) => {
    const bytes = await readBody(source)
    expect(Buffer.isBuffer(bytes)).toBe(true)
    expect(bytes).toEqual(BYTES)
  })

  it('returns them instead of the stream, which was already read', async () => {
    const read = async (message: IncomingMessage) =>
      readBody(Object.assign(message, { body: Buffer.concat(await message.toArray()) }))
    expect(await readOnServer(read, EVENT)).toEqual(BYTES)
  })

  it.each(['rawBody', 'body'])('refuses a Content-Length above the limit, and a larger %s', async (name) => {
    const [source, larger] = [{ headers: {}, [name]: BYTES }, { 'content-length': String(BYTES.length + 1) }]
    expect(await readBody(source, { maxBytes: BYTES.length })).toEqual(BYTES)
    await expect(readBody(source, { maxBytes: BYTES.length - 1 })).rejects.toMatchObject(TOO_LARGE)
    const announced = readBody({ ...source, headers: larger }, { maxBytes: BYTES.length })
    await expect(announced).rejects.toMatchObject(TOO_LARGE)
  })
})

describe('readBody of an event of AWS Lambda', () => {
  it.each<[string, BodySource, Uint8Array]>([
    ['text', { body: EVENT, isBase64Encoded: false }, BYTES],
    ['base64', { body: BINARY.toString('base64'), isBase64Encoded: true }, BINARY],
    ['null, as payload 1.0 and ALB have it', { body: null, isBase64Encoded: false }, Buffer.alloc(0)],
    ['no body, as payload 2.0 has it', { isBase64Encoded: false }, Buffer.alloc(0)],
    ['text, as only true says base64', { body: 'YWJj', isBase64Encoded: 'false' as never }, Buffer.from('YWJj')],
  ])('decodes %s', async (_, event, expected) => {
    const bytes = await readBody(event)
    expect(Buffer.isBuffer(bytes)).toBe(true)
    expect(bytes).toEqual(expected)
  })

  it('counts bytes, not characters, for the limit', async () => {
    expect(await readBody({ body: 'Zoë', isBase64Encoded: false }, { maxBytes: 4 })).toHaveLength(4)
    await expect(readBody({ body: 'Zoë', isBase64Encoded: false }, { maxBytes: 3 })).rejects.toMatchObject(TOO_LARGE)
    const event = { body: BINARY.toString('base64'), isBase64Encoded: true }
    expect(await readBody(event, { maxBytes: 8 })).toEqual(BINARY)
    await expect(readBody(event, { maxBytes: 7 })).rejects.toMatchObject(TOO_LARGE)
  })

  it.each([
    ['text, because something decoded it', EVENT],
    ['a character that is no digit', 'AAA*'],
    ['a newline', 'AAAA\n'],
    ['no padding', 'AA'],
    ['padding in the middle', 'AA==AAAA'],
  ])('says that base64 is invalid: %s', async (_, body) => {
    await expect(readBody({ body, isBase64Encoded: true })).rejects.toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARGUMENT',
      message: 'source.body is not base64, but isBase64Encoded is true. Pass the event as received.',
    })
  })

  it('decodes base64 of every length and every byte, as another decoder does', async () => {
    for (let length = 0; length <= 256; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => index)
      const body = btoa(String.fromCharCode(...bytes))
      expect([...(await readBody({ body, isBase64Encoded: true }))]).toEqual([...bytes])
    }
  })

  it('refuses text with a lone surrogate, as verify does', async () => {
    await expect(readBody({ body: 'a\ud800b', isBase64Encoded: false })).rejects.toMatchObject(
      invalid('source.body contains a lone surrogate, which is half a character. Pass the whole text.'),
    )
    expect(await readBody({ body: '\ud83d\ude00', isBase64Encoded: false })).toEqual(Buffer.from('😀'))
  })
})

// receive.test.ts has the objects of each framework.
describe("readBody of a framework's object around the request", () => {
  it.each([{ a: 1 }, '{"a":1}'])('says how hapi leaves the body unread if its parser returned %j', async (payload) => {
    class Request {
      raw = { req: fetchRequest(EVENT), res: {} }
      headers = {}
      payload = payload
    }
    await expect(readBody(new Request())).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(/hapi: .*parse: false/),
    })
  })

  it("follows hapi's request whose payload is the stream", async () => {
    const stream = asSource(Readable.from([BYTES], { objectMode: false }))
    expect(await readBody({ raw: { req: stream, res: {} }, headers: {}, payload: stream } as BodySource)).toEqual(BYTES)
  })

  it('compares the limit with the headers of the object that has the body', async () => {
    const source = { headers: { 'content-length': String(BYTES.length + 1) }, req: fetchRequest(EVENT) }
    expect(await readBody(source as BodySource, { maxBytes: BYTES.length })).toEqual(BYTES)
  })

  it('follows three objects, and no more', async () => {
    const around = (depth: number): object => (depth === 0 ? fetchRequest(EVENT) : { req: around(depth - 1) })
    expect(await readBody(around(3) as BodySource)).toEqual(BYTES)
    await expect(readBody(around(4) as BodySource)).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
  })
})

describe('bodyTimeout', () => {
  // Only the timers that the test advances can end a body. The sockets still work.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Starts a server, sends it a head and the beginning of a body, and resolves when the server reads the body. */
  async function startSending(length: number, text: string) {
    const reading = deferred<void>()
    const port = await serve(async (message, response) => {
      const body = readBody(message, { bodyTimeout: 200 })
      reading.resolve()
      try {
        response.end(await body)
      } catch (error) {
        refuse(response, error, { log() {} })
      }
    })
    const socket = connect(port, '127.0.0.1')
      .setNoDelay()
      .on('error', () => {})
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${text}`)
    await reading.promise
    return socket
  }

  it('is not prolonged by each byte of a sender, who gets 408 and a closed connection', async () => {
    const socket = await startSending(1_000_000, '')
    const [answered, closed] = [once(socket, 'data'), closeOf(socket)]
    for (let milliseconds = 0; milliseconds < 200; milliseconds += 10) {
      socket.write('a')
      vi.advanceTimersByTime(10)
    }
    expect(String(await answered)).toMatch(/^HTTP\/1\.1 408 .*\r\nConnection: close\r\n/s)
    await closed
  })

  it('accepts a slow sender that ends in time, and leaves no timer', async () => {
    const socket = await startSending(5, 'aa')
    vi.advanceTimersByTime(199)
    const answered = once(socket, 'data')
    socket.write('aaa')
    expect(String(await answered)).toMatch(/^HTTP\/1\.1 200 .*aaaaa$/s)
    expect(vi.getTimerCount()).toBe(0)
    socket.destroy()
  })

  const unending = () => new ReadableStream<Uint8Array>()
  /** A stream that always has one more byte. */
  const trickling = () =>
    new ReadableStream({
      async pull(controller) {
        await new Promise(setImmediate)
        controller.enqueue(Uint8Array.of(1))
      },
    })

  it.each<[string, () => object]>([
    ['a Fetch Request that stops', () => fetchRequest(unending(), { duplex: 'half' })],
    ['a Fetch Request that trickles', () => fetchRequest(trickling(), { duplex: 'half' })],
    ['a stream that stops', () => asSource(new Readable({ read() {} }))],
    ['a stream that trickles', () => asSource(Readable.from(trickling(), { objectMode: false }))],
  ])('holds for %s', async (_, source) => {
    expect(await lateAfter(source() as BodySource, 100, { bodyTimeout: 100 })).toMatchObject({
      ...LATE,
      message: 'The request body was not complete after 100 ms',
    })
  })

  it('accepts a body that is complete when a process that stalled notices that the time is over', async () => {
    const stream = new Readable({ read() {} })
    const web: { controller?: ReadableStreamDefaultController } = {}
    const fetched = fetchRequest(
      new ReadableStream({ start: (controller) => void Object.assign(web, { controller }) }),
      {
        duplex: 'half',
      },
    )
    const bodies = [asSource(stream), fetched].map((source) => readBody(source as BodySource, { bodyTimeout: 1 }))
    vi.advanceTimersByTime(1)
    stream.push(BYTES)
    stream.push(null)
    web.controller?.enqueue(Uint8Array.from(BYTES))
    web.controller?.close()
    expect(await Promise.all(bodies)).toEqual([BYTES, BYTES])
  })

  /** Expects that a body is too slow after exactly this time, and returns the error. */
  async function lateAfter(source: BodySource, milliseconds: number, limits = {}): Promise<unknown> {
    const settled = vi.fn()
    void readBody(source, limits).catch(settled)
    await vi.advanceTimersByTimeAsync(milliseconds - 1)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    return settled.mock.lastCall?.[0]
  }

  async function expectLate(source: BodySource): Promise<void> {
    const body = readBody(source, { bodyTimeout: 1 })
    vi.advanceTimersByTime(1)
    await expect(body).rejects.toMatchObject(LATE)
  }

  it('cancels a Fetch Request whose reader cannot be released while a read is pending, as in Workers', async () => {
    const reasons: unknown[] = []
    const body = new ReadableStream({
      cancel(reason) {
        reasons.push(reason)
        throw new Error('cannot be cancelled')
      },
    })
    const getReader = body.getReader.bind(body)
    const releaseLock = () => {
      throw new TypeError('Cannot call releaseLock() on a reader with outstanding read promises.')
    }
    Object.assign(body, { getReader: () => Object.assign(getReader(), { releaseLock }) })
    const request = { headers: new Headers(), arrayBuffer() {}, body }
    await expectLate(request)
    expect(reasons).toEqual([undefined])
  })

  it('leaves the rest of a stream unread, and survives its later error', async () => {
    const stream = new Readable({ read() {} })
    await expectLate(asSource(stream))
    expect(stream.isPaused()).toBe(true)
    expect(stream.listenerCount('data')).toBe(0)
    stream.destroy(new Error('reset'))
    await closeOf(stream)
  })

  const ENDED = Readable.from([], { objectMode: false }).resume()

  it.each<[string, () => BodySource]>([
    ['bytes', () => ({ rawBody: BYTES })],
    ['an event of AWS Lambda', () => ({ body: EVENT, isBase64Encoded: false })],
    ['a Fetch Request without a body', () => new Request('http://localhost/')],
    ['a stream that has ended', () => asSource(ENDED)],
  ])('starts no timer for %s', async (_, source) => {
    const body = readBody(source())
    expect(vi.getTimerCount()).toBe(0)
    await body
  })

  it.each([0, 0.5, Number.NaN, 2 ** 31, '30s'])('cannot be %o', async (value) => {
    await expect(readBody({ rawBody: BYTES }, { bodyTimeout: value } as never)).rejects.toMatchObject({
      name: 'RangeError',
      code: 'ERR_INVALID_ARGUMENT',
      message: 'bodyTimeout must be a whole number of milliseconds from 1 to 2147483647. Suggested: 30000.',
    })
  })
})

describe('readBody refuses', () => {
  it.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /^source is undefined\. Pass the request, or the event of AWS Lambda\./],
    ['text', EVENT, /^source is a string\./],
    ['a promise', Promise.resolve(), /^source is a promise that was not awaited\./],
    [
      'bytes that were transferred',
      { rawBody: transferredBytes() },
      /^source has no bytes, because its memory was transferred\./,
    ],
    ['an object without a body', { headers: {} }, /^source is an object without raw bytes\. Pass the request/],
    [
      "Fastify's parsed body",
      new (class {
        routeOptions = {}
        headers = {}
        body = { a: 1 }
      })(),
      /^source was already read, .*\nFastify: /,
    ],
  ])('%s', async (_, source, message) => {
    await expect(readBody(source as BodySource)).rejects.toMatchObject(invalid(message))
  })

  it.each([0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, '1mb'])('maxBytes %o', async (maxBytes) => {
    await expect(readBody({ rawBody: BYTES }, { maxBytes } as never)).rejects.toMatchObject({
      name: 'RangeError',
      code: 'ERR_INVALID_ARGUMENT',
      message: 'maxBytes must be a whole number of bytes. Suggested: 1048576.',
    })
  })

  it('an option that it does not know', async () => {
    await expect(readBody({ rawBody: BYTES }, { limit: 1 } as never)).rejects.toThrow(
      'options.limit is unknown. Use one of: maxBytes, bodyTimeout.',
    )
  })
})
