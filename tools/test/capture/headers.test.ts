import { expect, it } from 'vitest'
import { contentLengthOf, listHeaders, parseHeader, passedProxy } from '../../src/capture/headers.js'

it.each([
  [['7'], 7],
  [[' 7 '], 7],
  [['7x'], undefined],
  [['7', '7'], 7],
  [['7', '8'], undefined],
  [[], undefined],
])('Content-Length %j is %j', (values, length) => {
  expect(contentLengthOf(values.map((value) => ['Content-Length', value]))).toBe(length)
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

it.each([
  ['X-Nonce: a', ['X-Nonce', 'a']],
  ['X-Nonce:a:b', ['X-Nonce', 'a:b']],
  ['X-Nonce:\t a b \t', ['X-Nonce', 'a b']],
  ['X-Nonce:', ['X-Nonce', '']],
  [':path: /a', [':path', '/a']],
  ['X Nonce: a', undefined],
  [' X-Nonce: a', undefined],
  ['', undefined],
])('the line %j is the header %j', (line, header) => {
  expect(parseHeader(line)).toEqual(header)
})

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
