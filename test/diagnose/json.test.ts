import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnose } from '../../src/diagnose/index.js'
import { parseJson, writeJson } from '../../src/diagnose/json.js'
import {
  gsonNumber,
  javaNumber,
  javascriptNumber,
  phpNumber,
  pythonNumber,
  rubyNumber,
  rustNumber,
  unroundedIntegers,
} from '../../src/diagnose/json-numbers.js'
import { NONCE, NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../support/request.js'

const json = (text: string) => parseJson(Buffer.from(text))

/** The findings for a body that was signed as another. */
async function findingsFor(signed: string, received: string) {
  const request = signedRequest({ body: received, signature: signatureOf(TIMESTAMP, NONCE, signed, SECRET) })
  return (await diagnose(request, SECRET, { now: () => NOW })).findings
}

describe('the tokens of a JSON text', () => {
  it('are found wherever JSON.parse finds a value, and as often as it does', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: fc.constantFrom(...'{}[]",:1-e. \\ntrue') })), (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        if (isJson) expect(json(text)).toBeDefined()
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
  ])('are none of %j', (text) => {
    expect(json(text)).toBeUndefined()
  })

  it('stay as they are where nothing else is asked for', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = json(text)
        expect(parsed && String(writeJson(parsed, {}))).toBe(text)
      }),
    )
  })

  it('are written as JSON.stringify writes them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, 4), (value, spaces) => {
        const parsed = json(JSON.stringify(value, undefined, 3))
        const indent = spaces === undefined ? {} : { indent: ' '.repeat(spaces) }
        const spacing = { item: ',', colon: spaces === undefined ? ':' : ': ', ...indent }
        expect(parsed && String(writeJson(parsed, { spacing }))).toBe(JSON.stringify(value, undefined, spaces))
      }),
    )
  })

  it('are not written where they would grow beyond all reason', () => {
    const parsed = json('['.repeat(20_000) + ']'.repeat(20_000))
    expect(parsed && writeJson(parsed, { spacing: { item: ',', colon: ': ', indent: '  ' } })).toBeUndefined()
  })
})

describe('a number as a language writes it', () => {
  const columns = [pythonNumber, rubyNumber, javaNumber, phpNumber, javascriptNumber, gsonNumber, rustNumber]
  it.each([
    ['1', '1', '1', '1', '1', '1', '1.0', '1'],
    ['-0', '0', '0', '0', '0', '0', '-0.0', '0'],
    ['1.0', '1.0', '1.0', '1.0', '1', '1', '1.0', '1.0'],
    ['-0.0', '-0.0', '-0.0', '-0.0', '-0', '0', '-0.0', '-0.0'],
    ['-1.50', '-1.5', '-1.5', '-1.5', '-1.5', '-1.5', '-1.5', '-1.5'],
    ['1e3', '1000.0', '1000.0', '1000.0', '1000', '1000', '1000.0', '1000.0'],
    ['0.001', '0.001', '0.001', '0.001', '0.001', '0.001', '0.001', '0.001'],
    ['0.0001', '0.0001', '0.0001', '1.0E-4', '0.0001', '0.0001', '1.0E-4', '0.0001'],
    ['0.000012', '1.2e-05', '1.2e-05', '1.2E-5', '1.2e-5', '0.000012', '1.2E-5', '0.000012'],
    ['1e7', '10000000.0', '10000000.0', '1.0E7', '10000000', '10000000', '1.0E7', '10000000.0'],
    [
      '1e15',
      '1000000000000000.0',
      '1.0e+15',
      '1.0E15',
      '1000000000000000',
      '1000000000000000',
      '1.0E15',
      '1000000000000000.0',
    ],
    ['1e16', '1e+16', '1.0e+16', '1.0E16', '10000000000000000', '10000000000000000', '1.0E16', '1e16'],
    ['1.5e25', '1.5e+25', '1.5e+25', '1.5E25', '1.5e+25', '1.5e+25', '1.5E25', '1.5e25'],
    [
      '12345678901234567890',
      '12345678901234567890',
      '12345678901234567890',
      '12345678901234567890',
      '1.2345678901234567e+19',
      '12345678901234567000',
      '1.2345678901234567E19',
      '12345678901234567890',
    ],
    ['1700000000', '1700000000', '1700000000', '1700000000', '1700000000', '1700000000', '1.7E9', '1700000000'],
    ['1e-7', '1e-07', '1.0e-07', '1.0E-7', '1.0e-7', '1e-7', '1.0E-7', '1e-7'],
    ['1e400', '1e400', '1e400', '1e400', '1e400', '1e400', '1e400', '1e400'],
  ])('%s', (written, ...expected) => {
    expect(columns.map((language) => language(written))).toEqual(expected)
  })

  it('may be one of several that are rounded to the same', () => {
    const found = [...unroundedIntegers('1234567890123456800', 100)]
    expect(found).toContain('1234567890123456789')
    expect(found.every((integer) => Number(integer) === 1234567890123456800)).toBe(true)
  })
})

describe('the order of the keys that was signed is found', () => {
  it.each([
    ['{"1":2,"2":1,"b":3,"a":1}', '{"b":1,"2":1,"a":1,"1":2,"b":3}', 'integers first'],
    ['{"a":{"c":1,"d":2},"b":1}', '{"b":1,"a":{"d":2,"c":1}}', 'keys sorted'],
    ['{"a":{"d":2,"c":1},"b":1}', '{"b":1,"a":{"d":2,"c":1}}', 'outermost keys sorted'],
    ['{"b": 1, "aa": {"d": 2, "ccc": 1}}', '{"aa":{"ccc":1,"d":2},"b":1}', 'jsonb'],
    ['{"a":1,"c":2,"b":3}', '{"b":3,"c":2,"a":1}', 'in reverse'],
    ['{"address":1,"Born":2,"city":3}', '{"Born":2,"city":3,"address":1}', 'whatever their case'],
    ['{"Address":1,"address":2,"Born":3}', '{"Born":3,"Address":1,"address":2}', 'whatever their case'],
    ['{"zeta":1,"amount":2,"id":3,"event":4}', '{"id":3,"event":4,"amount":2,"zeta":1}', "Java's HashMap"],
    [sized(13, [0, 1, 2, 3, 4, 5, 11, 6, 10, 7, 8, 12, 9]), sized(13), "Java's HashMap"],
    ['{"b":1,"d":4,"a":2,"c":3}', '{"a":2,"b":1,"c":3,"d":4}', 'outermost keys in another order'],
    [
      '{"b":1,"d":4,"e":{"z":1,"y":2},"a":2}',
      '{"a":2,"b":1,"d":4,"e":{"z":1,"y":2}}',
      'outermost keys in another order',
    ],
  ])('%s', async (signed, received, what) => {
    expect(await findingsFor(signed, received)).toMatchObject([
      { code: 'body_json', message: expect.stringContaining(what) },
    ])
  })
})

/** An object of so many members, in the order given. */
function sized(count: number, order = Array.from({ length: count }, (_, index) => index)): string {
  return `{${order.map((index) => `"k${index}":${index}`).join(',')}}`
}

describe('the shape that was signed is found', () => {
  it.each([
    ['{"Event":"paid","UserId":1}', '{"event":"paid","userId":1}', 'PascalCase'],
    ['{"event":"paid","userId":1}', '{"Event":"paid","UserId":1}', 'camelCase'],
    ['{\n  "event": "paid",\n  "user_id": 1\n}', '{"event":"paid","userId":1}', 'snake_case'],
    ['{"user_id":1,"base_url":2}', '{"userID":1,"baseURL":2}', 'snake_case'],
    ['{"Name":"Zo\\u00EB"}', '{"name":"Zoë"}', 'PascalCase, characters beyond ASCII'],
    ['{"a":1}', '{"a":1,"b":null}', 'without the members that are null'],
    ['{"a": 1, "c": {"e": 2}}', '{"a":1,"b":null,"c":{"d":null,"e":2}}', 'without the members that are null'],
    ['{"a":[],"b":[],"u":"\\/"}', '{"a":{},"b":[],"u":"/"}', 'as PHP keeps it'],
    ['{"a":{},"b":{}}', '{"a":{},"b":[]}', 'as Lua keeps it'],
    ['{\n  "a": [\n\n  ],\n  "b": {\n  },\n  "c": [\n    1\n  ]\n}', '{"a":[],"b":{},"c":[1]}', 'pretty_generate'],
  ])('%s', async (signed, received, what) => {
    expect(await findingsFor(signed, received)).toMatchObject([
      { code: 'body_json', message: expect.stringContaining(what) },
    ])
  })
})

describe('a part of the body received, signed before it was put there, is found', () => {
  const event = '{"a":1,"b":[2]}'
  const text = JSON.stringify(event)
  it.each([
    [event, `{"id":3,"data":${event}}`, 'the value of `data`'],
    ['{"a": 1, "b": [2]}', `{"id":3,"data":${event}}`, 'the value of `data` in the body received, with `, `'],
    ['{"a":1}', '{"data":{"a": 1}}', 'without white space'],
    ['[1,2]', '{"list":[1,2]}', 'the value of `list`'],
    [event, `{"Records":[{"messageId":"1","body":${text}}]}`, 'the text of `body`'],
    [event, `{"body":"${btoa(event)}","isBase64Encoded":true}`, 'the bytes for which the text of `body`'],
    [event, `[${event}]`, 'the only element of the array'],
  ])('%s in %s', async (signed, received, what) => {
    expect(await findingsFor(signed, received)).toMatchObject([
      { code: 'body_wrapped', message: expect.stringContaining(what) },
    ])
  })

  it('but not beyond the first of so many', async () => {
    const many = `[${Array.from({ length: 40 }, (_, index) => `{"id":${index}}`).join(', ')}]`
    expect(await findingsFor('{"id":20}', many)).toMatchObject([{ code: 'body_wrapped' }])
    expect(await findingsFor('{"id":39}', many)).toMatchObject([{ code: 'signature_mismatch' }])
  })
})

describe('a large body', () => {
  const rows = (unit: string, separator: string) => `[${Array.from({ length: 7000 }, () => unit).join(separator)}]`
  it.each([
    ['without numbers and escapes', rows('{"name": "abc def"}', ', '), rows('{"name":"abc def"}', ',')],
    ['with both', rows('{"a": 1.5, "b": "\\u00e9"}', ', '), rows('{"a":1.5,"b":"é"}', ',')],
    ['sorted', rows('{"a": 1, "b": 2}', ', '), rows('{"b":2,"a":1}', ',')],
  ])('%s is found as Python writes it', async (_, signed, received) => {
    expect(received.length).toBeGreaterThan(65_536)
    expect(await findingsFor(signed, received)).toMatchObject([
      { code: 'body_json', message: expect.stringContaining('json.dumps') },
    ])
  })
})

describe('a style of which this body shows a part', () => {
  it.each([
    ['{"path":"a/b","rate":1.0e-7}', '{"path":"a\\/b","rate":1.0e-7}', 'no character escaped that need not be'],
    ['{"path": "a\\/b"}', '{"path":"a/b"}', '`/` as `\\/`)'],
    ['{"name": "Zo\\u00eb"}', '{"name":"Zoë"}', 'characters beyond ASCII as \\uXXXX)'],
  ])('%s is described by that part alone', async (signed, received, phrase) => {
    const [finding] = await findingsFor(signed, received)
    expect(finding).toMatchObject({ code: 'body_json', message: expect.stringContaining(phrase) })
  })

  it("names PHP's flags where the numbers are PHP's", async () => {
    const [finding] = await findingsFor('{"path":"a/ë","rate":1.0e-7}', '{"path":"a\\/\\u00eb","rate":1.0e-7}')
    expect(finding?.message).toContain("PHP's json_encode with JSON_UNESCAPED_SLASHES and JSON_UNESCAPED_UNICODE")
    expect(finding?.fix).toContain('PHP: ')
  })
})
