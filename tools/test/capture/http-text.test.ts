import { describe, expect, it } from 'vitest'
import { bodyOf } from '../../src/capture/body.js'
import { CaptureError } from '../../src/capture/capture-error.js'
import type { Header } from '../../src/capture/headers.js'
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

  it.each([
    ['4\r\nthe \r\n4\r\nbody\r\n0\r\n\r\n', 'the body'],
    ['4\nthe \n4\nbody\n0\n\n', 'the body'],
    ['4;name=value\r\nthe \r\n04\r\nbody\r\n0\r\nTrailer: value\r\n\r\n', 'the body'],
    ['A\r\n0123456789\r\n0\r\n\r\n', '0123456789'],
    ['4\r\n\r\n\r\n\r\n0\r\n\r\n', '\r\n\r\n'],
    ['0\r\n\r\n', ''],
  ])('in chunks is joined: %j', (body, joined) => {
    expect(extracted(body, [['Transfer-Encoding', 'gzip, chunked']])).toEqual([
      joined,
      'The body was sent in chunks, which were joined.',
    ])
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
