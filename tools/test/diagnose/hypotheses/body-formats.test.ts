/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a shell and templates read as a variable. */
import { describe, expect, it } from 'vitest'
import { latin1 } from '../../../src/bytes.js'
import * as formats from '../../../src/diagnose/hypotheses/body-formats.js'
import { type JsonText, parseJson } from '../../../src/diagnose/json/parse.js'
import { runSteps } from '../../../src/diagnose/steps.js'
import { listOf, resultOf } from './proposals.js'

const json = (text: string) => parseJson(text) as JsonText

describe('a form', () => {
  it.each([
    ['', undefined],
    ['"a=b"', undefined],
    [
      '--x\r\nContent-Disposition: form-data; name="ab"\r\n\r\n1\r\n--x\r\nContent-Type: a\r\n\r\n2\r\n--x--',
      '{"ab":"1"}',
    ],
    ['ab=c&d=%26+x&ab=', '{"ab":"c","d":"& x","ab":""}'],
  ])('%j as JSON is %j', (text, json) => {
    expect(resultOf(formats.formAsStrings(text))).toBe(json)
  })

  it('has the words of Python', () => {
    expect(resultOf(formats.formAsLiterals('a=True&b=False&c=None'))).toBe('{"a":true,"b":false,"c":null}')
  })
})

describe('JSON as a form', () => {
  it.each([
    ['nested', ' {"a":{"b":1,"c":[2,3]},"d":"x y"}', 'a%5Bb%5D=1&a%5Bc%5D%5B0%5D=2&a%5Bc%5D%5B1%5D=3&d=x+y'],
    ['null as a value', '{"a":null}', 'a='],
    ['an array', '[1]', undefined],
  ])('%s', (_, text, form) => {
    expect(runSteps(formats.jsonAsForm(json(text)))).toBe(form)
  })
})

it('the names of fields are written in each case', () => {
  expect(listOf(formats.recasedKeys(json('{"user_name":1,"orderID":{"HTTPLine2To":"a_b"}}')))).toEqual([
    { detail: 'PascalCase', value: '{"UserName":1,"OrderID":{"HTTPLine2To":"a_b"}}' },
    { detail: 'camelCase', value: '{"userName":1,"orderID":{"hTTPLine2To":"a_b"}}' },
    { detail: 'snake_case', value: '{"user_name":1,"order_id":{"http_line2_to":"a_b"}}' },
  ])
})

describe('the parts of a multipart body', () => {
  const part = (boundary: string, content: string) => `--${boundary}\r\nX: y\r\n\r\n${content}\r\n`

  it('are the bytes after the headers of each part', () => {
    const body = `${part('b', 'one')}--b\r\nno content\r\n${part('b', 'tw\r\no')}--b--\r\n`
    expect(formats.multipartParts(body)).toEqual([
      { detail: 'part 1', value: latin1('one') },
      { detail: 'part 3', value: latin1('tw\r\no') },
    ])
  })
})

it('zeros that a parser lost are added after an integer, or after one decimal', () => {
  expect(listOf(formats.restoredFloats(json('{"a":-12,"b":13.5,"c":1.25,"d":"7","e":1e5,"f":true}')))).toEqual([
    { detail: '-12.0', value: '{"a":-12.0,"b":13.5,"c":1.25,"d":"7","e":1e5,"f":true}' },
    { detail: '-12.00', value: '{"a":-12.00,"b":13.5,"c":1.25,"d":"7","e":1e5,"f":true}' },
    { detail: '13.50', value: '{"a":-12,"b":13.50,"c":1.25,"d":"7","e":1e5,"f":true}' },
  ])
})

it.each([
  ['an empty array (`[]`) for each empty object', '{"a":[],"b":[],"c":[1],"d":{"e":1}}'],
  ['an empty object (`{}`) for each empty array', '{"a":{},"b":{},"c":[1],"d":{"e":1}}'],
  ['null for each empty array', '{"a":{},"b":null,"c":[1],"d":{"e":1}}'],
])('%s', (how, expected) => {
  const [, change] = Object.entries(formats.OTHER_VALUES).find(([name]) => name.startsWith(how)) ?? []
  const changed = change?.(json('{"a":{},"b":[],"c":[1],"d":{"e":1}}'))
  expect(resultOf(changed)).toBe(expected)
})

it('strings of digits become numbers', () => {
  const strings = '["12","-0.55","012","x1","1x","1.2.3","a\\"1",""]'
  expect(listOf(formats.stringsAsNumbers(json(strings)))).toEqual([
    '[12,-0.55,"012","x1","1x","1.2.3","a\\"1",""]',
    '[12,-0.55,12,"x1","1x","1.2.3","a\\"1",""]',
  ])
})

it('a backslash before `uXXXX` is added once', () => {
  const text = '{"a":"u00ebu003cx","b":"\\u00eb","c":"Uluru u00e"}'
  expect(runSteps(formats.restoreUnicodeEscapes(text))).toBe('{"a":"\\u00eb\\u003cx","b":"\\u00eb","c":"Uluru u00e"}')
})

it.each([
  ['{  "a": 1}', '{\n  "a": 1\n}'],
  ['{\t\t"a": 1}', '{\n\t\t"a": 1\n}'],
  ['{\n  "a": 1}', undefined],
])('the line breaks that curl removed from %j give %j', (text, restored) => {
  expect(resultOf(formats.restoreLineBreaks(text))).toBe(restored)
})

it('the fields of a form, and a body that is not a form has none', () => {
  expect(listOf(formats.formFields('a=x+y&b=%7B'))).toEqual([
    { detail: 'a', value: 'x y' },
    { detail: 'b', value: '{' },
  ])
  expect(listOf(formats.formFields('{"a":"b=c"}'))).toEqual([])
})

it('addslashes writes a backslash before each quote, backslash and NUL', () => {
  expect(runSteps(formats.addSlashes('it\'s "\\"\0'))).toBe('it\\\'s \\"\\\\\\"\\0')
})

it.each([
  [
    'printf',
    '100%% %d|%5d|%-3d|%03d|%4s|%02s|%2F|%010f|%-9f|%x|%b|\\n\\"|',
    ['100% 0|    0|0  |000|    |  |0.000000|000.000000|0.000000 |0||\n"|'],
  ],
  ['without its backslashes', 'a\\nb\\\\c', ['anb\\c', 'anbc']],
  ['variables', 'a${b}c$d1%E%', ['ac%E%', 'ac%E%', 'ac$d1%E%', 'a${b}c$d1']],
  ['`!`', 'a!', ['a\\!']],
])('code reads a body (%s): %j is %j', (how, text, read) => {
  const [, readAsCode] = Object.entries(formats.READ_AS_CODE).find(([name]) => name.includes(how)) ?? []
  expect(listOf(readAsCode?.(text) ?? [])).toEqual(read)
})

it.each([
  ['JavaScript', 'a$&b$$c', ['abodyb$c', 'a$bodyb$c']],
  ['JavaScript', 'a$$1', ['a$1']],
  ['JavaScript', 'a$1', ['a$1']],
])('a template of %s with the body has %j', (how, text, first) => {
  const [, readAsCode] = Object.entries(formats.READ_AS_CODE).find(([name]) => name.includes(how)) ?? []
  expect(listOf(readAsCode?.(text) ?? []).slice(0, 2)).toEqual(first)
})

it('escapes are replaced as echo and printf do, and an unknown one stays: printf alone replaces `\\"`', () => {
  const rows = Object.entries(formats.READ_AS_CODE).filter(([how]) => how.includes('escapes replaced'))
  const replaced = (text: string) => rows.flatMap(([, replace]) => listOf(replace(text)))
  expect(replaced('\\n\\r\\t\\b\\f\\\\\\"\\x4a\\u00Eb')).toEqual(['\n\r\t\b\f\\\\"J\xeb', '\n\r\t\b\f\\"J\xeb'])
  expect(replaced('C:\\Temp\\New\\X41\\q')).toEqual(Array(2).fill('C:\\Temp\\New\\X41\\q'))
})

it.each([
  ['a\n\r\t\\~ \x00\x7f\xff', "b'a\\n\\r\\t\\\\~ \\x00\\x7f\\xff'"],
  ["it's", 'b"it\'s"'],
  ['\'"', "b'\\'\"'"],
])('%j is %s in Python', (text, printed) => {
  expect(resultOf(formats.pythonBytes(latin1(text)))).toBe(printed)
})
