import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type HeadersInput, verify } from '../src/index.js'
import { NONCE, RecordingStore, SECRET, signedRequest, TestClock, TIMESTAMP } from './request.js'

const genuine = signedRequest().headers
const SIGNATURE = genuine['x-signature']

function verdict(headers: HeadersInput) {
  return verify({ ...signedRequest(), headers }, SECRET, new RecordingStore(), new TestClock())
}

/** The headers as a real Node server receives them. */
async function receivedBy<T>(lines: string[], read: (message: IncomingMessage) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const server = createServer((message, response) => {
      resolve(read(message))
      response.end(() => server.close())
    })
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      httpRequest({ port, host: '127.0.0.1', headers: lines }).on('error', reject).end()
    })
  })
}

const lines = ['Host', 'localhost', 'X-Timestamp', TIMESTAMP, 'X-NONCE', NONCE, 'x-signature', SIGNATURE]
const MIXED = { 'X-Timestamp': TIMESTAMP, 'X-NONCE': NONCE, 'x-signature': SIGNATURE }
const LISTS = { 'X-Timestamp': [TIMESTAMP], 'X-NONCE': [NONCE], 'x-signature': [SIGNATURE] }

describe('headers are found in any case in', () => {
  it.each<[string, () => HeadersInput | Promise<HeadersInput>]>([
    ["Node's request.headers", () => receivedBy(lines, (message) => message.headers)],
    ["Node's request.headersDistinct", () => receivedBy(lines, (message) => message.headersDistinct)],
    ['Fetch Headers', () => new Headers(MIXED)],
    ['an object with get()', () => ({ get: (name: string) => new Headers(MIXED).get(name) })],
    [
      'an object whose get() gives undefined for what is absent',
      () => ({ get: (name) => genuine[name as keyof typeof genuine] }),
    ],
    ['a record', () => MIXED],
    ['a record without a prototype', () => Object.assign(Object.create(null), MIXED)],
    ['a record of another realm', () => runInNewContext('({ ...headers })', { headers: MIXED })],
    ['a record of lists', () => LISTS],
    ['a record with a header named get', () => ({ ...MIXED, get: 'a value' })],
    ['a record with headers named headers, req and raw', () => ({ ...MIXED, headers: 'a', req: 'a', raw: 'a' })],
    ['a record with lists named headers, req and raw', () => ({ ...LISTS, headers: ['a'], req: ['a'], raw: ['a'] })],
    ['a record with an undefined twin', () => ({ ...MIXED, 'x-nonce': undefined, 'x-Nonce': [] })],
    ['a record with other values that are no strings', () => Object.assign({ 'content-length': 5, date: null }, MIXED)],
    ['a Map', () => new Map(Object.entries(MIXED))],
    ['a Map of lists', () => new Map(Object.entries(LISTS))],
    ['a Map of another realm', () => runInNewContext('new Map(Object.entries(headers))', { headers: MIXED })],
    ['pairs', () => Object.entries(MIXED)],
    ['pairs of lists', () => Object.entries(LISTS)],
    ['an iterator that can be read once', () => new Headers(MIXED).entries()],
  ])('%s', async (_, headers) => {
    expect(await verdict(await headers())).toMatchObject({ ok: true, nonce: NONCE })
  })
})

describe('a header that arrives twice is joined, and so fails its rule, in', () => {
  const twice = [...lines, 'x-nonce', NONCE]
  it.each<[string, () => HeadersInput | Promise<HeadersInput>]>([
    ["Node's request.headers", () => receivedBy(twice, (message) => message.headers)],
    ["Node's request.headersDistinct", () => receivedBy(twice, (message) => message.headersDistinct)],
    ['Fetch Headers', () => new Headers([...Object.entries(MIXED), ['x-nonce', NONCE]])],
    ['a record with two cases', () => ({ ...MIXED, 'x-nonce': NONCE })],
    ['a record with a list', () => ({ ...MIXED, 'X-NONCE': [NONCE, NONCE] })],
    ['a record with an empty twin', () => ({ ...MIXED, 'x-nonce': '' })],
    ['a Map with two cases', () => new Map(Object.entries({ ...MIXED, 'x-nonce': NONCE }))],
    ['pairs', () => [...Object.entries(MIXED), ['x-nonce', NONCE]]],
  ])('%s', async (_, headers) => {
    expect(await verdict(await headers())).toMatchObject({ reason: 'invalid_nonce' })
  })

  it('each of the three headers', async () => {
    expect(await verdict({ ...genuine, 'X-Timestamp': TIMESTAMP })).toMatchObject({ reason: 'invalid_timestamp' })
    expect(await verdict({ ...genuine, 'X-Signature': SIGNATURE })).toMatchObject({ reason: 'signature_mismatch' })
  })
})

describe('a header is absent from', () => {
  const { 'X-NONCE': _, ...rest } = MIXED
  it.each<[string, HeadersInput]>([
    ['a record with undefined', { ...rest, 'x-nonce': undefined }],
    ['a record with an empty list', { ...rest, 'x-nonce': [] }],
    ['a record that inherits it', Object.assign(Object.create({ 'x-nonce': NONCE }), rest)],
    ['Headers', new Headers(rest)],
    ['a Map', new Map(Object.entries(rest))],
    ['pairs', Object.entries(rest)],
    ['a record with a name that only looks alike', { ...rest, x_nonce: NONCE, 'x-nonce ': NONCE }],
  ])('%s', async (_, headers) => {
    expect(await verdict(headers)).toMatchObject({ reason: 'missing_header', header: 'x-nonce' })
  })

  it('all of an empty record, Map or list', async () => {
    for (const headers of [{}, new Map(), []]) {
      expect(await verdict(headers)).toMatchObject({ reason: 'missing_header', header: 'x-timestamp' })
    }
  })
})

describe('what is no headers is a TypeError that says what to pass', () => {
  it.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /headers is undefined: pass Node's request\.headers/],
    ['null', null, /headers is null/],
    ['a string', 'X-Nonce: a', /headers is a string/],
    ['a function', () => MIXED, /headers is a function/],
    ["Node's flat rawHeaders", lines, /list, but not of pairs, as rawHeaders is/],
    ['a flat list of two-letter names', ['ab', 'cd'], /list, but not of pairs/],
    ['pairs without a name', [[1, 'a']], /list, but not of pairs/],
    ['a promise', Promise.resolve(MIXED), /headers is a promise: await it/],
    ['a context, as of Hono or Koa', { req: new Request('http://localhost') }, /whole request: pass its \.headers/],
    ["Hono's request", { raw: new Request('http://localhost') }, /whole request: .*Hono: c\.req\.raw\.headers/],
    ["Lambda's event", { headers: MIXED, body: '{}' }, /whole request: pass its \.headers/],
    ['a Request', new Request('http://localhost', { headers: MIXED }), /whole request: pass its \.headers/],
    ['a number as value', { ...MIXED, 'X-Timestamp': 1_700_000_000 }, /x-timestamp is a number: pass .* string/],
    ['a number in a list', { ...MIXED, 'X-Timestamp': [1_700_000_000] }, /x-timestamp is a number/],
    ['an object as value', { ...MIXED, 'x-nonce': { value: NONCE } }, /x-nonce is an object/],
    ['a get() that gives a number', { get: () => 1 }, /x-timestamp is a number/],
  ])('%s', async (_, headers, message) => {
    const error: unknown = await verdict(headers as HeadersInput).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(message) })
  })

  it("Node's IncomingMessage", async () => {
    const message = await receivedBy(lines, (received) => received)
    await expect(Reflect.apply(verdict, undefined, [message])).rejects.toThrow(/whole request: pass its \.headers/)
  })
})
