import { describe, expect, it } from 'vitest'
import { NOW, signedRequest } from '../../../test/support/request.js'
import { readDocuments } from '../../src/capture/json.js'
import { readCapture } from '../../src/capture/read-capture.js'

const BODY = '{"name":"Zoë"}'
const { headers } = signedRequest({ body: BODY })
const BASE64 = Buffer.from(BODY).toString('base64')
const EARLIER = NOW - 3_600_000

const LOG = { level: 'info', time: NOW, req: { method: 'POST', url: '/hooks/42', headers }, body: BODY }

function parsed(document: unknown) {
  const { body, ...rest } = readCapture(Buffer.from(`\ufeff\n${JSON.stringify(document)}\n`))
  return { ...rest, body: body && Buffer.from(body).toString() }
}

describe('JSON', () => {
  it('may be several lines: the first signed request is read', () => {
    const lines = [{ msg: 'start' }, { method: 'GET', headers: { a: 'b' }, body: 'no' }, LOG]
    const text = lines.map((line) => `${JSON.stringify(line)}\r\n`).join('')
    const { body, notes } = readCapture(Buffer.from(text))
    expect(String(Buffer.from(body as Uint8Array))).toBe(BODY)
    expect(notes).toEqual([
      'The capture has 2 requests. Only one was read: the first with X-Signature, or else the first.',
    ])
  })

  it('prefers the request with X-Signature, and never reads a response', () => {
    const others = ['not-x-signature', 'x-signature-old'].map((name) => ({ headers: { [name]: 'a' }, body: 'other' }))
    expect(parsed([...others, LOG]).body).toBe(BODY)
    expect(parsed({ response: { headers: { 'x-signature': 'a' }, body: 'a response' }, request: LOG }).body).toBe(BODY)
  })
})

/** Returns the request in one document, with its headers as lines and its bodies as text. */
function requestIn(...documents: unknown[]) {
  const request = readDocuments(documents)
  if (request === undefined) return undefined
  const { body, headers: lines, otherBodies = [], ...rest } = request
  const others = otherBodies.map((one) => String(Buffer.from(one.body)))
  return { ...rest, headers: lines.map((line) => line.join(': ')), body: body && String(Buffer.from(body)), others }
}

describe('the request line in JSON', () => {
  it.each([
    [{ method: 'PUT', originalUrl: '/b?c=d', url: '/c' }, ['PUT', '/b?c=d']],
    [{ requestContext: { http: { method: 'PUT' } }, path: '/b' }, ['PUT', '/b']],
    [{ http: { request: { method: 'PUT' } }, uri: '/b' }, ['PUT', '/b']],
    // The Elastic Common Schema.
    [{ http: { request: { method: 'PUT' } }, url: { path: '/b', full: 'https://example.com/b' } }, ['PUT', '/b']],
  ])('of %j', (fields, [method, path]) => {
    const line = [`:method: ${method}`, `:path: ${path}`]
    expect(requestIn({ ...fields, headers: { host: 'a' } })?.headers).toEqual([...line, 'host: a'])
  })
})

describe('the headers in JSON', () => {
  it.each<[string, object]>([
    ['multiValueHeaders', { multiValueHeaders: { a: ['b', 'c'], 'x-nonce': ['d'] }, headers: { e: 'f' } }],
    ['headers', { headers: { a: ['b', 'c'], 'x-nonce': 'd' }, rawHeaders: ['e', 'f'] }],
    ['rawHeaders', { rawHeaders: ['a', 'b', 'a', 'c', 'x-nonce', 'd'] }],
    ['header', { header: 'a: b\r\na:c\nno header\nx-nonce: d' }],
    [
      'pairs',
      {
        headers: [
          ['a', 'b'],
          ['a', 'c'],
          ['x-nonce', 'd', 'e'],
          [7, 'f'],
        ],
      },
    ],
    [
      'objects with name',
      {
        headers: [
          { name: 'a', value: 'b' },
          { name: 'a', value: 'c' },
          { name: 'x-nonce', value: 'd' },
        ],
      },
    ],
    ['JSON in a string', { headers: '{"a":["b","c"],"x-nonce":"d","e":{},"f":true}' }],
  ])('may be %s', (_, document) => {
    expect(requestIn(document)?.headers).toEqual(['a: b', 'a: c', 'x-nonce: d'])
  })

  it.each([
    [
      'CGI',
      { HTTP_X_NONCE: 'a', HTTP_X_SIGNATURE: 'b', REQUEST_METHOD: 'POST', PATH: '/' },
      ['X-NONCE: a', 'X-SIGNATURE: b', 'REQUEST-METHOD: POST', 'PATH: /'],
    ],
    ['nginx', { http_x_nonce: 'a', x_signature: 'b', 'a b': 'c' }, ['x-nonce: a', 'x-signature: b']],
    [
      'OpenTelemetry',
      { 'http.request.header.x_signature': ['b'], 'http.request.headers.date': 'c' },
      ['x-signature: b', 'date: c'],
    ],
  ])('may be fields of %s', (_, document, expected) => {
    const lines = requestIn(document)?.headers.filter((line) => !line.startsWith(':'))
    expect(lines).toEqual(expected)
  })

  it('need a field of a request beside them, or a header that only requests have', () => {
    expect(requestIn({ headers: { date: 'a' }, body: 'b' })).toBeUndefined()
    expect(requestIn({ headers: { date: 'a' }, body: 'b', url: '/' })?.body).toBe('b')
    expect(requestIn({ headers: { host: 'a' }, body: 'b' })?.body).toBe('b')
    expect(requestIn({ headers: {}, body: 'b', url: '/' })).toBeUndefined()
  })

  it('may be in the JSON of a string, if there is no signed request outside it', () => {
    const inside = JSON.stringify({ headers: { 'x-signature': 'a' }, body: 'inside' })
    expect(requestIn({ message: inside })?.body).toBe('inside')
    expect(requestIn({ url: '/', headers: { a: 'b' }, body: 'outside' }, { message: inside })).toMatchObject({
      body: 'inside',
      notes: ['The capture has 2 requests. Only one was read: the first with X-Signature, or else the first.'],
    })
    expect(requestIn({ message: ` ${inside}` })).toBeUndefined()
    expect(requestIn({ message: JSON.stringify({ message: inside }) })?.body).toBe('inside')
  })
})

describe('the time in JSON', () => {
  const TIME = '2023-11-14T22:13:20Z'

  it.each([
    [{ requestContext: { timeEpoch: NOW, requestTimeEpoch: EARLIER } }],
    [{ startedDateTime: TIME, '@timestamp': EARLIER }],
    [{ timestamp: NOW / 1000, time: EARLIER }],
    [{ token_id: 'a', created_at: '2023-11-14 22:13:20', time: EARLIER }],
  ])('of %j', (fields) => {
    expect(requestIn({ headers, ...fields })?.arrival).toEqual([NOW, 'from the time in the capture'])
    expect(requestIn({ ...fields, request: { headers } })?.arrival?.[0]).toBe(NOW)
  })
})

describe('the body in JSON', () => {
  const HEX = Buffer.from(BODY).toString('hex')
  const inForm = 'has the fields of a form, but not the bytes of the body'
  const exact = { body: BODY, certainty: 'exact' }

  it.each<[object, object]>([
    ...'rawBody body requestBodyText request-payload http_http_file_data http.request.body HTTP_BODY'
      .split(' ')
      .map((name): [object, object] => [{ [name]: BODY }, { ...exact, isGuess: undefined }]),
    [{ rawBodyBase64: BASE64, body: 'no' }, exact],
    [{ payload: BODY }, { ...exact, isGuess: true }],
    [{ body: BASE64, isBase64Encoded: true }, exact],
    [{ body: BASE64, encoding: 'base64' }, exact],
    [{ body: HEX, rawBodyEncoding: 'hex' }, exact],
    [{ body: BASE64, isBase64: 'true' }, { body: BASE64 }],
    [{ body: { type: 'Buffer', data: [123, 125] } }, { body: '{}', certainty: 'exact' }],
    [{ body: { a: 1 } }, { body: '{"a":1}', certainty: 'rewritten', others: [] }],
    [{ postData: { text: BODY }, body: 'no' }, exact],
    [{ postData: { params: [] } }, { body: undefined, whyNoBody: inForm }],
    [{ request: { body: BODY } }, exact],
    [{ isBase64Encoded: false }, { body: '' }],
    [
      { body: { truncated: true, as_bytes: BASE64 } },
      { body: undefined, whyNoBody: 'has only the beginning of the body' },
    ],
    [
      { body: { contentType: 'application/x-www-form-urlencoded', body: 'a: b' } },
      { body: undefined, whyNoBody: inForm },
    ],
    [{ body: { mimeType: 'a', text: BODY } }, { ...exact, others: [JSON.stringify({ mimeType: 'a', text: BODY })] }],
    [{ body: { data: BODY } }, { body: JSON.stringify({ data: BODY }), certainty: 'rewritten', others: [BODY] }],
  ])('of %j', (fields, expected) => {
    expect(requestIn({ headers, ...fields })).toMatchObject(expected)
  })

  it('may be outside the object with the headers, but not beside a response', () => {
    expect(requestIn({ body: BODY, request: { headers } })?.body).toBe(BODY)
    expect(requestIn({ body: 'no', response: {}, request: { headers } })?.body).toBeUndefined()
    expect(requestIn({ headers, body: BODY, response: {} })?.body).toBe(BODY)
    // The object that contains the headers is not the body.
    expect(requestIn({ payload: { headers } })?.body).toBeUndefined()
    expect(requestIn({ headers: { ...headers, 'content-length': '0' } })?.body).toBe('')
  })

  it('may be the next document, if the document of the headers has none', () => {
    expect(requestIn({ headers }, { a: 1 })).toMatchObject({ body: '{"a":1}', certainty: 'rewritten' })
    expect(requestIn({ headers, body: BODY }, { a: 1 })?.body).toBe(BODY)
    expect(requestIn({ headers }, 'a')?.body).toBeUndefined()
    expect(requestIn({ b: { headers } }, { a: 1 })?.body).toBeUndefined()
  })

  it('of ngrok is in the whole request in base64', () => {
    const raw = Buffer.from(`POST /b HTTP/1.1\r\nHost: c\r\n\r\n${BODY}`).toString('base64')
    const request = requestIn({ method: 'POST', uri: '/b', headers: { a: ['b'] }, raw, start: NOW })
    expect(request).toEqual({
      headers: [':method: POST', ':path: /b', 'Host: c'],
      body: BODY,
      others: [],
      isHttpText: true,
      certainty: 'exact',
      arrival: [NOW, 'from the time in the capture'],
      notes: [],
    })
    expect(requestIn({ uri: '/b', headers: { a: ['b'] }, raw: BASE64 })).toMatchObject({ isGuess: true, body: BASE64 })
  })
})

it('a log in JSON can have one line of the request per entry', () => {
  const log = ['POST /a HTTP/1.1\n', 'X-Nonce: b\n', '\n', '{}'].map((line) => JSON.stringify({ log: line }))
  const { headers, body } = readCapture(Buffer.from(log.join('\n')))
  expect(headers.map(([, value]) => value)).toEqual(['POST', '/a', 'b'])
  expect(Buffer.from(body ?? []).toString()).toBe('{}\n')
})
