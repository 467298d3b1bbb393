import { describe, expect, it } from 'vitest'
import { fromLatin1, latin1 } from '../../src/bytes.js'
import { assertBody, type BodyRead, bodyOf, lacksBody, notTheBytes } from '../../src/capture/body.js'
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
const CHANGED = 'it has only a parsed or decompressed body'
const DOT = 'a dot can stand for any other byte'
const MASKED = 'the log masked a part of the body'
const UNDONE = 'This was undone, because'

it.each<[string, string, Given, readonly string[]]>([
  ['of its length', 'abc', { length: 3 }, ['arrived abc']],
  ['without a length', 'abc', {}, ['capture abc']],
  ['without a length, but exact', 'abc', { fields: { certainty: 'exact' } }, ['log abc']],
  [
    'of its length, but parsed',
    'ab',
    { length: 2, fields: { certainty: 'rewritten' } },
    ['arrived ab', `doubt: ${CHANGED}`],
  ],
  ['with a dot that is not lossy', 'a.c', { length: 3 }, ['arrived a.c']],
  ['with a dot', 'a.c', { length: 3, fields: { certainty: 'lossy' } }, ['arrived a.c', `guess: ${DOT}`]],
  ['without a dot', 'abc', { length: 3, fields: { certainty: 'lossy' } }, ['arrived abc']],
  ['masked', '{"a":"***"}', { length: 11 }, ['arrived {"a":"***"}', `guess: ${MASKED}`]],
  [
    'masked, of another length',
    '{"a":"***"}',
    { length: 9 },
    ['capture {"a":"***"}', `doubt: ${MASKED}`, `guess: ${MASKED}`],
  ],
  ['masked, of the length of captureRequest', '{"a":"***"}', { fields: { bodyLength: 11 } }, ['arrived {"a":"***"}']],
  ['beside a masked body', 'abc', { length: 3, others: ['{"a":"***"}'] }, ['arrived abc', 'other: {"a":"***"}']],
  [
    'that is a guess',
    'abc',
    { fields: { isGuess: true } },
    ['capture abc', 'guess: no Content-Length confirms where its body ends'],
  ],
  [
    'that is a guess, masked',
    '{"a":"***"}',
    { fields: { isGuess: true } },
    ['capture {"a":"***"}', `guess: ${MASKED}`],
  ],
  [
    'with its newline unknown',
    'a\n',
    { fields: HTTP },
    ['capture a\n', 'Without Content-Length, the newline after the body was read as part of the body.'],
  ],
  ['of JSON with a newline', 'a\n', {}, ['capture a\n']],
  [
    'of another length, with a newline',
    'ab\n',
    { length: 9, fields: HTTP },
    ['capture ab\n', 'doubt: Content-Length is 9, but its body has 3 bytes'],
  ],
])('the body is read: %s', (_, body, given, outcome) => {
  expect(outcomeOf(readBody(body, given))).toEqual(outcome)
})

describe('in free text', () => {
  it.each<[string, Partial<CapturedRequest>, boolean]>([
    ['{"a":1}', {}, false],
    [' [1]', {}, false],
    ['{a}', {}, true],
    ['a{}', {}, true],
    ['17', {}, true],
    ['<a>', {}, true],
    ['<a>', { certainty: 'exact' }, false],
  ])('the right length confirms only JSON and exact bodies: %s %j', (body, fields, isLoose) => {
    const outcome = [`arrived ${body}`, ...(isLoose ? ['loose'] : [])]
    expect(outcomeOf(readBody(body, { length: body.length, fields: { ...fields, isLoose: true } }))).toEqual(outcome)
  })

  it('JSON is the likeliest body, and at most three bodies are tried', () => {
    const given = { others: ['{"a":1}', 'b', 'c'], fields: { isLoose: true } }
    expect(outcomeOf(readBody('text', given))).toEqual(['capture {"a":1}', 'loose', 'other: text', 'other: b'])
    const fields = { isLoose: false }
    expect(outcomeOf(readBody('text', { ...given, fields }))).toEqual(['capture text', 'other: {"a":1}', 'other: b'])
  })
})

it.each<[string, string, Given, readonly string[]]>([
  ['the signature', 'abc', { signed: 'abc' }, ['capture abc']],
  ['the signature of an exact body', 'abc', { signed: 'abc', fields: { certainty: 'exact' } }, ['log abc']],
  ['the signature of another body', 'abc', { signed: 'def', others: ['def'] }, ['capture def']],
  [
    'the signature of a parsed body of the right length',
    '{}',
    { signed: '{}', length: 2, fields: { certainty: 'rewritten' } },
    [
      'capture {}',
      'The capture has a parsed body, so diagnose serialized the body to JSON. The signature is right for this JSON.',
    ],
  ],
  [
    'not the signature of a parsed body',
    '{}',
    { signed: '{}', fields: { certainty: 'rewritten' } },
    ['capture {}', `doubt: ${CHANGED}`, 'signed: has the body in another form: {}'],
  ],
  [
    'not the signature of an exact body with U+FFFD',
    'a\xef\xbf\xbd',
    { signed: 'a\xef\xbf\xbd', fields: { certainty: 'exact' } },
    [
      'log a\xef\xbf\xbd',
      'doubt: its body has U+FFFD in place of other bytes',
      'signed: has the body in another form: a\xef\xbf\xbd',
    ],
  ],
  ['the signature of a body with U+FFFD', 'a\xef\xbf\xbd', { signed: 'a\xef\xbf\xbd' }, ['capture a\xef\xbf\xbd']],
  [
    'not the signature of another length',
    'abc',
    { signed: 'abc', length: 9 },
    [
      'capture abc',
      'doubt: Content-Length is 9, but its body has 3 bytes',
      'signed: has the body in another form: abc',
    ],
  ],
  [
    'the signature and a newline that the length announces',
    'abc',
    { signed: 'abc', length: 4 },
    [
      'arrived abc\n',
      `The capture lost the newline of the body. ${UNDONE} the body then has the 4 bytes of Content-Length.`,
      'signed: has the body in another form: abc',
    ],
  ],
  [
    'the signature and the length, after a change',
    'abc',
    { signed: 'abc\n', length: 4 },
    [
      'arrived abc\n',
      `The capture lost the newline of the body. ${UNDONE} the signature and the length are then right.`,
    ],
  ],
  [
    'the signature after a change',
    '{"a": 1}',
    { signed: '{"a":1}' },
    ['capture {"a": 1}', 'signed: wrote the JSON of the body again: {"a":1}'],
  ],
  ['no change of an exact body', '{"a": 1}', { signed: '{"a":1}', fields: { certainty: 'exact' } }, ['log {"a": 1}']],
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
  [
    'a change of an exact body with U+FFFD',
    '"\xef\xbf\xbd"',
    { signed: '"\xef\xbf\xbd"\n', fields: { certainty: 'exact' } },
    [
      'log "\xef\xbf\xbd"',
      'doubt: its body has U+FFFD in place of other bytes',
      'signed: lost the newline of the body: "\xef\xbf\xbd"\n',
    ],
  ],
  // A newline at the end is common, so only a signature confirms that it is missing.
  [
    'no newline that is only announced',
    'abc',
    { length: 4 },
    ['capture abc', 'doubt: Content-Length is 4, but its body has 3 bytes'],
  ],
  [
    'no length of a masked body',
    '{"a": "***"}',
    { length: 11 },
    ['capture {"a": "***"}', `doubt: ${MASKED}`, `guess: ${MASKED}`],
  ],
  [
    'no length of a lossy body',
    '{"a": "."}',
    { length: 9, fields: { certainty: 'lossy' } },
    ['capture {"a": "."}', `doubt: ${DOT}`, `guess: ${DOT}`],
  ],
])('what confirms a body: %s', (_, body, given, outcome) => {
  expect(outcomeOf(readBody(body, given))).toEqual(outcome)
})

const LINES_NOTE = 'The capture broke the body into lines. Each newline was read as a space.'

it.each<[string, string, Given, readonly string[]]>([
  ['a newline in a JSON string', '{"a":"b\nc"}', { fields: HTTP }, ['capture {"a":"b c"}', LINES_NOTE]],
  ['in a list', '["b\nc"]', { fields: HTTP }, ['capture ["b c"]', LINES_NOTE]],
  ['not if the signature is right', '{"a":"b\nc"}', { signed: '{"a":"b\nc"}', fields: HTTP }, ['arrived {"a":"b\nc"}']],
  ['not in a JSON log', '{"a":"b\nc"}', {}, ['arrived {"a":"b\nc"}']],
  ['not in other text', '"b\nc"', { fields: HTTP }, ['arrived "b\nc"']],
  ['not in text that is not JSON without the newline', '{"a":\nb}', { fields: HTTP }, ['arrived {"a":\nb}']],
  [
    'tabs in place of spaces, by the signature',
    '{\n\t"a":1}',
    { signed: '{\n "a":1}', fields: HTTP },
    ['arrived {\n\t"a":1}', 'signed: has tabs in place of spaces: {\n "a":1}'],
  ],
  [
    'spaces in place of tabs, by the signature',
    '{\n  "a":1}',
    { signed: '{\n\t\t"a":1}', fields: HTTP },
    ['arrived {\n  "a":1}', 'signed: has spaces in place of tabs: {\n\t\t"a":1}'],
  ],
  [
    'newlines in place of spaces, by the signature',
    '{"a":1,\n"b":2}',
    { signed: '{"a":1, "b":2}', fields: HTTP },
    ['arrived {"a":1,\n"b":2}', 'signed: broke the body into lines: {"a":1, "b":2}'],
  ],
])('a change that keeps the length is undone: %s', (_, body, given, outcome) => {
  expect(outcomeOf(readBody(body, { length: body.length, ...given }))).toEqual(outcome)
})

it('a change that keeps the length is searched in bodies of up to 1 MiB', () => {
  for (const [size, origin] of [
    [2 ** 20, 'capture'],
    [2 ** 20 + 1, 'arrived'],
  ] as const) {
    const body = `["\n${'a'.repeat(size - 5)}"]`
    expect(readBody(body, { length: size, fields: HTTP }).origin).toBe(origin)
  }
})

describe('the end of the body', () => {
  const excludes = (length: number, after: string) =>
    `Content-Length is ${length}, which excludes ${after} after the body.`
  const lacks = (length: number, bytes: number) => `doubt: Content-Length is ${length}, but its body has ${bytes} bytes`

  it.each<[string, number, readonly string[]]>([
    ['abc\n', 3, ['arrived abc', excludes(3, '1 byte')]],
    ['abc\r\n', 3, ['arrived abc', excludes(3, '2 bytes')]],
    ['abc\ndef', 3, ['arrived abc', excludes(3, '4 bytes')]],
    ['abc\r\ndef', 3, ['arrived abc', excludes(3, '5 bytes')]],
    ['abc\ndef', 4, ['arrived abc\n', excludes(4, '3 bytes')]],
    ['abcxyz', 3, ['capture abcxyz', lacks(3, 6)]],
    ['abcx\nyz', 3, ['capture abcx\nyz', lacks(3, 7)]],
    ['abc\rxyz', 3, ['capture abc\rxyz', lacks(3, 7)]],
    ['{"a":1}\nmore', 7, ['arrived {"a":1}', excludes(7, '5 bytes')]],
    ['{"a":1}more', 7, ['arrived {"a":1}', excludes(7, '4 bytes')]],
    [' [1]more', 4, ['arrived  [1]', excludes(4, '4 bytes')]],
    // At these newlines, the JSON is not complete.
    ['{"a":\n[1]}', 5, ['capture {"a":\n[1]}', lacks(5, 10)]],
    ['{"a":\n[1]}', 6, ['capture {"a":\n[1]}', lacks(6, 10)]],
    ['{"a\n', 3, ['arrived {"a', excludes(3, '1 byte')]],
    ['a{\nbcd', 2, ['arrived a{', excludes(2, '4 bytes')]],
  ])('of %j with Content-Length %d', (body, length, outcome) => {
    expect(outcomeOf(readBody(body, { length, fields: HTTP })).slice(0, 2)).toEqual(outcome)
  })

  it('needs no note if captureRequest wrote the length', () => {
    expect(outcomeOf(readBody('abc\n', { fields: { ...HTTP, bodyLength: 3 } }))).toEqual(['arrived abc'])
  })

  it('is not searched in an exact body', () => {
    const note = `The capture has a newline after the body. ${UNDONE} the body then has the 3 bytes of Content-Length.`
    expect(outcomeOf(readBody('abc\n', { length: 3, fields: { certainty: 'exact' } }))).toEqual(['arrived abc', note])
    expect(outcomeOf(readBody('[1]\nabc', { length: 3, fields: { certainty: 'rewritten' } }))[0]).toBe(
      'capture [1]\nabc',
    )
  })

  it('may be before a dot', () => {
    const fields = { ...HTTP, certainty: 'lossy' } as const
    expect(outcomeOf(readBody('abc\nd.f', { length: 3, fields }))).toEqual(['arrived abc', excludes(3, '4 bytes')])
    expect(outcomeOf(readBody('a.c\ndef', { length: 3, fields }))).toContain(`doubt: ${DOT}`)
  })

  it.each([
    'HTTP/1.1 401 Unauthorized',
    'HTTP/2 200',
    ' \tHTTP/1.1 401 Unauthorized',
    '127.0.0.1 - - [14/Nov/2023:22:13:20 +0000] "POST / HTTP/1.1" 401 0',
    '10.0.0.1 a b [14/Nov/2023 22:13:20] "POST /',
    '###',
    '--> END POST',
    '<-- 401 /hooks',
    '<<<<<<<<',
    '<> 2023-11-14T221320.401.txt',
    '--1a2b3c4d-F--',
    '```',
    '{code}',
    '{noformat}',
  ])('is before a line that cannot be part of it: %s', (line) => {
    const text = `abc\n\n${line}\nmore`
    expect(outcomeOf(readBody(text, { length: 3, fields: HTTP }))).toEqual(['arrived abc'])
    expect(outcomeOf(readBody(text, { length: 5, fields: HTTP }))[0]).toBe(
      `arrived abc\n\n${line.match(/^\s*/)}`.slice(0, 13),
    )
    expect(outcomeOf(readBody(text, { fields: HTTP })).slice(0, 1)).toEqual(['capture abc'])
  })

  it.each([
    'HTTP/1.1 4',
    'HTTP 401',
    'a HTTP/1.1 401',
    'b [14/Nov/2023] "',
    '##',
    '--> END',
    '<-- 40',
    '<<<<<<<',
    '<> 202-',
    '--1a2b3c4-F--',
    '``',
    '{codes}',
  ])('is not before another line: %s', (line) => {
    const text = `abc\n${line}\nmore`
    const [first] = outcomeOf(readBody(text, { fields: HTTP }))
    expect(first).toBe(line === '--> END' ? 'capture abc' : `capture ${text}`)
  })
})

it.each([
  ['Body:\nabcd', 'abcd'],
  ['body\nabcd', 'abcd'],
  ['\n Request Body: \t\r\nabcd', 'abcd'],
  ['Raw Payload:\nabcd', 'abcd'],
  ['-----\nabcd', 'abcd'],
  ['===\nabcd', 'abcd'],
  ['--1a2b3c4d-C--\nabcd', 'abcd'],
  ['==\nabcd', undefined],
  ['Body: a\nabcd', undefined],
  ['Response Body:\nabcd', undefined],
  ['Body:abcd', undefined],
])('a label before the body is left out: %j', (text, body) => {
  const { body: read, notes } = readBody(text, { length: 4, fields: HTTP })
  expect([fromLatin1(read), notes]).toEqual([body ?? text, []])
  const unchanged = readBody(text, { length: 4, fields: { ...HTTP, certainty: 'exact' } })
  expect(fromLatin1(unchanged.body)).toBe(text)
})

it.each([
  ["b'a\\x62'", 'ab'],
  ['b"a"', 'a'],
  ["'a'", 'a'],
  ["(b'a'\n b'b')\n", 'ab'],
  ["  b'a' ", 'a'],
  ["b'a' and more", undefined],
  ["ab'c'", undefined],
  ['"a"', undefined],
  ["(b'a", undefined],
  ['{\\x22a\\x22:1}\n', '{"a":1}'],
  ['\\X7B\\x7D', 'X7B}'],
  ["a'\\x62", "a'b"],
  ['\\x7b\\n\\x7d', undefined],
  ['\\x7g', undefined],
  ['{}', undefined],
])('a Python literal or escaped text is decoded: %j', (text, decoded) => {
  const { body, origin } = readBody(text, { fields: HTTP })
  expect([fromLatin1(body), origin]).toEqual(decoded === undefined ? [text, 'capture'] : [decoded, 'log'])
})

describe('dots of ngrep', () => {
  const fields = { ...HTTP, certainty: 'lossy' } as const

  it('can be CR before a newline, if the signature is right', () => {
    expect(outcomeOf(readBody('a.\nb', { length: 4, signed: 'a\r\nb', fields }))).toEqual(['capture a\r\nb'])
    expect(outcomeOf(readBody('a.\nb', { length: 4, fields }))).toEqual([
      'arrived a.\nb',
      `guess: ${DOT}`,
      'other: a\r\nb',
    ])
    expect(outcomeOf(readBody('a.\nb', { length: 4, signed: 'a\r\nb', fields: HTTP }))[0]).toBe('arrived a.\nb')
  })

  it('that are not at the end of a line stay', () => {
    expect(outcomeOf(readBody('a.b\n', { fields }))).toEqual([
      'capture a.b\n',
      'Without Content-Length, the newline after the body was read as part of the body.',
      `guess: ${DOT}`,
    ])
  })

  it('do not confirm a part of the body that was read in another way', () => {
    expect(outcomeOf(readBody('ab.\ncd.\n', { length: 6, fields }))[0]).not.toBe('arrived ab\r\ncd')
  })
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

  it.each(['000000003\r\nabc', '3 a\r\nabc', 'x3\r\nabc', '3', 'abc'])('are not in the body %j', (text) => {
    expect(outcomeOf(readBody(text, { headers, fields: HTTP }))[0]).toBe(`capture ${text}`)
  })
})

describe('the file of --body-file', () => {
  const note = 'curl -d sent 2 bytes: the file without its line breaks. The file has 4 bytes.'
  const FILE = 'a\r\nb'

  it.each<[string, number | undefined, boolean, object]>([
    [FILE, undefined, true, { body: 'ab', original: FILE, notes: [note] }],
    [FILE, 2, false, { body: 'ab', original: FILE, notes: [note] }],
    [FILE, 4, false, { body: FILE, notes: [] }],
    [FILE, undefined, false, { body: FILE, notes: [] }],
    [FILE, 9, false, { body: FILE, notes: [], doubt: 'Content-Length is 9, but its body has 4 bytes' }],
    [
      FILE,
      9,
      true,
      { body: 'ab', original: FILE, notes: [note], doubt: 'Content-Length is 9, but its body has 2 bytes' },
    ],
    ['ab', undefined, true, { body: 'ab', notes: [] }],
    ['ab…', undefined, false, { body: 'ab…', notes: [] }],
  ])('%j with Content-Length %j, and joined by curl: %j', (file, length, isFileJoined, expected) => {
    const headers: Header[] = length === undefined ? [] : [['Content-Length', String(length)]]
    const captured = { headers, body: undefined, isFileJoined }
    const { body, original, ...rest } = bodyOf(captured, headers, undefined, Buffer.from(file))
    const text = { body: Buffer.from(body).toString(), ...(original && { original: Buffer.from(original).toString() }) }
    expect({ ...text, ...rest }).toEqual({ origin: 'sent', ...expected })
  })
})

describe('a body that was cut', () => {
  it.each([
    ...['a…', 'a...', 'a... ', 'a… (truncated)'],
    ...['(9 hidden)', '1.2 kB more', '1kB more]', '9B more', '9 b more}})', 'a TRUNCATED'],
  ])('is doubted without Content-Length: %s', (text) => {
    const body = fromLatin1(Buffer.from(text))
    expect(readBody(body).doubt).toBe('the body was cut')
    expect(readBody(body, { length: body.length }).doubt).toBeUndefined()
    expect(readBody(body, { length: 99 }).doubt).toMatch('Content-Length is 99, but its body has')
  })

  it.each([
    '3 more items',
    '1 more item',
    '9 more characters',
    '12 more bytes>',
    '1 more byte>',
    '2 more items\n    ]\n}',
  ])('was cut by Node: %j', (text) => {
    for (const length of [undefined, 999]) {
      const { doubt } = readBody(`a ... ${text}`, length === undefined ? {} : { length })
      expect(doubt).toBe('console.log of Node cut the body')
    }
    expect(readBody(text, { length: text.length }).doubt).toBeUndefined()
  })

  it.each([
    'a..',
    '…abcd',
    'untruncated',
    'more',
    '3 more things',
    'more items',
    '3 more items in a list',
    'hidden',
    '9 kB',
    '9 MB more',
    `…${' '.repeat(9)}`,
  ])('is not: %s', (text) => {
    expect(readBody(fromLatin1(Buffer.from(text))).doubt).toBeUndefined()
  })
})

describe('a capture without a body', () => {
  it.each<[Partial<CapturedRequest>, number | undefined, boolean]>([
    [{ body: undefined }, undefined, true],
    [{ body: undefined }, 0, true],
    [{ body: latin1(''), isHttpText: true }, 1, true],
    [{ body: latin1(''), isHttpText: true }, 0, false],
    [{ body: latin1(''), isHttpText: true }, undefined, false],
    [{ body: latin1('') }, 1, false],
    [{ body: latin1('a'), isHttpText: true }, 1, false],
  ])('%j with Content-Length %j: %j', (fields, length, lacks) => {
    const headers: Header[] = length === undefined ? [] : [['Content-Length', String(length)]]
    expect(lacksBody({ headers, body: undefined, ...fields }, headers)).toBe(lacks)
  })

  it('is refused with its reason, unless a file is passed', () => {
    const captured = { headers: [], body: undefined }
    const advice = 'Use --body-file PATH to pass the file that was sent.'
    expect(() => assertBody(captured, [])).toThrow(`The capture has no body. ${advice}`)
    expect(() => assertBody({ ...captured, whyNoBody: 'has a form' }, [])).toThrow(`The capture has a form. ${advice}`)
    expect(() => bodyOf(captured, [])).toThrow(`The capture has no body. ${advice}`)
    expect(() => assertBody(captured, [], latin1('a'))).not.toThrow()
  })

  it('the error for bytes that did not arrive says why, and what to do', () => {
    expect(notTheBytes('the body was cut').message).toBe(
      'The capture does not hold the bytes that arrived: the body was cut. Record the request with listen or captureRequest, or pass --header three times and --body-file.',
    )
  })
})
