import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { send } from '../../../test/support/raw-client.js'
import { NOW } from '../../../test/support/request.js'
import { bodyOf } from '../../src/capture/body.js'
import { captureRequest } from '../../src/capture/capture-request.js'
import { readCapture } from '../../src/capture/read-capture.js'
import { serve } from '../resources.js'

const clock = { now: () => NOW + 257 }
const ARRIVAL = [NOW + 257, 'from the time in the capture']

function readBack(text: Uint8Array) {
  const captured = readCapture(text)
  const { body, notes } = bodyOf(captured, captured.headers)
  return { headers: captured.headers, body: Buffer.from(body), arrival: captured.arrival, notes }
}

it('a request of Node is written with its headers as they were sent', async () => {
  const requests: IncomingMessage[] = []
  const { port } = await serve((request, response) => {
    requests.push(request)
    response.end()
  })
  const headers: [string, string][] = [
    ['X-nONCE', 'a'],
    ['x-Nonce', 'b \xe9'],
  ]
  const body = Buffer.from('3\r\nabc\r\n0\r\n\r\n')
  await send(port, { path: '/a?b=%20c', headers, body, chunkBytes: 5 })
  const read = readBack(captureRequest(requests[0] as IncomingMessage, body, clock))
  expect(read).toMatchObject({ body, arrival: ARRIVAL, notes: [] })
  expect(read.headers).toEqual([
    [':method', 'POST'],
    [':path', '/a?b=%20c'],
    ['Host', 'localhost'],
    ['Connection', 'close'],
    ['Transfer-Encoding', 'chunked'],
    ...headers,
  ])
})

it('a request of Fetch is written with its headers, its path and its time', () => {
  const request = new Request('https://example.com/hooks/42?a=b#c', {
    method: 'PUT',
    headers: { 'X-Nonce': 'abc', Accept: 'é' },
  })
  expect(readBack(captureRequest(request, '{"name":"Zoë"}', clock))).toEqual({
    headers: [
      [':method', 'PUT'],
      [':path', '/hooks/42?a=b'],
      ['accept', 'é'],
      ['x-nonce', 'abc'],
    ],
    body: Buffer.from('{"name":"Zoë"}'),
    arrival: ARRIVAL,
    notes: [],
  })
})

it.each([
  [{}, 'POST', '/'],
  [{ url: '/hooks', originalUrl: '/api/hooks' }, 'POST', '/api/hooks'],
  [{ url: 'https://example.com/a?b=c#d' }, 'POST', '/a?b=c'],
  [{ url: '/a?to=https://example.com/b' }, 'POST', '/a?to=https://example.com/b'],
  [{ url: '/a b' }, 'POST', '/a%20b'],
  [{ url: '/€' }, 'POST', '/%E2%82%AC'],
  [{ url: '/\ud800' }, 'POST', '/%EF%BF%BD'],
])('the request line of %j is written as %s %s', (request, method, target) => {
  const text = Buffer.from(captureRequest({ headers: {}, ...request }, 'ab', clock)).toString('latin1')
  const mark = '# Received at 2023-11-14T22:13:20.257Z with a body of 2 bytes'
  expect(text).toBe(`${mark}\r\n${method} ${target} HTTP/1.1\r\n\r\nab`)
})

it('headers that can be read only once, or have the name `next`, are written too', () => {
  const headers = new Headers({ 'X-Nonce': 'abc' }).entries()
  expect(readBack(captureRequest({ headers }, '', clock)).headers).toContainEqual(['x-nonce', 'abc'])
  const named = { next: '1', 'x-nonce': 'abc' }
  expect(readBack(captureRequest({ headers: named }, '', clock)).headers).toContainEqual(['x-nonce', 'abc'])
})

it('every request is read back byte for byte', () => {
  const name = fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,30}$/)
  const value = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,100}$/).map((text) => text.replace(/^[\t ]+|[\t ]+$/g, ''))
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .array(fc.constantFrom('\n', '\r\n', '> ', '```', '# Received at ', 'POST / HTTP/1.1\n', '0\r\n\r\n', '{'))
      .map((parts) => Buffer.from(parts.join(''))),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), bodies, fc.constantFrom('', '\n', '\r\n'), (lines, body, added) => {
      const rawHeaders = lines.flat()
      const text = captureRequest({ headers: {}, rawHeaders }, body, clock)
      const read = readBack(Buffer.concat([text, Buffer.from(added)]))
      expect(read).toMatchObject({ arrival: ARRIVAL, notes: [] })
      expect(read.headers.slice(2)).toEqual(lines)
      expect(read.body.equals(body)).toBe(true)
    }),
  )
})

it.each<[string, () => unknown, string]>([
  [
    'no request',
    () => captureRequest(undefined as never, ''),
    'request is undefined. Pass the request: an object with method, url and headers.',
  ],
  [
    'a parsed body',
    () => captureRequest({ headers: {} }, { a: 1 } as never),
    'body is an object. Pass the bytes as received.',
  ],
  ['no headers', () => captureRequest({} as never, ''), 'request.headers is undefined. Pass'],
  [
    'a clock in nanoseconds',
    () => captureRequest({ headers: {} }, '', { now: () => 8.64e15 + 1 }),
    'clock.now() is after the year 275760. Return milliseconds.',
  ],
  [
    'a line break in a header',
    () => captureRequest({ headers: { a: 'b\nc' } }, ''),
    'A header of the request has a newline or a character after U+00FF. Pass the headers as received.',
  ],
])('an error of captureRequest says what to do for %s', (_, act, message) => {
  expect(act).toThrow(message)
  try {
    act()
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
  }
})
