import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, type RejectionReason, sign, verify } from '../../src/index.js'
import { hmacSha256 } from '../../src/rules/signature.js'
import { REASONS, RecordingStore, TestClock } from '../support/request.js'

interface Vector {
  name?: string
  secret?: string
  secretHex?: string
  timestamp: string
  nonce: string
  bodyHex: string
  signature: string
}

function vectorsOf(file: string) {
  const vectors: Vector[] = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
  return vectors.map(({ name, secret, secretHex = '', bodyHex, ...rest }) => ({
    ...rest,
    secret: secret ?? Buffer.from(secretHex, 'hex').toString('utf8'),
    body: Buffer.from(bodyHex, 'hex'),
    name: name ?? `secret ${secretHex}; nonce ${rest.nonce}; body ${bodyHex.slice(0, 32)}`,
  }))
}

describe.each([
  ['Python', 'python.json', 117],
  ['openssl', 'openssl.json', 18],
])('requests signed by %s', (_, file, count) => {
  const vectors = vectorsOf(file)

  it(`are ${count}`, () => {
    expect(vectors).toHaveLength(count)
  })

  it.each(vectors)('verify: $name', async ({ secret, timestamp, nonce, body, signature }) => {
    const headers = { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
    const result = await verify({ webhookId: '42', headers, body }, secret, new RecordingStore(), new TestClock())
    expect(result).toMatchObject({ ok: true, nonce })
  })

  it.each(vectors)('have the signature that sign makes: $name', ({ secret, timestamp, nonce, body, signature }) => {
    const headers = sign(body, secret, { timestamp: Number(timestamp), nonce })
    if (headers['X-Timestamp'] === timestamp) expect(headers['X-Signature']).toBe(signature)
    else expect(timestamp).toMatch(/^0/)
  })
})

interface Sequence {
  description: string
  secrets: string[]
  requests: {
    webhookId: string
    now: number
    headers: [string, string][]
    bodyBase64: string
    bodyText?: string
    expected:
      | { ok: true; secretIndex?: number }
      | { ok: false; reason: Exclude<RejectionReason, 'missing_header'> }
      | { ok: false; reason: 'missing_header'; header: string }
  }[]
}

describe('docs/vectors.json', () => {
  const published = readFileSync(new URL('../../docs/vectors.json', import.meta.url), 'utf8')
  const { vectors }: { vectors: Sequence[] } = JSON.parse(published)

  it.each(vectors)('$description', async ({ secrets, requests }) => {
    const clock = new TestClock()
    const store = new MemoryNonceStore({ clock })
    for (const { webhookId, now, headers, bodyBase64, bodyText, expected } of requests) {
      clock.milliseconds = now
      const body = Buffer.from(bodyBase64, 'base64')
      expect(await verify({ webhookId, headers, body }, secrets, store, clock)).toMatchObject(expected)
      if (bodyText !== undefined) expect(Buffer.from(bodyText)).toEqual(body)
    }
  })

  it('has a different description per vector', () => {
    expect(new Set(vectors.map(({ description }) => description)).size).toBe(vectors.length)
  })

  it('has every reason, and genuine requests', () => {
    const results = vectors.flatMap(({ requests }) => requests.map(({ expected }) => expected))
    expect(new Set(results.map((result) => (result.ok ? 'ok' : result.reason)))).toEqual(new Set(['ok', ...REASONS]))
  })

  it('is ASCII, which every JSON parser reads the same way', () => {
    expect(published).toMatch(/^[\x20-\x7e\n]*$/)
  })
})

/** RFC 4231, section 4: the test cases whose key is text, that is, valid UTF-8. Case 5 is truncated to 128 bits. */
describe('RFC 4231', () => {
  const ascending = String.fromCharCode(...Array.from({ length: 25 }, (_, index) => index + 1))
  it.each([
    [
      '1',
      '\x0b'.repeat(20),
      Buffer.from('Hi There'),
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      '2',
      'Jefe',
      Buffer.from('what do ya want for nothing?'),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['4', ascending, Buffer.alloc(50, 0xcd), '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b'],
    ['5', '\x0c'.repeat(20), Buffer.from('Test With Truncation'), 'a3b6167473100ee06e0c796c2955552b'],
  ])('test case %s', (_, key, message, expected) => {
    expect(hmacSha256(key, '', message).slice(0, expected.length)).toBe(expected)
    const text = message.toString('latin1')
    if (Buffer.from(text, 'utf8').equals(message)) {
      expect(hmacSha256(key, text, Buffer.alloc(0)).slice(0, expected.length)).toBe(expected)
    }
  })
})
