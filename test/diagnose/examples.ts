// One example per hypothesis, written by hand: the received value, and the value that was signed by mistake. The keys are the
// phrases of the hypotheses. Bytes that are not UTF-8 are written as `hex:…`.

type Pairs = { readonly [what: string]: readonly [received: string, signed: string] }
type Outputs = { readonly [what: string]: string }

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
/** The secret, and the key. */
export const SECRET_EXAMPLES: Pairs = {
  'the secret and a line feed (LF) after it': ['abc', 'abc\n'],
  'the secret without {}': ['abc\n', 'abc'],
  'the secret decoded from base64 or base64url': ['w6k-', 'hex:c3a93e'],
  'the secret decoded from hex': ['c3A93e', 'hex:c3a93e'],
  'the secret without its prefix, decoded from base64': ['whsec_w6k+', 'hex:c3a93e'],
  'the secret between double quotes': ['abc', '"abc"'],
  'the secret and a space after it': ['abc', 'abc '],
  'the secret and a space before it': ['abc', ' abc'],
  'the secret and a CRLF (carriage return and line feed) after it': ['abc', 'abc\r\n'],
  'the secret between single quotes': ['abc', "'abc'"],
  'the secret without the quotes around it': ['"abc"', 'abc'],
  'the secret without its prefix': ['sk_live_abc', 'abc'],
  '`whsec_` and the secret': ['abc', 'whsec_abc'],
  'the secret in base64': ['é>', 'w6k+'],
  'the secret in Latin-1 instead of UTF-8': ['é>', 'hex:e93e'],
  'the secret in UTF-16 (little-endian)': ['é>', 'hex:e9003e00'],
  "the bytes of the secret's SHA-256": ['abc', 'hex:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  "the secret's SHA-256 in hex": ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  "the secret's MD5 in hex": ['abc', '900150983cd24fb0d6963f7d28e17f72'],
  'the secret without the `=` at its end': ['abc==', 'abc'],
  'the secret with `+` and `/` for its `-` and `_`, and with `=` at its end': ['a-b_cd', 'a+b/cd=='],
  'the secret up to a `#`, which begins a comment in a .env file': ['ab #c', 'ab'],
  'the secret without what a shell takes for a variable (`$…`)': ['a$bc-d', 'a-d'],
  'the secret in uppercase': ['aBC', 'ABC'],
  'the secret percent-encoded': ['a+b/', 'a%2Bb%2F'],
  'an empty secret': ['abc', ''],
  'the text `undefined` as the secret': ['abc', 'undefined'],
  'the text `null` as the secret': ['abc', 'null'],
  'the text `None` as the secret': ['abc', 'None'],
  'the text `WEBHOOK_SECRET` as the secret': ['abc', 'WEBHOOK_SECRET'],
  'the text `$WEBHOOK_SECRET` as the secret': ['abc', '$WEBHOOK_SECRET'],
  'the text `${WEBHOOK_SECRET}` as the secret': ['abc', '${WEBHOOK_SECRET}'],
  'the text `$SIGNING_SECRET` as the secret': ['abc', '$SIGNING_SECRET'],
  'the text `process.env.WEBHOOK_SECRET` as the secret': ['abc', 'process.env.WEBHOOK_SECRET'],
  'the text `/run/secrets/webhook_secret` as the secret': ['abc', '/run/secrets/webhook_secret'],
  'the text `secret` as the secret': ['abc', 'secret'],
  'the text `changeme` as the secret': ['abc', 'changeme'],
}

/** X-Nonce of a request that also has `X-Request-ID: the-request-id`, and the nonce that was signed. */
export const NONCE_EXAMPLES: Pairs = {
  'the nonce in lowercase': ['A-b', 'a-b'],
  'the nonce in uppercase': ['A-b', 'A-B'],
  'the nonce without its dashes': ['a-b-c', 'abc'],
  'an empty nonce': ['abc', ''],
  '`null` for the nonce': ['abc', 'null'],
  '`undefined` for the nonce': ['abc', 'undefined'],
  '`None` for the nonce': ['abc', 'None'],
  'the nonce with a line feed (LF) after it': ['abc', 'abc\n'],
  'the nonce between quotes': ['abc', '"abc"'],
  'the nonce without the quotes or brackets around it': ['{aB}', 'aB'],
  'the nonce without the braces around it, in lowercase': ['{aB}', 'ab'],
  'the value of the header {} for the nonce': ['abc', 'the-request-id'],
}

/** X-Timestamp, and the timestamp that was signed. */
export const TIMESTAMP_EXAMPLES: Pairs = {
  'the timestamp in milliseconds': ['1700000000', '1700000000000'],
  'a timestamp {} than in the header': ['1700000000', '1700000001'],
  'a timestamp of another moment, {} than in the header': ['1700000000', '1699999960'],
  'the timestamp in ISO 8601': ['1700000000', '2023-11-14T22:13:20Z'],
  'the timestamp in ISO 8601 with milliseconds': ['1700000000', '2023-11-14T22:13:20.000Z'],
  'the timestamp in ISO 8601 with `+00:00`': ['1700000000', '2023-11-14T22:13:20+00:00'],
  'the timestamp as Go prints a time': ['1700000000', '2023-11-14 22:13:20 +0000 UTC'],
  'the timestamp as Ruby prints a time': ['1700000000', '2023-11-14 22:13:20 UTC'],
  'the timestamp in RFC 1123': ['1700000000', 'Tue, 14 Nov 2023 22:13:20 GMT'],
  'the timestamp as a float': ['1700000000', '1700000000.0'],
  'the timestamp in nanoseconds': ['1700000000', '1700000000000000000'],
  'an empty timestamp': ['1700000000', ''],
  'U+FFFD for the timestamp (Go: string(number))': ['1700000000', '\ufffd'],
}

/** The body received, and the body signed. */
export const BODY_EXAMPLES: Pairs = {
  'the text inside the JSON string received': ['"{\\"a\\":1}"', '{"a":1}'],
  'the body inflated (it arrived as gzip)': ['hex:1f8b0800000000000003ab564a54b232ac0500afac1b5607000000', '{"a":1}'],
  'the body inflated (it arrived as deflate)': ['hex:789cab564a54b232ac0500082a0209', '{"a":1}'],
  'the body inflated (it arrived as brotli)': ['hex:0b03807b2261223a317d03', '{"a":1}'],
  'the body in UTF-8, which arrived in Latin-1 or Windows-1252': ['hex:3580', '5€'],
  'the body in UTF-8, which arrived encoded twice (é as Ã©)': ['ZoÃ«', 'Zoë'],
  'the body without its byte order mark': ['\ufeff{}', '{}'],
  'the body decoded from base64': ['eyJhIjoxfQ==\n', '{"a":1}'],
  'the body decoded from hex': ['7b7D', '{}'],
  'the body decoded from the base64 in the JSON string received': ['"eyJhIjoxfQ=="', '{"a":1}'],
  'the {} in the body received': ['{"id":7,"data":{"a": 1}}', '{"a": 1}'],
  'the content of {} of the multipart body': ['--x\r\nContent-Type: text/plain\r\n\r\nabc\r\n--x--\r\n', 'abc'],
  'the fields of the form as JSON': ['a=1&b=x+y', '{"a":"1","b":"x y"}'],
  'the fields of the form as JSON, with its numbers and words': ['a=1&b=True&c=x', '{"a":1,"b":true,"c":"x"}'],
  'the form encoded again, with a space as `%20`': ['a=x+y', 'a=x%20y'],
  'the members of the JSON as a form': ['{"a":{"b":true},"c":null}', 'a%5Bb%5D=true&c='],
  "the members of the JSON as PHP's http_build_query writes them": ['{"a":true,"b":false,"c":null}', 'a=1&b=0'],
  "the members of the JSON as Python's urlencode writes them": ['{"a":true,"c":null}', 'a=True&c=None'],
  'the JSON with an empty array for each empty object, as PHP keeps it': ['{"a":{},"b":[]}', '{"a":[],"b":[]}'],
  'the JSON with {}, of which a parser kept less': ['{"a":100}', '{"a":100.0}'],
  "the body with its line breaks, which curl's -d removes from a file": ['{  "a": 1}', '{\n  "a": 1\n}'],
  'the body with CRLF line breaks instead of LF': ['a\nb', 'a\r\nb'],
  'the body with LF line breaks instead of CRLF': ['a\r\nb', 'a\nb'],
  'the body without its line breaks': ['a\r\nb\n', 'ab'],
  'the body without the white space around it': [' a b\n', 'a b'],
  'the body with its escapes (`\\n`) expanded, as a shell does': ['a\\nb', 'a\nb'],
  'the body with a byte order mark before it': ['{}', '\ufeff{}'],
  'the body in Latin-1 or Windows-1252 instead of UTF-8': ['Zoë 5€', 'hex:5a6feb203580'],
  'the body in UTF-8 twice (é as Ã©)': ['Zoë', 'ZoÃ«'],
  'the body decoded to text, with U+FFFD for what is not UTF-8': ['hex:5a6feb', 'Zo\ufffd'],
  'the body in ASCII, with `?` for everything else': ['Zoë', 'Zo?'],
  'the body in Latin-1, with `?` for everything else': ['ë€', 'hex:eb3f'],
  'the body in Unicode normalization form C': ['e\u0301', 'é'],
  'the body in Unicode normalization form D': ['é', 'e\u0301'],
  'the body in UTF-16 (little-endian)': ['Aë', 'hex:4100eb00'],
  'the body in UTF-16 (little-endian) after a byte order mark': ['A', 'hex:fffe4100'],
  'the body as a JSON string, serialized twice': ['{"a":1}', '"{\\"a\\":1}"'],
  'the body in base64': ['{"a":1}', 'eyJhIjoxfQ=='],
  'the body in base64 as a JSON string': ['{"a":1}', '"eyJhIjoxfQ=="'],
  'the body in hex': ['{}', '7b7d'],
  "the body as Python prints bytes, `b'…'`": ['{"a":\'ë\'}', "b'{\"a\":\\'\\xc3\\xab\\'}'"],
  'the bytes of the body as decimal numbers, as Go prints bytes': ['{}', '[123 125]'],
  'the body percent-encoded': ['a b/(', 'a%20b%2F('],
  "the body percent-encoded except `/`, as Python's quote does": ['a b/(', 'a%20b/%28'],
  'the body as `{"data":…}`': ['[1]', '{"data":[1]}'],
  'the body as `{"data": …}`': ['[1]', '{"data": [1]}'],
  'the SHA-256 of the body, in hex': ['{"a":1}', '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862'],
  'the MD5 of the body, in base64': ['{"a":1}', 'u2y1xo30ZSlByvZSo2by2A=='],
  "the body escaped as HTML, as PHP's htmlspecialchars does": ['"<\'', '&quot;&lt;&#039;'],
  "the body escaped as HTML, as Python's html.escape does": ['"<\'', '&quot;&lt;&#x27;'],
  'the body without its quotes': ['{"a":1}', '{a:1}'],
  'nothing in the place of the body': ['{"a":1}', ''],
  'the text `[object Object]` in the place of the body': ['{"a":1}', '[object Object]'],
  'the text `undefined` in the place of the body': ['{"a":1}', 'undefined'],
  'the text `null` in the place of the body': ['{"a":1}', 'null'],
  'the text `{}` in the place of the body': ['{"a":1}', '{}'],
  'the text `None` in the place of the body': ['{"a":1}', 'None'],
  'the text `Array` in the place of the body': ['{"a":1}', 'Array'],
  'the body with a line feed (LF) after it': ['a', 'a\n'],
  'the body without the line break at its end': ['a\n\r\n', 'a\n'],
  'the body with a CRLF (carriage return and line feed) after it': ['a', 'a\r\n'],
  'the body with a carriage return (CR) after it': ['a', 'a\r'],
  'the body with a space after it': ['a', 'a '],
}

/** The message of timestamp `17`, nonce `ab` and body `B`, sent to `https://example.com/in`. */
export const LAYOUT_EXAMPLES: Outputs = {
  'the message `timestamp.nonce.body`': '17.ab.B',
  'the message `timestamp.body`': '17.B',
  'the message `timestamp:body`': '17:B',
  'the message `body`': 'B',
  'an empty message': '',
  'the message `nonce:timestamp:body`': 'ab:17:B',
  'the message `nonce.timestamp.body`': 'ab.17.B',
  'the message `noncetimestampbody`': 'ab17B',
  'the message `nonce:body`': 'ab:B',
  'the message `timestampnoncebody`': '17abB',
  'the message `timestampbody`': '17B',
  'the message `timestamp\\nnonce\\nbody`': '17\nab\nB',
  'the message `timestamp\\nnonce\\nbody\\n`': '17\nab\nB\n',
  'the message `timestamp|nonce|body`': '17|ab|B',
  'the message `timestamp,nonce,body`': '17,ab,B',
  'the message `timestamp nonce body`': '17 ab B',
  'the message `timestamp:nonce` (without the body)': '17:ab',
  'the message `timestamp:nonce:\\nbody`': '17:ab:\nB',
  'the message `timestamp:noncebody`': '17:abB',
  'the message `body:timestamp:nonce`': 'B:17:ab',
  'the message `v0:timestamp:body`': 'v0:17:B',
  'the message `{timestamp}:{nonce}:body`': '{timestamp}:{nonce}:B',
  'the message `${timestamp}:${nonce}:body`': '${timestamp}:${nonce}:B',
  'the message `$timestamp:$nonce:body`': '$timestamp:$nonce:B',
  'the message `timestamp:nonce.body`': '17:ab.B',
  'the message `timestamp\\\\nnonce\\\\nbody`': '17\\nab\\nB',
  'the message `-n timestamp:nonce:body`': '-n 17:ab:B',
  'the message `method:timestamp:nonce:body`': 'POST:17:ab:B',
  'the message `method\\npath\\ntimestamp\\nnonce\\nbody`': 'POST\n/in\n17\nab\nB',
  'the message `method\\nurl\\ntimestamp\\nnonce\\nbody`': 'POST\nhttps://example.com/in\n17\nab\nB',
  'the message `path:timestamp:nonce:body`': '/in:17:ab:B',
  'the message `X-Timestamp:timestamp\\nX-Nonce:nonce\\nbody`': 'X-Timestamp:17\nX-Nonce:ab\nB',
  'the message `timestamp=timestamp&nonce=nonce&body=body`': 'timestamp=17&nonce=ab&body=B',
}

/** The digest with SHA-256, the key `key` and the message `message`. */
export const DIGEST_EXAMPLES: Outputs = {
  '{} of the secret and then the message, without HMAC':
    'hex:8ebbc3081b0700d1c226cafda9032a6a11224ed7367c5d59425e548ac4e70c0e',
  '{} of the message and then the secret, without HMAC':
    'hex:48fde309cc9b11d312cf6ef60e00d4274456687643fb56ed4111c152634086e0',
  '{} of the message alone, without the secret': 'hex:ab530a13e45914982b79f9b7e3fba994cfd1f3fb22f71cea1afbf02b460c6d1d',
  'an HMAC with its arguments swapped: the message as the key, the secret as the message':
    'hex:f06c9ac261ffeaf084c543ae31d97f6141dc6b3740831b392d5d0896f144bc36',
  "an HMAC of the message's {} in hex": 'hex:70d7e8820efdcb18bc2a4b8a2cc7dfc6bd36243114d538e570178f904451bf09',
  'an HMAC of the bytes of the HMAC': 'hex:9f5fb3499d004bf5e9e0b6aae53f85f85a1347821102a1f07c0fedafb23718e1',
  'an HMAC of the whole message in UTF-16 (little-endian) instead of UTF-8':
    'hex:e193c72be512d768830434661472afb261e0e0fb0a7b7aae941a4f582be7009e',
  'an HMAC of the whole message in UTF-16 (big-endian) after a byte order mark':
    'hex:337d321c8f22dfe73917454807b79c1823dba8becef94aea9cef9fd6396dfba0',
}

/** The JSON that serializers write in the next examples. */
export const JSON_EXAMPLE = '{"b":"é/<","a":[1.50,{}],"n":null}'

/** The text that a serializer writes for {@link JSON_EXAMPLE}. */
export const JSON_EXAMPLES: Outputs = {
  "JavaScript's JSON.stringify": '{"b":"é/<","a":[1.5,{}],"n":null}',
  "Python's json.dumps": '{"b": "\\u00e9/<", "a": [1.5, {}], "n": null}',
  "PHP's json_encode": '{"b":"\\u00e9\\/<","a":[1.5,{}],"n":null}',
  "Go's json.Marshal": '{"b":"é/\\u003c","a":[1.50,{}],"n":null}',
  "Python's json.dumps with ensure_ascii=False": '{"b": "é/<", "a": [1.5, {}], "n": null}',
  "Python's json.dumps with separators=(',', ':')": '{"b":"\\u00e9/<","a":[1.5,{}],"n":null}',
  "Python's json.dumps with sort_keys=True": '{"a": [1.5, {}], "b": "\\u00e9/<", "n": null}',
  "Python's json.dumps with sort_keys=True and separators=(',', ':')": '{"a":[1.5,{}],"b":"\\u00e9/<","n":null}',
  "Go's json.Marshal of a map": '{"a":[1.5,{}],"b":"é/\\u003c","n":null}',
  "JavaScript's JSON.stringify with 2 spaces": '{\n  "b": "é/<",\n  "a": [\n    1.5,\n    {}\n  ],\n  "n": null\n}',
  "JavaScript's JSON.stringify with 4 spaces":
    '{\n    "b": "é/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}',
  "Python's json.dumps with indent=2": '{\n  "b": "\\u00e9/<",\n  "a": [\n    1.5,\n    {}\n  ],\n  "n": null\n}',
  "Python's json.dumps with indent=4":
    '{\n    "b": "\\u00e9/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}',
  "Python's orjson": '{"b":"é/<","a":[1.5,{}],"n":null}',
  "PHP's json_encode with JSON_PRETTY_PRINT":
    '{\n    "b": "\\u00e9\\/<",\n    "a": [\n        1.5,\n        {}\n    ],\n    "n": null\n}',
  "PHP's json_encode with JSON_UNESCAPED_SLASHES": '{"b":"\\u00e9/<","a":[1.5,{}],"n":null}',
  "PHP's json_encode with JSON_UNESCAPED_UNICODE": '{"b":"é\\/<","a":[1.5,{}],"n":null}',
  "PHP's json_encode with JSON_UNESCAPED_SLASHES and JSON_UNESCAPED_UNICODE": '{"b":"é/<","a":[1.5,{}],"n":null}',
  "Symfony's JsonResponse": '{"b":"\\u00e9\\/\\u003C","a":[1.5,{}],"n":null}',
  "C#'s System.Text.Json": '{"b":"\\u00E9/\\u003C","a":[1.50,{}],"n":null}',
  "Ruby's JSON.pretty_generate before 2.7.3":
    '{\n  "b": "é/<",\n  "a": [\n    1.5,\n    {\n    }\n  ],\n  "n": null\n}',
  "Java's JSONObject (org.json) or Jackson of a HashMap": '{"a":[1.50,{}],"b":"é/<","n":null}',
  "Java's Gson": '{"b":"é/\\u003c","a":[1.50,{}]}',
  "Java's Gson of a Map": '{"b":"é/\\u003c","a":[1.5,{}],"n":null}',
  "Perl's JSON with pretty and canonical":
    '{\n   "a" : [\n      1.50,\n      {}\n   ],\n   "b" : "é/<",\n   "n" : null\n}',
  "Python's str()": "{'b': 'é/<', 'a': [1.5, {}], 'n': None}",
  "Ruby's inspect": '{"b"=>"é/<", "a"=>[1.5, {}], "n"=>nil}',
  "Ruby's inspect, with symbols as keys,": '{:b=>"é/<", :a=>[1.5, {}], :n=>nil}',
  "Java's Map.toString": '{b=é/<, a=[1.5, {}], n=null}',
  "Go's fmt": 'map[a:[1.5 map[]] b:é/< n:<nil>]',
}
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
