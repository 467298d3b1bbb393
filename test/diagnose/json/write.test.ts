import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../src/diagnose/json/parse.js'
import {
  dotnetString,
  hashMapOrder,
  javascriptOrder,
  phpString,
  pythonString,
  rubyString,
  rubySymbol,
  sortedOrder,
  symfonyString,
  withoutNulls,
} from '../../../src/diagnose/json/styles.js'
import { writeJson } from '../../../src/diagnose/json/write.js'

describe('the tokens of a JSON text', () => {
  it('are found in every text that JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: fc.constantFrom(...'{}[]",:1-e. \\ntrue') })), (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        if (isJson) expect(parseJson(text)).toBeDefined()
      }),
    )
  })

  it.each([
    '',
    ' ',
    '{',
    '}',
    '[1',
    '1]',
    '[1,]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '[1 2]',
    '"a',
    '1 2',
    '{"a":1]',
    '#',
  ])('are not found in %j', (text) => {
    expect(parseJson(text)).toBeUndefined()
  })

  it('are written unchanged without a style', () => {
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

  it('are not written if they would grow without limit', () => {
    const parsed = parseJson('['.repeat(20_000) + ']'.repeat(20_000))
    expect(parsed && writeJson(parsed, { spacing: { item: ',', colon: ': ', indent: '  ' } })).toBeUndefined()
  })
})

describe('the order of keys', () => {
  it.each([
    ['JavaScript: integers first', javascriptOrder, '{"b":1,"2":1,"a":1,"1":2,"b":3}', '{"1":2,"2":1,"b":3,"a":1}'],
    [
      'JavaScript: 4294967295 is not an array index',
      javascriptOrder,
      '{"4294967295":1,"1":2}',
      '{"1":2,"4294967295":1}',
    ],
    ['sorted, at every depth', sortedOrder, '{"b":1,"a":{"d":2,"c":1}}', '{"a":{"c":1,"d":2},"b":1}'],
    [
      'a HashMap of Java',
      hashMapOrder,
      '{"id":3,"event":4,"amount":2,"zeta":1}',
      '{"zeta":1,"amount":2,"id":3,"event":4}',
    ],
    ['a HashMap of 13 keys', hashMapOrder, sized(13), sized(13, [0, 1, 2, 3, 4, 5, 11, 6, 10, 7, 8, 12, 9])],
    ['without nulls', withoutNulls, '{"a":1,"b":null,"c":{"d":null}}', '{"a":1,"c":{}}'],
  ])('%s', (_, order, text, expected) => {
    const parsed = parseJson(text)
    expect(parsed && writeJson(parsed, { order })).toBe(expected)
  })
})

describe('a string', () => {
  it.each([
    ['Python, with both quotes', pythonString, `a'b"`, `'a\\'b"'`],
    ['Python, with a single quote', pythonString, "it's", '"it\'s"'],
    ['Ruby, with an interpolation', rubyString, '#{a} #b', '"\\#{a} #b"'],
    ['Ruby, as a symbol', rubySymbol, 'to_a?', ':to_a?'],
    ['Ruby, as a symbol that needs quotes', rubySymbol, 'to-do', ':"to-do"'],
    ['PHP', phpString, 'é/"', '"\\u00e9\\/\\""'],
    ['.NET', dotnetString, '\n<é"', '"\\n\\u003C\\u00E9\\u0022"'],
    ['Symfony', symfonyString, '<é"', '"\\u003C\\u00e9\\u0022"'],
  ])('%s', (_, write, text, expected) => {
    expect(write(text)).toBe(expected)
  })
})

/** Returns an object with these members, in this order. */
function sized(count: number, order = Array.from({ length: count }, (_, index) => index)): string {
  return `{${order.map((index) => `"k${index}":${index}`).join(',')}}`
}
