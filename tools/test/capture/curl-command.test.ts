import { describe, expect, it } from 'vitest'
import { CaptureError } from '../../src/capture/capture-error.js'
import { findCurlCommand, isCurlCommand } from '../../src/capture/curl-command.js'
import { readCapture } from '../../src/capture/read-capture.js'

function parsed(command: string) {
  const { headers, body, isFileJoined = false } = readCapture(Buffer.from(command))
  return { headers: headers.map((header) => header.join(': ')), body: body && String(Buffer.from(body)), isFileJoined }
}

describe('a command of curl for bash', () => {
  it('is read as Chrome copies it', () => {
    const command = String.raw`curl 'https://example.com/hooks/42?a=b' \
  -H 'accept: */*' \
  -H 'content-type: application/json' \
  -H 'x-nonce: it'\''s' \
  --data-raw $'{"a":"it\'s \u0021 \u00eb","b":"x\n\\n"}' \
  --compressed --insecure
`
    expect(parsed(command)).toEqual({
      headers: [
        ...[':method: POST', ':path: /hooks/42?a=b', 'Host: example.com', 'accept: */*'],
        ...['content-type: application/json', "x-nonce: it's"],
      ],
      body: `{"a":"it's ! ë","b":"x\n\\n"}`,
      isFileJoined: false,
    })
  })

  it.each([
    [`curl -sSd a -d b https://example.com`, 'a&b'],
    [`curl --json '{"a":1}' https://example.com`, '{"a":1}'],
    [`curl --data-binary "a \\"b\\" \\$c" https://example.com`, 'a "b" $c'],
    [`curl --data-raw @name https://example.com`, '@name'],
    [`curl --data-raw $'Zo\\xc3\\xab \\303\\253 \\u00eb \\ud83d\\ude00 \\q' https://example.com`, 'Zoë ë ë 😀 \\q'],
    [`curl --data-raw 'a\nb' https://example.com | jq .`, 'a\nb'],
    [`$ curl -u user:password -o out --data-raw a https://example.com; echo done`, 'a'],
    ['curl https://example.com -d a\nls -l', 'a'],
    ['curl https://example.com -d "a\\\nb"', 'ab'],
    ['curl https://example.com -d "a\\\r\nb" \\\r\n -d c', 'ab&c'],
    ['curl https://example.com -d "\\" \\\\ \\$ \\` \\n \'"', '" \\ $ ` \\n \''],
    [`curl https://example.com -d $'\\a\\b\\e\\E\\f\\n\\r\\t\\v\\\\\\'\\"\\?'`, '\x07\b\x1b\x1b\f\n\r\t\v\\\'"?'],
    ["curl https://example.com -d ''", ''],
    ['curl "$URL" https://example.com -o "$OUT" -d a', 'a'],
    ['curl https://example.com', ''],
  ])('returns the body that curl sends: %s', (command, body) => {
    expect(parsed(command)).toMatchObject({ body, headers: [':method: POST', ':path: /', 'Host: example.com'] })
  })

  it.each([
    ['--data-binary', false],
    ['-d', true],
    ['--data-urlencode', false],
  ])('does not contain the file of %s', (option, isFileJoined) => {
    expect(parsed(`curl ${option} @body.json https://example.com`)).toMatchObject({ body: undefined, isFileJoined })
  })

  // Without its value, the option would leave a word, which would be the URL.
  it.each([...['-A', '-o', '-u', 'user-agent', 'max-time']])(
    'may contain %s with a value, which is left out',
    (name) => {
      const option = name.length > 2 ? `--${name}` : name
      const headers = [':method: POST', ':path: /a', 'Host: example.com']
      expect(parsed(`curl https://example.com/a ${option} value -d b`)).toEqual({
        headers,
        body: 'b',
        isFileJoined: false,
      })
      expect(parsed(`curl https://example.com/a -d b ${option}`).headers).toEqual(headers)
    },
  )
})

describe('a command that cannot be read is refused', () => {
  const ENDLESS = 'The command has a quote that does not end. Copy the whole command.'
  const WRAPPED =
    'The command has several lines, but the lines do not end with \\. Copy the whole command again, as one line.'
  const OF_WINDOWS =
    'The command is for PowerShell or cmd, which diagnose cannot read. Run the command with -v. Pass its output as the capture, and use --body-file PATH to pass the file that was sent.'
  const VARIABLE =
    'The command has a shell variable, whose value is not in the text. Run the command with the option -v, and pass its output.'
  const IN_FILE = 'The headers of the command are in a file. Run the command with the option -v, and pass its output.'
  const TYPOGRAPHIC =
    'The command has typographic quotes (‘ or “) from a chat or a text editor. Copy the command again, as plain text.'

  it.each([
    ["curl https://a -d 'a", ENDLESS],
    ["curl https://a\n'b' -d c", WRAPPED],
    ['curl https://a `\n-d b', OF_WINDOWS],
    ['curl ^"https://a^" ^\r\n -d b', OF_WINDOWS],
    ['curl https://a -d a$B', VARIABLE],
    ['curl https://a -H @b', IN_FILE],
    ['curl https://a -H “A: b”', TYPOGRAPHIC],
  ])('%j', (command, message) => {
    expect(() => parsed(command)).toThrow(new CaptureError(message))
  })
})

it.each([
  ['curl -d a', true],
  ['$ curl a', true],
  ['bob@host:~$ curl a', true],
  ['C:\\Users\\me>curl a', true],
  ['curly a', false],
  ["it's $ curl a", false],
])('a text begins with a command of curl: %j %j', (text, expected) => {
  expect(isCurlCommand(text)).toBe(expected)
})

it.each([
  ['curl https://a', 0],
  ['We ran:\ncurl http://a', 8],
  ['We ran:\ncurl $URL', -1],
  ['We ran curl https://a', -1],
  ["We can't: $ curl https://a", -1],
  ['{"a":1}\ncurl https://a', -1],
  ['POST / HTTP/1.1\n\ncurl https://a', -1],
])('the command of curl after other text: %j is at %d', (text, index) => {
  expect(findCurlCommand(text)).toBe(index)
})
