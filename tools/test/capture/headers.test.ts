import { expect, it } from 'vitest'
import {
  areOfRequest,
  contentLengthOf,
  hasSignature,
  isChunked,
  isOfConnection,
  listHeaders,
  pairsOf,
  parseHeader,
  passedProxy,
  valuesOf,
  withoutIterator,
} from '../../src/capture/headers.js'

it.each([
  [['7'], 7],
  [[' 7 '], 7],
  [['7x'], undefined],
  [['x7'], undefined],
  [['1'.repeat(16)], 1_111_111_111_111_111],
  [['7', '7'], 7],
  [['7', '8'], undefined],
  [[], undefined],
])('Content-Length %j is %j', (values, length) => {
  expect(contentLengthOf(values.map((value) => ['Content-Length', value]))).toBe(length)
})

it.each([
  ['chunked', true],
  ['gzip, Chunked ', true],
  ['gzip,chunked', true],
  ['chunked, gzip', false],
  ['x-chunked', false],
  ['chunkedx', false],
])('Transfer-Encoding %j is chunked: %j', (value, expected) => {
  expect(isChunked([['Transfer-Encoding', value]])).toBe(expected)
})

it('the headers of a connection are those of RFC 9110, section 7.6.1, Expect and the length', () => {
  const own = ['Connection', 'Proxy-Connection', 'Keep-Alive', 'TE', 'Transfer-Encoding', 'Upgrade', 'Trailer']
  const others = ['Host', 'X-Signature', 'Date', 'Content-Type', 'X-Connection', 'Content-Length-Hint']
  expect([...own, ...others].filter(isOfConnection)).toEqual(own)
  expect(['expect', 'content-length', 'Proxy-Authorization'].filter((name) => !isOfConnection(name))).toEqual([])
})

it('headers of every shape are listed, without values that are not text', () => {
  const record = { Host: 'a', 'X-Many': ['b', 'c'], 'x-none': undefined }
  const listed = [
    ['host', 'a'],
    ['x-many', 'b'],
    ['x-many', 'c'],
  ]
  expect(listHeaders(record)).toEqual(listed)
  expect(listHeaders(new Map(Object.entries(record)) as never)).toEqual(listed)
  expect(listHeaders([...Object.entries(record), [7, 'd']] as never)).toEqual(listed)
})

it('headers with only a method `get` are asked for the names that matter', () => {
  const asked: string[] = []
  const get = (name: string) => {
    asked.push(name)
    return name === 'x-nonce' ? ['a', 'b'] : name === 'date' ? 'c' : null
  }
  expect(listHeaders({ get } as never)).toEqual([
    ['x-nonce', 'a'],
    ['x-nonce', 'b'],
    ['date', 'c'],
  ])
  expect(asked).toEqual([
    ...['x-timestamp', 'x-nonce', 'x-signature', 'webhook-timestamp', 'webhook-id', 'webhook-signature'],
    ...['svix-timestamp', 'svix-id', 'svix-signature'],
    ...['x-hub-signature-256', 'authorization', 'date', 'content-length', 'content-encoding', 'transfer-encoding'],
  ])
  expect(listHeaders({ get: 'a' })).toEqual([['get', 'a']])
})

it.each([
  ['X-Nonce: a', ['X-Nonce', 'a']],
  ['X-Nonce:a:b', ['X-Nonce', 'a:b']],
  ['X-Nonce:\t a b \t', ['X-Nonce', 'a b']],
  ['X-Nonce:', ['X-Nonce', '']],
  ['X-Nonce: \t', ['X-Nonce', '']],
  ['X-Nonce: a\nb', ['X-Nonce', 'a\nb']],
  [':path: /a', [':path', '/a']],
  ["!#$%&'*+.^_`|~0aZ-: a", ["!#$%&'*+.^_`|~0aZ-", 'a']],
  ['::path: /a', undefined],
  ['X Nonce: a', undefined],
  [' X-Nonce: a', undefined],
  ['X-Nonce', undefined],
  [': a', undefined],
  ['', undefined],
])('the line %j is the header %j', (line, header) => {
  expect(parseHeader(line)).toEqual(header)
})

it('the values of a header are found by its name in lowercase', () => {
  const headers = pairsOf(['X-Nonce', 'a', 'x-nonce', 'b', 'X-Nonces', 'c'])
  expect(headers).toHaveLength(3)
  expect(valuesOf(headers, 'x-nonce')).toEqual(['a', 'b'])
})

it.each([
  ['x-signature', true],
  ['HTTP_X_SIGNATURE', true],
  ['a webhook-signature: b', true],
  ['SVIX_signature', true],
  ['signature', false],
  ['x.signature', false],
])('the text %j has the name of a signature header: %j', (text, expected) => {
  expect(hasSignature(text)).toBe(expected)
})

it.each([
  ...[':method', ':path', 'host', 'Host', 'user-agent', 'Accept', 'a-signature-b', 'cnonce', 'X-Timestamp'],
  ...['X-Webhook-Timestamp', 'SIGNATURE'],
])('%s is a header of a request', (name) => {
  expect(
    areOfRequest([
      ['note', 'a'],
      [name, 'a'],
    ]),
  ).toBe(true)
})

it.each(['a:method', 'hosts', 'x-host', 'accepted', 'x-accept', 'timestamp', 'x-timestamps', 'a-x-timestamp', 'date'])(
  '%s may be a header of another text',
  (name) => {
    expect(areOfRequest([[name, 'a']])).toBe(false)
  },
)

it.each([
  ...['via', 'forwarded', 'x-forwarded-for', 'x-real-ip', 'x-original-url', 'x-amzn-trace-id', 'x-amz-cf-id'],
  ...['x-envoy-a', 'x-azure-ref', 'x-kong-a', 'x-arr-ssl', 'x-cloud-trace-context', 'cf-ray', 'cdn-loop', 'fly-region'],
])('%s is a header of a proxy', (name) => {
  expect(
    passedProxy([
      ['host', 'a'],
      [name, 'a'],
    ]),
  ).toBe(true)
})

it.each(['vian', 'a-via', 'x-forwarded', 'x-forwarded-', 'x-amz-a', 'cf-', 'cdn-loops', 'a-fly-region', 'x-nonce'])(
  '%s is not a header of a proxy',
  (name) => {
    expect(passedProxy([[name, 'a']])).toBe(false)
  },
)

it('an iterator becomes a list, and other headers stay', () => {
  const pairs = [['next', 'a']] as const
  expect(withoutIterator(pairs.values() as never)).toEqual(pairs)
  for (const headers of [pairs, { next: 'a' }, new Headers({ next: 'a' })])
    expect(withoutIterator(headers)).toBe(headers)
})
