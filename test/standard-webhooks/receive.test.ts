import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { type BodySource, MemoryNonceStore, type NonceStore, type TransactionStore } from '../../src/index.js'
import { handle, receive, sign } from '../../src/standard-webhooks/index.js'
import { NOW, RecordingStore, TestClock } from '../support/request.js'
import { MESSAGE_ID, STANDARD_SECRET, signedMessage } from '../support/standard-webhooks.js'

const BODY = Buffer.from([0xef, 0xbf, 0xbd, 0xff, 0, 0x7b])

/** Returns a request with the raw body. */
function requestOf(parts: Parameters<typeof signedMessage>[0] = {}): BodySource {
  const { headers, body } = signedMessage({ body: BODY, ...parts })
  return { headers, body: Buffer.from(body as Uint8Array) }
}

function received(request: BodySource, store: NonceStore = new RecordingStore(), clock = new TestClock()) {
  return receive({ webhookId: '42', request }, STANDARD_SECRET, store, clock)
}

const ACCEPTED = { ok: true, webhookId: '42', messageId: MESSAGE_ID, timestamp: NOW / 1000, secretIndex: 0, body: BODY }

describe('receive', () => {
  it('returns the bytes that were signed, though they are no text', async () => {
    expect(await received(requestOf())).toEqual({ ...ACCEPTED, release: expect.any(Function) })
  })

  it('reads a Fetch request that sign signed, with Date', async () => {
    const text = '{"type":"invoice.paid"}'
    const headers = sign(text, STANDARD_SECRET)
    const request = new Request('https://example.com', { method: 'POST', headers, body: text })
    const { body, messageId } = await receive({ webhookId: '42', request }, STANDARD_SECRET, new MemoryNonceStore())
    expect([body.toString(), messageId]).toEqual([text, headers['webhook-id']])
  })

  const { headers } = signedMessage({ body: BODY })

  it.each([
    ['missing_header', { 'webhook-id': undefined }],
    ['invalid_nonce', { 'webhook-id': 'a.b' }],
    ['signature_mismatch', { 'webhook-signature': 'v1,short' }],
    ['signature_mismatch', { 'webhook-signature': [headers['webhook-signature'], headers['webhook-signature']] }],
  ])('refuses a request before it reads a byte: %s', async (reason, wrong) => {
    const read = vi.fn()
    const request = Object.assign(new Readable({ read }), { headers: { ...headers, ...wrong } })
    await expect(received(request as never)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_REJECTED',
      status: 401,
      reason,
    })
    expect(read).not.toHaveBeenCalled()
  })
})

describe('handle', () => {
  it('passes the webhook to the work, and resolves to what the work returned', async () => {
    const source = { webhookId: '42', request: requestOf() }
    const work = (webhook: unknown) => [webhook]
    expect(await handle(source, STANDARD_SECRET, new MemoryNonceStore(), work, new TestClock())).toEqual([ACCEPTED])
  })

  it('runs in the transaction that reserves the attempt', async () => {
    const calls: unknown[] = []
    const store: TransactionStore<string> = {
      async transact({ webhookId, keys, ttlSeconds, work }) {
        calls.push(webhookId, keys, ttlSeconds)
        return { outcome: 'done', value: await work('a transaction', new AbortController().signal) }
      },
    }
    const source = { webhookId: '42', request: requestOf({ nonce: 'a' }) }
    const work = (_: unknown, transaction: string) => transaction
    expect(await handle(source, STANDARD_SECRET, store, work, new TestClock())).toBe('a transaction')
    // The hash is by `printf a.1700000000 | sha256sum`.
    const key = 'attempt 1c1ce91a46609cca807adacd09a6e7dbe3dc2d6d04fc0de8214b8cdc37677656'
    expect(calls).toEqual(['42', [key], 600])
  })
})
