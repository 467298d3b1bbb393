import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { diagnose } from '../../src/diagnose/index.js'
import { NONCE, NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../support/request.js'

const at = (now: number) => ({ now: () => now })

const PROOF = 'Proved: signing in this way gives the signature received.'
const digest = (message: string | Buffer, algorithm = 'sha256', key = SECRET) =>
  createHmac(algorithm, key).update(message).digest()

/** Returns the message and the evidence of each finding, line by line. */
async function linesOf(signature: string, body: string | Buffer, secret: string | string[] = SECRET) {
  const request = signedRequest({ nonce: 'abc', signature, body })
  const { findings } = await diagnose(request, secret, at(NOW))
  return findings.map(({ message, evidence }) => [message, ...(evidence?.split('\n') ?? [])])
}

describe('word for word:', () => {
  const start = `${TIMESTAMP}:abc:`
  const plainHash = createHash('sha256').update(`${SECRET}${start}a body`).digest('base64')

  it.each([
    [
      'another hash',
      digest(`${start}a body`, 'sha512').toString('base64'),
      'X-Signature is an HMAC with SHA-512 instead of SHA-256, sent in another form: base64 instead of lowercase hex.',
    ],
    [
      'no HMAC',
      plainHash,
      'X-Signature is SHA-256 of the secret and then the message, without HMAC, sent in another form: base64 instead of lowercase hex.',
    ],
    [
      'a placeholder for the secret',
      digest(`${start}a body`, 'sha256', 'undefined').toString('hex'),
      'X-Signature was made with the text `undefined` as the secret.',
    ],
    [
      'a changed secret',
      digest(`${start}a body`, 'sha256', `${SECRET}\n`).toString('hex'),
      'X-Signature was made with the secret and a line feed (LF) after it (of secret[1]), not with the secret as it is.',
    ],
    [
      'a digest that was cut',
      digest(`${start}a body`).toString('hex').slice(0, 40),
      'X-Signature is the right digest in another form: the first 40 hex digits only.',
    ],
  ])('%s', async (_, signature, message) => {
    expect(await linesOf(signature, 'a body', ['another secret', SECRET])).toEqual([[message, PROOF]])
  })

  it.each([
    [
      `a body:${TIMESTAMP}:abc`,
      'The sender signed the message `body:timestamp:nonce`, not `timestamp:nonce:body`.',
      ['Signed as: body:timestamp:nonce', 'Before the body: ""', `After the body: ":${TIMESTAMP}:abc"`],
    ],
    [
      `${TIMESTAMP}:abc`,
      'The sender signed the message `timestamp:nonce` (without the body), not `timestamp:nonce:body`.',
      ['Signed as: timestamp:nonce', `Before the body: "${TIMESTAMP}:abc"`],
    ],
    [
      '1700000001:abc:a body',
      'The message was signed with a timestamp 1 s later than in the header, not with the value of the header.',
      ['Signed as: timestamp:nonce:body', 'Before the body: "1700000001:abc:"'],
    ],
  ])('the message %s', async (signed, message, evidence) => {
    expect(await linesOf(digest(signed).toString('hex'), 'a body')).toEqual([[message, ...evidence, PROOF]])
  })

  it.each([
    [
      '{"a": "\\u00e9"}',
      '{"a":"é"}',
      "the JSON as Python's json.dumps writes it (`, ` and `: ` as separators, characters beyond ASCII as \\uXXXX)",
      'Signed: 15 bytes, received: 10 bytes',
      'They differ from byte 5 on. Both from byte 0 on:',
    ],
    [
      '{\n\t"a": "<"\n}',
      '{"a":"<"}',
      'the JSON written again (indented by tabs)',
      'Signed: 13 bytes, received: 9 bytes',
      'They differ from byte 1 on. Both from byte 0 on:',
    ],
    [
      '{"a":1}',
      '{ "a": 1 }',
      "the JSON as JavaScript's JSON.stringify, PHP's json_encode or Go's json.Marshal writes it (no white space)",
      'Signed: 7 bytes, received: 10 bytes',
      'They differ from byte 1 on. Both from byte 0 on:',
    ],
    [
      '{"a": 1,"b": 2}',
      '{"b":2,"a":1}',
      'the JSON written again (`,` and `: ` as separators, sorted keys)',
      'Signed: 15 bytes, received: 13 bytes',
      'They differ from byte 2 on. Both from byte 0 on:',
    ],
  ])('the JSON %s', async (signed, received, what, lengths, place) => {
    expect(await linesOf(digest(start + signed).toString('hex'), received)).toEqual([
      [
        `The sender signed ${what}, not the bytes received.`,
        lengths,
        place,
        `  signed:   ${JSON.stringify(signed)}`,
        `  received: ${JSON.stringify(received)}`,
        PROOF,
      ],
    ])
  })

  it('nothing in the place of the body', async () => {
    expect(await linesOf(digest(start).toString('hex'), 'a body')).toEqual([
      [
        'The sender signed nothing in the place of the body.',
        'Signed: 0 bytes, received: 6 bytes',
        'They differ from byte 0 on. Both from byte 0 on:',
        '  signed:   ""',
        '  received: "a body"',
        PROOF,
      ],
    ])
  })

  it('a body that is not UTF-8', async () => {
    const signature = digest(Buffer.from(`${start}Zo\xeb and more\n`, 'latin1')).toString('hex')
    expect(await linesOf(signature, Buffer.from('Zo\xeb and more', 'latin1'))).toEqual([
      [
        'The sender signed the body with a line feed (LF) after it, not the bytes received.',
        'Signed: 13 bytes, received: 12 bytes',
        'They differ from byte 12 on. Both from byte 4 on:',
        '  signed:   "and more\\n"',
        '  received: "and more"',
        PROOF,
      ],
    ])
  })

  it('three mistakes', async () => {
    const findings = await linesOf(digest(`${TIMESTAMP}.abc.a body\n`).toString('base64'), 'a body')
    expect(findings.map((lines) => lines.at(-1))).toEqual([
      'Fix it together with body_newline and signature_format: each of them changes the signature.',
      'Fix it together with message_layout and signature_format: each of them changes the signature.',
      'Fix it together with message_layout and body_newline: each of them changes the signature.',
    ])
  })

  it('nothing explains the signature', async () => {
    const [[message, ...evidence] = []] = await linesOf('ab'.repeat(32), 'a'.repeat(70_000))
    expect(message).toBe(
      'No known way of signing gives this signature: the secrets differ, or other bytes were signed than received.',
    )
    expect(evidence).toEqual([
      'The receiver has:',
      `  the message begins with: "${TIMESTAMP}:abc:"`,
      '  bytes of the body: 70000',
      '  SHA-256 of the body: 66915c0872933db504e7578828dd85b7e74a4e0a061f9756793b89c4151bd4b5',
      '  the body begins with: 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61',
      '  the body ends with: 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61',
      "The same on the sender's side, with the bytes that are sent in body.bin:",
      '  wc -c < body.bin',
      '  openssl dgst -sha256 body.bin',
      '  head -c 16 body.bin | od -A n -t x1',
      '  tail -c 16 body.bin | od -A n -t x1',
      'To check the code of the sender: secret `a secret`, timestamp 1700000000, nonce `abc` and body `{"event":"paid"}` give',
      '  f047d805fefcdb359477807dc0cd06fa1301f1b4404129c7a1b53c442b9f98a6',
    ])
    const example = createHmac('sha256', 'a secret').update('1700000000:abc:{"event":"paid"}').digest('hex')
    expect(evidence.at(-1)).toBe(`  ${example}`)
  })
})

describe('the limits of the search', () => {
  const codesOf = async (message: string, parts: Parameters<typeof signedRequest>[0], secret: string = SECRET) => {
    const signature = createHmac('sha256', secret).update(message).digest('hex')
    const { findings } = await diagnose(signedRequest({ nonce: 'abc', ...parts, signature }), secret, at(NOW))
    return findings.map(({ code }) => code)
  }
  const start = `${TIMESTAMP}:abc:`

  it.each([
    ['a body of 64 KB', 'a'.repeat(65_536), SECRET, ['body_newline']],
    ['a larger body', 'a'.repeat(65_537), SECRET, ['signature_mismatch']],
    ['a secret of 16 KB', 'a', 'k'.repeat(16_384), ['body_newline']],
    ['a longer secret', 'a', 'k'.repeat(16_385), ['signature_mismatch']],
  ])('a rare mistake is found with %s: %#', async (_, body, secret, codes) => {
    expect(await codesOf(`${start}${body}\r`, { body }, secret)).toEqual(codes)
    expect(await codesOf(`${start}${body}\n`, { body }, secret)).toEqual(['body_newline'])
  })

  it.each([
    [4086, 'body_newline'],
    [4087, 'signature_mismatch'],
  ])('a rare mistake is found with a nonce of %i characters: %s', async (length, code) => {
    const nonce = 'A'.repeat(length)
    expect(await codesOf(`${TIMESTAMP}:${nonce}:a body\r`, { nonce })).toEqual(['nonce_length', code])
  })

  it.each([
    [1024, ['nonce_length', 'message_nonce']],
    [1025, ['nonce_length', 'signature_mismatch']],
  ])('a header of %i characters is changed: %j', async (length, codes) => {
    const nonce = 'A'.repeat(length)
    expect(await codesOf(`${TIMESTAMP}:${nonce.toLowerCase()}:a body`, { nonce })).toEqual(codes)
  })
})

describe('words for the body', () => {
  const findingOf = async (signed: string, body: string) => {
    const signature = signatureOf(TIMESTAMP, NONCE, signed, SECRET)
    return (await diagnose(signedRequest({ body, signature }), SECRET, at(NOW))).findings[0]
  }

  it("name curl's -d, which keeps the indentation of a file and removes its line breaks", async () => {
    const signed = '{\n  "a": [\n    1,\n    "x"\n  ]\n}'
    expect(await findingOf(`${signed}\n`, signed.replaceAll('\n', ''))).toMatchObject({
      code: 'body_newline',
      message: expect.stringContaining("which curl's -d removes from a file"),
      fixes: { shell: expect.stringContaining('--data-binary @body.json') },
    })
  })

  it('name the original body, if it was signed and is known', async () => {
    const signature = signatureOf(TIMESTAMP, NONCE, 'one', SECRET)
    const request = signedRequest({ body: 'other', signature })
    expect((await diagnose(request, SECRET, at(NOW), 'one')).findings).toMatchObject([
      { code: 'body_changed', message: 'The sender signed the original body, not the bytes received.' },
    ])
    expect((await diagnose(request, SECRET, at(NOW), 'two')).findings).toMatchObject([{ code: 'signature_mismatch' }])
  })

  it('say what turned an object into an array, and how to avoid it', async () => {
    const finding = await findingOf('{"a":[]}', '{"a":{}}')
    expect(finding).toMatchObject({ code: 'body_json', message: expect.stringContaining('as PHP keeps it') })
    expect(finding?.fixes.php).toContain('json_decode($body)')
  })

  it.each([
    ['sender', '7'],
    ['receiver', '8'],
    ['unknown', '9'],
    ['unknown', undefined],
  ] as const)('say that the %s changed the body where Content-Length is %s', async (side, length) => {
    const { headers } = signedRequest({ signature: signatureOf(TIMESTAMP, NONCE, '{"a": 1}', SECRET) })
    const request = { webhookId: '42', headers: { ...headers, 'content-length': length }, body: '{"a":1}' }
    const { findings } = await diagnose(request, SECRET, at(NOW))
    expect(findings).toMatchObject([{ code: 'body_json', side }])
  })

  it('list the language of the serializer first', async () => {
    const finding = await findingOf('{"a":"\\u00eb\\/"}', '{"a":"\u00eb/"}')
    expect(finding?.message).toContain("PHP's json_encode")
    expect(Object.keys(finding?.fixes ?? {})[0]).toBe('php')
  })

  it('show letters unchanged, and escape invisible characters and characters that look like letters', async () => {
    const finding = await findingOf('{"n": "Zo\u00eb \\\\u00eb e\u0301"}', '{"n":"Zo\u00eb \\\\u00eb e\u0301"}')
    expect(finding?.evidence).toContain('"{\\"n\\":\\"Zo\u00eb \\\\\\\\u00eb e\\u0301\\"}"')
  })

  it('count bytes', async () => {
    expect((await findingOf('a\n', 'a'))?.evidence).toContain('Signed: 2 bytes, received: 1 byte\n')
  })

  it('do not split a letter', async () => {
    const letters = 'ë'.repeat(20)
    const atEnd = await findingOf(`${letters}x\n`, `${letters}x`)
    const atStart = await findingOf(`{"a": "${letters}"}`, `{"a":"${letters}"}`)
    expect(atEnd?.evidence).toContain('They differ from byte 41 on. Both from byte 32 on:\n  signed:   "ëëëëx\\n"')
    expect(atStart?.evidence).toContain(`received: "{\\"a\\":\\"${'ë'.repeat(12)}"`)
  })
})

describe('several mistakes', () => {
  const findingsOf = async (message: string, body: string) => {
    const signature = createHmac('sha256', SECRET).update(message).digest('hex')
    return (await diagnose(signedRequest({ body, signature, nonce: 'abc' }), SECRET, at(NOW))).findings
  }

  it('of the timestamp and the nonce are one finding', async () => {
    expect(await findingsOf(`${Number(TIMESTAMP) + 1}:ABC:a body`, 'a body')).toMatchObject([
      {
        code: 'message_timestamp',
        message:
          'The message was signed with a timestamp 1 s later than in the header and the nonce in uppercase, not with the values of the headers.',
      },
    ])
  })

  it('of the layout and the timestamp are one finding', async () => {
    expect(await findingsOf(`${TIMESTAMP}000.a body`, 'a body')).toMatchObject([
      {
        code: 'message_layout',
        message:
          'The sender signed the message `timestamp.body` with the timestamp in milliseconds, not `timestamp:nonce:body`.',
      },
    ])
  })

  it('of the body are a finding each', async () => {
    const findings = await findingsOf(`${TIMESTAMP}:abc:\ufeff{"a": 1}\n`, '{"a":1}')
    expect(findings.map(({ code }) => code)).toEqual(['body_json', 'body_encoding', 'body_newline'])
    expect(findings.map(({ evidence }) => evidence?.includes('Signed: '))).toEqual([true, false, false])
  })

  it('of two parts name each other', async () => {
    const findings = await findingsOf(`${TIMESTAMP}.abc.{"a":1}\n`, '{"a":1}')
    expect(findings.map(({ evidence }) => evidence?.split('\n').at(-1))).toEqual([
      'Fix it together with body_newline: each of them changes the signature.',
      'Fix it together with message_layout: each of them changes the signature.',
    ])
  })
})

describe('the right digest in another form', () => {
  const digestOf = (body: string) => signatureOf(TIMESTAMP, NONCE, body, SECRET)
  /** A body whose digest begins with a digit. */
  const bodyWith = (digit: RegExp) => {
    const number = Array.from({ length: 1000 }, (_, index) => index).find((index) =>
      digit.test(digestOf(`body ${index}`)),
    )
    return `body ${number}`
  }
  const bytes = (digest: string) => Buffer.from(digest, 'hex')

  it.each<[string, (digest: string) => string, RegExp?]>([
    ['`0x` before it', (digest) => `0x${digest}`],
    ['`"0x` before it, `"` after it', (digest) => `"0x${digest}"`],
    ['without the zeros at its start, as a number is printed', (digest) => digest.replace(/^0+/, ''), /^0/],
    ['the last 63 hex digits only', (digest) => digest.slice(1), /^[1-9a-f]/],
    ['base64 of the hex text', (digest) => Buffer.from(digest).toString('base64')],
    ['base64 of the base64 text', (digest) => Buffer.from(bytes(digest).toString('base64')).toString('base64')],
    [
      'base64 without its padding instead of lowercase hex',
      (digest) => bytes(digest).toString('base64').slice(0, -1),
      /^f[bf]/,
    ],
    ['base64url instead of lowercase hex', (digest) => bytes(digest).toString('base64url'), /^f[bf]/],
    ['hex of the base64 text', (digest) => Buffer.from(bytes(digest).toString('base64')).toString('hex')],
    ['hex of the uppercase hex text', (digest) => Buffer.from(digest.toUpperCase()).toString('hex')],
  ])('is reported: %s', async (form, write, begins = /^/) => {
    const body = bodyWith(begins)
    const request = signedRequest({ body, signature: write(digestOf(body)) })
    const { findings } = await diagnose(request, SECRET, at(NOW))
    expect(findings).toMatchObject([{ message: `X-Signature is the right digest in another form: ${form}.` }])
  })

  it.each([
    [8, 'signature_truncated'],
    // Fewer digits may agree by chance.
    [7, 'signature_format'],
    [6, 'signature_format'],
  ])('is recognized by its first %i digits: %s', async (digits, code) => {
    const request = signedRequest({ body: 'a body', signature: digestOf('a body').slice(0, digits) })
    const { findings } = await diagnose(request, SECRET, at(NOW))
    expect(findings[0]).toMatchObject({ code })
  })
})
