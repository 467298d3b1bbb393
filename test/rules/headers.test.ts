import type { IncomingMessage } from 'node:http'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type HeadersInput, verify } from '../../src/index.js'
import { contentLengthOf, readHeaders } from '../../src/rules/headers.js'
import { ABSENT, FLAT, FOUND, MIXED, NO_HEADERS, type Shape, TWICE } from '../support/cases/headers.js'
import { readOnServer } from '../support/http-server.js'
import { NONCE, RecordingStore, SECRET, signedRequest, TestClock, TIMESTAMP } from '../support/request.js'

const SIGNATURE = signedRequest().headers['x-signature']

function resultOf(headers: HeadersInput) {
  return verify({ ...signedRequest(), headers }, SECRET, new RecordingStore(), new TestClock())
}

/** Returns what `read` returns for a request with these header lines, as a real Node server receives it. */
const receivedBy = <T>(lines: readonly string[], read: (message: IncomingMessage) => T) =>
  readOnServer(read, undefined, lines)

describe('headers are found in any case in', () => {
  it.each<Shape | [string, () => Promise<HeadersInput>]>([
    ...FOUND,
    ["Node's request.headers", () => receivedBy(FLAT, (message) => message.headers)],
    ["Node's request.headersDistinct", () => receivedBy(FLAT, (message) => message.headersDistinct)],
    ['a record of another realm', () => runInNewContext('({ ...headers })', { headers: MIXED })],
    ['a Map of another realm', () => runInNewContext('new Map(Object.entries(headers))', { headers: MIXED })],
  ])('%s', async (_, headers) => {
    expect(await resultOf(await headers())).toMatchObject({ ok: true, nonce: NONCE })
  })
})

describe('a header that arrives twice is joined, and so fails its rule, in', () => {
  const twice = [...FLAT, 'x-nonce', NONCE]
  it.each<Shape | [string, () => Promise<HeadersInput>]>([
    ...TWICE,
    ["Node's request.headers", () => receivedBy(twice, (message) => message.headers)],
    ["Node's request.headersDistinct", () => receivedBy(twice, (message) => message.headersDistinct)],
  ])('%s', async (_, headers) => {
    expect(await resultOf(await headers())).toMatchObject({ reason: 'invalid_nonce' })
  })

  it('with a comma and a space', () => {
    const headers = { 'x-nonce': ['a', 'b'], 'X-Nonce': 'c' }
    expect(readHeaders(headers)).toMatchObject({ timestamp: undefined, nonce: 'a, b, c', signature: undefined })
  })

  it('in each of the three headers', async () => {
    expect(await resultOf({ ...signedRequest().headers, 'X-Timestamp': TIMESTAMP })).toMatchObject({
      reason: 'invalid_timestamp',
    })
    expect(await resultOf({ ...signedRequest().headers, 'X-Signature': SIGNATURE })).toMatchObject({
      reason: 'signature_mismatch',
    })
  })
})

it('an iterator, which can be read only once, is read for each set of names', () => {
  const [own, other] = [
    { timestamp: 'x-timestamp', nonce: 'x-nonce', signature: 'x-signature' },
    { timestamp: 'svix-timestamp', nonce: 'svix-id', signature: 'svix-signature' },
  ]
  const pairs = new Map([['Svix-Id', 'a']]).entries()
  expect(readHeaders(pairs, [own, other])).toEqual({
    names: other,
    timestamp: undefined,
    nonce: 'a',
    signature: undefined,
  })
  expect(readHeaders([], [own, other]).names).toBe(own)
})

describe('a header is absent from', () => {
  it.each(ABSENT)('%s', async (_, headers) => {
    expect(await resultOf(headers())).toMatchObject({ reason: 'missing_header', header: 'x-nonce' })
  })

  it('an empty record, Map or list, which has none of them', async () => {
    for (const headers of [{}, new Map(), []]) {
      expect(await resultOf(headers)).toMatchObject({ reason: 'missing_header', header: 'x-timestamp' })
    }
  })
})

describe('anything but headers is a TypeError that says what to pass', () => {
  it.each(NO_HEADERS)('%s', async (_, headers, message) => {
    const error: unknown = await resultOf(headers() as HeadersInput).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(message) })
  })

  it("Node's IncomingMessage", async () => {
    const message = await receivedBy(FLAT, (received) => received)
    await expect(Reflect.apply(resultOf, undefined, [message])).rejects.toThrow(
      /whole request\. Pass the headers of the request/,
    )
  })
})

it.each<[string, (entries: [string, unknown][]) => object]>([
  ['a record', (entries) => Object.fromEntries(entries)],
  ['a Map', (entries) => new Map(entries)],
  ['pairs', (entries) => entries],
])('the values of other headers are never read, in %s', async (_, shape) => {
  // These names are as long as x-nonce and x-timestamp.
  const others: [string, unknown][] = [
    ['upgrade', 1],
    ['x-priority-', {}],
    ['host', 1],
  ]
  const headers = shape([...others, ...Object.entries(signedRequest().headers)]) as HeadersInput
  expect(await resultOf(headers)).toMatchObject({ ok: true })
})

describe('Content-Length is read from', () => {
  /** Another header whose name is as long. */
  const other = ['X-Request-Name', '5'] as const

  it.each<[string, HeadersInput]>([
    ['an object that has only get()', { get: (name) => (name === 'content-length' ? '42' : null) }],
    ['Fetch Headers', new Headers({ 'Content-Length': '42' })],
    ['a Map', new Map([other, ['Content-Length', '42']])],
    ['pairs', [other, ['CONTENT-LENGTH', '42']]],
    ['a record', { 'content-length': '42' }],
    ['a record with capitals', Object.fromEntries([other, ['Content-Length', '42']])],
    ['a record with a header named get', { get: 'a value', 'Content-Length': '42' }],
    ['a list of one value', { 'content-length': ['42'] }],
    ['a value with white space', { 'content-length': ' 42 ' }],
  ])('%s', (_, headers) => {
    expect(contentLengthOf(headers)).toBe(42)
  })

  it.each<[string, HeadersInput]>([
    ['no header', {}],
    ['pairs without it', [other]],
    ['a header named undefined', { undefined: '42' }],
    ['an empty value', { 'content-length': '' }],
    ['text before the digits', { 'content-length': 'x42' }],
    ['text after the digits', { 'content-length': '42x' }],
    [
      'a get() that throws',
      {
        get() {
          throw new Error('These headers can be read once.')
        },
      },
    ],
  ])('but not from %s', (_, headers) => {
    expect(contentLengthOf(headers)).toBeUndefined()
  })

  it.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_991],
    ['9'.repeat(400), 9_007_199_254_740_991],
    [`${'0'.repeat(20)}7`, 7],
  ])('a number of any length: %s', (text, length) => {
    expect(contentLengthOf({ 'content-length': text })).toBe(length)
  })

  it('not from several values', () => {
    expect(contentLengthOf({ 'content-length': '42', 'Content-Length': '43' })).toBeUndefined()
    expect(
      contentLengthOf([
        ['content-length', '42'],
        ['content-length', '42'],
      ]),
    ).toBeUndefined()
  })
})
