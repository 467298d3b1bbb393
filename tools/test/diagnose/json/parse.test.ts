import { describe, expect, it } from 'vitest'
import { fc } from '../../../../test/support/fast-check.js'
import { jsonValue, membersOf, parseJson, textOf } from '../../../src/diagnose/json/parse.js'

/** `jsonValue` calls JSON.parse. */
const isJson = (text: string) => jsonValue(text) !== undefined

describe('a text has tokens', () => {
  it('if and only if JSON.parse accepts it: all texts of up to 5 of these tokens', () => {
    const tokens = ['{', '}', '[', ']', ',', ':', '"a"']
    let texts = ['']
    const wrong: string[] = []
    for (let length = 0; length <= 5; length++) {
      for (const text of texts) if ((parseJson(text) !== undefined) !== isJson(text)) wrong.push(text)
      texts = texts.flatMap((text) => tokens.map((token) => text + token))
    }
    expect(wrong).toEqual([])
  })

  it('if JSON.parse accepts it: longer texts', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: fc.constantFrom(...'{}[]",:1-e. \\ntrue') })), (text) => {
        if (isJson(text)) expect(parseJson(text)).toBeDefined()
      }),
    )
  })

  it('if JSON.parse accepts it: texts with one mistake', () => {
    const wrong =
      '{a:1} {"a":1,} {"a":1] [1} {"a"} {1:2} [1,] [,1] [1,,2] [1:2] {"a",1} {"a":1:2} 1, ] 01 tru # [#] ["\\"]'
    for (const text of ['', '[NaN, -Infinity]', '{"a":1 2}', '1 2', '\u00a01', '["a\nb"]', ...wrong.split(' ')])
      expect(parseJson(text), text).toBeUndefined()
    for (const text of [' 1\r\n', '["\\\\"]', '""']) expect(parseJson(text), text).toBeDefined()
  })

  it('if they are at most 2^17, in at most 2^18 characters', () => {
    const array = (length: number) => `[${'1,'.repeat(length - 1)}1]`
    expect(parseJson(array(2 ** 17 - 2))).toBeDefined()
    expect(parseJson(array(2 ** 17 - 1))).toBeUndefined()
    expect([2, 1].map((rest) => parseJson(JSON.stringify('a'.repeat(2 ** 18 - rest))))).toEqual([
      expect.anything(),
      undefined,
    ])
  })

  it('if they are nested at most 1024 deep', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`
    expect(parseJson(nested(1024))).toBeDefined()
    expect(parseJson(nested(1025))).toBeUndefined()
  })
})

it('only a token that opens an object or array has the index of the token that closes it', () => {
  expect(parseJson('{"a":[1],"b":{}}')).toMatchObject({
    kinds: Uint8Array.of(1, 5, 3, 7, 4, 5, 1, 2, 2),
    starts: Int32Array.of(0, 1, 5, 6, 7, 9, 13, 14, 15),
    ends: Int32Array.of(1, 4, 6, 7, 8, 12, 14, 15, 16),
    closes: Int32Array.of(8, 0, 4, 0, 0, 0, 7, 0, 0),
  })
})

it.each([
  ['"a\\nb"', 'a\nb'],
  ['"\\u00e9"', 'é'],
  ['"a b"', 'a b'],
])('the text of the string %s is decoded', (string, text) => {
  const json = parseJson(string)
  expect(json && textOf(json, 0)).toBe(text)
})

it('an object has members, with their keys decoded', () => {
  const json = parseJson('{"\\u0061":[{"x":1}],"b":2}')
  expect(json && [...membersOf(json, 0)]).toEqual([
    { key: 'a', from: 1, to: 8 },
    { key: 'b', from: 8, to: 10 },
  ])
})
