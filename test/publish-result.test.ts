import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handle, MemoryNonceStore, receive, type WebhookResult } from '../src/index.js'
import { PostgresTransactionStore } from '../src/stores/postgres/index.js'
import { SECRET, signedRequest, TestClock } from './support/request.js'
import { SimulatedDatabase } from './support/transactions/simulated-database.js'

const NAME = 'inbound-webhook-auth:result'
const BODY = Buffer.from('a body that is split in one way only')

const published: WebhookResult[] = []
const listener = (message: unknown) => {
  published.push(message as WebhookResult)
}
beforeEach(() => {
  published.length = 0
  subscribe(NAME, listener)
})
afterEach(() => {
  unsubscribe(NAME, listener)
})

const sourceOf = (parts: Parameters<typeof signedRequest>[0] = {}) => {
  const { headers } = signedRequest({ body: BODY, ...parts })
  return { webhookId: '42', request: { headers, body: BODY } }
}
const resultOf = (outcome: string, bytes?: number, secretIndex?: number) => ({
  webhookId: '42',
  outcome,
  milliseconds: expect.any(Number),
  bytes,
  secretIndex,
})
const failing = { reserve: () => Promise.reject(new Error('down')), release() {} }

describe('the diagnostics channel gets', () => {
  it.each<[string, unknown]>([
    ['accepted', 'accepted'],
    ['an invented reason', 'invented'],
    ['no text', { toString: () => 'replayed_nonce' }],
    ['a reason that cannot be read', undefined],
  ])('the code of an error of your code whose reason is %s', async (_, reason) => {
    const get = () => {
      if (reason === undefined) throw new Error('a getter')
      return reason
    }
    const error = Object.defineProperty(Object.assign(new Error(), { code: 'ERR_WEBHOOK_REJECTED' }), 'reason', { get })
    const call = handle(sourceOf(), SECRET, new MemoryNonceStore(), () => Promise.reject(error), new TestClock())
    await expect(call).rejects.toBe(error)
    expect(published).toEqual([resultOf('ERR_WEBHOOK_REJECTED', BODY.length, 0)])
  })

  it('each result of receive', async () => {
    const store = new MemoryNonceStore()
    const secrets = ['another', SECRET]
    for (const source of [sourceOf(), sourceOf(), sourceOf({ secret: 'third' }), sourceOf({ timestamp: '1' })]) {
      await receive(source, secrets, store, new TestClock()).catch(() => {})
    }
    const bare = { webhookId: '42', request: { headers: {}, body: BODY } }
    await receive(bare, secrets, store, new TestClock()).catch(() => {})
    await receive({ ...sourceOf(), maxBytes: 1 }, secrets, store, new TestClock()).catch(() => {})
    await receive(sourceOf(), secrets, failing, new TestClock()).catch(() => {})
    const full = new MemoryNonceStore({ maxEntries: 1 })
    full.reserve('42', 'another', 600)
    await receive(sourceOf(), secrets, full, new TestClock()).catch(() => {})
    await receive(sourceOf(), '', store, new TestClock()).catch(() => {})
    const size = BODY.length
    expect(published).toEqual([
      resultOf('accepted', size, 1),
      resultOf('replayed_nonce', size, 1),
      resultOf('signature_mismatch', size),
      resultOf('timestamp_outside_window'),
      resultOf('missing_header'),
      resultOf('ERR_BODY_TOO_LARGE'),
      resultOf('ERR_NONCE_STORE', size, 1),
      resultOf('ERR_NONCE_STORE_FULL', size, 1),
      resultOf('ERR_INVALID_ARGUMENT'),
    ])
  })

  it('repeated for a repeated event', async () => {
    const store = new PostgresTransactionStore(new SimulatedDatabase().client)
    for (const nonce of ['a', 'b']) {
      const source = { ...sourceOf({ nonce }), eventId: () => 'evt_1' }
      await handle(source, SECRET, store, () => {}, new TestClock())
    }
    expect(published).toEqual([resultOf('accepted', BODY.length, 0), resultOf('repeated', BODY.length, 0)])
  })

  it('each result of handle, with the time of the work', async () => {
    const store = new MemoryNonceStore()
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const work = () => {
      now += 250
      if (now === 250) throw new Error('no insert', { cause: { code: 'ERR_NONCE_STORE_FULL' } })
      if (now === 500) throw Object.assign(new Error('the database is down'), { reason: 'replayed_nonce' })
    }
    await handle(sourceOf(), SECRET, store, work, new TestClock()).catch(() => {})
    await handle(sourceOf(), SECRET, store, work, new TestClock()).catch(() => {})
    await handle(sourceOf(), SECRET, store, work, new TestClock())
    vi.restoreAllMocks()
    expect(published).toEqual([
      { ...resultOf('failed', BODY.length, 0), milliseconds: 250 },
      { ...resultOf('failed', BODY.length, 0), milliseconds: 250 },
      { ...resultOf('accepted', BODY.length, 0), milliseconds: 250 },
    ])
  })

  it('a mistake in a call, too', async () => {
    const noRelease = { reserve: () => true }
    const store = new MemoryNonceStore()
    await receive(sourceOf(), SECRET, Object({}), new TestClock()).catch(() => {})
    await handle(sourceOf(), SECRET, noRelease, () => {}, new TestClock()).catch(() => {})
    await handle(sourceOf(), SECRET, store, Object('work'), new TestClock()).catch(() => {})
    expect(published.map(({ outcome }) => outcome)).toEqual(Array(3).fill('ERR_INVALID_ARGUMENT'))
  })

  it('nothing that may be a secret, a nonce or a body', async () => {
    await receive(sourceOf(), SECRET, new MemoryNonceStore(), new TestClock())
    expect(JSON.stringify(published)).not.toMatch(new RegExp(`${SECRET}|nonce|${BODY}`))
  })
})

it('without a subscriber, no time is read', async () => {
  unsubscribe(NAME, listener)
  expect(channel(NAME).hasSubscribers).toBe(false)
  const now = vi.spyOn(performance, 'now')
  await receive(sourceOf(), SECRET, { reserve: () => true }, new TestClock())
  expect(now).not.toHaveBeenCalled()
  now.mockRestore()
})
