import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../src/diagnose/json/parse.js'
import { writeJson } from '../../../src/diagnose/json/write.js'

describe('the tokens of a JSON text', () => {
  it('are found wherever JSON.parse finds a value', () => {
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

  it('are written as they are without a style', () => {
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

  it('are not written where they would grow without limit', () => {
    const parsed = parseJson('['.repeat(20_000) + ']'.repeat(20_000))
    expect(parsed && writeJson(parsed, { spacing: { item: ',', colon: ': ', indent: '  ' } })).toBeUndefined()
  })
})
