import { describe, expect, it } from 'vitest'
import { fc } from '../../../../test/support/fast-check.js'
import { type JsonText, parseJson } from '../../../src/diagnose/json/parse.js'
import {
  COMPACT,
  dotnetString,
  gsonString,
  javascriptOrder,
  pythonString,
  rubyString,
  sortedOrder,
  symfonyString,
  withoutNulls,
} from '../../../src/diagnose/json/styles.js'
import { writeJson } from '../../../src/diagnose/json/write.js'

describe('the tokens of a JSON text', () => {
  it('are written unchanged without a style', () => {
    const spaced = ' { "a" : [ 1 ,\t2 ] }\n'
    const parsed = parseJson(spaced)
    expect(parsed && writeJson(parsed, {})).toBe(spaced)
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = parseJson(text)
        expect(parsed && writeJson(parsed, {})).toBe(text)
      }),
    )
  })

  it('are written as JSON.stringify writes them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, 4), (value, spaces) => {
        const parsed = parseJson(JSON.stringify(value, undefined, 3))
        const indent = spaces === undefined ? {} : { indent: ' '.repeat(spaces) }
        const spacing = { item: ',', colon: spaces === undefined ? ':' : ': ', ...indent }
        expect(parsed && writeJson(parsed, { spacing })).toBe(JSON.stringify(value, undefined, spaces))
      }),
    )
  })

  it('are escaped if any serializer escapes one of their characters', () => {
    const parsed = parseJson('["=","\'","+","`","<",">","&","/","\\u007f"]')
    const written = parsed && writeJson(parsed, { escaping: (text) => JSON.stringify(`${text}!`) })
    expect(written).toBe('["=!","\'!","+!","`!","<!",">!","&!","/!","\x7f!"]')
  })

  it('are not written if they would grow without limit', () => {
    const digits = (length: number) =>
      writeJson(parseJson('1') as JsonText, { spacing: COMPACT, number: () => '1'.repeat(length) })
    expect(digits(8 + 4096)).toHaveLength(8 + 4096)
    expect(digits(8 + 4097)).toBeUndefined()
  })
})

it.each([
  ['JavaScript: integers first', javascriptOrder, '{"b":1,"2":1,"a":1,"1":2,"b":3}', '{"1":2,"2":1,"b":3,"a":1}'],
  ['sorted, at every depth', sortedOrder, '{"b":1,"a":{"d":2,"c":1}}', '{"a":{"c":1,"d":2},"b":1}'],
  ['without nulls', withoutNulls, '{"a":1,"b":null,"c":{"d":null}}', '{"a":1,"c":{}}'],
])('the order of keys: %s', (_, order, text, expected) => {
  const parsed = parseJson(text)
  expect(parsed && writeJson(parsed, { order })).toBe(expected)
})

it('keys that look almost like array indices have the same order as in JSON.stringify', () => {
  const keys = ['z', '01', '1a', 'a1', '-1', '4294967296', '4294967295', '4294967294', '10000000000', '12', '7', '0']
  const text = `{${keys.map((key) => `"${key}":1`).join(',')}}`
  const parsed = parseJson(text)
  expect(parsed && writeJson(parsed, { order: javascriptOrder })).toBe(JSON.stringify(JSON.parse(text)))
})

it.each([
  ['Python, with both quotes', pythonString, `a'b"`, `'a\\'b"'`],
  ['Python, with a single quote', pythonString, "it's", '"it\'s"'],
  ['Ruby, with an interpolation', rubyString, '#{a} #b', '"\\#{a} #b"'],
  ['Gson', gsonString, "a=b'", '"a\\u003db\\u0027"'],
  ['.NET', dotnetString, '\n<é"', '"\\n\\u003C\\u00E9\\u0022"'],
  ['Symfony', symfonyString, '<é"', '"\\u003C\\u00e9\\u0022"'],
])('a string: %s', (_, write, text, expected) => {
  expect(write(text)).toBe(expected)
})
