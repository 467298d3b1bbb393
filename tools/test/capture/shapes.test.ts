import { describe, expect, it } from 'vitest'
import { signedRequest } from '../../../test/support/request.js'
import { bodyOf } from '../../src/capture/body.js'
import { CaptureError } from '../../src/capture/capture-error.js'
import { captureRequest } from '../../src/capture/capture-request.js'
import { valuesOf } from '../../src/capture/headers.js'
import { assertNotMasked } from '../../src/capture/masked.js'
import { readCapture } from '../../src/capture/read-capture.js'

// Captures as people paste them: the same request in other wrappings.

const BODY = '{"event":"invoice.paid","customer":"Zoë"}'
const { headers } = signedRequest({ body: BODY })
const SIGNATURE = headers['x-signature']
const LINES = [
  'POST /hooks/42 HTTP/1.1',
  'Host: example.com',
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  '',
  BODY,
]
const TEXT = LINES.join('\n')
const prefixed = (prefix: string) => LINES.map((line) => `${prefix}${line}`)

function read(capture: string | Uint8Array) {
  const captured = readCapture(Buffer.from(capture))
  const { body } = bodyOf(captured, captured.headers)
  return {
    path: valuesOf(captured.headers, ':path').join(),
    signature: valuesOf(captured.headers, 'x-signature').join(),
    nonce: valuesOf(captured.headers, 'x-nonce').join(),
    body: Buffer.from(body).toString(),
    arrival: captured.arrival?.[0],
  }
}

const REQUEST = { path: '/hooks/42', signature: SIGNATURE, nonce: headers['x-nonce'], body: BODY }

describe('HTTP text is read', () => {
  it.each<[string, string | Uint8Array]>([
    ['with CRLF', TEXT.replaceAll('\n', '\r\n')],
    ['after a byte order mark', `\ufeff${TEXT}`],
    ['in UTF-16, little-endian', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['in the colours of a terminal', TEXT.replaceAll(/^[\w-]+/gm, '\x1b[36m$&\x1b[39;49m')],
    ['with an invisible character in the signature', TEXT.replace(SIGNATURE.slice(9), (end) => `\u200b${end}`)],
    ['indented by spaces', prefixed('    ').join('\n')],
    ['in a fence below prose', `We got this today.\n\n~~~\n${TEXT}\n~~~\n\nCan you help?\n`],
    ['as a JSON string', JSON.stringify(TEXT.replaceAll('\n', '\r\n'))],
    ['with a label before the body', TEXT.replace(`\n\n${BODY}`, `\n\nRequest Payload\n${BODY}`)],
  ])('%s', (_, capture) => {
    expect(read(capture)).toEqual({ ...REQUEST, arrival: undefined })
  })

  it('keeps a body that has a fence, a prefix or a request line in it', () => {
    const body = '```\n> POST / HTTP/1.1\n> X-Nonce: other\n>\n```\n    a\n'
    const head = ['POST / HTTP/1.1', 'X-Nonce: abc', `Content-Length: ${body.length}`, ''].join('\n')
    expect(read(`${head}\n${body}`)).toMatchObject({ nonce: 'abc', body })
  })

  it('may begin with a remark that looks like a header, even without a request line', () => {
    expect(readCapture(Buffer.from(`Note: it came in today.\n${TEXT}`)).isHttpText).toBe(true)
    expect(read('Note: it came in today.\nX-Nonce: abc')).toMatchObject({ nonce: 'abc', body: '' })
    expect(read('Note: it came in today.\nX-Nonce: abc\n\nPOST / HTTP/1.1')).toMatchObject({ body: 'POST / HTTP/1.1' })
  })
})

it.each(['***', '*', '[REDACTED]', '<sensitive>', '[secure]', 'xxxx', 'c5b8...c0ba', 'c5b8****', 'c5b8…c0ba'])(
  'a masked signature is refused: %s',
  (mask) => {
    const captures = [
      TEXT.replace(SIGNATURE, mask),
      JSON.stringify({ headers: { ...headers, 'x-signature': mask }, rawBody: BODY }),
      prefixed('> ').slice(0, -1).join('\n').replace(SIGNATURE, mask),
    ]
    for (const capture of captures) {
      const { headers: lines } = readCapture(Buffer.from(capture))
      expect(() => assertNotMasked(lines)).toThrow('masked X-Signature')
    }
  },
)

describe('the headers of Standard Webhooks are read in the same wrappings', () => {
  const NAMES = { 'x-timestamp': '-timestamp', 'x-nonce': '-id', 'x-signature': '-signature' }
  const STANDARD = `v1,${Buffer.from(SIGNATURE, 'hex').toString('base64')}`
  const inScheme = (start: string) => (text: string) =>
    Object.entries(NAMES)
      .reduce((renamed, [name, end]) => renamed.replaceAll(new RegExp(name, 'gi'), start + end), text)
      .replaceAll(SIGNATURE, STANDARD)
  const otel = (value: string) => `{"http.request.header.x-signature":"${SIGNATURE}",${value}}`
  const three = Object.entries(headers).filter(([name]) => name in NAMES)
  const cells = (values: readonly string[]) => values.map((value) => `"${value.replaceAll('"', '""')}"`)

  it.each<[string, string]>([
    ['a table', `${three.map(([name]) => name)},body\n${cells([...three.map(([, value]) => value), BODY])}`],
    ['attributes of a span', otel(three.map(([name, value]) => `"http.request.header.${name}":"${value}"`).join())],
  ])('%s', (_, capture) => {
    for (const start of ['webhook', 'svix']) {
      const { headers: lines } = readCapture(Buffer.from(inScheme(start)(capture)))
      const values = Object.values(NAMES).map((end) => valuesOf(lines, start + end).join())
      expect(values).toEqual([headers['x-timestamp'], headers['x-nonce'], STANDARD])
      const masked = inScheme(start)(capture).replaceAll(STANDARD, '[REDACTED]')
      expect(() => assertNotMasked(readCapture(Buffer.from(masked)).headers)).toThrow(`masked ${start}-signature`)
    }
  })

  it('quoted-printable is refused', () => {
    const mail = inScheme('webhook')(TEXT).replaceAll('=', '=3D')
    expect(() => read(mail)).toThrow('is quoted-printable')
  })
})

describe('a reader never reads the same text again', () => {
  it('more than 8 texts around a request are refused', () => {
    const wrap = (text: string, times: number): string => (times === 0 ? text : wrap(JSON.stringify(text), times - 1))
    expect(read(wrap(TEXT, 7))).toMatchObject(REQUEST)
    expect(() => read(wrap(TEXT, 8))).toThrow('has too many texts around the request')
  })
})

describe('a head without its body', () => {
  const HEAD = LINES.slice(1, -1).join('\n')

  it.each([
    ['that ends with a blank line', `${HEAD}\n`],
    ['below a request line', `${LINES[0]}\n${HEAD}`],
  ])('is refused, because Content-Length announces one: %s', (_, capture) => {
    expect(() => read(capture)).toThrow('The capture has no body. Use --body-file PATH to pass the file that was sent.')
  })

  it('is a request with an empty body if Content-Length is 0 or absent, or captureRequest wrote it', () => {
    expect(read(HEAD.replace(/(content-length: )\d+/i, '$10')).body).toBe('')
    expect(read(HEAD.replace(/content-length.*\n?/i, '')).body).toBe('')
    const written = captureRequest({ url: '/', headers: { 'content-length': '42' } }, '')
    expect(read(written).body).toBe('')
  })
})

describe('a curl command is read', () => {
  it.each([
    [
      'with its output below it',
      [
        `$ curl -v https://example.com/hooks/42 -H 'X-Nonce: other' --data-raw '${BODY}'`,
        ...LINES.slice(0, 6).map((line) => `> ${line}`),
        '> ',
        '< HTTP/1.1 401 Unauthorized',
        '< Date: Tue, 14 Nov 2023 22:13:21 GMT',
        '<',
      ].join('\n'),
    ],
  ])('%s', (_, capture) => {
    expect(read(capture)).toMatchObject(REQUEST)
  })
})

describe('JSON is read', () => {
  it('unless its parsed body is nested too deeply to be written', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const capture = `{"url":"/","headers":{"host":"a"},"body":${deep}}`
    expect(() => read(capture)).toThrow(CaptureError)
    expect(() => read(capture)).toThrow('nested too deeply')
    const shallow = `${'['.repeat(1000)}${']'.repeat(1000)}`
    expect(read(`{"url":"/","headers":{"host":"a"},"body":${shallow}}`).body).toBe(shallow)
  })
})

describe('a format that is not read is refused, and what to do is said', () => {
  it.each([
    ['the log of wget', `---request begin---\n${TEXT}`, 'is the output of wget -d. Send the same request with curl -v'],
    ['a tree of tshark', `Hypertext Transfer Protocol\n${prefixed('    ').join('\n')}`, 'is a tree of tshark -V'],
  ])('%s', (_, capture, message) => {
    expect(() => read(capture)).toThrow(message)
  })

  it('lines with the prefix of a log are not taken for a request, unless the signature confirms it', () => {
    const logged = prefixed('web_1  | ').join('\n')
    expect(read(logged)).toMatchObject({ signature: SIGNATURE, body: BODY })
    const captured = readCapture(Buffer.from(logged.replace('Zoë', 'Zo…')))
    expect(bodyOf(captured, captured.headers)).toMatchObject({ doubt: expect.any(String), isLoose: true })
  })
})

it.each([
  ['prose', 'We got a 401 today.\n\nCan you help?'],
  ['the head of a response', 'HTTP/1.1 401 Unauthorized\nDate: Tue, 14 Nov 2023 22:13:21 GMT\n\n'],
  ['a line of an access log', '127.0.0.1 - - [14/Nov/2023:22:13:20 +0000] "POST /hooks/42 HTTP/1.1" 401 0'],
  ['JSON of a response', '{"status":401,"headers":{"content-type":"text/plain"},"body":"no"}'],
  ['names and values on lines of their own, without a signature', 'X-Timestamp:\n1700000000\nX-Nonce:\nabc'],
])('other text is refused, with the shapes that are read: %s', (_, capture) => {
  expect(() => read(capture)).toThrow(CaptureError)
  expect(() => read(capture)).toThrow(/^The capture .*\. Pass one of these:\n- HTTP text.*\n- /)
})

describe('what is around a request is removed', () => {
  const MARKS = 'The same text was around the value of each header, so this text was removed.'
  const head = (form: (name: string, value: string, index: number) => string, count = 5) =>
    ['X-Timestamp', 'X-Nonce', 'X-Signature', 'Host', 'Date']
      .slice(0, count)
      .map((name, index) => form(name, `${index}`, index))
      .join('\n')

  it.each<[string, string, readonly string[], readonly string[] | undefined]>([
    ['quotes', head((name, value) => `${name}: "${value}"`), ['0', '1', '2', '3', '4'], [MARKS]],
    [
      'commas, but not at the end',
      head((name, value, index) => `${name}: ${value}${index === 4 ? '' : ','}`),
      ['0', '1', '2', '3', '4'],
      [MARKS],
    ],
  ])('%s', (_, text, values, notes) => {
    const captured = readCapture(Buffer.from(`${text}\n\n`))
    expect([captured.headers.map(([, value]) => value), captured.notes]).toEqual([values, notes])
  })

  it.each<[string, string]>([
    [
      'a written CR and LF',
      LINES.map((line) => `${line}\\r\\n`)
        .join('\n')
        .replace(/\\r\\n$/, ''),
    ],
    ['a fence of Jira', `{code}\n${TEXT}\n{code}`],
    ['a text in a field of JSON', JSON.stringify([{ a: 'x-signature', b: [TEXT] }])],
    [
      'a text between quotes, after another without a timestamp',
      `INFO "x-nonce: a, x-signature: b" "${TEXT.replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
    ],
  ])('%s', (_, capture) => {
    expect(read(capture)).toMatchObject({ signature: SIGNATURE, nonce: headers['x-nonce'], body: BODY })
  })

  it('JSON in the body of HTTP text is not the request, even if the head has no signature', () => {
    const logged = JSON.stringify({ url: '/b', headers: { 'x-signature': 'c' }, body: 'd' })
    expect(read(`POST /a HTTP/1.1\nHost: b\n\nINFO ${logged}`).path).toBe('/a')
  })
})

it.each<readonly [capture: string, message: string]>([
  [
    'HTTP/1.1 401 Unauthorized\n\nSee POST /a HTTP/1.1\nPOST /a HTTP/1.1 is wrong\n',
    'The capture is a response, not a request.',
  ],
  ['"a text', 'The capture begins with a quote, but is not a JSON string. Pass one of these:'],
  ['{"a":', 'The capture begins as JSON, but is not valid JSON. Pass one of these:'],
  ['a [text', 'The capture is not a request. Pass one of these:\n- HTTP text: head, blank line and body'],
  ...['quot', '#34', '#x22'].map(
    (entity) => [`{&${entity};a`, 'has HTML entities such as &quot;. Copy the text as the page shows it. '] as const,
  ),
  [
    '=> Send header, 1 bytes (0x1)\n0000: P',
    'is the output of curl --trace-ascii, which has dots for bytes. Use --trace. ',
  ],
])('%j is refused with its reason', (capture, message) => {
  expect(() => readCapture(Buffer.from(capture))).toThrow(CaptureError)
  expect(() => readCapture(Buffer.from(capture))).toThrow(message)
})
