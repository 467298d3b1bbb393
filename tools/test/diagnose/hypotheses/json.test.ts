import { expect, it } from 'vitest'
import { latin1, utf8 } from '../../../src/bytes.js'
import { JSON_HYPOTHESES, JSON_WRITERS } from '../../../src/diagnose/hypotheses/json.js'
import { parseJson } from '../../../src/diagnose/json/parse.js'
import { writeJson } from '../../../src/diagnose/json/write.js'
import { CONTEXT } from './proposals.js'

/** The JSON that serializers write in the next examples. */
const EXAMPLE = '{"b":"é/<","a":[1.50,{}],"n":null}'

/** What each serializer writes for {@link EXAMPLE}, in the order of the serializers. */
const EXAMPLES = [
  ...['{"b":"é/<","a":[1.5,{}],"n":null}', '{"b": "\\u00e9/<", "a": [1.5, {}], "n": null}'],
  ...['{"b":"\\u00e9\\/<","a":[1.5,{}],"n":null}', '{"b":"é/\\u003c","a":[1.50,{}],"n":null}'],
  ...['{"b": "é/<", "a": [1.5, {}], "n": null}', '{"b":"\\u00e9/<","a":[1.5,{}],"n":null}'],
  ...['{"a": [1.5, {}], "b": "\\u00e9/<", "n": null}', '{"a":[1.5,{}],"b":"\\u00e9/<","n":null}'],
  ...['{"a":[1.5,{}],"b":"é/\\u003c","n":null}', '{\n  "b": "é/<",\n  "a": [\n    1.5,\n    {}\n  ],\n  "n": null\n}'],
  ...['{\n    "b": "é/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}'],
  ...['{\n  "b": "\\u00e9/<",\n  "a": [\n    1.5,\n    {}\n  ],\n  "n": null\n}'],
  ...['{\n    "b": "\\u00e9/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}'],
  ...['{\n  "b": "é/<",\n  "a": [\n    1.5,\n    {}\n  ],\n  "n": null\n}', '{"b":"é/<","a":[1.5,{}],"n":null}'],
  ...['{\n    "b": "\\u00e9\\/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}'],
  ...['{"b":"\\u00e9/<","a":[1.5,{}],"n":null}', '{"b":"é\\/<","a":[1.5,{}],"n":null}'],
  ...['{"b":"é/<","a":[1.5,{}],"n":null}', '{"b":"\\u00e9\\/\\u003C","a":[1.5,{}],"n":null}'],
  ...['{"b":"\\u00E9/\\u003C","a":[1.50,{}],"n":null}'],
  '{"b":"é/\\u003c","a":[1.50,{}]}',
  ...['{"b":"é/<","a":[1.5,{}]}', '{"b": "\\u00e9/<", "a": [1.5, {}]}', '{"b":"é/\\u003c","a":[1.5,{}],"n":null}'],
  ...['{\n   "a" : [\n      1.50,\n      {}\n   ],\n   "b" : "é/<",\n   "n" : null\n}'],
  ...['{\n  "a": [\n    1.5,\n    {}\n  ],\n  "b": "é/<",\n  "n": null\n}'],
  ...['{"a":[1.5,{}],"b":"é/<","n":null}', '{"a": [1.5, {}], "b": "\\u00e9/<", "n": null}'],
  ...['{"a":[1.5,{}],"b":"\\u00e9\\/<","n":null}', '{"a": [1.50, {}], "b": "é/<", "n": null}'],
  ...['{"a":[1.5,{}],"b":"é/<","n":null}', '{"a": [1.5, {}], "b": "\\u00e9/<", "n": null}'],
  ...['{"a":[1.5,{}],"b":"\\u00e9\\/<","n":null}', "{'b': 'é/<', 'a': [1.5, {}], 'n': None}"],
  ...['{"b"=>"é/<", "a"=>[1.50, {}], "n"=>nil}', '{b=é/<, a=[1.5, {}], n=null}'],
  ...['{a=[1.5, {}], b=é/<, n=null}'],
]

it('each serializer writes its JSON', () => {
  const json = parseJson(EXAMPLE)
  expect(JSON_WRITERS.map(({ style }) => json && writeJson(json, style))).toEqual(EXAMPLES)
})

it('JSON in any encoding is written again', () => {
  const apply = (body: Uint8Array) => JSON_HYPOTHESES[0]?.apply(body, CONTEXT)
  const written = (...values: Uint8Array[]) => ({ variants: values.map((value) => ({ detail: '', value })) })
  expect(apply(utf8('{"a": "\xeb"}'))).toEqual(written(utf8('{"a":"\xeb"}')))
  expect(apply(latin1('{"a": "\xeb"}'))).toEqual(written(latin1('{"a":"\xeb"}')))
  expect(apply(utf8('{"a": 1'))).toBeUndefined()
  // White space at the end of the body may have been added to what was signed, too.
  expect(apply(utf8('{"a": 1}\n'))).toEqual(written(utf8('{"a":1}\n'), utf8('{"a":1}')))
  // If only that white space differs, the JSON was not written again.
  expect(apply(utf8('{"a":1}\n'))).toEqual(written(utf8('{"a":1}\n')))
  expect(JSON_HYPOTHESES[0]).toMatchObject({ likelihood: 'common', code: 'body_json', fix: 'serialize_once' })
})
