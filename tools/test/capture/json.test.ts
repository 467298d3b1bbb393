import { describe, expect, it } from 'vitest'
import { NOW, signedRequest } from '../../../test/support/request.js'
import { CaptureError } from '../../src/capture/capture-error.js'
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
