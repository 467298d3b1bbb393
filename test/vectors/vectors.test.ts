import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, type RejectionReason, sign, verify } from '../../src/index.js'
import { isInstalled } from '../support/programs.js'
import { REASONS, TestClock } from '../support/request.js'

interface Vector {
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

const published = readFileSync(new URL('../../docs/vectors.json', import.meta.url), 'utf8')
const { vectors }: { vectors: Vector[] } = JSON.parse(published)

describe('docs/vectors.json', () => {
  it.each(vectors)('$description', async ({ secrets, requests }) => {
    const clock = new TestClock()
    const store = new MemoryNonceStore({ clock })
    for (const { webhookId, now, headers, bodyBase64, bodyText, expected } of requests) {
      clock.milliseconds = now
      const body = Buffer.from(bodyBase64, 'base64')
      const result = await verify({ webhookId, headers, body }, secrets, store, clock)
      expect(result).toMatchObject(expected)
      if (bodyText !== undefined) expect(Buffer.from(bodyText)).toEqual(body)
      if (result.ok) {
        const { timestamp, nonce, secretIndex } = result
        const signed = sign(body, secrets[secretIndex] ?? '', { timestamp, nonce })
        const signature = new Headers(headers).get('x-signature')
        // `sign` writes no leading zeros.
        if (new Headers(headers).get('x-timestamp') === signed['X-Timestamp']) {
          expect(signed['X-Signature']).toBe(signature)
        }
      }
    }
  })

  it.runIf(isInstalled('python3'))('has the results that the rules give in Python', { timeout: 60_000 }, () => {
    const program = fileURLToPath(new URL('check.py', import.meta.url))
    expect(execFileSync('python3', [program], { encoding: 'utf8' })).toBe(`${vectors.length}\n`)
  })

  it('has a different description per vector', () => {
    expect(new Set(vectors.map(({ description }) => description)).size).toBe(vectors.length)
  })

  it('has every reason, and valid requests', () => {
    const results = vectors.flatMap(({ requests }) => requests.map(({ expected }) => expected))
    expect(new Set(results.map((result) => (result.ok ? 'ok' : result.reason)))).toEqual(new Set(['ok', ...REASONS]))
  })

  it('is ASCII, which every JSON parser reads the same way', () => {
    expect(published).toMatch(/^[\x20-\x7e\n]*$/)
  })
})
