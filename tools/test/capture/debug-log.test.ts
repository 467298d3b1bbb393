import { expect, it } from 'vitest'
import { fromLatin1, latin1 } from '../../src/bytes.js'
import { readDebugLog } from '../../src/capture/debug-log.js'
import { readNetworkDump } from '../../src/capture/network-dump.js'

const read = (log: string) => {
  const bytes = readDebugLog(latin1(log), log)
  return bytes && fromLatin1(bytes)
}

it.each([
  [
    'http.client of Python',
    `a\nsend: b'POST / HTTP/1.1\\r\\n'\nsend: b"it's \\xeb"\nreply: ''\nsend: b'c'\n`,
    "POST / HTTP/1.1\r\nit's \xeb",
  ],
  ['Net::HTTP of Ruby', '<- "a\\r\\n\\u00eb"\n<- "b"\n-> "c"\n<- "d"\n', 'a\r\n\xc3\xabb'],
  [
    'Apache HttpClient',
    'x http-outgoing-10 >> "a[\\r][\\n]"\nx http-outgoing-10 >> "[0xc3][0xAB] \\r "[0xc]"\nx http-outgoing-10 << "c"\n',
    'a\r\n\xc3\xab \\r "[0xc]',
  ],
])('the bytes in the log of %s', (_, log, text) => {
  expect(read(log)).toBe(text)
})

it.each([
  ['tshark, raw', 'Follow: tcp,raw\r\nNode 0: a\r\n4142\r\n43\r\n====\r\n44\r\n', 'ABC', undefined],
  [
    'socat -v',
    '> 2026/11/28 00:24:43.000376448  length=6 from=0 to=5\na\\r\n\xc3\xab.> 2026/11/28 00:24:43.1 length=2 from=6 to=7\n\\\\d< 2026/11/28 00:24:44.1  length=1 from=0 to=0\nxyz\n',
    'a\r\n\xc3\xab.\\d',
    true,
  ],
  [
    'socat -x',
    'a\n> 2026/11/28 00:24:43.1  length=3 from=0 to=2\n 41 42\n 43\n--\n< 2026/11/28 00:24:44.1  length=1 from=0 to=0\n 44\n',
    'ABC',
    undefined,
  ],
  [
    'ngrep -W byline',
    'interface: lo\nT 1.2.3.4:1 -> 1.2.3.4:2 [AP] #4\nPOST / HTTP/1.1.\nA: b..\n.\na.\n  b\nT 1.2.3.4:2 -> 1.2.3.4:1 [AP]\nHTTP/1.1 401.\n',
    'POST / HTTP/1.1\nA: b.\n\na.\n  b\n',
    true,
  ],
  [
    'ngrep -x',
    `T a:1 -> b:2 [AP] #4\n  41 42 43 44 45 46 47 48   49 4a 4b 4c 4d 4e 4f 0a    ABCDEFGHIJKLMNO.\n  50 51${' '.repeat(46)}PQ\n\n`,
    'ABCDEFGHIJKLMNO\nPQ',
    undefined,
  ],
  ['other text', 'U a:1 -> b:2 [AP] #4\nx\n', undefined, undefined],
])('the bytes that were printed by %s', (_, dump, text, isLossy) => {
  const { body, certainty } = readNetworkDump(dump) ?? {}
  expect([body && fromLatin1(body), certainty]).toEqual([text, text && (isLossy ? 'lossy' : 'exact')])
})

it.each(['T a:1 -> b:2 [AP] #4\n  POST / HTTP/1.1..A: b\n', 'T a:1 -> b:2 [AP] #4 POST / HTTP/1.1..A: b\n'])(
  'ngrep without newlines is refused: %j',
  (dump) => {
    const what =
      'is the output of ngrep with a dot in place of each newline. Use ngrep -x, which prints the bytes. Pass'
    expect(() => readNetworkDump(dump)).toThrow(`The capture ${what} one of these:\n- `)
  },
)
