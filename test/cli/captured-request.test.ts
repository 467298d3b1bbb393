import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/command.js'
import { parseCapture } from '../../src/cli/input/captured-request.js'
import { httpText } from '../../src/cli/output/http.js'

function parsed(capture: string | Uint8Array) {
  const { body, ...rest } = parseCapture(Buffer.from(capture as string, 'latin1'))
  return { ...rest, body: body?.toString('latin1') }
}

const crlf = (text: string): string => text.replaceAll('\n', '\r\n')

describe('HTTP text', () => {
  const HEAD = 'POST /hooks/42 HTTP/1.1\nHost: example.com\nX-Nonce: abc\n'
  const headers = [
    ['Host', 'example.com'],
    ['X-Nonce', 'abc'],
  ]

  it.each([
    ['LF', `${HEAD}\nthe body`],
    ['CRLF', `${crlf(`${HEAD}\n`)}the body`],
    ['blank lines before it', `\n\r\n${HEAD}\nthe body`],
    ['a byte order mark before it', `\xef\xbb\xbf${HEAD}\nthe body`],
  ])('is read with %s', (_, capture) => {
    expect(parsed(capture)).toEqual({
      requestLine: 'POST /hooks/42 HTTP/1.1',
      headers,
      body: 'the body',
      respondedAt: undefined,
      notes: [],
    })
  })

  it.each([
    ['POST http://example.com/hooks/42 HTTP/1.0', 'POST http://example.com/hooks/42 HTTP/1.0'],
    ['POST /hooks/42 HTTP/2', 'POST /hooks/42 HTTP/2'],
    ['POST /hooks/42', 'POST /hooks/42'],
    [':method: POST\n:path: /hooks/42\n:authority: example.com', 'POST /hooks/42'],
    [':authority: example.com', undefined],
  ])('may begin with %j', (first, requestLine) => {
    expect(parsed(`${first}\nx-nonce: abc\n\n`)).toMatchObject({ requestLine, headers: [['x-nonce', 'abc']], body: '' })
  })

  it('may be headers and a body only', () => {
    expect(parsed('x-nonce: abc\n\nthe body')).toMatchObject({ requestLine: undefined, headers: [['x-nonce', 'abc']] })
  })

  it('may end with the head', () => {
    expect(parsed('x-nonce: abc')).toMatchObject({ headers: [['x-nonce', 'abc']], body: '' })
  })

  it.each([
    ['X-Nonce:abc', 'abc'],
    ['X-Nonce: \t abc\t ', 'abc'],
    ['X-Nonce: a:b', 'a:b'],
    ['X-Nonce:', ''],
    ['X-Nonce: a  b', 'a  b'],
    // verify rejects characters that a header must not have.
    ['X-Nonce: \xa0\xe9', '\xa0\xe9'],
    ['X-Nonce: a\n\t b', 'a b'],
  ])('reads the value of %j without the white space around it', (line, value) => {
    expect(parsed(`${line}\n\n`).headers).toEqual([['X-Nonce', value]])
  })

  it('keeps a header that comes twice', () => {
    expect(parsed('X-Nonce: a\nx-nonce: b\n\n').headers).toEqual([
      ['X-Nonce', 'a'],
      ['x-nonce', 'b'],
    ])
  })

  it.each([
    ['nothing', '', 'is empty'],
    ['blank lines', '\n\r\n\n', 'is empty'],
    ['a response', 'HTTP/1.1 401 Unauthorized\n\n', 'begins with a response'],
    ['a body alone', '{"event":"paid"}', 'Line 1 of the capture is not a header.'],
    ['no blank line before the body', 'X-Nonce: a\n{"event":"paid"}', 'Line 2'],
    ['a line with no colon', '\nX-Nonce: a\nnonsense\n\n', 'Line 3 of the capture is not a header.'],
    ['a name with a space', 'X Nonce: a\n\n', 'Line 1'],
    ['a line that begins with white space', ' X-Nonce: a\n\n', 'Line 1'],
    [
      'of curl --trace-ascii',
      '== Info:   Trying 127.0.0.1:80...\n=> Send header, 20 bytes (0x14)\n',
      'Capture the request with curl -v',
    ],
    ['of curl --trace-time', '10:11:12.123456 == Info: Connected\n', 'Capture the request with curl -v'],
    ['of curl --trace, silent', '=> Send header, 20 bytes (0x14)\n0000: 50 4f 53', 'Capture the request with curl -v'],
    ['binary bytes', '\x00\x1b\xff', 'Line 1 of the capture is not a header.'],
  ])('is refused if it is %s', (_, capture, message) => {
    expect(() => parsed(capture)).toThrow(UsageError)
    expect(() => parsed(capture)).toThrow(message)
  })
})

describe('Content-Length', () => {
  const of = (length: string, body: string) => parsed(`Content-Length: ${length}\n\n${body}`)

  it.each([
    ['8', 'the body', 'the body', []],
    ['8', 'the body\n', 'the body', ['Content-Length is 8, which excludes the line end after the body.']],
    ['8', 'the body\r\n', 'the body', ['Content-Length is 8, which excludes the line end after the body.']],
    ['9', 'the body\n', 'the body\n', []],
    ['8', 'the body\n\n', 'the body', ['Content-Length is 8, which excludes 2 bytes after the body.']],
    ['8', 'the body!', 'the body', ['Content-Length is 8, which excludes 1 byte after the body.']],
    ['8', 'the body and more', 'the body', ['Content-Length is 8, which excludes 9 bytes after the body.']],
    [
      '9',
      'the body',
      'the body',
      [expect.stringContaining('Content-Length is 9, but the body has 8 bytes. It was changed')],
    ],
    ['9', '', '', [expect.stringContaining('there is no body. Pass it with --body-file PATH.')]],
    ['0', '\n', '', [expect.stringContaining('excludes the line end after the body')]],
    ['eight', 'the body', 'the body', []],
    ['eight', 'the body\n', 'the body\n', [expect.stringContaining('Content-Length is not one number')]],
    [
      '8\nContent-Length: 8',
      'the body\n',
      'the body',
      [expect.stringContaining('excludes the line end after the body')],
    ],
    ['8\nContent-Length: 7', 'the body\n', 'the body\n', [expect.stringContaining('Content-Length is not one number')]],
  ])('%j of %j gives %j', (length, body, cut, notes) => {
    expect(of(length, body)).toMatchObject({ body: cut, notes })
  })

  it('is not needed', () => {
    expect(parsed('X-Nonce: a\n\nthe body\n')).toMatchObject({
      body: 'the body\n',
      notes: [expect.stringContaining('The line end after the body was read as part of it.')],
    })
  })
})

describe('Transfer-Encoding: chunked', () => {
  const of = (body: string) => parsed(`Transfer-Encoding: chunked\n\n${body}`)

  it.each([
    ['4\r\nthe \r\n4\r\nbody\r\n0\r\n\r\n', 'the body'],
    ['4\nthe \n4\nbody\n0\n\n', 'the body'],
    ['4;name=value\r\nthe \r\n04\r\nbody\r\n0\r\nTrailer: value\r\n\r\n', 'the body'],
    ['A\r\n0123456789\r\n0\r\n\r\n', '0123456789'],
    ['4\r\n\r\n\r\n\r\n0\r\n\r\n', '\r\n\r\n'],
    ['0\r\n\r\n', ''],
  ])('%j is joined', (body, joined) => {
    expect(of(body)).toMatchObject({ body: joined, notes: ['The body was sent in chunks. They were joined.'] })
  })

  it.each(['the body', '{"a":1}', '8\r\nthe', '4\r\nthe body\r\n0\r\n\r\n', '4\r\nthe \r\n', '4', ''])(
    '%j is read unchanged',
    (body) => {
      expect(of(body)).toMatchObject({ body, notes: [expect.stringContaining('the body has no chunks')] })
    },
  )
})

describe('curl -v', () => {
  const METER = `  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0`
  const BEFORE = '*   Trying 127.0.0.1:8765...\n* Connected to 127.0.0.1 (127.0.0.1) port 8765 (#0)\n'
  const SENT = '> POST /x HTTP/1.1\r\n> Host: 127.0.0.1:8765\r\n> X-Nonce: abc\r\n> Content-Length: 8\r\n> \r\n'
  const AFTER = `* upload completely sent off: 8 bytes
< HTTP/1.1 401 Unauthorized\r
< Date: Sat, 21 Nov 2026 06:22:43 GMT\r
< \r
{ [3 bytes data]
* Closing connection 0
no
`
  const read = {
    requestLine: 'POST /x HTTP/1.1',
    headers: [
      ['Host', '127.0.0.1:8765'],
      ['X-Nonce', 'abc'],
      ['Content-Length', '8'],
    ],
  }

  it.each([
    ['at a terminal', `${BEFORE}${SENT}${AFTER}`],
    ['into a file', `${METER}${BEFORE}${SENT}} [8 bytes data]\n${METER}\n${AFTER}`],
    ['behind its meter', `${METER}${SENT}${AFTER}`],
    ['with LF', `${BEFORE}${SENT}${AFTER}`.replaceAll('\r\n', '\n')],
    ['with its white space lost', `${BEFORE}${SENT}${AFTER}`.replaceAll(/\s+\n/g, '\n')],
    ['with a blank line lost', `${SENT.replace('> \r\n', '')}${AFTER}`],
    ['behind a remark that looks like a header', `Note: Unnecessary use of -X\n${BEFORE}${SENT}${AFTER}`],
  ])('is read %s, without a body', (_, capture) => {
    expect(parsed(capture)).toEqual({
      ...read,
      body: undefined,
      respondedAt: Date.parse('2026-11-21T06:22:43Z'),
      notes: [],
    })
  })

  it('may end with the head', () => {
    expect(parsed(SENT)).toEqual({ ...read, body: undefined, respondedAt: undefined, notes: [] })
  })

  it.each([
    ['after the head', `${SENT}the body\n`, 'the body'],
    ['without a line end', `${SENT}the body`, 'the body'],
    ['before the answer', `${SENT}the body\n${AFTER}`, 'the body'],
    ['with no line end before the answer', `${SENT}the body${AFTER}`, 'the body'],
    ['after a remark', `${SENT}* We are completely uploaded and fine\nthe body\n${AFTER}`, 'the body'],
    ['with the prefix of the head', `${SENT}> the body\n${AFTER}`, 'the body'],
    ['with the prefix, in lines', `${SENT}> the\n> bod\n${AFTER}`, 'the\nbod'],
    ['with the prefix, to the end', `${SENT}> the body`, 'the body'],
    ['that looks like a remark', `${SENT.replace('8', '8')}a\n* b\n* \n${AFTER}`, 'a\n* b\n* '],
    ['that is shorter than it should be', `${SENT}body\n${AFTER}`, 'body'],
    ['that is longer than it should be', `${SENT}the body and more\n${AFTER}`, 'the body'],
  ])('may have a body %s', (_, capture, body) => {
    expect(parsed(capture)).toMatchObject({ ...read, body })
  })

  it('may have several requests. The first is read', () => {
    const second = SENT.replace('abc', 'def')
    expect(parsed(`${BEFORE}${SENT}the body\n${AFTER}${second}${AFTER}`)).toMatchObject({
      ...read,
      body: 'the body',
      notes: [expect.stringContaining('several requests')],
    })
  })

  it('may be quoted in a body', () => {
    const capture = `POST /y HTTP/1.1\nX-Nonce: abc\n\n${SENT}`
    expect(parsed(capture)).toMatchObject({ requestLine: 'POST /y HTTP/1.1', body: SENT })
  })
})

describe('reading', () => {
  const token = fc.string({
    unit: fc.constantFrom(...'abcXYZ019-_!#$%&*+.^`|~'.split("'").join('')),
    minLength: 1,
    maxLength: 30,
  })
  // Any bytes that a value may have. White space around it would be lost.
  const value = fc
    .string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
      maxLength: 200,
    })
    .map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''))
  const headers = fc.array(
    fc.tuple(token, value).filter(([name]) => !/^(content-length|transfer-encoding)$/i.test(name)),
  )
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .array(fc.constantFrom('\n', '\r\n', '* ', '> ', '< HTTP/1.1 200\n', 'a', '0', '{ [3 bytes data]\n'))
      .map((parts) => Buffer.from(parts.join(''))),
  )

  it('returns any headers and any body that were written', () => {
    fc.assert(
      fc.property(headers, bodies, fc.constantFrom('', '\n', '\r\n'), (lines, body, lineEnd) => {
        const all = [...lines, ['Content-Length', String(body.length)] as const]
        const text = Buffer.concat([...httpText('/hooks/42?a=b', all, body), Buffer.from(lineEnd)])
        const read = parseCapture(text)
        expect(read).toMatchObject({ requestLine: 'POST /hooks/42?a=b HTTP/1.1', headers: all })
        expect(read.body?.equals(body)).toBe(true)
      }),
    )
  })

  it('returns any headers and any body in the output of curl -v', () => {
    fc.assert(
      fc.property(headers, bodies, (lines, body) => {
        // The body must not begin like a remark of curl.
        const sent = Buffer.concat([Buffer.from('{'), body])
        const all = [...lines, ['Content-Length', String(sent.length)] as const]
        const head = ['POST /x HTTP/1.1', ...all.map(([name, text]) => `${name}: ${text}`), '']
        const shown = head.map((line) => `> ${line}\r\n`).join('')
        const before = Buffer.from(`* Connected\n${shown}* uploaded\n`, 'latin1')
        const after = Buffer.from('\n* closed\n< HTTP/1.1 204 No Content\n< \n')
        for (const capture of [
          [before, sent],
          [before, sent, after],
        ]) {
          const read = parseCapture(Buffer.concat(capture))
          expect(read.headers).toEqual(all)
          expect(read.body?.equals(sent)).toBe(true)
        }
      }),
    )
  })

  it('throws only UsageError, for any bytes', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '\n',
            '\r\n',
            '> ',
            '< ',
            '* ',
            ':',
            'a',
            ' ',
            '\t',
            'POST / HTTP/1.1',
            '> POST / HTTP/1.1\n',
            'Content-Length: 3\n',
            'Transfer-Encoding: chunked\n',
            '3\n',
            '\xff',
          ),
        ),
        (parts) => {
          try {
            parsed(parts.join(''))
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError)
          }
        },
      ),
    )
  })

  it.each([
    ['white space in a header', `a: ${' '.repeat(2 ** 20)}x\n\n`],
    ['blank lines', `a: b\n\n${'\n'.repeat(2 ** 20)}`],
    ['digits like a progress meter', `> a: b\n${' 0'.repeat(2 ** 19)}`],
    ['chunks', `Transfer-Encoding: chunked\n\n${'1\na\n'.repeat(2 ** 18)}`],
    ['a chunk size', `Transfer-Encoding: chunked\n\n${'1'.repeat(2 ** 20)}\n`],
    ['remarks', `> POST / HTTP/1.1\n> \n${'* \n'.repeat(2 ** 18)}`],
  ])('takes linear time for a MiB of %s', (_, capture) => {
    const started = performance.now()
    try {
      parsed(capture)
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError)
    }
    // Quadratic time would be minutes.
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
