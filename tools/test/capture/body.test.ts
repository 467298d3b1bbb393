import { describe, expect, it } from 'vitest'
import { fromLatin1, latin1 } from '../../src/bytes.js'
import { assertBody, type BodyRead, bodyOf } from '../../src/capture/body.js'
import type { CapturedRequest } from '../../src/capture/captured-request.js'
import type { Header } from '../../src/capture/headers.js'

// All bodies here are decoded as Latin-1.

interface Given {
  readonly length?: number
  readonly signed?: string
  readonly others?: readonly string[]
  readonly fields?: Partial<CapturedRequest>
  readonly headers?: readonly Header[]
}

function readBody(body: string, { length, signed, others = [], fields = {}, headers = [] }: Given = {}): BodyRead {
  const all: readonly Header[] = length === undefined ? headers : [...headers, ['Content-Length', String(length)]]
  const otherBodies = others.map((other) => ({ body: latin1(other) }))
  const captured = { headers: all, body: latin1(body), otherBodies, ...fields }
  return bodyOf(captured, all, signed === undefined ? undefined : (bytes) => fromLatin1(bytes) === signed)
}

/** Returns the parts of a result that say which body was read, with the bodies as text. */
function outcomeOf({ body, origin, notes, doubt, guess, isLoose, signed, others = [] }: BodyRead) {
  const text = fromLatin1(body)
  return [
    `${origin} ${text}`,
    ...notes,
    ...(doubt === undefined ? [] : [`doubt: ${doubt}`]),
    ...(guess === undefined ? [] : [`guess: ${guess}`]),
    ...(isLoose === true ? ['loose'] : []),
    ...(signed === undefined ? [] : [`signed: ${signed.what}: ${fromLatin1(signed.body)}`]),
    ...others.map((other) => `other: ${fromLatin1(other.body)}`),
  ]
}

const HTTP = { isHttpText: true } as const
const DOT = 'a dot can stand for any other byte'
const MASKED = 'the log masked a part of the body'
const UNDONE = 'This was undone, because'

it.each<[string, string, Given, readonly string[]]>([
  ['of its length', 'abc', { length: 3 }, ['arrived abc']],
  ['without a length', 'abc', {}, ['capture abc']],
  ['with a dot', 'a.c', { length: 3, fields: { certainty: 'lossy' } }, ['arrived a.c', `guess: ${DOT}`]],
  ['masked', '{"a":"***"}', { length: 11 }, ['arrived {"a":"***"}', `guess: ${MASKED}`]],
])('the body is read: %s', (_, body, given, outcome) => {
  expect(outcomeOf(readBody(body, given))).toEqual(outcome)
})

it.each<[string, string, Given, readonly string[]]>([
  ['the signature', 'abc', { signed: 'abc' }, ['capture abc']],
  [
    'the signature of a parsed body of the right length',
    '{}',
    { signed: '{}', length: 2, fields: { certainty: 'rewritten' } },
    [
      'capture {}',
      'The capture has a parsed body, so diagnose serialized the body to JSON. The signature is valid for this JSON.',
    ],
  ],
  [
    'the signature after a change',
    '{"a": 1}',
    { signed: '{"a":1}' },
    ['capture {"a": 1}', 'signed: wrote the JSON of the body again: {"a":1}'],
  ],
  [
    'only a likely body, by the length of JSON that was written again',
    '{"a": 1}',
    { length: 7, fields: { certainty: 'exact' } },
    [
      'arrived {"a":1}',
      `The capture wrote the JSON of the body again. ${UNDONE} the body then has the 7 bytes of Content-Length.`,
      'guess: Content-Length is 7, but its body has 8 bytes',
      'other: {"a": 1}',
    ],
  ],
  // A newline at the end is common, so only a signature confirms that it is missing.
  [
    'no newline that is only announced',
    'abc',
    { length: 4 },
    ['capture abc', 'doubt: Content-Length is 4, but its body has 3 bytes'],
  ],
])('what confirms a body: %s', (_, body, given, outcome) => {
  expect(outcomeOf(readBody(body, given))).toEqual(outcome)
})

const LINES_NOTE = 'The capture broke the body into lines. Each newline was read as a space.'

it.each<[string, string, Given, readonly string[]]>([
  ['a newline in a JSON string', '{"a":"b\nc"}', { fields: HTTP }, ['capture {"a":"b c"}', LINES_NOTE]],
  [
    'tabs in place of spaces, by the signature',
    '{\n\t"a":1}',
    { signed: '{\n "a":1}', fields: HTTP },
    ['arrived {\n\t"a":1}', 'signed: has tabs in place of spaces: {\n "a":1}'],
  ],
])('a change that keeps the length is undone: %s', (_, body, given, outcome) => {
  expect(outcomeOf(readBody(body, { length: body.length, ...given }))).toEqual(outcome)
})

describe('the end of the body', () => {
  const excludes = (length: number, after: string) =>
    `Content-Length is ${length}, which excludes ${after} after the body.`
  const lacks = (length: number, bytes: number) => `doubt: Content-Length is ${length}, but its body has ${bytes} bytes`

  it.each<[string, number, readonly string[]]>([
    ['abc\n', 3, ['arrived abc', excludes(3, '1 byte')]],
    ['abc\ndef', 3, ['arrived abc', excludes(3, '4 bytes')]],
    ['{"a":1}\nmore', 7, ['arrived {"a":1}', excludes(7, '5 bytes')]],
    // At these newlines, the JSON is not complete.
    ['{"a":\n[1]}', 5, ['capture {"a":\n[1]}', lacks(5, 10)]],
  ])('of %j with Content-Length %d', (body, length, outcome) => {
    expect(outcomeOf(readBody(body, { length, fields: HTTP })).slice(0, 2)).toEqual(outcome)
  })

  it.each([
    ...['HTTP/1.1 401 Unauthorized', 'HTTP/2 200', ' \tHTTP/1.1 401 Unauthorized'],
    ...['127.0.0.1 - - [14/Nov/2023:22:13:20 +0000] "POST / HTTP/1.1" 401 0'],
    ...['10.0.0.1 a b [14/Nov/2023 22:13:20] "POST /', '###', '--> END POST', '<-- 401 /hooks', '<<<<<<<<'],
    ...['<> 2023-11-14T221320.401.txt', '--1a2b3c4d-F--', '```', '{code}', '{noformat}'],
  ])('is before a line that cannot be part of it: %s', (line) => {
    const text = `abc\n\n${line}\nmore`
    expect(outcomeOf(readBody(text, { length: 3, fields: HTTP }))).toEqual(['arrived abc'])
    expect(outcomeOf(readBody(text, { length: 5, fields: HTTP }))[0]).toBe(
      `arrived abc\n\n${line.match(/^\s*/)}`.slice(0, 13),
    )
    expect(outcomeOf(readBody(text, { fields: HTTP })).slice(0, 1)).toEqual(['capture abc'])
  })
})

it.each([
  ['Body:\nabcd', 'abcd'],
  ['\n Request Body: \t\r\nabcd', 'abcd'],
  ['Raw Payload:\nabcd', 'abcd'],
  ['-----\nabcd', 'abcd'],
  ['--1a2b3c4d-C--\nabcd', 'abcd'],
  ['Body: a\nabcd', undefined],
  ['Response Body:\nabcd', undefined],
])('a label before the body is left out: %j', (text, body) => {
  const { body: read, notes } = readBody(text, { length: 4, fields: HTTP })
  expect([fromLatin1(read), notes]).toEqual([body ?? text, []])
  const unchanged = readBody(text, { length: 4, fields: { ...HTTP, certainty: 'exact' } })
  expect(fromLatin1(unchanged.body)).toBe(text)
})

describe('chunks', () => {
  const headers: readonly Header[] = [['Transfer-Encoding', 'gzip, chunked']]

  it.each(['3 \t;a=b\r\nabc\r\n0\r\n\r\n', '00000003\nabc\n0\n\n', 'A\r\n0123456789\r\n0\r\n\r\n', '0\r\n\r\n'])(
    'are not what was signed: %j',
    (text) => {
      expect(() => readBody(text, { headers, fields: HTTP })).toThrow('bytes that arrived: its body is in chunks.')
      expect(outcomeOf(readBody(text, { headers }))[0]).toBe(`capture ${text}`)
      expect(outcomeOf(readBody(text, { fields: HTTP }))[0]).toBe(`capture ${text}`)
    },
  )
})

describe('the file of --body-file', () => {
  const note = 'curl -d sent 2 bytes: the file without its newlines. The file has 4 bytes.'
  const FILE = 'a\r\nb'

  it.each<[string, number | undefined, boolean, object]>([
    [FILE, undefined, true, { body: 'ab', original: FILE, notes: [note] }],
    [FILE, undefined, false, { body: FILE, notes: [] }],
  ])('%j with Content-Length %j, and joined by curl: %j', (file, length, isFileJoined, expected) => {
    const headers: Header[] = length === undefined ? [] : [['Content-Length', String(length)]]
    const captured = { headers, body: undefined, isFileJoined }
    const { body, original, ...rest } = bodyOf(captured, headers, undefined, Buffer.from(file))
    const text = { body: Buffer.from(body).toString(), ...(original && { original: Buffer.from(original).toString() }) }
    expect({ ...text, ...rest }).toEqual({ origin: 'sent', ...expected })
  })
})

describe('a body that was cut', () => {
  it.each([...['a…', 'a... ', 'a… (truncated)', '(9 hidden)', '1.2 kB more', 'a TRUNCATED']])(
    'is doubted without Content-Length: %s',
    (text) => {
      const body = fromLatin1(Buffer.from(text))
      expect(readBody(body).doubt).toBe('the body was cut')
      expect(readBody(body, { length: body.length }).doubt).toBeUndefined()
      expect(readBody(body, { length: 99 }).doubt).toMatch('Content-Length is 99, but its body has')
    },
  )

  it.each(['3 more items', '1 more item', '9 more characters', '12 more bytes>', '2 more items\n    ]\n}'])(
    'was cut by Node: %j',
    (text) => {
      for (const length of [undefined, 999]) {
        const { doubt } = readBody(`a ... ${text}`, length === undefined ? {} : { length })
        expect(doubt).toBe('console.log of Node cut the body')
      }
      expect(readBody(text, { length: text.length }).doubt).toBeUndefined()
    },
  )

  it.each(['a..', '…abcd', 'untruncated', 'more', '3 more items in a list', '9 kB'])('is not: %s', (text) => {
    expect(readBody(fromLatin1(Buffer.from(text))).doubt).toBeUndefined()
  })
})

describe('a capture without a body', () => {
  it('is refused with its reason, unless a file is passed', () => {
    const captured = { headers: [], body: undefined }
    const advice = 'Use --body-file PATH to pass the file that was sent.'
    expect(() => assertBody(captured, [])).toThrow(`The capture has no body. ${advice}`)
    expect(() => assertBody({ ...captured, whyNoBody: 'has a form' }, [])).toThrow(`The capture has a form. ${advice}`)
    expect(() => bodyOf(captured, [])).toThrow(`The capture has no body. ${advice}`)
    expect(() => assertBody(captured, [], latin1('a'))).not.toThrow()
  })
})
