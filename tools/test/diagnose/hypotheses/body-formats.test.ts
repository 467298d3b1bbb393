/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a shell and templates read as a variable. */
import { expect, it } from 'vitest'
import { latin1 } from '../../../src/bytes.js'
import * as formats from '../../../src/diagnose/hypotheses/body-formats.js'
import { type JsonText, parseJson } from '../../../src/diagnose/json/parse.js'

const json = (text: string) => parseJson(text) as JsonText

it.each([
  ['', undefined],
  ['"a=b"', undefined],
  ['a=b c', undefined],
  ['ab=c&d=%26+x&ab=', '{"ab":"c","d":"& x","ab":""}'],
])('the form %j as JSON is %j', (text, json) => {
  expect(formats.formAsJson(text)).toBe(json)
})

it('zeros that a parser lost are added after one number, and after each', () => {
  expect([...formats.restoredFloats(json('{"a":-12,"b":13.5,"c":1,"d":"7"}'))].slice(0, 3)).toEqual([
    { detail: '-12.0', value: '{"a":-12.0,"b":13.5,"c":1,"d":"7"}' },
    { detail: '1.0', value: '{"a":-12,"b":13.5,"c":1.0,"d":"7"}' },
    { detail: 'every value', value: '{"a":-12.0,"b":13.5,"c":1.0,"d":"7"}' },
  ])
})

it.each([
  ['an empty array (`[]`) for each empty object', '{"a":[],"b":[],"c":[1],"d":{"e":1}}'],
  ['an empty object (`{}`) for each empty array', '{"a":{},"b":{},"c":[1],"d":{"e":1}}'],
  ['null for each empty array', '{"a":{},"b":null,"c":[1],"d":{"e":1}}'],
])('%s', (how, expected) => {
  const [, change] = Object.entries(formats.OTHER_VALUES).find(([name]) => name.startsWith(how)) ?? []
  const changed = change?.(json('{"a":{},"b":[],"c":[1],"d":{"e":1}}'))
  expect(changed).toBe(expected)
})

it('strings of digits become numbers', () => {
  const strings = '["12","-0.55","012","x1","1x","1.2.3","a\\"1",""]'
  expect(formats.stringsAsNumbers(json(strings))).toEqual([
    '[12,-0.55,"012","x1","1x","1.2.3","a\\"1",""]',
    '[12,-0.55,12,"x1","1x","1.2.3","a\\"1",""]',
  ])
})

it('a backslash before `uXXXX` is added once', () => {
  const text = '{"a":"u00ebu003cx","b":"\\u00eb","c":"Uluru u00e"}'
  expect(formats.restoreUnicodeEscapes(text)).toBe('{"a":"\\u00eb\\u003cx","b":"\\u00eb","c":"Uluru u00e"}')
})

it.each([
  ['{  "a": 1}', '{\n  "a": 1\n}'],
  ['{\t\t"a": 1}', '{\n\t\t"a": 1\n}'],
  ['{\n  "a": 1}', undefined],
])('the line breaks that curl removed from %j give %j', (text, restored) => {
  expect(formats.restoreLineBreaks(text)).toBe(restored)
})

it('addslashes writes a backslash before each quote, backslash and NUL', () => {
  expect(formats.addSlashes('it\'s "\\"\0')).toBe('it\\\'s \\"\\\\\\"\\0')
})

it.each([
  ['without its backslashes', 'a\\nb\\\\c', ['anb\\c', 'anbc']],
  ['variables', 'a${b}c$d1%E%', ['ac%E%', 'ac%E%', 'ac$d1%E%', 'a${b}c$d1']],
  ['`!`', 'a!', ['a\\!']],
  ['JavaScript', 'a$$1', ['a$1']],
])('code reads a body (%s): %j is %j', (how, text, read) => {
  const [, readAsCode] = Object.entries(formats.READ_AS_CODE).find(([name]) => name.includes(how)) ?? []
  expect(readAsCode?.(text)).toEqual(read)
})

it.each([
  ['a\n\r\t\\~ \x00\x7f\xff', "b'a\\n\\r\\t\\\\~ \\x00\\x7f\\xff'"],
  ["it's", 'b"it\'s"'],
  ['\'"', "b'\\'\"'"],
])('%j is %s in Python', (text, printed) => {
  expect(formats.pythonBytes(latin1(text))).toBe(printed)
})
