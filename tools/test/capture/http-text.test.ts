import { describe, expect, it } from 'vitest'
import { fromLatin1, latin1 } from '../../src/bytes.js'
import { bodyOf } from '../../src/capture/body.js'
import { CaptureError } from '../../src/capture/capture-error.js'
import type { Header } from '../../src/capture/headers.js'
import { beginsAsHttpText, beginsAsRequest, joinNamesAndValues, parseHttpText } from '../../src/capture/http-text.js'
import { readCapture } from '../../src/capture/read-capture.js'

function parsed(capture: string) {
  const { body, ...rest } = readCapture(Buffer.from(capture, 'latin1'))
  return { ...rest, body: body && Buffer.from(body).toString('latin1') }
}

const REQUEST_LINE = [
  [':method', 'POST'],
  [':path', '/hooks/42'],
]

describe('HTTP text', () => {
  const HEAD = 'POST /hooks/42 HTTP/1.1\nHost: example.com\nX-Nonce: abc\n'

  it.each([
    ['LF', `${HEAD}\nthe body`],
    ['blank lines before it', `\n\r\n${HEAD}\nthe body`],
  ])('is read with %s', (_, capture) => {
    const headers = [...REQUEST_LINE, ['Host', 'example.com'], ['X-Nonce', 'abc']]
    expect(parsed(capture)).toEqual({ headers, body: 'the body', isHttpText: true })
  })

  it.each([
    ['X-Nonce:abc', 'abc'],
    ['X-Nonce: \t abc\t ', 'abc'],
    ['X-Nonce: a:b', 'a:b'],
    ['X-Nonce:', ''],
    // These characters are not allowed in a header, so verify rejects them.
    ['X-Nonce: \xa0\xe9', '\xa0\xe9'],
  ])('reads the value of %j without the white space around it', (line, value) => {
    expect(parsed(`${line}\nA: b\n\n`).headers).toEqual([
      ['X-Nonce', value],
      ['A', 'b'],
    ])
  })

  it.each([
    ['nothing', '', 'The captured request is empty.'],
    ['blank lines', '\n\r\n\n', 'The captured request is empty.'],
    ['a response', 'HTTP/1.1 401 Unauthorized\n\n', 'is a response'],
    ['without a blank line before the body', 'X-Nonce: a\n{"event":"paid"}', 'its line 2 is not a header'],
    ['with a second request line', 'X-Nonce: a\nPOST / HTTP/1.1\n\n', 'its line 2 is not a header'],
    ['of names with a space', 'POST / HTTP/1.1\nX Nonce: a\n\n', 'its line 2 is not a header'],
    ['of curl --trace', '=> Send header, 20 bytes (0x14)\n0000: 50 4f 53', 'is not a request'],
    [
      'of curl --trace-ascii',
      '== Info: Connected\n10:00:00.12 => Send header, 20 bytes (0x14)\n0000: POST / HTTP/1.1\n0010: X-Nonce: a\n',
      'is the output of curl --trace-ascii',
    ],
    ['in bold, with a line that is none', '**X-Nonce**: a\n**b**\n', 'its line 2 is not a header'],
    ['binary', '\x00\x1b\xff', 'is not a request'],
  ])('throws if it is %s', (_, capture, message) => {
    expect(() => parsed(capture)).toThrow(CaptureError)
    expect(() => parsed(capture)).toThrow(message)
  })
})

describe('the body', () => {
  function extracted(body: string, headers: readonly Header[]) {
    const captured = { headers, body: Buffer.from(body, 'latin1'), isHttpText: true }
    const { body: bytes, notes, doubt = '' } = bodyOf(captured, headers)
    return [Buffer.from(bytes).toString('latin1'), notes.join() + doubt]
  }

  it.each([
    [['8'], 'the body', 'the body', ''],
    [['8', '8'], 'the body\n', 'the body', 'Content-Length is 8, which excludes 1 byte after the body.'],
    [['8'], 'the body\r\n', 'the body', 'Content-Length is 8, which excludes 2 bytes after the body.'],
    [['9'], 'the body\n', 'the body\n', ''],
    [['9'], 'the body', 'the body', 'Content-Length is 9, but its body has 8 bytes'],
    [
      ['11'],
      'the\n\nbody\n',
      'the\r\n\r\nbody',
      'newlines of the body. This was undone, because the body then has the 11 bytes of',
    ],
    [['10'], 'the\n\nbody', 'the\n\nbody', 'Content-Length is 10, but its body has 9 bytes'],
    [['10'], 'the\r\nbody', 'the\r\nbody', 'Content-Length is 10, but its body has 9 bytes'],
    [['5'], '\xe2\x80\x9ca\xe2\x80\x99s\xe2\x80\x9d\n', '"a\'s"', 'has typographic quotes in the body'],
    [['3'], '\xe2\x80\x9ea\xe2\x80\x9f', '"a"', 'has typographic quotes in the body'],
    [['3'], '\xe2\x80\x9aa\xe2\x80\x9b', "'a'", 'has typographic quotes in the body'],
    [['9'], '\xe2\x80\x9ca\xe2\x80\x9d b c', '\xe2\x80\x9ca\xe2\x80\x9d b c', 'but its body has 11 bytes'],
    [[], 'the body', 'the body', ''],
    [
      [],
      'the body\n',
      'the body\n',
      'Without Content-Length, the newline after the body was read as part of the body.',
    ],
    [['8', '7'], 'the body\n', 'the body\n', 'Without Content-Length'],
  ])('with Content-Length %j of %j is %j', (lengths, text, body, note) => {
    const headers = lengths.map((length) => ['content-LENGTH', length] as const)
    expect(extracted(text, headers)).toEqual([body, expect.stringContaining(note)])
    expect(extracted(text, headers)[1] === '').toBe(note === '')
  })
})

describe('curl -v', () => {
  const METER = `  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0`
  const BEFORE = '*   Trying 127.0.0.1:8765...\n* Connected to 127.0.0.1 (127.0.0.1) port 8765 (#0)\n'
  const SENT = '> POST /hooks/42 HTTP/1.1\r\n> Host: 127.0.0.1:8765\r\n> X-Nonce: abc\r\n> \r\n'
  const AFTER = `* upload completely sent off: 8 bytes
< HTTP/1.1 401 Unauthorized\r
< Date: Sat, 21 Nov 2026 06:22:43 GMT\r
< \r
{ [3 bytes data]
* Closing connection 0
no
`
  const headers = [...REQUEST_LINE, ['Host', '127.0.0.1:8765'], ['X-Nonce', 'abc']]

  it.each([
    ['at a terminal', `${BEFORE}${SENT}${AFTER}`],
    ['into a file', `${METER}${BEFORE}${SENT}} [8 bytes data]\n${METER}\n${AFTER}`],
    ['behind its meter', `${METER}${SENT}${AFTER}`],
    ['with its white space lost', `${BEFORE}${SENT}${AFTER}`.replaceAll(/\s+\n/g, '\n')],
    ['with a blank line lost', `${SENT.replace('> \r\n', '')}${AFTER}`],
    ['after a remark that looks like a header', `Note: Unnecessary use of -X\n${BEFORE}${SENT}${AFTER}`],
    ['with a second request', `${BEFORE}${SENT}${AFTER}${SENT.replace('abc', 'def')}`],
  ])('returns the head of the output %s, without a body', (_, capture) => {
    const arrival = [Date.parse('2026-11-21T06:22:43Z'), 'from the Date of the response']
    expect(parsed(capture)).toEqual({ headers, body: undefined, arrival })
  })
})

it.each([
  ['POST /a HTTP/1.1', true, true],
  ['POST /a HTTP/2\r\nA: b', true, true],
  ['POST /a', true, true],
  ['M-SEARCH * HTTP/1.1', true, true],
  ['POST /\xe9', true, true],
  ['# Received at 2023-11-14T22:13:20.257Z with a body of 2 bytes', true, true],
  ['X-Nonce: a', true, true],
  ['Host: a', true, true],
  ['Note: a', true, false],
  ['POST {"a":1}', false, false],
  ['POST [1]', false, false],
  ['POST "/a"', false, false],
  ['post /a', false, false],
  [' POST /a', false, false],
  ['POST  /a', false, false],
  ['POST /a b', false, false],
  ['POST /a HTTP/1.1 b', false, false],
  ['# Received at 2023-11-14T22:13:20.257Z with a body of 2 bytes, and more', false, false],
  ['a\nPOST /a HTTP/1.1', false, false],
  ['', false, false],
])('%j begins as HTTP text: %j, and as a request: %j', (text, isHttpText, isRequest) => {
  expect([beginsAsHttpText(text), beginsAsRequest(text)]).toEqual([isHttpText, isRequest])
})

describe('the start of HTTP text', () => {
  const INDENTED = 'The lines of the capture are indented or quoted. The indentation or the quotes were removed.'

  function startOf(text: string) {
    const request = parseHttpText(Buffer.from(text, 'latin1'), text)
    if (request === undefined) return undefined
    return [
      ...request.headers.map((line) => line.join('=')),
      Buffer.from(request.body ?? '').toString('latin1'),
      ...(request.notes ?? []),
    ]
  }

  it.each<[string, string, readonly string[] | undefined]>([
    ['a request line', 'POST /a\nB: c\n\nd', [':method=POST', ':path=/a', 'B=c', 'd']],
    [
      'a request line after text',
      'text\r\nPOST /a HTTP/1.1\r\nB: c\r\n\r\nd',
      [':method=POST', ':path=/a', 'B=c', 'd'],
    ],
    ['a request line without a version after text', 'text\nPOST /a\nB: c\n\nd', undefined],
    ['a header of a request', 'B: c\nHost: d\n\ne', ['B=c', 'Host=d', 'e']],
    ['headers that may be other text', 'B: c\nD: e\n\nHost: f', undefined],
    ['a blank line with spaces', 'Host: a\n \t\nb', ['Host=a', 'b']],
    ['no blank line', 'Host: a\n', ['Host=a', '']],
    ['indentation', '  Host: a\n  B: c\n\n  d\n  e', ['Host=a', 'B=c', 'd\ne', INDENTED]],
    ['quotes', '> > Host: a\n> >\n> > b\n> c', ['Host=a', 'b', INDENTED]],
    [
      'a quoted request line after text',
      'text\n> PUT /a HTTP/2\n> B: c\n>\n> d',
      [':method=PUT', ':path=/a', 'B=c', 'd', INDENTED],
    ],
    ['a remark', 'Note: a\nPUT /a HTTP/1.1\nB: c\n\nd', [':method=PUT', ':path=/a', 'B=c', 'd']],
    [
      'an indented remark',
      ' Note: a\n PUT /a HTTP/1.1\n B: c\n\n d',
      [':method=PUT', ':path=/a', 'B=c', 'd', INDENTED],
    ],
    [
      'a remark, and a request line in the body',
      'Note: a\nHost: b\n\nPUT /a HTTP/1.1',
      ['Note=a', 'Host=b', 'PUT /a HTTP/1.1'],
    ],
    ['a short word after text', 'text\nGO /a HTTP/1.1\n\n', undefined],
    [
      'a method of 21 letters after text',
      `text\n${'A'.repeat(21)} /a HTTP/1.1\n\n`,
      [`:method=${'A'.repeat(21)}`, ':path=/a', ''],
    ],
    ['a word of 22 letters after text', `text\n${'A'.repeat(22)} /a HTTP/1.1\n\n`, undefined],
    ['a sentence with a request line', 'text\nWe saw POST /a HTTP/1.1\n\n', undefined],
    ['line 1000', `${'text\n'.repeat(999)}PUT /a HTTP/1.1\n\n`, [':method=PUT', ':path=/a', '']],
    ['line 1001', `${'text\n'.repeat(1000)}PUT /a HTTP/1.1\n\n`, undefined],
    [
      'a long line',
      `text\nPUT /${'a'.repeat(19_986)} HTTP/1.1\n\n`,
      [':method=PUT', `:path=/${'a'.repeat(19_986)}`, ''],
    ],
    ['a line that is too long', `text\nPUT /${'a'.repeat(20_000)} HTTP/1.1\n\n`, undefined],
  ])('may be %s', (_, text, expected) => {
    expect(startOf(text)).toEqual(expected)
  })

  it('may be the line of captureRequest', () => {
    const text = '# Received at 2023-11-14T22:13:20.257Z with a body of 2 bytes\r\nPOST /a HTTP/1.1\r\nB: c\r\n\r\nd\n'
    expect(parsed(text)).toEqual({
      headers: [
        [':method', 'POST'],
        [':path', '/a'],
        ['B', 'c'],
      ],
      body: 'd\n',
      bodyLength: 2,
      arrival: [1_700_000_000_257, 'from the time in the capture'],
    })
  })

  const PASTED = 'The headers have no-break spaces or unusual hyphens, which were read as normal spaces and hyphens.'

  it.each([
    [
      'POST\xc2\xa0/a\xc2\xa0HTTP/1.1\nX-Nonce: b\n\n\xc2\xa0',
      [':method=POST', ':path=/a', 'X-Nonce=b', '\xc2\xa0', PASTED],
    ],
    ['text\nPOST\xc2\xa0/a\xc2\xa0HTTP/1.1\nX-Nonce: b\n\n', [':method=POST', ':path=/a', 'X-Nonce=b', '', PASTED]],
    ['POST /a\xc2\xa0HTTP/1.1\nX-Nonce: b\n\n', [':method=POST', ':path=/a', 'X-Nonce=b', '']],
    ['X-Nonce:\xc2\xa0b\n\n', ['X-Nonce=b', '', PASTED]],
    ['POST /a\nX\xe2\x80\x91Nonce\xe2\x80\x90A: b\n\n', [':method=POST', ':path=/a', 'X-Nonce-A=b', '', PASTED]],
    ['X-Nonce: b\xc2\xa0c\xe2\x80\x91\n\n', ['X-Nonce=b\xc2\xa0c\xe2\x80\x91', '']],
  ])('may have no-break spaces and other hyphens: %j', (text, expected) => {
    const { headers, body, notes = [] } = parsed(text)
    expect([...headers.map((line) => line.join('=')), body, ...notes]).toEqual(expected)
  })
})

describe('the headers of HTTP text', () => {
  const DIGEST = 'a1'.repeat(32)
  const STANDARD = `v1,${'A'.repeat(43)}=`
  const headersOf = (text: string) =>
    parsed(`X-Nonce: n\n${text}\n\n`)
      .headers.slice(1)
      .map((line) => line.join('='))

  it.each<readonly [text: string, expected: readonly string[]]>([
    ...['\xe2\x80\x8b', '\xe2\x80\x8d', '\xe2\x81\xa0', '\xef\xbb\xbf', '\xc2\xad'].flatMap((invisible) => [
      [`X-Signature: a1${invisible}${DIGEST.slice(2)}`, [`X-Signature=${DIGEST}`]] as const,
      [`webhook-signature: v1${invisible}${STANDARD.slice(2)}`, [`webhook-signature=${STANDARD}`]] as const,
    ]),
    ['X-Other: \xc2\xada', ['X-Other=\xc2\xada']],
    [`X-Signature: ${DIGEST.slice(0, 30)}\n${DIGEST.slice(30)}`, [`X-Signature=${DIGEST}`]],
    [
      `X-Signature:${DIGEST.slice(0, 30)}\n  ${DIGEST.slice(30)}`,
      [`X-Signature=${DIGEST.slice(0, 30)} ${DIGEST.slice(30)}`],
    ],
    [`svix-signature: v1,\n${'A'.repeat(43)}=`, [`svix-signature=${STANDARD}`]],
    ['A: b\n\tc \n  d', ['A=b c d']],
    ['A:\n b', ['A=b']],
    ['**A:** b', ['**A=** b']],
  ])('%j are %j', (text, expected) => {
    expect(headersOf(text)).toEqual(expected)
  })

  it.each([
    ['X-Nonce: n\nA: b\nc\n\n', 3],
    [`X-Nonce: n\nX-Signature: ${DIGEST.slice(0, 30)}\n${DIGEST.slice(31)}\n\n`, 3],
    [`X-Nonce: n\nX-Signature: ${DIGEST.slice(0, 30)}\n${DIGEST.slice(30)}\n${DIGEST.slice(30)}\n\n`, 4],
    [`X-Nonce: n\nX-Other: ${DIGEST.slice(0, 30)}\n${DIGEST.slice(30)}\n\n`, 3],
    ['**X-Nonce:** n\n**A:**b\nc\n\n', 3],
  ])('%j are refused with the number of the line', (text, line) => {
    expect(() => parsed(text)).toThrow(
      `The capture is not a request: its line ${line} is not a header. Pass one of these:`,
    )
  })

  it('may be in bold', () => {
    expect(parsed('**X-Nonce:** n\n**A**: b\nC: d\n\n').headers).toEqual([
      ['X-Nonce', 'n'],
      ['A', 'b'],
      ['C', 'd'],
    ])
  })
})

it.each([
  ['x-nonce\na\nx-signature\nb\n\nbody', 'x-nonce: a\nx-signature: b\n\nbody'],
  [
    'Headers\n\n:path:\n/a\nHost\nb\r\nX-Signature:\r\nc\r\n\r\nbody\n',
    ':path: /a\nHost: b\r\nX-Signature: c\r\n\nbody\n',
  ],
  ['x-signature\nb\nDate\nc\nno name\nd', 'x-signature: b\nDate: c\n\nno name\nd'],
  ['svix-signature\nb', 'svix-signature: b\n\n'],
  ['x-nonce\na\nx-timestamp\n1', undefined],
  ['x-signature: a', undefined],
  ['a x-signature\nb', undefined],
  ['', undefined],
])('names and values on lines of their own: %j', (text, joined) => {
  const bytes = joinNamesAndValues(latin1(text))
  expect(bytes && fromLatin1(bytes)).toBe(joined)
})

it('a remark above an indented request is left out', () => {
  const { headers } = parsed('  Note: it failed\n  POST /a HTTP/1.1\n  X-Nonce: b\n\n  {}')
  expect(headers).toEqual([
    [':method', 'POST'],
    [':path', '/a'],
    ['X-Nonce', 'b'],
  ])
})

it('a request cannot begin with a broken header', () => {
  const broken = '# Received at 2023-11-14T22:13:20.000Z with a body of 0 bytes\n  a broken line\n\n'
  expect(() => parsed(broken)).toThrow('The capture is not a request: its line 1 is not a header.')
})
