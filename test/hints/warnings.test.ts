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

describe('two memory stores', () => {
  /** Returns a function that creates a store, and one that reserves a nonce in a store at a time in milliseconds. */
  async function open() {
    const { MemoryNonceStore } = await import('../../src/index.js')
    const clock = { time: 0, now: () => clock.time }
    let nonces = 0
    const newStore = () => new MemoryNonceStore({ maxEntries: 10, clock })
    const reserve = (store: InstanceType<typeof MemoryNonceStore>, time = 0, webhookId = '42') => {
      clock.time = time
      expect(store.reserve(webhookId, `nonce ${nonces++}`, 600)).toBe(true)
    }
    return { newStore, reserve }
  }

  it('that reserve for one webhook within 600 s warn once', async () => {
    const { newStore, reserve } = await open()
    const [one, other] = [newStore(), newStore()]
    reserve(one, 1)
    reserve(one, 2)
    expect(warn).not.toHaveBeenCalled()
    reserve(other, 600_002)
    expect(warn.mock.calls).toEqual([
      [
        'Two MemoryNonceStores reserved nonces for the same webhookId within 600 s, so each accepts a copy of the same request. Create one store per process, not per request.',
        { type: 'WebhookWarning', code: 'MEMORY_STORE_PER_REQUEST' },
      ],
    ])
    expect(warn.mock.calls[0]?.[0].length).toBeLessThanOrEqual(200)
    for (let request = 0; request < 300; request++) reserve(newStore())
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('that claim for one webhook warn too', async () => {
    const { newStore } = await open()
    const store = newStore()
    for (const isDone of [false, true]) expect(store.claim('42', ['a nonce'], 600, 'an owner', isDone)).toBe('claimed')
    expect(warn).not.toHaveBeenCalled()
    expect(newStore().claim('42', ['a nonce'], 600, 'another owner')).toBe('claimed')
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('do not warn if more than 600 s passed, because a nonce is kept for 600 s', async () => {
    const { newStore, reserve } = await open()
    const [one, other] = [newStore(), newStore()]
    reserve(one, 0)
    reserve(other, 600_001)
    reserve(one, 1_200_002)
    expect(warn).not.toHaveBeenCalled()
    reserve(other, 1_800_002)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('are noticed for 10 000 webhooks, after which the memory begins again', async () => {
    const { newStore, reserve } = await open()
    const { MemoryNonceStore } = await import('../../src/index.js')
    const busy = new MemoryNonceStore({ clock: { now: () => 0 } })
    for (let webhook = 0; webhook < 10_000; webhook++) busy.reserve(`webhook ${webhook}`, 'a nonce', 600)
    busy.reserve('one too many', 'a nonce', 600)
    reserve(newStore(), 0, 'webhook 9999')
    expect(warn).not.toHaveBeenCalled()
    reserve(newStore(), 0, 'one too many')
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('do not warn if they are inside other stores', async () => {
    const { RedisNonceStore } = await import('../../src/stores/redis/index.js')
    for (let request = 0; request < 2; request++) {
      const store = new RedisNonceStore({ sendCommand: async ({ 4: token }) => `reserved ${token}` })
      expect(await store.reserve('42', `nonce ${request}`, 600)).toBe(true)
    }
    expect(warn).not.toHaveBeenCalled()
  })
})
