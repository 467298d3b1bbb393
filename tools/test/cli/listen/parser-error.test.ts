import { expect, it } from 'vitest'
import { explainParserError } from '../../../src/cli/listen/parser-error.js'

/** Returns what is said if the parser fails at the mark `|` of a packet. */
function detail(marked: string, code = 'HPE_INVALID_HEADER_TOKEN'): string {
  const error = Object.assign(new Error('Parse Error'), {
    code,
    rawPacket: Buffer.from(marked.replace('|', ''), 'latin1'),
    bytesParsed: marked.indexOf('|'),
  })
  return explainParserError(error).detail
}

const NEWLINE = 'has a newline in its value or after it. Remove the newline from the value.'
const NO_HEADER = 'is not a header. Write "Name: value".'
const FOLDED = 'has a newline in its value. Remove the newlines, which base64 and openssl often add.'

it.each([
  ['POST / HTTP/1.1\r\nX-A: b\r\n| c\r\n\r\n', `X-A ${FOLDED}`],
  ['POST / HTTP/1.1\r\n(X: b\r\n| c\r\n\r\n', `A header ${FOLDED}`],
  ['POST / HTTP/1.1\r\nX-A|  : b\r\n\r\n', 'X-A has a space before the colon. Write "X-A: value".'],
  ['POST / HTTP/1.1\r\nX-A: b\r\nX| B\r\n\r\n', `The line after X-A ${NO_HEADER}`],
  ['POST / HTTP/1.1\r\nX-A: b|\rc\r\n\r\n', `X-A ${NEWLINE}`],
  ['POST / HTTP/1.1\r\nX-A: b|\x0b\r\n\r\n', 'X-A has the control character 0x0B. Send only visible characters.'],
  // Nothing is known about a line that is not in this packet, or is the request line.
  ['POST |/ HTTP/1.1\r\n', 'Parse Error'],
])('the parser fails at %j: %s', (marked, expected) => {
  expect(detail(marked)).toBe(expected)
})

it('an error without a packet keeps its message', () => {
  expect(explainParserError(new Error('Parse Error'))).toEqual({ status: '400 Bad Request', detail: 'Parse Error' })
})
