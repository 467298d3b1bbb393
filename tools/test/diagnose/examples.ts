// Examples of the hypotheses that no request of captured.jsonl needs, written by hand or with another implementation: the received value, and the
// value that was signed by mistake.

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
/** Each change of a text: the text before, and the text that was signed. */
export const CHANGE_EXAMPLES = [
  ['a', 'a\n'],
  ['a', 'a\r\n'],
  ['a', 'a\r'],
  ['a', 'a\n\n'],
  ['a', 'a '],
  ['a', ' a'],
  ['a', ' a '],
  ['a', '\ufeffa'],
  ['a', 'a\u200b'],
  ['a', 'a\u00a0'],
  ['a', 'a\0'],
  [' a\u200b\n', 'a'],
  ['a', '"a"'],
  ['a', "'a'"],
  ['a', "b'a'"],
  ['a', '{a}'],
  ["b'a b'", 'a b'],
  ['aB', 'ab'],
  ['aB', 'AB'],
  ['7b-7D', '{}'],
  ['a', ''],
  ['a', 'null'],
  ['a', 'None'],
  ['a', 'undefined'],
  ['a', 'nil'],
  ['a', 'NaN'],
  ['a', '[object Object]'],
] as const

/** A part of the hypothesis, the body received, and the body signed. */
export const BODY_EXAMPLES = [
  ['which arrived encoded twice', 'ZoÃ«', 'Zoë'],
  ['with CRLF for each LF', 'a\nb', 'a\r\nb'],
  ['without its line breaks', 'a\r\nb\n', 'ab'],
  ['without the white space around it', ' a b\n', 'a b'],
  ['`null` in the place of the body', '{"a":1}', 'null'],
  ['`{}` in the place of the body', '{"a":1}', '{}'],
  ['without the line break at its end', 'a\n\r\n', 'a\n'],
  ['with a CRLF after it', 'a', 'a\r\n'],
] as const

/** The JSON that serializers write in the next examples. */
export const JSON_EXAMPLE = '{"b":"é/<","a":[1.50,{}],"n":null}'

/** What each serializer writes for {@link JSON_EXAMPLE}, in the order of the serializers. */
export const JSON_EXAMPLES = [
  '{"b":"é/<","a":[1.5,{}],"n":null}',
  '{"b": "\\u00e9/<", "a": [1.5, {}], "n": null}',
  '{"b":"\\u00e9\\/<","a":[1.5,{}],"n":null}',
  '{"b":"é/\\u003c","a":[1.50,{}],"n":null}',
  '{"b": "é/<", "a": [1.5, {}], "n": null}',
  '{"b":"\\u00e9/<","a":[1.5,{}],"n":null}',
  '{"a": [1.5, {}], "b": "\\u00e9/<", "n": null}',
  '{"a":[1.5,{}],"b":"\\u00e9/<","n":null}',
  '{"a":[1.5,{}],"b":"é/\\u003c","n":null}',
  '{\n  "b": "é/<",\n  "a": [\n    1.5,\n    {}\n  ],\n  "n": null\n}',
  '{\n    "b": "é/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}',
  '{\n  "b": "\\u00e9/<",\n  "a": [\n    1.5,\n    {}\n  ],\n  "n": null\n}',
  '{\n    "b": "\\u00e9/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}',
  '{\n  "b": "é/<",\n  "a": [\n    1.5,\n    {}\n  ],\n  "n": null\n}',
  '{"b":"é/<","a":[1.5,{}],"n":null}',
  '{\n    "b": "\\u00e9\\/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}',
  '{"b":"\\u00e9/<","a":[1.5,{}],"n":null}',
  '{"b":"é\\/<","a":[1.5,{}],"n":null}',
  '{"b":"é/<","a":[1.5,{}],"n":null}',
  '{"b":"\\u00e9\\/\\u003C","a":[1.5,{}],"n":null}',
  '{"b":"\\u00E9/\\u003C","a":[1.50,{}],"n":null}',
  '{\n  "b": "é/<",\n  "a": [\n    1.5,\n    {\n    }\n  ],\n  "n": null\n}',
  '{"a":[1.50,{}],"b":"é/<","n":null}',
  '{\n  "b" : "é/<",\n  "a" : [ 1.50, { } ],\n  "n" : null\n}',
  '{"b":"é/\\u003c","a":[1.50,{}]}',
  '{"b":"é/<","a":[1.5,{}]}',
  '{"b": "\\u00e9/<", "a": [1.5, {}]}',
  '{"b":"é/\\u003c","a":[1.5,{}],"n":null}',
  '{\n   "a" : [\n      1.50,\n      {}\n   ],\n   "b" : "é/<",\n   "n" : null\n}',
  '{\n  "a": [\n    1.5,\n    {}\n  ],\n  "b": "é/<",\n  "n": null\n}',
  "{'b': 'é/<', 'a': [1.5, {}], 'n': None}",
  '{"b"=>"é/<", "a"=>[1.5, {}], "n"=>nil}',
  '{:b=>"é/<", :a=>[1.5, {}], :n=>nil}',
  '{b=é/<, a=[1.5, {}], n=null}',
  '{a=[1.5, {}], b=é/<, n=null}',
] as const

/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
