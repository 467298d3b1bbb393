import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type Body, verify } from '../src/index.js'
import { RecordingStore, SECRET, signedRequest, TestClock } from './request.js'

async function messageFor(body: unknown): Promise<string> {
  const request = { ...signedRequest(), body: body as Body }
  const error: unknown = await verify(request, SECRET, new RecordingStore(), new TestClock()).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
  return (error as TypeError).message
}

function post(): Request {
  return new Request('http://localhost/', { method: 'POST', body: '{"a":1}' })
}

async function readFrom(request: Request): Promise<Request> {
  await request.json()
  return request
}

function stream(): Readable {
  return Readable.from([Buffer.from('{"a":1}')])
}

/** What a real server is handed, after `read` did with it what it does. */
async function received<T>(read: (message: IncomingMessage) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const server = createServer((message, response) => {
      read(message)
        .then(resolve, reject)
        .finally(() => response.end(() => server.close()))
    })
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      httpRequest({ port, host: '127.0.0.1', method: 'POST' }).on('error', reject).end('{"a":1}')
    })
  })
}

async function collected(message: IncomingMessage): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return chunks
}

const form = new FormData()
form.set('a', '1')

/** The way to the bytes in each framework: whoever has lost them there needs all of it. */
const BEFORE_PARSING =
  /pass the bytes as received, .*Express: .*express\.raw.*type: \(\) => true.*before express\.json.*req\.body \?\? ''.*Fastify: .*removeAllContentTypeParsers.*parseAs: 'buffer'.*NestJS: .*rawBody: true.*Koa, node:http: .*Buffer\.concat.*Hono, Next\.js, Fetch API: .*arrayBuffer\(\), not json\(\).*Lambda: .*isBase64Encoded.*Elsewhere: /

describe('what arrives instead of the raw body is recognised, and the fix named:', () => {
  it.each<[name: string, body: () => unknown, found: RegExp, fix: RegExp]>([
    ['undefined', () => undefined, /^request\.body is undefined: nothing read it/, BEFORE_PARSING],
    ['null', () => null, /^request\.body is null: nothing read it/, BEFORE_PARSING],
    ['a number from a JSON parser', () => 1, /is a number, as a JSON parser/, BEFORE_PARSING],
    ['a boolean from a JSON parser', () => false, /is a boolean, as a JSON parser/, BEFORE_PARSING],
    ['an object from a JSON parser', () => ({ a: 1 }), /is an object, as a body parser/, BEFORE_PARSING],
    [
      'an object of another realm',
      () => runInNewContext('({ a: 1 })'),
      /is an object, as a body parser/,
      BEFORE_PARSING,
    ],
    ['a list from a JSON parser', () => [1], /is an array, as a JSON parser/, BEFORE_PARSING],
    ['an empty list from a JSON parser', () => [], /is an array, as a JSON parser/, BEFORE_PARSING],
    [
      '{} from a body parser that skipped it',
      () => ({}),
      /is an empty object, .* skips the content type/,
      BEFORE_PARSING,
    ],
    [
      'an object without prototype, as querystring makes it',
      () => Object.create(null),
      /an empty object/,
      BEFORE_PARSING,
    ],
    ['a parsed form', () => form, /is a parsed form/, BEFORE_PARSING],
    ['parsed parameters', () => new URLSearchParams('a=1'), /is a parsed form/, BEFORE_PARSING],
    ['a promise', () => post().arrayBuffer(), /is a promise/, /: await it$/],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library.
    ['a thenable', () => ({ then: () => undefined }), /is an object/, /: await it$/],
    ['a method that was not called', () => post().arrayBuffer, /is a function/, /call it, await/],
    ['a Request', post, /is a request or a Blob/, /pass await request\.arrayBuffer\(\)$/],
    ['a Blob', () => new Blob(['{"a":1}']), /is a request or a Blob/, /pass await request\.arrayBuffer\(\)$/],
    ["a Request's stream", () => post().body, /is a stream:/, /read it to its end, up to a limit .*Buffer\.concat/],
    ['a stream', stream, /is a stream:/, /read it to its end, up to a limit .*Buffer\.concat/],
    [
      'a list of views and something else',
      () => [Buffer.from('a'), 'b'],
      /is an array, as a JSON parser/,
      BEFORE_PARSING,
    ],
    ["Lambda's event", () => ({ body: 'e30=', isBase64Encoded: true }), /is a whole event/, BEFORE_PARSING],
    ['a symbol', () => Symbol('body'), /is a symbol/, BEFORE_PARSING],
  ])('%s', async (_, body, found, fix) => {
    const message = await messageFor(body())
    expect(message).toMatch(found)
    expect(message).toMatch(fix)
  })

  it.each<[name: string, body: () => Promise<unknown>, found: RegExp, fix: RegExp]>([
    ['a Request that was read', () => readFrom(post()), /is a request that was read already/, /read it once/],
    ["a Request's stream that is being read", () => readFrom(post()).then(({ body }) => body), /is a stream/, /pass/],
    [
      "a server's message that a body parser read",
      () => received(async (message) => collected(message).then(() => message)),
      /is a stream that was read already/,
      BEFORE_PARSING,
    ],
    ["a server's chunks", () => received(collected), /is a list of chunks/, /pass Buffer\.concat of them$/],
  ])('%s', async (_, body, found, fix) => {
    const message = await messageFor(await body())
    expect(message).toMatch(found)
    expect(message).toMatch(fix)
  })

  it("a server's message that nothing has read", async () => {
    expect(await received(messageFor)).toMatch(/is a stream: read it to its end, up to a limit .*Buffer\.concat/)
  })

  it('an object is not taken for what a sender can write into its JSON', async () => {
    // biome-ignore lint/suspicious/noThenProperty: a sender can name a field so.
    const body = { then: 1, arrayBuffer: 'a', bodyUsed: true, pipe: {}, getReader: null, entries: [] }
    expect(await messageFor(body)).toMatch(/is an object, as a body parser leaves it/)
  })
})
