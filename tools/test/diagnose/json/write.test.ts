import { describe, expect, it } from 'vitest'
import { fc } from '../../../../test/support/fast-check.js'
import { type JsonText, parseJson } from '../../../src/diagnose/json/parse.js'
import {
  COMPACT,
  dotnetString,
  gsonString,
  hashMapOrder,
  javascriptOrder,
  OLD_RUBY,
  pythonString,
  rubyString,
  rubySymbol,
  sortedOrder,
  symfonyString,
  withoutNulls,
} from '../../../src/diagnose/json/styles.js'
import { type Arrange, type JsonStyle, writeInSteps, writeJson } from '../../../src/diagnose/json/write.js'

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

  it('are written as an old Ruby writes empty objects and arrays', () => {
    const parsed = parseJson('{"a":{},"b":[]}')
    expect(parsed && writeJson(parsed, { spacing: OLD_RUBY })).toBe('{\n  "a": {\n  },\n  "b": [\n\n  ]\n}')
  })

  it('are escaped if any serializer escapes one of their characters', () => {
    const parsed = parseJson('["=","\'","+","`","<",">","&","/","\\u007f"]')
    const written = parsed && writeJson(parsed, { escaping: (text) => JSON.stringify(`${text}!`) })
    expect(written).toBe('["=!","\'!","+!","`!","<!",">!","&!","/!","\x7f!"]')
  })

  it('are written in steps of 2^13 tokens, each of which costs as much as 10 characters', () => {
    const object = `{${'"a":1,'.repeat(2 ** 13)}"a":1}`
    const json = parseJson(object)
    const order: Arrange = (members) => members
    expect(written(json, {})).toEqual([object, 81_920, 81_920, 81_920, 81_920, 40])
    expect(written(json, { order })).toEqual([object, 81_920, 81_930, 81_940, 81_920, 81_920, 40])
    expect(written(json, { order })).toEqual([object, 81_920, 81_920, 40])
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
  ['a HashMap of Java', hashMapOrder, '{"id":3,"amount":2,"zeta":1}', '{"zeta":1,"amount":2,"id":3}'],
  // This is the order in which Java 17 prints them.
  ['a HashMap of 12 keys', hashMapOrder, sized(12), sized(12, [11, 8, 6, 0, 3, 7, 5, 2, 1, 10, 4, 9])],
  ['a HashMap of 13 keys', hashMapOrder, sized(13), sized(13, [4, 11, 8, 6, 0, 3, 7, 5, 2, 1, 10, 12, 9])],
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
  ['Ruby, as a symbol', rubySymbol, 'to_a?', ':to_a?'],
  ['Ruby, as a symbol that needs quotes', rubySymbol, 'to-do', ':"to-do"'],
  ['Gson', gsonString, "a=b'", '"a\\u003db\\u0027"'],
  ['.NET', dotnetString, '\n<é"', '"\\n\\u003C\\u00E9\\u0022"'],
  ['Symfony', symfonyString, '<é"', '"\\u003C\\u00e9\\u0022"'],
])('a string: %s', (_, write, text, expected) => {
  expect(write(text)).toBe(expected)
})

/** Returns the text that is written, and the cost of each step. */
function written(json: JsonText | undefined, style: JsonStyle): unknown[] {
  const steps = writeInSteps(json as JsonText, style)
  const costs: number[] = []
  let step = steps.next()
  for (; !step.done; step = steps.next()) costs.push(step.value)
  return [step.value, ...costs]
}

/** Returns an object with these members, in this order. */
function sized(count: number, order = Array.from({ length: count }, (_, index) => index)): string {
  return `{${order.map((index) => `"field${7 * index}":${index}`).join(',')}}`
}
