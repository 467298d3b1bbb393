import { describe, expect, it } from 'vitest'
import { generateSecret, sign, verify } from '../src/index.js'
import { RecordingStore } from './support/request.js'

describe('generateSecret', () => {
  it('returns 32 bytes as base64url', () => {
    const secret = generateSecret()
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  })

  it('never returns the same secret twice', () => {
    expect(new Set(Array.from({ length: 1000 }, generateSecret)).size).toBe(1000)
  })

  it('uses every bit: each of the 256 is set in some secrets and not in others', () => {
    const secrets = Array.from({ length: 200 }, () => Buffer.from(generateSecret(), 'base64url'))
    for (let bit = 0; bit < 256; bit++) {
      const set = secrets.filter((bytes) => ((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1).length
      expect(set).toBeGreaterThan(0)
      expect(set).toBeLessThan(200)
    }
  })

  it('returns a secret that signs and verifies', async () => {
    const secret = generateSecret()
    const request = { webhookId: '42', headers: sign('', secret), body: '' }
    expect(await verify(request, secret, new RecordingStore())).toMatchObject({ ok: true })
  })
})
