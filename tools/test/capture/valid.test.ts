import { describe, expect, it } from 'vitest'
import { NOW, SECRET, signatureOf, TIMESTAMP } from '../../../test/support/request.js'
import { readCapture } from '../../src/capture/read-capture.js'
import { diagnoseCapture } from '../../src/diagnose/diagnose-capture.js'
import { runSteps } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

// "Valid" is said only of the bytes that arrived. One mistake is in every form of a capture, and every common mistake is in one form, with
// and without Content-Length.

const JSON_BODY = '{"id":7,"who":"Zoë"}'
const LINES = '{\n  "id": 7\n}'

/** The body that was signed, the body that was sent, and the code of the finding that `listen` prints. */
const MISTAKES: readonly (readonly [
  name: string,
  signed: string | Uint8Array,
  sent: string | Uint8Array,
  code: string,
])[] = [
  ['a line feed signed but not sent', `${JSON_BODY}\n`, JSON_BODY, 'body_newline'],
  ['a line feed sent but not signed', JSON_BODY, `${JSON_BODY}\n`, 'body_newline'],
  ['CRLF signed, LF sent', LINES.replaceAll('\n', '\r\n'), LINES, 'body_newline'],
  ['Latin-1 signed, UTF-8 sent', Buffer.from(JSON_BODY, 'latin1'), JSON_BODY, 'body_encoding'],
  ['a byte order mark signed', `\ufeff${JSON_BODY}`, JSON_BODY, 'body_encoding'],
  ['base64 sent', JSON_BODY, Buffer.from(JSON_BODY).toString('base64'), 'body_wrapped'],
  ['JSON written twice', JSON_BODY, JSON.stringify(JSON_BODY), 'body_wrapped'],
  ['URL-encoded', JSON_BODY, encodeURIComponent(JSON_BODY), 'body_wrapped'],
  ['spaces sent', '{"id":7}', '{"id": 7}', 'body_json'],
  ['spaces around the body', JSON_BODY, ` ${JSON_BODY} `, 'body_json'],
]

type Headers = Readonly<Record<string, string>>

const headOf = (headers: Headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
const repr = (text: string) => `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
const inBytes = (text: string) =>
  `b${repr(Buffer.from(text).toString('latin1')).replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)}`

/** Forms that lose no byte. */
const EXACT: Readonly<Record<string, (headers: Headers, body: string) => string>> = {
  'a JSON log': (headers, rawBody) => JSON.stringify({ headers, rawBody }),
  'an event of Lambda in base64': (headers, body) =>
    JSON.stringify({ version: '2.0', headers, body: Buffer.from(body).toString('base64'), isBase64Encoded: true }),
  'a HAR file': (headers, text) => {
    const list = Object.entries(headers).map(([name, value]) => ({ name, value }))
    const request = {
      method: 'POST',
      url: 'https://a/',
      headers: list,
      postData: { mimeType: 'application/json', text },
    }
    return JSON.stringify({ log: { entries: [{ request, response: { status: 401 } }] } })
  },
  'a Python literal below the head': (headers, body) => `POST / HTTP/1.1\n${headOf(headers)}\n${inBytes(body)}\n`,
  'a printed dict': (headers, body) => `${JSON.stringify(headers).replaceAll('"', "'")}\nbody: ${inBytes(body)}\n`,
  'a CSV export of webhook.site': (headers, body) => {
    const cells = ['u1', 'POST', body, JSON.stringify(headers)].map((cell) => `"${cell.replaceAll('"', '""')}"`)
    return `uuid,method,content,headers,url\r\n${cells.join(',')},https://webhook.site/x\r\n`
  },
  'an export of Burp': (headers, body) => {
    const text = `POST / HTTP/1.1\r\n${headOf(headers).replaceAll('\n', '\r\n')}\r\n${body}`
    return `<?xml version="1.0"?>\n<items><item><request base64="true"><![CDATA[${Buffer.from(text).toString('base64')}]]></request></item></items>`
  },
  "http.client's log": (headers, body) =>
    `send: ${inBytes(`POST / HTTP/1.1\r\n${headOf(headers).replaceAll('\n', '\r\n')}\r\n`)}\nsend: ${inBytes(body)}\nreply: ''\n`,
}

function diagnosisOf(capture: string | Uint8Array, file?: string | Uint8Array) {
  const captured = readCapture(Buffer.from(capture))
  const arrival = [NOW, ''] as const
  const given = { captured, headers: captured.headers, file: file === undefined ? undefined : Buffer.from(file) }
  return runSteps(diagnoseCapture(NODE_PRIMITIVES, { ...given, secrets: [SECRET], arrival, now: NOW }, 3000))
}

const headersFor = (signed: string | Uint8Array, length?: number): Headers => ({
  'x-timestamp': TIMESTAMP,
  'x-nonce': 'abc',
  'x-signature': signatureOf(TIMESTAMP, 'abc', signed, SECRET),
  ...(length === undefined ? {} : { 'content-length': String(length) }),
})

describe.each(Object.entries(EXACT))('in %s', (name, form) => {
  // What is said of the body does not depend on the form.
  it.each(name === 'a JSON log' ? MISTAKES : MISTAKES.slice(0, 1))(
    '%s: the side is the sender if the length is right, and else unknown',
    (_name, signed, sent, code) => {
      const [finding] = diagnosisOf(form(headersFor(signed), String(sent))).findings
      expect([finding?.code, finding?.side]).toEqual([code, 'unknown'])
      expect(finding?.message).toContain('or the logger changed them')
      const [proved] = diagnosisOf(form(headersFor(signed, Buffer.byteLength(sent)), String(sent))).findings
      expect([proved?.code, proved?.side]).toEqual([code, 'sender'])
      expect(proved?.message).not.toContain('or the program')
    },
  )

  it.each([JSON_BODY, LINES, `${LINES}\n`, JSON.stringify(JSON_BODY), ` ${LINES.replaceAll('\n', '\r\n')} `])(
    'a valid body of %j is valid',
    (body) => {
      expect(diagnosisOf(form(headersFor(body), body))).toMatchObject({ valid: true, findings: [], notes: [] })
    },
  )
})

describe('in HTTP text', () => {
  const text = (headers: Headers, body: string | Uint8Array) =>
    Buffer.concat([
      Buffer.from(`POST / HTTP/1.1\r\n${headOf(headers).replaceAll('\n', '\r\n')}\r\n`),
      Buffer.from(body),
    ])

  it.each(MISTAKES)('%s: the side is the sender if the length is right, and else unknown', (_, signed, sent, code) => {
    const { valid, findings } = diagnosisOf(text(headersFor(signed), sent))
    expect([valid, findings[0]?.code, findings[0]?.side]).toEqual([false, code, 'unknown'])
    expect(findings[0]?.message).toContain('or the capture changed them')
    const [proved] = diagnosisOf(text(headersFor(signed, Buffer.byteLength(sent)), sent)).findings
    expect([proved?.code, proved?.side]).toEqual([code, 'sender'])
  })

  it.each([
    ['tabs for spaces', '{\n\t"id": 7}', '{\n "id": 7}'],
    ['newlines for spaces', '{"id": 7,\n"a": 1}', '{"id": 7, "a": 1}'],
  ])('a body that must be changed to match is not valid: %s', (_, body, signed) => {
    for (const length of [undefined, Buffer.byteLength(body)]) {
      const { valid, findings } = diagnosisOf(text(headersFor(signed, length), body))
      expect([valid, findings[0]?.code]).toEqual([false, expect.stringMatching(/^body_(changed|json|newline)$/)])
    }
  })

  it('a right signature is not valid if Content-Length differs from the body', () => {
    const { valid, findings } = diagnosisOf(text(headersFor('abc', 9), 'abc'))
    expect([valid, findings]).toEqual([false, [expect.objectContaining({ code: 'body_changed', side: 'unknown' })]])
    expect(findings[0]?.message).toContain('Content-Length is 9, but its body has 3 bytes')
  })
})

it.each([
  ...['<p title=&quot;x&quot;>hi</p>', '---request begin---\nPOST /x HTTP/1.1\n---request end---\n'],
  ...['Hypertext Transfer Protocol\n    POST / HTTP/1.1\\r\\n\n', 'x-signature: 00=\r\n=3D=20'],
  ...['T 1.2.3.4:1 -> 1.2.3.4:2 [AP] #4\nPOST / HTTP/1.1.\n.\n'],
  ...['> 2026/11/28 00:24:43.000376448  length=4 from=0 to=3\n 50 4f 53 54\n--\n'],
  ...['=> Send header, 20 bytes (0x14)\n0000: POST / HTTP/1.1\n'],
  ...['00000000  50 4f 53 54 20 2f 68 6f  6f 6b 73 20 48 54 54 50  |POST /hooks HTTP|\n', "send: b'POST / HTTP/1.1'\n"],
  ...['<- "POST / HTTP/1.1\\r\\n"\n', '<pdml version="0">', '2026-11-24T00:00:00Z stdout P a\n'],
  ...['{"headers":{"x-timestamp":"1","x-nonce":"b","x-signature":"c"},"rawBody":"d"}'],
  ...['x-timestamp:\n1\nx-nonce:\nb\nx-signature:\nc\n', 'curl https://a -H "X-Signature: a" -d b'],
  ...['```http\nPOST / HTTP/1.1\n```\n', 'Follow: tcp,ascii\n1.2 IP a > b: Flags [P.], length 4\n....'],
  ...['{"signature":"********","x-signature":"[REDACTED]"}'],
])('a complete request is read, whatever words its body has: %j', (body) => {
  for (const newline of ['\n', '\r\n']) {
    const form = (headers: Headers) => `POST / HTTP/1.1\n${headOf(headers)}\n`.replaceAll('\n', newline) + body
    const length = Buffer.byteLength(body)
    expect(diagnosisOf(form(headersFor(body, length)))).toMatchObject({ valid: true, findings: [], notes: [] })
    expect(diagnosisOf(form(headersFor(body))).valid).toBe(true)
    const [finding] = diagnosisOf(form(headersFor(`${body}\n`, length))).findings
    expect(finding?.code).toBe('body_newline')
  }
})

describe('a body that surely is not what arrived', () => {
  it.each([
    ['has U+FFFD in a JSON string', (headers: Headers) => JSON.stringify({ headers, rawBody: 'a\ufffd' }), 'a\ufffd'],
    ['is parsed', (headers: Headers) => JSON.stringify({ headers, body: { id: 7 } }), '{"id":7}'],
    [
      'is the text of a compressed body',
      (headers: Headers) => JSON.stringify({ headers: { ...headers, 'content-encoding': 'gzip' }, body: 'abc' }),
      'abc',
    ],
  ])('is not valid if its signature is right: it %s', (_, form, body) => {
    expect(diagnosisOf(form(headersFor(body)))).toMatchObject({
      valid: false,
      findings: [
        { code: 'body_changed', side: 'unknown', message: expect.stringContaining('or the capture changed the body') },
      ],
    })
  })

  it('is what arrived after all if it has the right length', () => {
    expect(diagnosisOf(JSON.stringify({ headers: headersFor('a\ufffd', 4), rawBody: 'a\ufffd' })).valid).toBe(true)
  })
})

describe('with --body-file', () => {
  const head = (headers: Headers) => JSON.stringify({ headers, body: 'another body' })

  it('the file is what was sent', () => {
    const [finding] = diagnosisOf(head(headersFor(`${JSON_BODY}\n`)), JSON_BODY).findings
    expect([finding?.code, finding?.side]).toEqual(['body_newline', 'sender'])
    expect(finding?.message).not.toContain('or the')
  })

  it('a file of another length than Content-Length is not what was sent', () => {
    expect(diagnosisOf(head(headersFor('abc', 4)), 'abc')).toMatchObject({
      valid: false,
      findings: [{ code: 'body_changed' }],
    })
    expect(() => diagnosisOf(head(headersFor('abcd', 4)), 'abc')).toThrow(
      'Content-Length is 4, but its body has 3 bytes',
    )
  })
})
