import { describe, expect, it } from 'vitest'
import { fromLatin1, fromUtf8, latin1 } from '../../src/bytes.js'
import { decodeEscapes, decodeLiterals, printedBytes } from '../../src/capture/escapes.js'
import { readHexDump } from '../../src/capture/hex-dump.js'

// The edges of the readers that no captured request reaches.

const textOf = (body: Uint8Array | undefined) => body && fromUtf8(body)

it.each([
  ['\\n\\u00eb\\x22', '\në"'],
  // Python and Go write characters beyond U+FFFF with eight digits.
  ['\\U0001f389 \\U00e9', '🎉 U00e9'],
  ['\\n\\r\\t\\b\\f\\e\\v\\a\\\n', '\n\r\t\b\f\x1b\va\n'],
  ['\\ud83c\\udf89\\uD83C\\uDF89', '🎉🎉'],
])('escapes: %s', (text, decoded) => {
  expect(fromUtf8(decodeEscapes(text))).toBe(decoded)
})

it.each<[string, readonly [string, boolean][]]>([
  ['<Buffer 7b 7d>', [['{}', true]]],
  ['<Buffer 7b 7d ... 1 more byte>', [['<Buffer 7b 7d ... 1 more byte>', false]]],
  ['Uint8Array(2) [ 123, 125 ]', [['{}', true]]],
  ['Buffer(2) [Uint8Array] [ 123, 125 ]', [['{}', true]]],
  ['Uint8Array(3) [ 123, 125, ... 1 more item ]', [['Uint8Array(3) [ 123, 125, ... 1 more item ]', false]]],
  ['<Buffer 7g>', []],
  ['Float64Array(1) [ 123 ]', []],
])('bytes that Node printed: %j', (text, expected) => {
  expect([...printedBytes(text)].map(({ bytes, isWhole }) => [fromUtf8(bytes), isWhole])).toEqual(expected)
})

it.each([
  ["'a'", 'a', 3],
  ['b"a\\x62"', 'ab', 8],
  ["'a' 'b'", 'ab', 7],
  ["'a' +\n  'b'", 'ab', 11],
  [`b'a'\nb"b"`, 'ab', 9],
  ["'a' + c", 'a', 3],
  ["'a", undefined, 0],
])('the strings at the start of %j are %j', (text, decoded, end) => {
  const read = decodeLiterals(`::${text}`, 2)
  expect([textOf(read?.bytes), (read?.end ?? 2) - 2]).toEqual([decoded, end])
})

describe('a dump of bytes', () => {
  it.each([
    ['xxd', '00000000: 4142 4344   ABCD\n', 'ABCD'],
    ['a second request', '=> Send\n0000: 41\n<= Recv\n0000: 42\n=> Send\n0000: 43\n', 'A'],
    ['text', '0000: it is noon\n', undefined],
  ])('is read from %s', (_, dump, text) => {
    const bytes = readHexDump(dump, latin1(dump))
    expect(bytes && fromLatin1(bytes)).toBe(text)
  })

  it.each(['0000: 4500 0000 0000 0000 0006\n', '0000: 6000 0000 0000 06\n'])('is refused if it has packets', (dump) => {
    const advice =
      'is a dump of packets with their IP headers. Use Follow > TCP Stream of Wireshark, or tcpflow. Pass one'
    expect(() => readHexDump(dump, latin1(dump))).toThrow(`The capture ${advice}`)
  })
})
