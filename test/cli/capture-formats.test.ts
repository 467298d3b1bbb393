import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/command.js'
import { parseCapture } from '../../src/cli/input/captured-request.js'

function parsed(capture: string) {
  const { headers, body, respondedAt } = parseCapture(Buffer.from(capture))
  return { headers, body: body && Buffer.from(body).toString(), respondedAt }
}

const REQUEST_LINE = [
  [':method', 'POST'],
  [':path', '/hooks/42?a=b'],
]
const URL_TEXT = 'https://example.com/hooks/42?a=b'

describe('a HAR file', () => {
  const request = {
    method: 'POST',
    url: URL_TEXT,
    headers: [
      { name: ':method', value: 'POST' },
      { name: 'x-nonce', value: 'abc' },
      { name: 'X-Signature', value: 'f0' },
    ],
    postData: { mimeType: 'application/json', text: '{"a":"Zoë"}' },
  }
  const entry = { startedDateTime: '2026-11-21T06:22:43.500Z', request }
  const other = { ...entry, request: { ...request, headers: [{ name: 'x-nonce', value: 'abc' }] } }
  const har = (...entries: object[]) => JSON.stringify({ log: { version: '1.2', entries } })
  const read = {
    headers: [...REQUEST_LINE, ['x-nonce', 'abc'], ['X-Signature', 'f0']],
    body: '{"a":"Zoë"}',
    respondedAt: Date.parse('2026-11-21T06:22:43.500Z'),
  }

  it.each([
    ['with one request', har(entry)],
    ['with one request that has a signature', har(other, entry, other)],
    ['after a byte order mark', `\ufeff${har(entry)}`],
    ['of which one entry was copied', JSON.stringify(entry, undefined, 2)],
  ])('is read %s', (_, capture) => {
    expect(parsed(capture)).toEqual(read)
  })

  it('may have no body, no URL and no time', () => {
    expect(parsed(har({ request: { headers: [null] } }))).toEqual({
      headers: [
        [':method', 'POST'],
        [':path', '/'],
      ],
      body: '',
      respondedAt: Number.NaN,
    })
    expect(parsed(har({ request: { ...request, postData: {} } })).body).toBe('')
  })

  it('may have its body in base64', () => {
    const postData = { text: 'eyJhIjoxfQ==', encoding: 'base64' }
    expect(parsed(har({ request: { ...request, postData } })).body).toBe('{"a":1}')
  })

  it.each([
    ['no signature', har(other, other), 'No request of the HAR file'],
    ['several signatures', har(entry, entry), '2 requests of the HAR file have a signature. Copy one entry'],
  ])('with %s is refused', (_, capture, message) => {
    expect(() => parsed(capture)).toThrow(UsageError)
    expect(() => parsed(capture)).toThrow(message)
  })
})

describe('JSON with headers and body', () => {
  it.each([
    ['a log', { headers: { 'X-Nonce': 'abc', 'x-list': ['a', 'b'] }, body: '{"a":1}' }, [], '{"a":1}'],
    [
      'a Lambda event',
      {
        headers: { 'X-Nonce': 'abc', 'x-list': ['a', 'b'] },
        httpMethod: 'PUT',
        path: '/a',
        body: 'eyJhIjoxfQ==',
        isBase64Encoded: true,
      },
      [
        [':method', 'PUT'],
        [':path', '/a'],
      ],
      '{"a":1}',
    ],
    [
      'a Lambda event of version 2',
      { headers: { 'X-Nonce': 'abc', 'x-list': ['a', 'b'] }, rawPath: '/a', body: 'b' },
      [
        [':method', 'POST'],
        [':path', '/a'],
      ],
      'b',
    ],
    ['a log of an empty body', { headers: { 'X-Nonce': 'abc', 'x-list': ['a', 'b'] }, body: null }, [], ''],
    [
      'a log of a parsed body, which is not the raw body',
      { headers: { 'X-Nonce': 'abc', 'x-list': ['a', 'b'] }, body: { a: 1 } },
      [],
      undefined,
    ],
  ])('is read from %s', (_, capture, requestLine, body) => {
    const headers = [...requestLine, ['X-Nonce', 'abc'], ['x-list', 'a'], ['x-list', 'b']]
    expect(parsed(JSON.stringify(capture))).toEqual({ headers, body, respondedAt: Number.NaN })
  })

  it.each(['{"event":"paid"}', '{"headers":[]}', '{"log":{}}', '{"log":', '{'])('is refused if it is %s', (capture) => {
    expect(() => parsed(capture)).toThrow('Line 1 of the request is not a header.')
  })
})

describe('a curl command', () => {
  const headers = [...REQUEST_LINE, ['X-Nonce', 'abc']]

  it.each([
    ['as Chrome copies it', `curl '${URL_TEXT}' \\\n  -H 'X-Nonce: abc' \\\n  --data-raw '{"a":1}' \\\n  --compressed`],
    ['with double quotes', `$ curl -s "${URL_TEXT}" -H "X-Nonce: abc" --data-binary "{\\"a\\":1}"`],
    ['with attached values', `curl -k --url=${URL_TEXT} -HX-Nonce:abc -d{\\"a\\":1}\nls`],
    ['with other options', `curl -u user:password --max-time 5 ${URL_TEXT} -X POST -H 'X-Nonce: abc' --json '{"a":1}'`],
    ['with a header that curl removes', `curl ${URL_TEXT} -H 'X-Nonce: abc' -H 'Accept' -d '{"a":1}'\n`],
  ])('is read %s', (_, capture) => {
    expect(parsed(capture)).toEqual({ headers, body: '{"a":1}', respondedAt: Number.NaN })
  })

  it.each([
    ["-d a=1 -d 'b=2'", 'a=1&b=2'],
    [`--data-raw $'{"a":"it\\'s \\u00eb\\n\\x21"}'`, '{"a":"it\'s ë\n!"}'],
    ['-d "a\\\nb\\$c\\d"', 'ab$c\\d'],
    ["-d 'a'\\''b'", "a'b"],
    ['-d $a', '$a'],
    ['--data-raw @a', '@a'],
    ["-d ''", ''],
    ['', ''],
    ['-d', ''],
    ['-d @body.json', undefined],
  ])('has the body of %s', (data, body) => {
    expect(parsed(`curl ${URL_TEXT} -H 'X-Nonce: abc' ${data}`)).toEqual({ headers, body, respondedAt: Number.NaN })
  })
})
