import { expect, it } from 'vitest'
import { fromBase64, fromHex, fromWindows1252, latin1, windows1252, withCrlf, withoutLineBreaks } from '../src/bytes.js'

it.each([
  ['', undefined],
  ['a', undefined],
  ['YQ==', 'a'],
  ['YWI', 'ab'],
  ['+/+/', '\xfb\xff\xbf'],
  ['-_-_', '\xfb\xff\xbf'],
])('base64 %j is %j', (text, bytes) => {
  expect(fromBase64(text)).toEqual(bytes === undefined ? undefined : latin1(bytes))
})

it.each([
  ['', undefined],
  ['c3a', undefined],
  ['C3a9', '\xc3\xa9'],
  ['zz', undefined],
])('hex %j is %j', (text, bytes) => {
  expect(fromHex(text)).toEqual(bytes === undefined ? undefined : latin1(bytes))
})

it('Windows-1252 encodes characters that Latin-1 lacks', () => {
  expect(windows1252('a€Ÿé')).toEqual(latin1('a\x80\x9f\xe9'))
  expect(fromWindows1252(latin1('a\x80\x9f\xe9'))).toBe('a€Ÿé')
  expect(windows1252('a\x80\x81')).toEqual(latin1('a\x80\x81'))
  for (const text of ['漢', 'a漢', '漢a']) expect(windows1252(text)).toBeUndefined()
})

it("curl's -d removes line feeds, carriage returns and NULs", () => {
  expect(withoutLineBreaks(latin1('a\nb\rc\0d\te'))).toEqual(latin1('abcd\te'))
})

it.each([
  ['a\nb\r\n\nc', 'a\r\nb\r\n\r\nc'],
  ['\ra\r\r\n\r', '\ra\r\r\n\r'],
  ['', ''],
])('the line breaks of %j as CRLF', (text, expected) => {
  expect(withCrlf(text)).toBe(expected)
})
