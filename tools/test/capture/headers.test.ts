import { expect, it } from 'vitest'
import { contentLengthOf, isChunked, isOfConnection, listHeaders } from '../../src/capture/headers.js'

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
