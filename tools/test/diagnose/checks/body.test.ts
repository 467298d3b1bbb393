import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/bytes.js'
import type { Header } from '../../../src/capture/headers.js'
import { checkLostBody, describeLoss, suspectBody } from '../../../src/diagnose/checks/body.js'
import { NODE_PRIMITIVES } from '../../../src/node-primitives.js'

const PROXY: Header = ['via', '1.1 a']
const length = (value: number): Header => ['content-length', String(value)]
const mask = (text: string) => text.replaceAll('secret', '[secret]')
const bytesOf = (body: string | Uint8Array) => (typeof body === 'string' ? utf8(body) : body)
const suspected = (body: string | Uint8Array, headers: readonly Header[]) =>
  suspectBody(bytesOf(body), headers, mask, NODE_PRIMITIVES)

describe('a body that was lost', () => {
  it.each<[string, readonly Header[], string | undefined]>([
    ['[object Object]', [], 'unknown'],
    ['[object Object]', [length(15)], 'sender'],
    ['[object Object]', [length(15), PROXY], 'unknown'],
    ['[object Object]', [length(16), PROXY], 'receiver'],
    ['undefined', [length(7)], 'receiver'],
    ['', [], undefined],
    ['', [length(7)], 'receiver'],
    ['', [['transfer-encoding', 'chunked']], 'receiver'],
  ])('%j with %j: %s', (body, headers, side) => {
    const drafts = checkLostBody(utf8(body), headers, mask)
    const evidence = headers.filter(([name]) => name === 'content-length').map(([, value]) => ['Content-Length', value])
    expect(drafts).toMatchObject(side === undefined ? [] : [{ code: 'body_changed', side, evidence }])
  })
})

describe('a body that may be wrong', () => {
  it.each<[readonly Header[], readonly (readonly string[])[]]>([
    [[], []],
    [[[':method', 'POST']], []],
    [[[':method', 'GET']], [['Method', 'GET']]],
    [[[':method', 'secret']], [['Method', '[secret]']]],
  ])('is empty, after %j', (headers, evidence) => {
    expect(suspected('', headers)).toMatchObject([{ code: 'body_changed', fix: 'send_body', evidence }])
  })

  it.each(['gzip', ' X-GZIP ', 'deflate', 'br', 'zstd'])('is text, but Content-Encoding is %j', (encoding) => {
    const message = expect.stringMatching(
      `^Content-Encoding is ${encoding.trim().toLowerCase()}, but the body is text: `,
    )
    const headers: Header[] = [['content-encoding', encoding]]
    expect(suspected('a', headers)).toMatchObject([{ code: 'body_compressed', message, side: 'unknown' }])
    expect(suspected('a', [...headers, length(1)])).toMatchObject([{ code: 'body_compressed', side: 'unknown' }])
    expect(suspected('a', [...headers, length(2)])).toMatchObject([{ code: 'body_compressed', side: 'receiver' }])
  })

  it.each([
    [' ZSTD ', 'zstd'],
    ['gzip', 'gzip'],
    ['x-gzip', 'x-gzip'],
    ['deflate', 'deflate'],
    ['br', 'br'],
    ['gzip, zstd', 'zstd'],
    ['snappy', 'snappy'],
    ['compress', 'compress'],
  ])('cannot be decompressed: Content-Encoding %j', (encoding, shown) => {
    const message = `Content-Encoding is ${shown}, but diagnose could not decompress the body. The sender may have signed it before it was compressed.`
    const found = suspected(Uint8Array.of(0xff), [['Content-Encoding', encoding]])
    expect(found).toMatchObject([{ code: 'body_compressed', message, fix: 'sign_compressed' }])
  })

  it('begins as zstd does, without Content-Encoding', () => {
    const message = expect.stringMatching(/^The body looks like zstd, but diagnose could not decompress the body\./)
    const zstd = Buffer.from('KLUv/QRYQQAAeyJuIjoxM33gUizY', 'base64')
    const json: Header[] = [length(zstd.length), ['Content-Type', 'application/json']]
    for (const headers of [[], json]) {
      expect(suspected(zstd, headers)).toMatchObject([{ code: 'body_compressed', message }])
    }
  })

  it.each([
    ['gzip', gzipSync('{}')],
    ['x-gzip', gzipSync('{}')],
    ['deflate', deflateSync('{}')],
    ['deflate', deflateRawSync('{}')],
    ['br', brotliCompressSync('{}')],
    ['utf-8', Uint8Array.of(0xff)],
    ['identity', Uint8Array.of(0xff)],
  ])('is decompressed, or is not compressed: Content-Encoding %j', (encoding, body) => {
    expect(suspected(body, [['Content-Encoding', encoding]])).toEqual([])
  })

  it.each<[string, string | Uint8Array, readonly Header[]]>([
    ['its length is unknown', '{', [['content-type', 'application/json']]],
    ['bytes may be bytes', Uint8Array.of(0xff), [length(1), ['content-type', 'application/octet-stream']]],
    ['it is JSON', '{}', [length(2), ['content-type', 'application/json']]],
    ['it is long', '{'.repeat(2 ** 18 + 1), [length(2 ** 18 + 1), ['content-type', 'application/json']]],
  ])('but nothing is said if %s: %j, %j', (_, body, headers) => {
    expect(suspected(body, headers)).toEqual([])
  })

  it.each(['Multipart/mixed', 'multipart/form-data; boundary=x'])('is multipart: %s', (type) => {
    expect(suspected('--x', [length(3), ['content-type', type]])).toMatchObject([
      { code: 'body_wrapped', fix: 'sign_multipart', message: expect.stringMatching(/^The body is multipart\. Its /) },
    ])
  })

  it.each([
    ...['text/plain', 'TEXT/csv', 'application/xml', 'application/x-www-form-urlencoded', 'application/json'],
    ...['a/b+json ;c'],
  ])('is not UTF-8, but its type is %s', (type) => {
    const message = expect.stringMatching(/^The body is not UTF-8: its byte 1 is 0xE9\. /)
    const body = Uint8Array.of(0x61, 0xe9, 0x62)
    expect(suspected(body, [length(3), ['content-type', type]])).toMatchObject([{ code: 'body_encoding', message }])
  })

  it.each([
    ['its byte 4 is 0xE9', Uint8Array.of(0x61, 0xef, 0xbf, 0xbd, 0xe9, 0x62)],
    ['its byte 1 is 0xEF', Uint8Array.of(0x61, 0xef, 0x62)],
  ])('is not UTF-8, and a U+FFFD that is UTF-8 is not named: %s', (text, body) => {
    expect(suspected(body, [length(body.length), ['content-type', 'text/plain']])[0]?.message).toContain(text)
  })

  it('has U+FFFD where bytes were lost', () => {
    const message = expect.stringMatching(/^The body has U\+FFFD at character 2: /)
    expect(suspected('Zo\ufffd', [])).toMatchObject([{ code: 'body_encoding', message, fix: 'encode_once' }])
    expect(suspected('\ufffd', [])).toHaveLength(1)
    expect(suspected(Uint8Array.of(0xff, 0xef, 0xbf, 0xbd), [])).toEqual([])
  })

  const jsonFinding = (body: string) => {
    const type: Header = ['content-type', 'application/json']
    return suspected(body, [length(Buffer.byteLength(body)), type])[0]?.message
  }

  it.each([...['{', '[[', '{"a', '{"a":', '{"a":"b', '{"a":"\\', '{"a":"]\\"]', '[1, 2', '[1,{"b":"}"']])(
    'is JSON that was cut: %s',
    (body) => {
      expect(jsonFinding(body)).toMatch(/^The body begins as JSON and ends before its last bracket, /)
    },
  )

  it.each([...['a', '{a:1}', '{"a":1}}', '{"a":1]', '{1', "{'a", '{"a":1} 1']])('is not JSON: %s', (body) => {
    expect(jsonFinding(body)).toBe('Content-Type says that the body is JSON, but the body is not JSON.')
  })
})

it.each([
  ['{"who":"?????"}', '?????'],
  ['{"who":"??"}', '??'],
  ['{"who":"???? ???"}', '????'],
  ['who=????&a=b', '????'],
  ['<who>????</who>', '????'],
  ['{"a":"Really????"}', undefined],
  ['{"a":"?"}', undefined],
  ['{"a":"https://a/?b=??"}', undefined],
  ['{"a":"A b ?? c : d"}', undefined],
  [Uint8Array.of(0xff, 0x22, 0x3f, 0x3f, 0x3f, 0x22), undefined],
])('an encoding lost characters of %j: %j', (body, marks) => {
  expect(describeLoss(bytesOf(body))?.split(' where')[0]).toBe(marks && `The body has \`${marks}\``)
})
