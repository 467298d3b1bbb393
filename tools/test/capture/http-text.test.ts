import { describe, expect, it } from 'vitest'
import { fromLatin1, latin1 } from '../../src/bytes.js'
import { CaptureError } from '../../src/capture/capture-error.js'
import { joinNamesAndValues, parseHttpText } from '../../src/capture/http-text.js'
import { readCapture } from '../../src/capture/read-capture.js'

function parsed(capture: string) {
  const { body, ...rest } = readCapture(Buffer.from(capture, 'latin1'))
  return { ...rest, body: body && Buffer.from(body).toString('latin1') }
}

describe('HTTP text', () => {
  it.each([
    ['nothing', '', 'The captured request is empty.'],
    ['a response', 'HTTP/1.1 401 Unauthorized\n\n', 'is a response'],
    ['without a blank line before the body', 'X-Nonce: a\n{"event":"paid"}', 'its line 2 is not a header'],
    ['of names with a space', 'POST / HTTP/1.1\nX Nonce: a\n\n', 'its line 2 is not a header'],
  ])('throws if it is %s', (_, capture, message) => {
    expect(() => parsed(capture)).toThrow(CaptureError)
    expect(() => parsed(capture)).toThrow(message)
  })
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
    ['indentation', '  Host: a\n  B: c\n\n  d\n  e', ['Host=a', 'B=c', 'd\ne', INDENTED]],
    ['a remark', 'Note: a\nPUT /a HTTP/1.1\nB: c\n\nd', [':method=PUT', ':path=/a', 'B=c', 'd']],
  ])('may be %s', (_, text, expected) => {
    expect(startOf(text)).toEqual(expected)
  })

  const PASTED = 'The headers have no-break spaces or unusual hyphens, which were read as normal spaces and hyphens.'

  it.each([
    [
      'POST\xc2\xa0/a\xc2\xa0HTTP/1.1\nX-Nonce: b\n\n\xc2\xa0',
      [':method=POST', ':path=/a', 'X-Nonce=b', '\xc2\xa0', PASTED],
    ],
    ['POST /a\nX\xe2\x80\x91Nonce\xe2\x80\x90A: b\n\n', [':method=POST', ':path=/a', 'X-Nonce-A=b', '', PASTED]],
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
    ...['\xe2\x80\x8b', '\xef\xbb\xbf', '\xc2\xad'].flatMap((invisible) => [
      [`X-Signature: a1${invisible}${DIGEST.slice(2)}`, [`X-Signature=${DIGEST}`]] as const,
      [`webhook-signature: v1${invisible}${STANDARD.slice(2)}`, [`webhook-signature=${STANDARD}`]] as const,
    ]),
    [`X-Signature: ${DIGEST.slice(0, 30)}\n${DIGEST.slice(30)}`, [`X-Signature=${DIGEST}`]],
    [`svix-signature: v1,\n${'A'.repeat(43)}=`, [`svix-signature=${STANDARD}`]],
    ['A: b\n\tc \n  d', ['A=b c d']],
  ])('%j are %j', (text, expected) => {
    expect(headersOf(text)).toEqual(expected)
  })

  it.each([
    ['X-Nonce: n\nA: b\nc\n\n', 3],
    [`X-Nonce: n\nX-Signature: ${DIGEST.slice(0, 30)}\n${DIGEST.slice(30)}\n${DIGEST.slice(30)}\n\n`, 4],
  ])('%j are refused with the number of the line', (text, line) => {
    expect(() => parsed(text)).toThrow(
      `The capture is not a request: its line ${line} is not a header. Pass one of these:`,
    )
  })
})

it.each([
  ['x-nonce\na\nx-signature\nb\n\nbody', 'x-nonce: a\nx-signature: b\n\nbody'],
  ['x-nonce\na\nx-signature\nb\n\n\n\nbody', 'x-nonce: a\nx-signature: b\n\n\n\nbody'],
  [
    'Headers\n\n:path:\n/a\nHost\nb\r\nX-Signature:\r\nc\r\n\r\nbody\n',
    ':path: /a\nHost: b\r\nX-Signature: c\r\n\nbody\n',
  ],
  ['x-signature: a', undefined],
])('names and values on lines of their own: %j', (text, joined) => {
  const bytes = joinNamesAndValues(latin1(text))
  expect(bytes && fromLatin1(bytes)).toBe(joined)
})
