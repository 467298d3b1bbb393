import { describe, expect, it } from 'vitest'
import { fromUtf8, utf8 } from '../../src/bytes.js'
import { decodeWhole, readLooseText } from '../../src/capture/loose-text.js'

const SIGNATURE = 'a1'.repeat(32)
const THREE = ['1700000000', 'n-1', SIGNATURE]

function valuesIn(text: string) {
  return readLooseText(utf8(text))?.headers.map(([name, value]) => (name.startsWith(':') ? `${name} ${value}` : value))
}

describe('the headers in free text', () => {
  const values = (form: (name: string, value: string) => string) =>
    valuesIn(
      ['x-timestamp', 'x-nonce', 'x-signature'].map((name, index) => form(name, String(THREE[index]))).join('\n'),
    )

  it.each<[string, (name: string, value: string) => string]>([
    ['colons', (name, value) => `${name}: ${value}`],
    ['colons in bold', (name, value) => `**${name}**: ${value} **${name}:** ${value}`],
    ['equals signs', (name, value) => `${name}=${value};`],
    ['quotes', (name, value) => `'${name}':"${value}",`],
    ['backticks', (name, value) => `\`${name}\` \`${value}\``],
    ['arrows', (name, value) => `"${name}"=>"${value}"`],
    ['commas', (name, value) => `[${name}, ${value}]`],
    ['tabs', (name, value) => `${name}\t${value}`],
    ['newlines', (name, value) => `${name}:\n    ${value}`],
    ['lists', (name, value) => `${name}=[${value}]`],
    ['var_dump of PHP', (name, value) => `["${name}"]=>\n  array(1) {\n  [0]=>\n    string(9) "${value}"\n}`],
    ['names of CGI', (name, value) => `HTTP_${name.toUpperCase().replaceAll('-', '_')}=${value}`],
  ])('are read with %s', (_, form) => {
    expect(values(form)).toEqual(THREE)
  })

  it('are all three, beside the length and the request line', () => {
    const text = THREE.map((value, index) => `${['x-timestamp', 'x-nonce', 'x-signature'][index]}=${value}`).join(' ')
    expect(valuesIn(`${text} content-length=7`)).toEqual([...THREE, '7'])
    expect(valuesIn(text.replace('x-nonce', 'x-once'))).toBeUndefined()
    expect(valuesIn(text.replace('x-nonce', 'content-length'))).toBeUndefined()
    const line = [':method PUT', ':path /a?b']
    expect(valuesIn(`"PUT /a?b HTTP/1.1" ${text}`)).toEqual([...line, ...THREE])
    for (const scheme of ['http', 'https']) {
      expect(valuesIn(`PUT ${scheme}://example.com/a?b ${text}`)).toEqual([...line, ...THREE])
    }
    expect(valuesIn(`"PUT /a?b" ${text}`)).toEqual([...line, ...THREE])
  })

  it('may be variables, if no header is named', () => {
    const text = `timestamp = 1700000000\nnonce = "n-1"\nsignature = '${SIGNATURE}'`
    expect(readLooseText(utf8(text))?.headers).toEqual([
      ['x-timestamp', '1700000000'],
      ['x-nonce', 'n-1'],
      ['x-signature', SIGNATURE],
    ])
    expect(valuesIn(`${text}\nx-nonce: a`)).toBeUndefined()
  })
})

describe('the bodies in free text', () => {
  function bodiesIn(text: string) {
    const {
      body,
      certainty,
      otherBodies = [],
      isGuess,
      isLoose,
    } = readLooseText(utf8(`x-timestamp: 1\nx-nonce: a\nx-signature: b\n${text}`)) ?? {}
    expect([isGuess, isLoose]).toEqual([true, true])
    return [{ body, certainty }, ...otherBodies].map((one) => {
      return one.body && `${one.certainty ? `${one.certainty} ` : ''}${fromUtf8(one.body)}`
    })
  }

  it('are no text that Node printed in place of bytes or of a long string', () => {
    expect(bodiesIn("body: 'ab'... 1 more character\n}")[0]).toBe("'ab'... 1 more character")
    expect(bodiesIn('body: <Buffer 7b ... 1 more byte>')).toEqual(['<Buffer 7b ... 1 more byte>'])
    expect(bodiesIn('body: Uint8Array(1) [\n  123\n]')).toEqual(['exact {'])
  })

  it.each([
    ['nothing', 'a text', undefined],
    ['a text', 'body: some text', 'some text'],
    ['a text with an arrow', 'request_body => some text', 'some text'],
    ['a text of API Gateway', 'body before transformations: abc', 'abc'],
    ['a text in quotes', 'data: "a\\n\\u00eb"', 'exact a\në'],
    ['the rest of the line', "body: {'a': None}\nb\n", 'rewritten {"a": null}'],
    ['a Buffer', '<Buffer 7b 22 7d>', 'exact {"}'],
    [
      'an object of Python',
      "INFO {'a': None, 'b': True, 'c': [False], 'd': 'it\\'s \"x\"'}",
      `rewritten {"a": null, "b": true, "c": [false], "d": "it's \\"x\\""}`,
    ],
    ['an object of Node', "{ a: 'b', $c_1: [ 'd' ] }", 'rewritten { "a": "b", "$c_1": [ "d" ] }'],
    ['JSON in a line', 'INFO {"a":1} b', '{"a":1}'],
  ])('have %s', (_, text, body) => {
    expect(bodiesIn(text)).toContain(body)
  })
})

it.each([
  ['base64', btoa('a'.repeat(45)), 'a'.repeat(45)],
  ['other characters', `${btoa('a'.repeat(45))}.`, undefined],
  ['base64 that is not valid', `${btoa('a'.repeat(45))}b`, undefined],
])('a capture is %s as a whole', (_, text, decoded) => {
  const bytes = decodeWhole(text, utf8(text))
  expect(bytes && fromUtf8(bytes)).toBe(decoded)
})
