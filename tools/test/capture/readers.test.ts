import { describe, expect, it } from 'vitest'
import { fromLatin1, fromUtf8, utf8 } from '../../src/bytes.js'
import { bodyOf } from '../../src/capture/body.js'
import { parseCurlOutput } from '../../src/capture/curl-output.js'
import { decodeEscapes } from '../../src/capture/escapes.js'
import type { Header } from '../../src/capture/headers.js'
import { readHexDump } from '../../src/capture/hex-dump.js'
import { readLooseText } from '../../src/capture/loose-text.js'

// The edges of the readers that no captured request reaches.

const textOf = (body: Uint8Array | undefined) => body && fromUtf8(body)

it('the output of curl -v may end with its last header', () => {
  const request = parseCurlOutput('> POST /hooks HTTP/1.1\n> X-Nonce: a', false)
  expect(request?.headers).toEqual([
    [':method', 'POST'],
    [':path', '/hooks'],
    ['X-Nonce', 'a'],
  ])
  expect(request?.body).toBeUndefined()
})

it.each([
  ['\\q', 'q'],
  ['ë', 'ë'],
  ['\\n\\u00eb\\x22', '\në"'],
  // Python and Go write characters beyond U+FFFF with eight digits.
  ['\\U0001f389 \\U00e9', '🎉 U00e9'],
  ['\\u{1F389}\\u{10ffff}\\u{110000}\\U00110000', '🎉\u{10ffff}\\u{110000}\\U00110000'],
  ['C:\\\\New\\X41', 'C:\\NewX41'],
  ['\\🎉', '🎉'],
])('escapes: %s', (text, decoded) => {
  expect(fromUtf8(decodeEscapes(text))).toBe(decoded)
})

describe('a dump of bytes', () => {
  it('has the bytes that were sent, and not those that were received', () => {
    const dump = '=> Send header, 2 bytes (0x2)\n0000: 41 42\n<= Recv header, 1 bytes (0x1)\n0000: 43\n'
    expect(fromLatin1(readHexDump(dump, utf8(dump)) as Uint8Array)).toBe('AB')
  })

  it('leaves out what curl says, and what is received before', () => {
    const dump = '== Info: hello\n0000: 43\n=> Send header, 2 bytes (0x2)\n0000: 41 42\n'
    expect(fromLatin1(readHexDump(dump, utf8(dump)) as Uint8Array)).toBe('AB')
  })

  it('ends where an offset does not follow', () => {
    const dump = '00000000: 41 42\n00000009: 4344\n'
    expect(fromLatin1(readHexDump(dump, utf8(dump)) as Uint8Array)).toBe('AB')
  })
})

describe('printed variables', () => {
  const HEADERS = 'x-timestamp: 1700000000\nx-nonce: a\nx-signature: '.concat('a'.repeat(64), '\n')
  const bodies = (text: string) => {
    const { body, otherBodies = [] } = readLooseText(utf8(HEADERS + text)) ?? {}
    return [body, ...otherBodies.map((one) => one.body)].map(textOf)
  }

  it('are not read without the three headers', () => {
    expect(readLooseText(utf8('x-nonce: a\nbody: {}'))).toBeUndefined()
  })

  it('have a string with its length, a buffer, or numbers', () => {
    expect(bodies('["body"]=>\n  string(2) "{}"')).toContain('{}')
    expect(bodies('body: <Buffer 7b 7d>')).toContain('{}')
    expect(bodies('body: <Buffer 7b 7>')).toContain('')
    expect(bodies('body: [123, 125]')).toContain('{}')
  })

  it('give at most 16 bodies', () => {
    expect(bodies('{"a":1}\n'.repeat(40))).toHaveLength(16)
  })
})

describe('why a body is not confirmed', () => {
  const captured = (body: string, headers: Header[] = []) => ({ headers, body: utf8(body) })

  it.each([
    ['the body was cut', captured('{"a":1, … 1.2 kB more')],
    ['it has only a parsed or decompressed body', { ...captured('{"a":1}'), isParsed: true }],
  ])('%s', (doubt, request) => {
    expect(bodyOf(request, request.headers)).toMatchObject({ doubt })
  })

  it.each([
    ['a dot can stand for any other byte', { ...captured('{"a":.}'), isLossy: true }],
    ['the log masked a part of the body', captured('{"card":"***"}')],
  ])('unless its signature is explained: %s', (guess, request) => {
    expect(bodyOf(request, request.headers)).toMatchObject({ guess })
  })

  it('its length', () => {
    const headers: Header[] = [['content-length', '9']]
    expect(bodyOf(captured('<a>', headers), headers).doubt).toBe('Content-Length is 9, but its body has 3 bytes')
  })
})
