import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { latin1, utf8 } from '../../src/bytes.js'
import type { BodyOrigin } from '../../src/capture/body.js'
import type { Header } from '../../src/capture/headers.js'
import { diagnoseInSteps } from '../../src/diagnose/engine.js'
import { compareBodies } from '../../src/diagnose/explain.js'
import { diagnose } from '../../src/diagnose/index.js'
import { runSteps } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

const at = (now: number) => ({ now: () => now })

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
    expect(findings[0]?.message).toMatch(/ with the newlines .* and with a line feed \(LF\) after it, /)
    expect(findings[0]?.evidence).toContain('Signed: 28 bytes, received: 25 bytes.')
  })

  it('show letters unchanged, and escape invisible characters and characters that look like letters', async () => {
    const finding = await findingOf('{"n": "Zo\u00eb \\\\u00eb e\u0301"}', '{"n":"Zo\u00eb \\\\u00eb e\u0301"}')
    expect(finding?.evidence).toContain('{"n":"Zo\u00eb \\\\u00eb e<U+0301>"}')
  })
})

it.each([
  ['{\\"t\\":\\"it\\\'s a\\/b\\"}', 'escapes'],
  ['{&quot;t&quot;:&quot;it&#39;s a/b&quot;}', 'HTML entities'],
])('a body that is JSON only before it was escaped was changed on the way: %s', async (body, how) => {
  const signature = signatureOf(TIMESTAMP, NONCE, `{"t":"it's a/b"}`, SECRET)
  const request = signedRequest({ body, signature })
  const headers = { ...request.headers, 'content-length': String(body.length) }
  const { findings } = await diagnose({ ...request, headers }, SECRET, at(NOW))
  expect(findings).toMatchObject([{ code: 'body_changed', side: 'unknown', message: expect.stringContaining(how) }])
  expect(findings[0]?.message).toMatch(/^Only the signed body is JSON, so something changed the body/)
})

it.each<[BodyOrigin | undefined, Header[], string, string?]>([
  [undefined, [], 'unknown'],
  ['arrived', [['content-length', '7']], 'receiver'],
  ['arrived', [['content-length', '6']], 'sender'],
  [
    'arrived',
    [
      ['content-length', '6'],
      ['via', '1.1 a'],
    ],
    'unknown',
  ],
  ['sent', [], 'sender'],
  ['sent', [['content-length', '7']], 'receiver'],
  ['log', [], 'unknown', ', or the logger changed them'],
  ['log', [['content-length', '6']], 'sender'],
  ['capture', [], 'unknown', ', or the capture changed them'],
  ['capture', [['content-length', '7']], 'unknown', ', or the capture changed them'],
])('the body of 6 bytes was signed with a newline: %s, %j, side %s', (origin, headers, side, orChangedBy = '') => {
  const signature = signatureOf(TIMESTAMP, NONCE, 'a body\n', SECRET)
  const values = { timestamp: TIMESTAMP, nonce: NONCE, signature }
  const known = { body: utf8('a body'), secrets: [SECRET], now: NOW, isArrivalKnown: true, ...(origin && { origin }) }
  const { findings } = runSteps(diagnoseInSteps(NODE_PRIMITIVES, { ...values, headers, ...known }, 5000))
  expect(findings).toMatchObject([{ code: 'body_newline', side }])
  expect(findings[0]?.message).toContain(`, not the bytes received${orChangedBy}.`)
})

it.each([
  ['PHP/8.2', "PHP's json_encode", ['php']],
  [
    'libwww-perl/6.67',
    "JavaScript's JSON.stringify, PHP's json_encode or Go's json.Marshal",
    ['perl', 'node', 'php', 'go'],
  ],
])('the serializer of JSON is one of the language that User-Agent names: %s', async (agent, writer, languages) => {
  const request = signedRequest({ body: '{"a": 1}', signature: signatureOf(TIMESTAMP, NONCE, '{"a":1}', SECRET) })
  const headers = { ...request.headers, 'user-agent': agent }
  const { findings } = await diagnose({ ...request, headers }, SECRET, at(NOW))
  expect(findings[0]?.message).toBe(
    `The sender signed the JSON as ${writer} writes it (no white space), not the bytes received.`,
  )
  // The fixes for these languages come first.
  expect(Object.keys(findings[0]?.fixes ?? {}).slice(0, languages.length)).toEqual(languages)
})

describe('several mistakes', () => {
  const findingsOf = async (message: string, body: string) => {
    const signature = createHmac('sha256', SECRET).update(message).digest('hex')
    return (await diagnose(signedRequest({ body, signature, nonce: 'abc' }), SECRET, at(NOW))).findings
  }

  it('in the body are one finding each', async () => {
    const findings = await findingsOf(`${TIMESTAMP}:abc:\ufeff{"a": 1}\n`, '{"a":1}')
    expect(findings.map(({ code }) => code)).toEqual(['body_json', 'body_encoding', 'body_newline'])
    expect(findings.map(({ evidence }) => evidence?.includes('Signed: '))).toEqual([true, false, false])
  })

  it('in two parts of the message are two findings, each of which names the other', async () => {
    const findings = await findingsOf(`${TIMESTAMP}.abc.{"a":1}\n`, '{"a":1}')
    const others = ['body_newline', 'message_layout'].map((code) => expect.stringContaining(code))
    expect(findings.map(({ evidence }) => evidence?.split('\n').at(-1))).toEqual(others)
  })

  it('in the body are one finding if the newline at the end is the same on both sides', async () => {
    const codesOf = async (signed: string, body: string) =>
      (await findingsOf(`${TIMESTAMP}:abc:${signed}`, body)).map(({ code }) => code)
    expect(await codesOf('{"a": 1}\n', '{"a":1}\n')).toEqual(['body_json'])
    expect(await codesOf('{"a": 1}\r\n', '{"a":1}\n')).toEqual(['body_json', 'body_newline'])
    expect(await codesOf('ab\n', 'a\nb\n')).toEqual(['body_newline'])
  })

  it('in the digest and in its form are one finding', async () => {
    const signature = createHmac('sha1', SECRET).update(`${TIMESTAMP}:abc:{}`).digest('base64')
    const { findings } = await diagnose(signedRequest({ body: '{}', signature, nonce: 'abc' }), SECRET, at(NOW))
    expect(findings.map(({ message }) => message)).toEqual([
      'X-Signature is an HMAC with SHA-1 instead of SHA-256, sent in another form: base64 instead of lowercase hex.',
    ])
  })
})

it.each<[string | Uint8Array, string | Uint8Array, number, string, string]>([
  ['ab', 'a', 1, 'ab', 'a'],
  ['abcdefghiX', 'abcdefghiY', 9, '…bcdefghiX', '…bcdefghiY'],
  ['ééééé!X', 'ééééé!Y', 11, '…éééé!X', '…éééé!Y'],
  ['a\tb', 'a b', 1, 'a<U+0009>b', 'a b'],
  ['a\xff', latin1('a\xff~'), 1, 'a<C3><BF>', 'a<FF>~'],
  ['the secret', 'the secreT', 9, '…he [secret]', '…he secreT'],
])('the first difference of %j and %j is byte %i', (signed, received, index, ...excerpts) => {
  const bytes = [signed, received].map((body) => (typeof body === 'string' ? utf8(body) : body))
  const [one, other] = bytes as [Uint8Array, Uint8Array]
  const count = (body: Uint8Array) => (body.length === 1 ? '1 byte' : `${body.length} bytes`)
  const lines = compareBodies(one, other, (text) => text.replace('secret', '[secret]'))
  expect(lines).toEqual([
    `Signed: ${count(one)}, received: ${count(other)}. They differ from byte ${index}:`,
    ['  signed', `  ${excerpts[0]}`],
    ['  received', excerpts[1]],
  ])
})
