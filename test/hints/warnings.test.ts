import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { NONCE, RecordingStore, SECRET, signedRequest, TestClock } from '../support/request.js'
import { STANDARD_SECRET, signedMessage } from '../support/standard-webhooks.js'

// Each test loads the package again, because a process warns once.

let warn: MockInstance
beforeEach(() => {
  vi.resetModules()
  warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
})
afterEach(() => {
  warn.mockRestore()
})

describe('a webhookId that equals the nonce', () => {
  /** Verifies requests to the webhook {@link NONCE} with these nonces. */
  async function verifyWith(...nonces: readonly string[]): Promise<void> {
    const { verify } = await import('../../src/index.js')
    for (const nonce of nonces) {
      await verify(signedRequest({ nonce, webhookId: NONCE }), SECRET, new RecordingStore(), new TestClock())
    }
  }

  it('warns once, if the requests are accepted', async () => {
    await verifyWith(NONCE, NONCE)
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^webhookId equals X-Nonce /), { type: 'WebhookWarning', code: 'WEBHOOK_ID_IS_NONCE' }],
    ])
    expect(warn.mock.calls[0]?.[0].length).toBeLessThanOrEqual(200)
  })

  it('warns of the header webhook-id too', async () => {
    const { verify } = await import('../../src/standard-webhooks/index.js')
    const request = signedMessage({ webhookId: 'msg_1', nonce: 'msg_1' })
    expect(await verify(request, STANDARD_SECRET, new RecordingStore(), new TestClock())).toMatchObject({ ok: true })
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^webhookId equals webhook-id /), expect.objectContaining({})],
    ])
  })

  it('does not warn of a rejected request, or of another nonce', async () => {
    const { verify } = await import('../../src/index.js')
    const forged = signedRequest({ webhookId: NONCE, secret: 'another' })
    const replayed = { reserve: () => false }
    await verify(forged, SECRET, new RecordingStore(), new TestClock())
    await verify(signedRequest({ webhookId: NONCE }), SECRET, replayed, new TestClock())
    await verifyWith('another')
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('a memory store', () => {
  async function newStores() {
    const { MemoryNonceStore } = await import('../../src/index.js')
    let nonces = 0
    const newStore = () => new MemoryNonceStore({ maxEntries: 10 })
    const reserve = (store: InstanceType<typeof MemoryNonceStore>) => store.reserve('42', `nonce ${nonces++}`, 600)
    return { newStore, reserve }
  }

  it('per request warns once, with the hundredth', async () => {
    const { newStore, reserve } = await newStores()
    for (let request = 1; request <= 99; request++) reserve(newStore())
    expect(warn).not.toHaveBeenCalled()
    for (let request = 100; request <= 300; request++) reserve(newStore())
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^100 MemoryNonceStores have reserved one nonce each, so replays are accepted\. Create one /,
        ),
        { type: 'WebhookWarning', code: 'MEMORY_STORE_PER_REQUEST' },
      ],
    ])
    expect(warn.mock.calls[0]?.[0].length).toBeLessThanOrEqual(200)
  })

  it('per tenant does not warn, if all are created at the start', async () => {
    const { newStore, reserve } = await newStores()
    const tenants = Array.from({ length: 300 }, newStore)
    for (let round = 0; round < 3; round++) for (const tenant of tenants) reserve(tenant)
    expect(warn).not.toHaveBeenCalled()
  })

  it('per tenant does not warn, if each is created with its first request', async () => {
    const { newStore, reserve } = await newStores()
    const busy = newStore()
    for (let tenant = 0; tenant < 300; tenant++) {
      reserve(newStore())
      if (tenant % 50 === 0) reserve(busy)
    }
    expect(warn).not.toHaveBeenCalled()
  })

  it('that reserves nothing does not count', async () => {
    const { newStore, reserve } = await newStores()
    for (let store = 0; store < 300; store++) newStore()
    reserve(newStore())
    expect(warn).not.toHaveBeenCalled()
  })

  it('inside a network store does not count', async () => {
    const { RedisNonceStore } = await import('../../src/stores/redis/index.js')
    for (let request = 0; request < 300; request++) {
      const store = new RedisNonceStore({ sendCommand: async ({ 4: token }) => `reserved ${token}` })
      expect(await store.reserve('42', `nonce ${request}`, 600)).toBe(true)
    }
    expect(warn).not.toHaveBeenCalled()
  })
})
