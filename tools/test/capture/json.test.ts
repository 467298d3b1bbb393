import { describe, expect, it } from 'vitest'
import { NOW, signedRequest } from '../../../test/support/request.js'
import { CaptureError } from '../../src/capture/capture-error.js'
import { findDocuments, logLinesOf, parseDocuments, readDocuments } from '../../src/capture/json.js'
import { readCapture } from '../../src/capture/read-capture.js'
import { call, FROM_ENV } from '../cli/call.js'

const BODY = '{"name":"Zoë"}'
const { headers } = signedRequest({ body: BODY })
const NAMED = Object.entries(headers).map(([name, value]) => ({ name, value }))
const BASE64 = Buffer.from(BODY).toString('base64')
const EARLIER = NOW - 3_600_000

const HAR_ENTRY = {
  startedDateTime: '2023-11-14T22:13:20.000Z',
  request: {
    method: 'POST',
    url: 'https://example.com/hooks/42?a=b',
    httpVersion: 'HTTP/1.1',
    headers: [{ name: 'Host', value: 'example.com' }, ...NAMED],
    bodySize: 15,
    postData: { mimeType: 'application/json', text: BODY },
  },
  response: { status: 401, headers: [{ name: 'x-signature', value: 'of the response' }] },
}
const OTHER_ENTRY = {
  request: { method: 'GET', url: 'https://example.com/', headers: [{ name: 'Host', value: 'example.com' }] },
}
const LAMBDA_1 = {
  resource: '/hooks/{id}',
  path: '/hooks/42',
  httpMethod: 'POST',
  headers,
  multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  requestContext: { requestTimeEpoch: NOW, identity: {} },
  body: BODY,
  isBase64Encoded: false,
}
const LAMBDA_2 = {
  version: '2.0',
  rawPath: '/hooks/42',
  rawQueryString: 'a=b',
  headers,
  requestContext: { http: { method: 'POST', path: '/hooks/42' }, timeEpoch: NOW },
  body: BODY,
  isBase64Encoded: false,
}
const LOG = { level: 'info', time: NOW, req: { method: 'POST', url: '/hooks/42', headers }, body: BODY }

it.each<[string, unknown]>([
  ['an entry of a HAR file', HAR_ENTRY],
  ['a HAR file', { log: { version: '1.2', entries: [OTHER_ENTRY, HAR_ENTRY] } }],
  ['an event of API Gateway, version 1', LAMBDA_1],
  ['an event of API Gateway, version 2', LAMBDA_2],
  ['the same in base64', { ...LAMBDA_2, body: BASE64, isBase64Encoded: true }],
  ['an event in the log of a function', { message: 'received', event: LAMBDA_2 }],
  ['a line of a log', LOG],
  ['a flat line', { ...LOG, req: undefined, headers, method: 'POST', path: '/hooks/42' }],
  ['a line with its time as text', { ...LOG, time: undefined, '@timestamp': '2023-11-14T22:13:20.000Z' }],
  ['pairs of headers', { ...LOG, req: { method: 'POST', url: '/hooks/42', headers: Object.entries(headers) } }],
  ['a body that is a list of bytes', { ...LOG, body: [...Buffer.from(BODY)] }],
])('a captured request may be %s', async (_, document) => {
  const clock = { now: () => NOW + 3_600_000 }
  const around = { stdin: JSON.stringify(document), clock: clock as never }
  const { exitCode, text } = await call(['diagnose', ...FROM_ENV, '--json'], around)
  const { notes } = JSON.parse(text)
  expect(exitCode).toBe(0)
  expect(notes[0]).toMatch(/^Read: POST \/hooks\/42(\?a=b)?, body of 15 bytes\.$/)
  expect(notes[1]).toBe('Time of arrival: 2023-11-14T22:13:20Z, from the time in the capture.')
})

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

  it('is the request of the log, not one in a text that was logged beside it', () => {
    const { body, notes } = parsed({ upstream: JSON.stringify({ ...LOG, body: 'another' }), ...LOG })
    expect([body, notes]).toEqual([BODY, []])
  })

  it.each<[unknown, string]>([
    [{ ...LAMBDA_1, body: BASE64, isBase64Encoded: 'true' }, BASE64],
    [{ request: { ...HAR_ENTRY.request, postData: { text: BASE64, encoding: 'base64' } } }, BODY],
    [{ request: { ...HAR_ENTRY.request, postData: { text: BASE64, encoding: 'utf8' } } }, BASE64],
    [{ headers, rawBody: null, body: BODY }, BODY],
    [{ headers, body: [0, 255] }, '\0\ufffd'],
    [{ headers, body: [0, 256] }, '[0,256]'],
    [{ headers, body: [-1, 0] }, '[-1,0]'],
    [{ headers, body: [1.5] }, '[1.5]'],
    [{ headers, body: [1, 'a'] }, '[1,"a"]'],
  ])('has the body of %j', (document, body) => {
    expect(parsed(document).body).toBe(body)
  })

  it('prefers the request with X-Signature, and never reads a response', () => {
    const others = ['not-x-signature', 'x-signature-old'].map((name) => ({ headers: { [name]: 'a' }, body: 'other' }))
    expect(parsed([...others, LOG]).body).toBe(BODY)
    expect(parsed({ response: { headers: { 'x-signature': 'a' }, body: 'a response' }, request: LOG }).body).toBe(BODY)
  })

  it.each([
    ['{"event":"paid"}', 'The capture is JSON, but has no headers of a request.'],
    ['[1,"headers",{"headers":[null,7,["a"],[7,"b"]]}]', 'The capture is JSON, but has no headers of a request.'],
    ['{"headers":', 'The capture begins as JSON, but is not valid JSON.'],
  ])('throws if it is %s', (text, message) => {
    expect(() => readCapture(Buffer.from(text))).toThrow(CaptureError)
    expect(() => readCapture(Buffer.from(text))).toThrow(message)
  })
})

it('a capture may be without a time', () => {
  expect(parsed({ headers, body: '' }).arrival).toBeUndefined()
  expect(parsed({ headers, body: '', time: 'yesterday' }).arrival).toBeUndefined()
  expect(parsed({ headers, body: '', ts: String(EARLIER / 1000) }).arrival?.[0]).toBe(EARLIER)
})

it('an object, a list or a boolean is not read as a time or a name', () => {
  for (const value of [{ toString: 1, valueOf: 1 }, [[NOW]], true]) {
    expect(parsed({ headers, body: '', time: value }).arrival).toBeUndefined()
    const attributes = [{ key: value, value: { stringValue: 'a' } }, ...NAMED.map(attributeOf)]
    expect(parsed({ attributes }).headers).toHaveLength(3)
  }
})

const attributeOf = ({ name, value }: { name: string; value: string }) => ({ key: name, value: { stringValue: value } })

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
    [{ httpMethod: 'PUT', url: 'https://example.com/b?c#d' }, ['PUT', '/b?c']],
    [{ verb: 'PUT', rawPath: '/b', rawQueryString: 'c=d' }, ['PUT', '/b?c=d']],
    [{ verb: 'PUT', rawPath: '/b', rawQueryString: '' }, ['PUT', '/b']],
    [{ requestContext: { http: { method: 'PUT' } }, path: '/b' }, ['PUT', '/b']],
    [{ http: { request: { method: 'PUT' } }, uri: '/b' }, ['PUT', '/b']],
    // The Elastic Common Schema.
    [{ http: { request: { method: 'PUT' } }, url: { path: '/b', full: 'https://example.com/b' } }, ['PUT', '/b']],
    [{ http_http_request_method: 'PUT', http_http_request_uri: '/b' }, ['PUT', '/b']],
    [{ method: null, verb: 'PUT', url: ['/b'] }, ['PUT', undefined]],
    [{ method: 'PUT', url: 'http://' }, ['PUT', undefined]],
  ])('of %j', (fields, [method, path]) => {
    const line = [`:method: ${method}`, ...(path === undefined ? [] : [`:path: ${path}`])]
    expect(requestIn({ ...fields, headers: { host: 'a' } })?.headers).toEqual([...line, 'host: a'])
  })

  it('is that of the headers, if they have one', () => {
    expect(requestIn({ method: 'PUT', url: '/b', headers: { ':path': '/c' } })?.headers).toEqual([':path: /c'])
  })
})

describe('the headers in JSON', () => {
  it.each<[string, object]>([
    ['multiValueHeaders', { multiValueHeaders: { a: ['b', 'c'], 'x-nonce': ['d'] }, headers: { e: 'f' } }],
    ['headers', { headers: { a: ['b', 'c'], 'x-nonce': 'd' }, rawHeaders: ['e', 'f'] }],
    ['rawHeaders', { rawHeaders: ['a', 'b', 'a', 'c', 'x-nonce', 'd'] }],
    ['requestHeaders', { requestHeaders: ['a: b', 'a: c', 'x-nonce: d'] }],
    ['header', { header: 'a: b\r\na:c\nno header\nx-nonce: d' }],
    ['the lines of tshark', { http_http_request_line: ['a: b\r\n', 'a: c\r\n', 'x-nonce: d\r\n'] }],
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
    ['objects with key', { headers: [{ key: 'a', value: ['b', 'c'] }, { key: 'x-nonce', value: 'd' }, null] }],
    ['JSON in a string', { headers: '{"a":["b","c"],"x-nonce":"d","e":{},"f":true}' }],
  ])('may be %s', (_, document) => {
    expect(requestIn(document)?.headers).toEqual(['a: b', 'a: c', 'x-nonce: d'])
  })

  it('may have numbers', () => {
    expect(requestIn({ headers: { 'x-timestamp': 7, 'x-nonce': 'a' } })?.headers).toEqual([
      'x-timestamp: 7',
      'x-nonce: a',
    ])
  })

  it.each([
    [
      'CGI',
      { HTTP_X_NONCE: 'a', HTTP_X_SIGNATURE: 'b', REQUEST_METHOD: 'POST', PATH: '/' },
      ['X-NONCE: a', 'X-SIGNATURE: b', 'REQUEST-METHOD: POST', 'PATH: /'],
    ],
    ['nginx', { http_x_nonce: 'a', x_signature: 'b', 'a b': 'c' }, ['x-nonce: a', 'x-signature: b']],
    ['Traefik', { 'request_X-Nonce': 'a', 'request_X-Signature': 'b' }, ['X-Nonce: a', 'X-Signature: b']],
    [
      'OpenTelemetry',
      { 'http.request.header.x_signature': ['b'], 'http.request.headers.date': 'c' },
      ['x-signature: b', 'date: c'],
    ],
  ])('may be fields of %s', (_, document, expected) => {
    const lines = requestIn(document)?.headers.filter((line) => !line.startsWith(':'))
    expect(lines).toEqual(expected)
  })

  it('may be attributes of a span', () => {
    const arrayValue = { values: [{ stringValue: 'c' }, null, { stringValue: 'd' }] }
    const attributes = [
      { key: 'http.request.header.x-signature', value: { stringValue: 'a' } },
      { key: 'http.request.header.content-length', value: { intValue: 7 } },
      { key: 'http.request.header.b', value: { arrayValue } },
      { key: 'http.request.header.e', value: 'f' },
      { key: 'http.request.body', value: { stringValue: 'body' } },
      null,
    ]
    expect(requestIn({ attributes })).toMatchObject({
      headers: ['x-signature: a', 'content-length: 7', 'b: c', 'b: d', 'http.request.body: body'],
      body: 'body',
    })
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
    [{ requestContext: { requestTimeEpoch: NOW }, startedDateTime: EARLIER }],
    [{ startedDateTime: TIME, '@timestamp': EARLIER }],
    [{ '@timestamp': TIME, timestamp: EARLIER }],
    [{ timestamp: NOW / 1000, time: EARLIER }],
    [{ time: NOW, ts: EARLIER }],
    [{ ts: String(NOW), start: EARLIER }],
    [{ start: NOW }],
    [{ token_id: 'a', created_at: '2023-11-14 22:13:20', time: EARLIER }],
    [{ token_id: 'a', created_at: 7, time: NOW }],
    [{ created_at: '2023-11-14 22:13:21', time: NOW }],
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
    ...['rawBody', 'body_raw', 'body', 'requestBody', 'request_body_content', 'requestBodyText', 'request-payload'].map(
      (name): [object, object] => [{ [name]: BODY }, { ...exact, isGuess: undefined }],
    ),
    ...['file_data', 'http_http_file_data', 'http.request.body', 'HTTP_BODY'].map((name): [object, object] => [
      { [name]: BODY },
      exact,
    ]),
    ...['rawBodyBase64', 'body_base64', 'base64Body', 'rawBodyB64', 'bodyB64'].map((name): [object, object] => [
      { [name]: BASE64, body: 'no' },
      exact,
    ]),
    ...['rawBodyHex', 'body_hex'].map((name): [object, object] => [{ [name]: HEX, body: 'no' }, exact]),
    ...['data', 'content', 'payload', 'value', 'raw', 'input'].map((name): [object, object] => [
      { [name]: BODY },
      { ...exact, isGuess: true },
    ]),
    [{ body: BASE64, isBase64Encoded: true }, exact],
    [{ body: BASE64, base64: true }, exact],
    [{ body: BASE64, base64_encoded: true }, exact],
    [{ body: BASE64, bodyIsBase64: true }, exact],
    [{ body: BASE64, encoding: 'base64' }, exact],
    [{ body: BASE64, body_encoding: 'base64' }, exact],
    [{ body: HEX, rawBodyEncoding: 'hex' }, exact],
    [{ body: HEX, rawEncoding: 'hex' }, exact],
    [
      { body: '', encoding: 'base64' },
      { body: '', certainty: 'exact' },
    ],
    [{ body: BASE64, isBase64: 'true' }, { body: BASE64 }],
    [{ body: BASE64, notBase64: true }, { body: BASE64 }],
    [{ body: BASE64, contentEncoding: 'base64' }, { body: BASE64 }],
    [{ body: BASE64, encoding: 'utf8' }, { body: BASE64 }],
    [{ body: { type: 'Buffer', data: [123, 125] } }, { body: '{}', certainty: 'exact' }],
    [{ body: { 0: 123, 1: 125 } }, { body: '{}', certainty: 'exact' }],
    [{ body: [] }, { body: '', certainty: 'exact' }],
    [{ body: { type: 'Buffer', data: 'a' } }, { body: 'a', certainty: 'exact' }],
    [{ body: 7 }, { body: undefined }],
    [{ body: { a: 1 } }, { body: '{"a":1}', certainty: 'rewritten', others: [] }],
    [{ postData: { text: BODY }, body: 'no' }, exact],
    [{ postData: { params: [], text: BODY } }, exact],
    [{ postData: { params: [] } }, { body: undefined, whyNoBody: inForm }],
    [{ postData: {} }, { body: undefined }],
    [{ token_id: 'a', content: BODY, body: 'no' }, exact],
    [{ token_id: 'a', content: null }, { body: undefined }],
    [{ request: { body: BODY } }, exact],
    [{ request: { body: null } }, { body: undefined }],
    [{ isBase64Encoded: false }, { body: '' }],
    [{ bodySize: 0 }, { body: '' }],
    [{ bodySize: 1 }, { body: undefined }],
    [
      { body: { truncated: true, as_bytes: BASE64 } },
      { body: undefined, whyNoBody: 'has only the beginning of the body' },
    ],
    [
      { body: { truncated: true, as_string: BODY } },
      { body: undefined, whyNoBody: 'has only the beginning of the body' },
    ],
    [{ body: { truncated: true, a: 1 } }, { body: '{"truncated":true,"a":1}', certainty: 'rewritten' }],
    [{ body: { truncated: false, as_bytes: BASE64 } }, exact],
    [
      { body: { contentType: 'application/x-www-form-urlencoded', body: 'a: b' } },
      { body: undefined, whyNoBody: inForm },
    ],
    [{ body: { contentType: 'application/x-www-form-urlencoded', body: 'a=b: c' } }, { body: 'a=b: c' }],
    [{ body: { contentType: 'text/plain', body: 'a: b' } }, { body: 'a: b' }],
    [{ body: { encoding: 'base64', text: BASE64 } }, exact],
    ...['mimeType', 'mode', 'type', 'contentType', 'charset', 'bytes'].map((name): [object, object] => [
      { body: { [name]: 'a', text: BODY } },
      { ...exact, others: [JSON.stringify({ [name]: 'a', text: BODY })] },
    ]),
    ...['raw', 'text', 'original', 'content', 'body', 'data'].map((name): [object, object] => [
      { body: { [name]: BODY } },
      { body: JSON.stringify({ [name]: BODY }), certainty: 'rewritten', others: [BODY] },
    ]),
    ...['as_bytes', 'rawBytes'].map((name): [object, object] => [
      { body: { type: 'a', raw: 'no', [name]: BASE64 } },
      exact,
    ]),
  ])('of %j', (fields, expected) => {
    expect(requestIn({ headers, ...fields })).toMatchObject(expected)
  })

  it.each([
    ['gzip', { body: BODY }, 'rewritten'],
    ['gzip', { bodyBase64: BASE64 }, 'exact'],
    ['', { body: BODY }, 'exact'],
  ])('with Content-Encoding %j, %j is %s', (encoding, fields, certainty) => {
    const compressed = encoding === '' ? headers : { ...headers, 'Content-Encoding': encoding }
    expect(requestIn({ headers: compressed, ...fields })?.certainty).toBe(certainty)
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

  it.each(['base64', 'hex'])('that is not %s is refused', (encoding) => {
    const error = `The capture says that its body is ${encoding}, but the body is not. Pass the body with --body-file PATH.`
    expect(() => requestIn({ headers, body: '{}', encoding })).toThrow(new CaptureError(error))
  })
})

it.each<[string, readonly unknown[] | undefined]>([
  ['{"a":1}', [{ a: 1 }]],
  ['[\n1]\n', [[1]]],
  ['{}\n{}\r\n{}\n\n', [{}, {}, {}]],
  ['{\n  "a": 1\n}\n{\n  "a": [\n    2\n  ]\n}\n', [{ a: 1 }, { a: [2] }]],
  ['{}\na', undefined],
  ['a', undefined],
])('the documents of %j', (text, documents) => {
  expect(parseDocuments(text)).toEqual(documents)
})

it.each<[string, readonly unknown[]]>([
  ['a', []],
  ['INFO {\n"a": 1\n} b', [{ a: 1 }]],
  ['INFO {"a":1}\nb\nINFO { "a":2} \nINFO {a}', [{ a: 1 }, { a: 2 }]],
  ['INFO {"a":1} b\nINFO {"a":2}\nx}', [{ a: 2 }]],
  ['INFO {"a":1}\nINFO {"b": c}', [{ a: 1 }]],
  [`- {"a":1}\n- {${' '.repeat(40)}"b":1}\n- {${' '.repeat(41)}"c":1}`, [{ a: 1 }, { b: 1 }]],
])('the documents after other text: %j', (text, documents) => {
  expect(findDocuments(text)).toEqual(documents)
})

it.each([
  [
    [{ log: 'a\n' }, { log: 'b' }],
    ['a\n', 'b\n'],
  ],
  [[{ message: 'a' }], ['a\n']],
  [[{ log: 'a', message: 'b' }], ['a\n']],
  [[{ events: [{ message: 'a' }, { message: 'b' }] }], ['a\n', 'b\n']],
  [[{ log: 'a' }, { b: 1 }], undefined],
  [[{ log: {} }], undefined],
  [['a'], undefined],
  [[], undefined],
])('the lines of a log in JSON: %j', (documents, lines) => {
  expect(logLinesOf(documents)).toEqual(lines)
})

it('a log in JSON can have one line of the request per entry', () => {
  const log = ['POST /a HTTP/1.1\n', 'X-Nonce: b\n', '\n', '{}'].map((line) => JSON.stringify({ log: line }))
  const { headers, body } = readCapture(Buffer.from(log.join('\n')))
  expect(headers.map(([, value]) => value)).toEqual(['POST', '/a', 'b'])
  expect(Buffer.from(body ?? []).toString()).toBe('{}\n')
})

it('the path of the headers comes before that of the URL', () => {
  const document = { url: '/b', headers: { ':path': '/a', ...headers } }
  const { headers: read } = readCapture(Buffer.from(JSON.stringify(document)))
  expect(read.filter(([name]) => name === ':path')).toEqual([[':path', '/a']])
})
