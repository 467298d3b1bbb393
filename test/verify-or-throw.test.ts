import { describe, expect, it } from 'vitest'
import { hasErrorCode, type NonceStore, verifyOrThrow } from '../src/index.js'
import { FIRST_BROKEN } from './support/cases/rules.js'
import { NONCE, NOW, RecordingStore, SECRET, signedRequest, TestClock, TIMESTAMP } from './support/request.js'

function outcome(request = signedRequest(), nonceStore: NonceStore = new RecordingStore(), clock = new TestClock()) {
  return verifyOrThrow(request, SECRET, nonceStore, clock)
}

describe('verifyOrThrow', () => {
  it('resolves to the accepted result', async () => {
    expect(await outcome()).toEqual({
      ok: true,
      webhookId: '42',
      timestamp: Number(TIMESTAMP),
      nonce: NONCE,
      secretIndex: 0,
    })
  })

  it('uses Date by default', async () => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const request = signedRequest({ timestamp })
    expect(await verifyOrThrow(request, SECRET, new RecordingStore())).toMatchObject({ ok: true })
  })

  it.each(FIRST_BROKEN)('throws if the rule %s is broken', async (reason, parts) => {
    const error: unknown = await outcome(signedRequest(parts), { reserve: () => false }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'WebhookRejectedError',
      code: 'ERR_WEBHOOK_REJECTED',
      status: 401,
      statusCode: 401,
      expose: true,
      reason,
      header: undefined,
    })
  })

  it('names a missing header, and has the detail outside of the message', async () => {
    const { 'x-nonce': _, ...headers } = signedRequest().headers
    await expect(verifyOrThrow({ ...signedRequest(), headers }, SECRET, new RecordingStore())).rejects.toMatchObject({
      reason: 'missing_header',
      header: 'x-nonce',
      detail: expect.stringMatching(/^X-Nonce is missing\. /),
    })
  })

  it('has a message and a stack that are safe to send: neither says what is wrong', async () => {
    const request = { ...signedRequest(), body: 'a forged body' }
    const error: unknown = await outcome(request).catch((thrown) => thrown)
    if (!hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) throw new Error('not rejected')
    expect(error.message).toBe('The request is not authenticated')
    expect(error.stack).not.toMatch(/signature_mismatch|X-Signature|bytes/)
    expect(error.detail).toMatch(/^X-Signature is not the signature/)
  })

  it('has no reason in its JSON, which some frameworks send', async () => {
    const error: unknown = await outcome({ ...signedRequest(), body: 'a forged body' }).catch((thrown) => thrown)
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'ERR_WEBHOOK_REJECTED',
      message: 'The request is not authenticated',
    })
  })

  it('throws what verify throws if the store failed', async () => {
    const failing = { reserve: () => Promise.reject(new Error('connection refused')) }
    await expect(outcome(signedRequest(), failing)).rejects.toMatchObject({
      code: 'ERR_NONCE_STORE',
      status: 503,
      statusCode: 503,
      expose: false,
      message: 'The nonce store failed. See the cause.',
      cause: { message: 'connection refused' },
    })
  })

  it('throws what verify throws for a mistake of the caller', async () => {
    await expect(verifyOrThrow(signedRequest(), '', new RecordingStore())).rejects.toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARGUMENT',
    })
  })

  it('accepts a request once', async () => {
    const store = new RecordingStore()
    await outcome(signedRequest(), store)
    await expect(outcome(signedRequest(), store)).rejects.toMatchObject({ reason: 'replayed_nonce' })
  })

  it('passes the clock on', async () => {
    await expect(outcome(signedRequest(), new RecordingStore(), new TestClock(NOW + 300_001))).rejects.toMatchObject({
      reason: 'timestamp_outside_window',
    })
  })
})
