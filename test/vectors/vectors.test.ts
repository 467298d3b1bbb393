import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, type RejectionReason, sign, verify } from '../../src/index.js'
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
