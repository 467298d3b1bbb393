import { describe, expect, it } from 'vitest'
import { hex, utf8 } from '../../src/bytes.js'
import { ENCODINGS } from '../../src/diagnose/encodings.js'

const TEXT = 'é>~?{"a": "b\'&"}\n'
const X = 'x'.repeat(70)
const bytesOf = (value: string | Uint8Array) => (typeof value === 'string' ? utf8(value) : value)
const numbers = (text: string) => text.replaceAll(' ', ', ')

/** By encoding: a value, and what another program writes for it, such as Python, openssl, Ruby or Java. */
const EXAMPLES: { readonly [name: string]: readonly (readonly [value: string, encoded: string])[] } = {
  'a JSON string': [[TEXT, '"é>~?{\\"a\\": \\"b\'&\\"}\\n"']],
  base64: [[TEXT, 'w6k+fj97ImEiOiAiYicmIn0K']],
  base64url: [
    [TEXT, 'w6k-fj97ImEiOiAiYicmIn0K'],
    ['a', 'YQ'],
  ],
  'base64 without its padding': [['a', 'YQ']],
  'base64 with newlines': [
    [X, `${'eHh4'.repeat(19)}\n${'eHh4'.repeat(4)}eA==\n`],
    [X, `${'eHh4'.repeat(16)}\n${'eHh4'.repeat(7)}eA==\n`],
    [X, `${'eHh4'.repeat(15)}\n${'eHh4'.repeat(8)}eA==\n`],
  ],
  base32: [
    [TEXT, 'YOUT47R7PMRGCIR2EARGEJZGEJ6QU==='],
    [TEXT, 'yout47r7pmrgcir2eargejzgej6qu'],
  ],
  hex: [['é>~?{"a"}', 'c3a93e7e3f7b2261227d']],
  'uppercase hex': [['é>', 'C3A93E']],
  'hex with separators': [
    ['é>~', 'c3:a9:3e:7e'],
    ['é>~', 'C3-A9-3E-7E'],
    ['é>~', '\\xc3\\xa9\\x3e\\x7e'],
    ['é>~', '%c3%a9%3e%7e'],
    ['é>~', '0xc3, 0xa9, 0x3e, 0x7e'],
  ],
  'decimal numbers': [
    ['é>', '195,169,62'],
    ['é>', `[${numbers('195 169 62')}]`],
    ['é>', '[195 169 62]'],
    ['é>', '{"type":"Buffer","data":[195,169,62]}'],
    ['é>', '{"0":195,"1":169,"2":62}'],
  ],
  'signed decimal numbers': [['é>', '[-61, -87, 62]']],
  "Python's bytes, `b'…'`": [['a\n"b"', 'b\'a\\n"b"\'']],
  "quotes, as Ruby's inspect prints text": [['a"\n', '"a\\"\\n"']],
  'percent-encoding': [
    [TEXT, '%C3%A9%3E~%3F%7B%22a%22%3A%20%22b%27%26%22%7D%0A'],
    [TEXT, "%C3%A9%3E~%3F%7B%22a%22%3A%20%22b'%26%22%7D%0A"],
    ['a b/é', 'a+b%2F%C3%A9'],
    ['a b/é', 'a%20b%2f%c3%a9'],
  ],
  'HTML entities': [
    [TEXT, 'é&gt;~?{&quot;a&quot;: &quot;b&#x27;&amp;&quot;}\n'],
    [TEXT, 'é&gt;~?{&#34;a&#34;: &#34;b&#39;&amp;&#34;}\n'],
    [TEXT, 'é&gt;~?{&quot;a&quot;: &quot;b&#039;&amp;&quot;}\n'],
  ],
  'escapes such as `\\n`': [
    ['{\n\t"a"}', '{\\n\\t"a"}'],
    ['{\n\t"a"}', '{\\n\\t\\"a\\"}'],
    ['a&b<c>/', 'a\\u0026b\\u003cc\\u003e/'],
    ['a+/', 'a\\u002B/'],
    ['a/é', 'a\\/\\u00e9'],
  ],
  'UTF-8 twice (é as Ã©)': [
    ['é', 'Ã©'],
    ['Ñ', 'Ã‘'],
  ],
  'UTF-16 (little-endian)': [
    ['a{', 'a\0{\0'],
    ['é', 'hex:e900'],
    ['a', 'hex:fffe6100'],
  ],
  'UTF-16 (big-endian)': [
    ['a{', '\0a\0{'],
    ['a', 'hex:feff0061'],
  ],
  'Windows-1252, with `?` for other characters': [
    ['€😀', 'hex:803f'],
    ['€😀', 'hex:803f3f3f3f'],
    ['€😀', 'hex:80'],
  ],
  'Latin-1, with `?` for other characters': [['ë€😀', 'hex:eb3f3f']],
  'ASCII, with `?` for other characters': [
    ['ë 😀', '? ??'],
    ['ë 😀', '?? ????'],
  ],
  'the Unicode normalization form NFC': [['e\u0308', 'ë']],
  'the Unicode normalization form NFD': [['ë', 'e\u0308']],
  'the Unicode normalization form NFKC': [['ﬁ²', 'fi2']],
  'the Unicode normalization form NFKD': [['ﬁë', 'fie\u0308']],
}

const read = (text: string) => (text.startsWith('hex:') ? text.slice(4) : hex(utf8(text)))

describe.each(ENCODINGS)('$name', ({ name, encode, decode }) => {
  it.each(EXAMPLES[name] ?? [['', 'no example']])('of %j is %j', (value, encoded) => {
    expect([...encode(utf8(value))].map((one) => hex(bytesOf(one)))).toContain(read(encoded))
  })

  const [value = '', first = ''] = EXAMPLES[name]?.[0] ?? []
  it.runIf(decode !== undefined && !value.includes('\n"b"'))('is decoded', () => {
    const decoded = decode?.(new Uint8Array(Buffer.from(read(first), 'hex')))
    expect(hex(bytesOf(decoded ?? ''))).toBe(read(value))
  })
})

it.each(['{"a":1}', 'a text & more, 100 %', '', 'ü', 'a=b'])('no encoding is read from %j', (text) => {
  const decoded = ENCODINGS.map(({ name, decode }) => [name, decode?.(utf8(text))] as const)
  const others = decoded.filter(([, one]) => one !== undefined && hex(bytesOf(one)) !== hex(utf8(text)))
  expect(others.map(([name]) => name)).toEqual([])
})
