import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { diagnose } from '../../src/diagnose/index.js'

const at = (now: number) => ({ now: () => now })

describe('the limits of the search', () => {
  const codesOf = async (message: string, parts: Parameters<typeof signedRequest>[0], secret: string = SECRET) => {
    const signature = createHmac('sha256', secret).update(message).digest('hex')
    const { findings } = await diagnose(signedRequest({ nonce: 'abc', ...parts, signature }), secret, at(NOW))
    return findings.map(({ code }) => code)
  }

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

  it("name curl's -d, which removes the line breaks of a file but keeps its indentation", async () => {
    const signed = '{\n  "a": [\n    1,\n    "x"\n  ]\n}'
    expect(await findingOf(`${signed}\n`, signed.replaceAll('\n', ''))).toMatchObject({
      code: 'body_newline',
      fixes: { shell: expect.stringContaining('--data-binary @body.json') },
    })
  })

  it('join changes of the same kind, because each alone does not give the signature', async () => {
    const file = '{\n  "event": "order.paid"\n}\n'
    const signature = signatureOf(TIMESTAMP, NONCE, file, SECRET)
    const request = signedRequest({ body: file.replaceAll('\n', ''), signature })
    const { findings } = await diagnose(request, SECRET, at(NOW))
    expect(findings.map(({ code }) => code)).toEqual(['body_newline'])
    expect(findings[0]?.message).toMatch(/ with its line breaks, .* and with a line feed \(LF\) after it, /)
    expect(findings[0]?.evidence).toContain('Signed: 28 bytes, received: 25 bytes.')
  })

  it('name the original body, if it is known and was signed', async () => {
    const signature = signatureOf(TIMESTAMP, NONCE, 'one', SECRET)
    const request = signedRequest({ body: 'other', signature })
    expect((await diagnose(request, SECRET, at(NOW), 'one')).findings).toMatchObject([{ code: 'body_changed' }])
    expect((await diagnose(request, SECRET, at(NOW), 'two')).findings).toMatchObject([{ code: 'signature_mismatch' }])
  })

  it('say what turned an object into an array, and how to avoid it', async () => {
    const finding = await findingOf('{"a":[]}', '{"a":{}}')
    expect(finding).toMatchObject({ code: 'body_json' })
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
    expect(finding?.evidence).toContain('{"n":"Zo\u00eb \\\\u00eb e<U+0301>"}')
  })

  it('count bytes', async () => {
    expect((await findingOf('a\n', 'a'))?.evidence).toContain('Signed: 2 bytes, received: 1 byte. They')
  })

  it('do not split a letter', async () => {
    const letters = 'ë'.repeat(20)
    const atEnd = await findingOf(`${letters}x\n`, `${letters}x`)
    const atStart = await findingOf(`{"a": "${letters}"}`, `{"a":"${letters}"}`)
    expect(atEnd?.evidence).toContain('They differ from byte 41 on:\n  signed:   …ëëëëx<U+000A>')
    expect(atStart?.evidence).toContain(`received: {"a":"${'ë'.repeat(12)}…`)
  })
})

describe('several mistakes', () => {
  const findingsOf = async (message: string, body: string) => {
    const signature = createHmac('sha256', SECRET).update(message).digest('hex')
    return (await diagnose(signedRequest({ body, signature, nonce: 'abc' }), SECRET, at(NOW))).findings
  }

  it('in the timestamp and the nonce are one finding', async () => {
    expect(await findingsOf(`${Number(TIMESTAMP) + 1}:ABC:a body`, 'a body')).toMatchObject([
      { code: 'message_timestamp' },
    ])
  })

  it('in the layout and the timestamp are one finding', async () => {
    expect(await findingsOf(`${TIMESTAMP}000.a body`, 'a body')).toMatchObject([{ code: 'message_layout' }])
  })

  it('in the body are one finding each', async () => {
    const findings = await findingsOf(`${TIMESTAMP}:abc:\ufeff{"a": 1}\n`, '{"a":1}')
    expect(findings.map(({ code }) => code)).toEqual(['body_json', 'body_encoding', 'body_newline'])
    expect(findings.map(({ evidence }) => evidence?.includes('Signed: '))).toEqual([true, false, false])
  })

  it('in two parts of the message are two findings, each of which names the other', async () => {
    const findings = await findingsOf(`${TIMESTAMP}.abc.{"a":1}\n`, '{"a":1}')
    expect(findings.map(({ evidence }) => evidence?.split('\n').at(-1))).toEqual([
      expect.stringContaining('body_newline'),
      expect.stringContaining('message_layout'),
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
    const code = /zeros|only/.test(form) ? 'signature_truncated' : 'signature_format'
    expect(findings).toMatchObject([{ code, side: 'sender' }])
  })

  it.each([
    [8, 'signature_truncated'],
    // With fewer digits, another digest may match by chance.
    [7, 'signature_format'],
    [6, 'signature_format'],
  ])('is recognized by its first %i digits: %s', async (digits, code) => {
    const request = signedRequest({ body: 'a body', signature: digestOf('a body').slice(0, digits) })
    const { findings } = await diagnose(request, SECRET, at(NOW))
    expect(findings[0]).toMatchObject({ code })
  })
})
