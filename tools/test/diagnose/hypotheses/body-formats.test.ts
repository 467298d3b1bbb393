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

  it.each(['0', '-1', '10', '1.25', '-0.50', 'true', 'false', 'null'])('has the literal %s', (value) => {
    expect(resultOf(formats.formAsLiterals(`a=${value}`))).toBe(`{"a":${value}}`)
  })

  it.each(['01', '1.', '.5', '1e5', 'x1', '1x', 'truely', 'untrue', ''])('has the string %j', (value) => {
    expect(resultOf(formats.formAsLiterals(`a=${value}`))).toBe(`{"a":${JSON.stringify(value)}}`)
  })

  it.each([
    ['a=b c*&d=(1)', 'a=b+c*&d=%281%29', 'a=b%20c%2A&d=%281%29'],
    ['{"a":1}', undefined, undefined],
  ])('%j is encoded again as %j or %j', (text, withPlus, withPercent) => {
    expect(resultOf(formats.formWithPlus(text.replace(' ', '+')))).toBe(withPlus)
    expect(resultOf(formats.formWithPercent(text.replace(' ', '+')))).toBe(withPercent)
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

  it('has every element of a long array, in the same order', () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => index)
    const form = runSteps(formats.jsonAsForm(json(JSON.stringify({ a: numbers }))))
    expect(form?.split('&').map((field) => Number(field.split('=')[1]))).toEqual(numbers)
  })

  it('is made of at most 2^17 tokens', () => {
    const form = (length: number) => runSteps(formats.jsonAsForm(json(`{"a":[${'1,'.repeat(length - 1)}1]}`)))
    // The braces, the brackets and the key are tokens too.
    expect(form(2 ** 17 - 5)).toBeDefined()
    expect(form(2 ** 17 - 4)).toBeUndefined()
  })
})

describe('the parts of a JSON text', () => {
  it('are its objects, arrays and longer texts', () => {
    const body = '{"data":{"a":[1, 2]},"text":"abc def\\tgh","short":"abcdefgh","file":"YWJjZGVmZw==","n":123456789012}'
    expect(listOf(formats.jsonParts(json(body)))).toEqual([
      { detail: 'value of `data`', value: '{"a":[1, 2]}' },
      { detail: 'value of `a`', value: '[1, 2]' },
      { detail: 'text of `text`', value: 'abc def\tgh' },
      { detail: 'text of `file`', value: 'YWJjZGVmZw==' },
      { detail: 'base64 of `file`, decoded,', value: latin1('abcdefg') },
    ])
  })

  it('are at most 32, and show at most 64 characters of a name', () => {
    expect(listOf(formats.jsonParts(json(`[${'{},'.repeat(40)}{}]`)))).toHaveLength(32)
    expect(listOf(formats.jsonParts(json(`{"${'n'.repeat(65)}":{}}`)))).toEqual([
      { detail: `value of \`${'n'.repeat(64)}\``, value: '{}' },
    ])
  })
})

it('the names of fields are written in each case', () => {
  expect(listOf(formats.recasedKeys(json('{"user_name":1,"orderID":{"HTTPLine2To":"a_b"}}')))).toEqual([
    { detail: 'PascalCase', value: '{"UserName":1,"OrderID":{"HTTPLine2To":"a_b"}}' },
    { detail: 'camelCase', value: '{"userName":1,"orderID":{"hTTPLine2To":"a_b"}}' },
    { detail: 'snake_case', value: '{"user_name":1,"order_id":{"http_line2_to":"a_b"}}' },
  ])
})

it('members are removed one at a time, at most 32, and show at most 64 characters of a name', () => {
  const name = 'n'.repeat(65)
  expect(listOf(formats.withoutMember(json(`{"${name}":1, "b":2}`)))).toEqual([
    { detail: 'n'.repeat(64), value: '{"b":2}' },
    { detail: 'b', value: `{"${name}":1}` },
  ])
  expect(listOf(formats.withoutMember(json(`{${'"a":1,'.repeat(40)}"b":2}`)))).toHaveLength(32)
})

it('a function that reads many tokens lets other work run after each 2^13 of them', () => {
  const numbers = `"a":[${'1,'.repeat(20_000)}1]`
  expect([...formats.jsonAsForm(json(`{${numbers}}`))]).toEqual([2 ** 13, 2 ** 13])
  expect([...formats.jsonParts(json(`{${numbers}}`))].slice(1)).toEqual([2 ** 13, 2 ** 13])
  // The 20 006 tokens are read, and written again, which costs 10 per token.
  const costs = [2 ** 13, 2 ** 13, 10 * 2 ** 13, 10 * 2 ** 13, 10 * (20_006 % 2 ** 13)]
  expect([...formats.numbersAsStrings(json(`{${numbers}}`))]).toEqual(costs)
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

it('if a parser lost zeros of several numbers, all of them come first', () => {
  expect(listOf(formats.restoredFloats(json('[1,2.5,3]'))).slice(0, 3)).toEqual([
    { detail: 'every value', value: '[1.0,2.5,3.0]' },
    { detail: '1.0', value: '[1.0,2.5,3]' },
    { detail: '3.0', value: '[1,2.5,3.0]' },
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
  expect(listOf(formats.stringsAsNumbers(json('[1]')))).toEqual([])
  expect(listOf(formats.oneNumberAsString(json(`[${'1,'.repeat(64)}1]`)))).toHaveLength(64)
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

it('the fields of a form are at most 32, and a body that is not a form has none', () => {
  expect(listOf(formats.formFields('a=x+y&b=%7B'))).toEqual([
    { detail: 'a', value: 'x y' },
    { detail: 'b', value: '{' },
  ])
  expect(listOf(formats.formFields('a=1&'.repeat(40)))).toHaveLength(32)
  expect(listOf(formats.formFields('{"a":"b=c"}'))).toEqual([])
  expect(listOf(formats.formFields(`${'n'.repeat(65)}=1`))).toEqual([{ detail: 'n'.repeat(64), value: '1' }])
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
  ['[]', []],
  ['{}', []],
  [' { "a" : 1 } ', [{ detail: 'a', value: ' { } ' }]],
  [
    '{"a":1, "b":[2] ,"c":3}',
    [
      { detail: 'a', value: '{"b":[2] ,"c":3}' },
      { detail: 'b', value: '{"a":1 ,"c":3}' },
      { detail: 'c', value: '{"a":1, "b":[2]}' },
    ],
  ],
])('%j without one member is %j', (text, expected) => {
  expect(listOf(formats.withoutMember(json(text)))).toEqual(expected)
})

it.each([
  ['a\n\r\t\\~ \x00\x7f\xff', "b'a\\n\\r\\t\\\\~ \\x00\\x7f\\xff'"],
  ["it's", 'b"it\'s"'],
  ['\'"', "b'\\'\"'"],
])('%j is %s in Python', (text, printed) => {
  expect(resultOf(formats.pythonBytes(latin1(text)))).toBe(printed)
})
