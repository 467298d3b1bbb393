import { expect, it } from 'vitest'
import { fromLatin1, latin1 } from '../../src/bytes.js'
import { restoredBodies } from '../../src/capture/restored-body.js'

// All bodies here are decoded as Latin-1.

/** Returns each restored body with the change that was undone. `?` means that the length may be right by chance. */
const restored = (body: string) =>
  [...restoredBodies(latin1(body))].map(
    ({ what, body: bytes, certainty }) => `${certainty === undefined ? '' : '?'}${what}: ${fromLatin1(bytes)}`,
  )

const NEWLINES = 'changed the newlines of the body'
const LINES = 'broke the body into lines'
const QUOTES = 'has typographic quotes in the body'
const ENCODING = 'saved the body in another encoding'
const HTML = 'escaped the body for HTML'
const QUOTED = 'wrote the body between quotes'
const JSON_TEXT = 'wrote the JSON of the body again'

it('a body without a newline may have lost LF or CRLF, and a body with one may have got it', () => {
  expect(restored('a.c')).toEqual(['?lost the newline of the body: a.c\n', '?lost the newline of the body: a.c\r\n'])
  expect(restored('a.\n')[0]).toBe('has a newline after the body: a.')
  expect(restored('a.\r\n')[0]).toBe('has a newline after the body: a.')
})

it.each([
  ['a\nb', NEWLINES, 'a\r\nb'],
  ['a\r\nb\r\nc', NEWLINES, 'a\nb\nc'],
  ['a\r\nb\nc', LINES, 'abc'],
  ['a\nb\n', LINES, 'a b\n'],
  ['\xe2\x80\x9ca\xe2\x80\x9f\xe2\x80\x98b\xe2\x80\x9b', QUOTES, '"a"\'b\''],
  ['a\xc2\xa0b\xc2\xa0c', 'has no-break spaces in the body', 'a b c'],
  ['{\n  a\n b', 'has spaces in place of tabs', '{\n\t\ta\n\tb'],
  ['{\n\ta\tb', 'has tabs in place of spaces', '{\n a b'],
  ['\xc3\xab\xe2\x82\xac', ENCODING, '\xeb\x80'],
  ['\\x7b\\n', 'escaped the body', '{\n'],
  ['&quot;&apos;&amp;&lt;&gt;&#39;', HTML, `"'&<>'`],
  [` b'a"\\n'  `, QUOTED, 'a"\n'],
  ['"a\nb"', QUOTED, 'a\nb'],
  ['4a4B', 'has the body in hex', 'JK'],
  ['SkpK\nSg==\n', 'has the body in base64', 'JJJJ'],
  ['{"a" : 1}', JSON_TEXT, '{"a":1}'],
  ['{"a":1,"b":[2]}', JSON_TEXT, '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}'],
  [' [1,2]', JSON_TEXT, '[1, 2]'],
])('the body %j is restored: %s', (body, what, expected) => {
  expect(restored(body).map((line) => line.replace('?', ''))).toContain(`${what}: ${expected}`)
})

it('the length does not confirm JSON, because its keys and numbers may have had another form', () => {
  const rewritten = restored('{"b": "\xc3\xab", "a": 1}').filter((line) => line.includes(JSON_TEXT))
  for (const text of ['{"b":"\xc3\xab","a":1}', '{"b":"\\u00eb","a":1}', '{"b":"\xc3\xab","a":1}\n']) {
    expect(rewritten).toContain(`?${JSON_TEXT}: ${text}`)
  }
  expect(rewritten.filter((line) => !line.startsWith('?'))).toEqual([])
})
