import { describe, expect, it } from 'vitest'
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
        ':method: POST',
        ':path: /hooks/42?a=b',
        'Host: example.com',
        'accept: */*',
        'content-type: application/json',
        "x-nonce: it's",
      ],
      body: `{"a":"it's ! ë","b":"x\n\\n"}`,
      isFileJoined: false,
    })
  })

  it.each([
    [`curl -d 'a' https://example.com`, 'a'],
    [`curl -d'a' https://example.com`, 'a'],
    [`curl -sSd a -d b https://example.com`, 'a&b'],
    [`curl --json '{"a":1}' https://example.com`, '{"a":1}'],
    [`curl --data-binary "a \\"b\\" \\$c" https://example.com`, 'a "b" $c'],
    [`curl --data-raw @name https://example.com`, '@name'],
    [`curl --data-raw a\\ b https://example.com`, 'a b'],
    [`curl --data-raw $'\\x41\\t\\'' https://example.com`, "A\t'"],
    [`curl --data-raw $'Zo\\xc3\\xab \\303\\253 \\u00eb \\ud83d\\ude00 \\q' https://example.com`, 'Zoë ë ë 😀 \\q'],
    [`curl --data-raw 'a\nb' https://example.com | jq .`, 'a\nb'],
    [`$ curl -u user:password -o out --data-raw a https://example.com; echo done`, 'a'],
    ['curl https://example.com -d a\nls -l', 'a'],
    ['curl https://example.com -d "a\\\nb"', 'ab'],
    ['curl https://example.com -d', ''],
    ['curl https://example.com', ''],
  ])('returns the body that curl sends: %s', (command, body) => {
    expect(parsed(command)).toMatchObject({ body, headers: [':method: POST', ':path: /', 'Host: example.com'] })
  })

  it.each([
    ['--data-binary', false],
    ['--json', false],
    ['-d', true],
    ['--data', true],
  ])('does not contain the file of %s', (option, isFileJoined) => {
    expect(parsed(`curl ${option} @body.json https://example.com`)).toMatchObject({ body: undefined, isFileJoined })
  })

  it('may contain a method, a URL and a host', () => {
    expect(parsed(`curl -XPUT -H 'host: a' -H 'X-Nonce;' --request PATCH --url http://b/c -d d`).headers).toEqual([
      ':method: PATCH',
      ':path: /c',
      'host: a',
    ])
    expect(parsed('curl -d a -').headers).toEqual([':method: POST'])
    expect(parsed(`curl -X PUT --header 'A: b' http://a--b/c-d -s`).headers).toEqual([
      ':method: PUT',
      ':path: /c-d',
      'Host: a--b',
      'A: b',
    ])
  })
})
