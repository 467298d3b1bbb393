import { describe, expect, it } from 'vitest'
import { bodyOf } from '../../src/capture/body.js'
import { CaptureError } from '../../src/capture/capture-error.js'
import { readCapture } from '../../src/capture/read-capture.js'

const head = 'POST / HTTP/1.1\nHost: a\n'
const NAMES = 'X-Timestamp=1 X-Nonce=a X-Signature=b'
const hex8 = (offset: number) => offset.toString(16).padStart(8, '0')

/** Texts that are repeated. Each of them begins something that a reader searches for. */
const UNITS = [
  ...['x-signature:', 'x-signature: ', 'x-signature: ^M', 'x-signature: ^M\n', 'A: b\n c\n', ' a\n', 'x-nonce\na\n'],
  ...[
    '<request base64="true"><![CDATA[',
    'a,b,headers\n',
    '<- "a"\n',
    '> 2026/11/28 00:24:33.0  length=2 from=0 to=1\n 41\n',
  ],
  ...['T 1.2.3.4:1 -> 1.2.3.4:2 [AP]\na.\n', '2026-11-24T00:00:00Z stdout P a\n', '{"log":"a"}\n', '&quot;', "b'a' "],
  ...['\\x22', '{code}\n', 'body: {', '=\n', '^M\n', '""', '\ufffd', '> a: b\n'],
]

describe('a capture of 1 MB takes less than 1 s of processor time', () => {
  it.each<[string, (size: number) => string]>([
    ['switches of curl', (size) => `curl -${'s'.repeat(size)} http://a -d b`],
    ['words of a command', (size) => `curl ${"'a' ".repeat(size / 4)}`],
    ['quotes of a command', (size) => `curl ${'"'.repeat(size)}`],
    ['backslashes in quotes', (size) => `curl "${'\\\\'.repeat(size / 2)}"`],
    ['backslashes in $-quotes', (size) => `curl $'${'\\\\'.repeat(size / 2)}'`],
    ['quoted lines', (size) => `> ${head.trim().replace('\n', '\n> ')}\n>\n${'> a\n'.repeat(size / 4)}`],
    ['white space before the request', (size) => `${' '.repeat(size)}${head}`],
    ['blank lines before the request', (size) => `${'\n'.repeat(size)}${head}`],
    ['lines without a request', (size) => 'A B\n'.repeat(size / 4)],
    ['a line of capital letters', (size) => 'A'.repeat(size)],
    ['capital letters and spaces', (size) => 'POST / '.repeat(size / 7)],
    ['fences', (size) => `a b\n${'```\n'.repeat(size / 4)}`],
    ['lines of JSON after a prefix', (size) => 'a {"a":1}\n'.repeat(size / 10)],
    ['braces', (size) => `a ${'{\n'.repeat(size / 2)}`],
    ['brackets', (size) => '['.repeat(size)],
    ['prompts', (size) => `a\n${'$ '.repeat(size / 2)}`],
    ['lines of prompts', (size) => `a\n${'$ curl \n'.repeat(size / 8)}`],
    ['words of curl', (size) => `a\n${'curl '.repeat(size / 5)}`],
    ['lines of Insomnia', (size) => `> POST / HTTP/1.1\n\n${'| a\n'.repeat(size / 4)}`],
    ['JSON in strings', (size) => JSON.stringify(Array(size / 64).fill('{"a":"{}"}'))],
    ['line ends without CR', (size) => `${head}Content-Length: ${2 * size}\n\n${'\n'.repeat(size)}`],
    ['meters of curl', (size) => `${' 0'.repeat(size / 2)}> POST / HTTP/1.1`],
    ['heads of curl', (size) => '> POST / HTTP/1.1\n'.repeat(size / 18)],
    ['lines of a dump', (size) => `00000000: ${'41'.repeat(16)}\n`.repeat(size / 44)],
    [
      'a dump',
      (size) => Array.from({ length: size / 16 }, (_, n) => `${hex8(16 * n)}: ${'41 '.repeat(16)}`).join('\n'),
    ],
    ['pieces that were sent', (size) => `send: b'POST / HTTP/1.1\\r\\n'\n${"send: b'a'\n".repeat(size / 11)}`],
    ['marks in a piece', (size) => `http-outgoing-0 >> "${'['.repeat(size)}"`],
    ['printed names', (size) => `a\n${NAMES}\n${"body: '".repeat(size / 7)}`],
    ['printed braces', (size) => `a\n${NAMES}\n${'{'.repeat(size / 2)}\n${'}'.repeat(size / 2)}`],
    ['printed lines of braces', (size) => `a\n${NAMES}\n${'{\n'.repeat(size / 2)}`],
    ['printed white space', (size) => `a\nX-Nonce${' '.repeat(size / 2)}\nX-Signature${' \t'.repeat(size / 4)}`],
    ['printed bytes', (size) => `a\n${NAMES}\nbody: [${'1, '.repeat(size / 3)}]`],
    ['a printed word', (size) => `a\n${NAMES}\ndata={${'A'.repeat(size)}`],
    ['printed quotes', (size) => `a\n${NAMES}\ndata={${'\\"'.repeat(size / 2)}`],
    ['base64', (size) => 'aaaa'.repeat(size / 4)],
    ['JSON that was printed again', (size) => `${head}Content-Length: ${size}\n\n[${'\n1,'.repeat(size / 3)}\n1]`],
    ['brackets that were printed again', (size) => `${head}Content-Length: 7\n\n${'[\n'.repeat(size / 2)}`],
    ['a long line of socat', (size) => `> 2026/11/28 00:24:43.1  length=2 from=0 to=1\n${'a'.repeat(size)}`],
    ['text after the body', (size) => `${head}\na${'\n'.repeat(size)}###`],
    ['masks', (size) => `${head}\n${':***'.repeat(size / 4)}`],
    ['a parsed body', (size) => JSON.stringify({ url: '/', headers: { host: 'a' }, body: Array(size / 2).fill(1) })],
    ...UNITS.flatMap((unit): [string, (size: number) => string][] => [
      [`${JSON.stringify(unit)} alone`, (size) => unit.repeat(size / unit.length)],
      [`${JSON.stringify(unit)} in a body`, (size) => `${head}X-Signature: b\n\n${unit.repeat(size / unit.length)}`],
      [`${JSON.stringify(unit)} in free text`, (size) => `a\n${NAMES}\n${unit.repeat(size / unit.length)}`],
    ]),
    ['fields beside headers', (size) => `{"x-signature":"a",${'"A_B":"",'.repeat(size / 9)}"b":""}`],
  ])('%s', (_, capture) => {
    const bytes = Buffer.from(capture(1_000_000))
    const timeOf = () => {
      const before = process.cpuUsage()
      try {
        const captured = readCapture(bytes)
        if (captured.body !== undefined) bodyOf(captured, captured.headers)
      } catch (error) {
        expect(error).toBeInstanceOf(CaptureError)
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000_000
    }
    // The first call compiles the code. Another process can slow down the processor, so the fastest call counts.
    expect(Math.min(timeOf(), timeOf(), timeOf())).toBeLessThan(1)
  })
})
