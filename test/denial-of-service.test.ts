import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type BodySource,
  type FindWebhook,
  type NonceStore,
  receive,
  verify,
  type WebhookRequest,
} from '../src/index.js'
import { canBeSplitDifferently } from '../src/rules/nonce.js'
import * as standard from '../src/standard-webhooks/index.js'
import { FLOODS, fullStore } from './support/cases/floods.js'
import { RecordingStore, SECRET, signatureOf, signedRequest, TestClock, TIMESTAMP } from './support/request.js'
import { signedMessage } from './support/standard-webhooks.js'

// The cost of a flood of requests: the tests count the work. nightly/memory/ measures the memory.

/** The length of each hashed piece, in bytes. */
const hashed = vi.hoisted(() => ({ bytes: 0, calls: 0, random: 0 }))
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:crypto')>()
  return {
    ...original,
    randomBytes(size: number) {
      hashed.random++
      return original.randomBytes(size)
    },
    createHmac(...args: Parameters<typeof original.createHmac>) {
      const hmac = original.createHmac(...args)
      const update = hmac.update.bind(hmac) as (part: string | Uint8Array) => typeof hmac
      hashed.calls++
      return Object.assign(hmac, {
        update(part: string | Uint8Array) {
          hashed.bytes += part.length
          return update(part)
        },
      })
    },
  }
})
const RANDOM_AT_LOAD = hashed.random
beforeEach(() => {
  Object.assign(hashed, { bytes: 0, calls: 0, random: 0 })
})

async function outcome(request: WebhookRequest, store: NonceStore, secrets: string | string[] = SECRET) {
  try {
    const result = await verify(request, secrets, store, new TestClock())
    return result.ok ? 'accepted' : result.reason
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

describe('a flood, while the store is full', () => {
  it.each(FLOODS)('of $what requests costs $hmacs HMACs each', async ({ request, expected, hmacs }) => {
    const store = fullStore()
    for (let index = 0; index < 100; index++) {
      const sent = request(index)
      hashed.calls = 0
      expect(await outcome(sent, store)).toBe(expected)
      expect(hashed.calls).toBe(hmacs)
    }
  })

  it('costs one HMAC for an unknown webhook, as for a known one, so that no response time shows which exist', async () => {
    const own = (source: { request: BodySource }, find: FindWebhook) =>
      receive(source, find, fullStore(), new TestClock())
    const ofStandard = (source: { request: BodySource }, find: FindWebhook) =>
      standard.receive(source, find, fullStore(), new TestClock())
    for (const [call, { headers, body }, secret] of [
      [own, signedRequest(), 'another'],
      [ofStandard, signedMessage(), `whsec_${'A'.repeat(32)}`],
    ] as const) {
      const source = { request: { headers, rawBody: Buffer.from(body) } }
      for (const find of [() => ({ webhookId: '42', secret }), () => null, () => undefined, () => null]) {
        hashed.calls = 0
        await expect(call(source, find)).rejects.toMatchObject({ status: 401 })
        expect(hashed.calls).toBe(1)
      }
    }
    // Each scheme makes one random key. Some runtimes forbid random numbers while a module loads.
    expect([RANDOM_AT_LOAD, hashed.random]).toEqual([0, 2])
  })

  it('reserves nothing for a rejected request', async () => {
    const store = new RecordingStore()
    const valid = signedRequest()
    const withHeaders = (headers: Record<string, string>) => ({
      ...valid,
      headers: { ...valid.headers, ...headers },
    })
    for (const request of [
      { ...valid, headers: {} },
      withHeaders({ 'x-timestamp': 'x' }),
      withHeaders({ 'x-timestamp': '0' }),
      withHeaders({ 'x-nonce': '' }),
      withHeaders({ 'x-signature': '0'.repeat(64) }),
    ]) {
      expect(await outcome(request, store)).not.toBe('accepted')
    }
    expect(store.calls).toEqual([])
  })
})

describe('linear time: the work is counted', () => {
  it.each([0, 1, 1000, 1_000_000])('a body of %d bytes is hashed once per secret', async (length) => {
    const body = new Uint8Array(length)
    const signature = signatureOf(TIMESTAMP, 'n', body, SECRET)
    hashed.bytes = 0
    expect(
      await outcome(signedRequest({ nonce: 'n', body, signature }), new RecordingStore(), ['a', 'b', SECRET]),
    ).toBe('accepted')
    expect(hashed.bytes).toBe(3 * (`${TIMESTAMP}:n:`.length + length))
  })

  it.each([10, 1000, 10_000])('of %d headers, each is read at most once', async (count) => {
    const reads = new Map<string | symbol, number>()
    const more = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-noise-${index}`, 'value']))
    const headers = new Proxy(
      { ...more, ...signedRequest().headers },
      {
        get(target, name) {
          reads.set(name, (reads.get(name) ?? 0) + 1)
          return Reflect.get(target, name)
        },
      },
    )
    expect(await outcome({ ...signedRequest(), headers }, new RecordingStore())).toBe('accepted')
    expect(Math.max(...reads.values())).toBe(1)
  })

  it.each([
    ['x-timestamp', '1'.repeat(1_000_000), 'timestamp_outside_window'],
    ['x-timestamp', `${'1'.repeat(1_000_000)}x`, 'invalid_timestamp'],
    ['x-timestamp', `${'0'.repeat(1_000_000)}x`, 'invalid_timestamp'],
    ['x-nonce', 'n'.repeat(1_000_000), 'invalid_nonce'],
    ['x-nonce', ':'.repeat(1_000_000), 'invalid_nonce'],
    ['x-signature', 'a'.repeat(1_000_000), 'signature_mismatch'],
    // Their description must not compare each character with all others. That would take hours.
    ['x-signature', 'a.'.repeat(500_000), 'signature_mismatch'],
    ['x-signature', ', '.repeat(500_000), 'signature_mismatch'],
    ['x-signature', '='.repeat(1_000_000), 'signature_mismatch'],
  ])('a header of 1 MB leads to a result: %s', async (name, value, expected) => {
    const { body, ...request } = signedRequest()
    const headers = { ...request.headers, [name]: value }
    hashed.calls = 0
    const source = { webhookId: '42', request: { headers, rawBody: Buffer.from(body) } }
    await expect(receive(source, SECRET, new RecordingStore(), new TestClock())).rejects.toMatchObject({
      reason: expected,
    })
    expect(hashed.calls).toBe(0)
    expect(await outcome({ ...request, headers, body }, new RecordingStore())).toBe(expected)
    // `verify` has the body, and compares the signature before it looks at the form.
    expect(hashed.calls).toBe(expected === 'signature_mismatch' ? 1 : 0)
  })

  it('whether a message can be split differently takes at most 128 bytes of the body', () => {
    const reads: string[] = []
    const body = new Proxy(Buffer.alloc(1_000_000, 'x'), {
      get(target, name) {
        if (/^[0-9]+$/.test(String(name))) reads.push(String(name))
        return Reflect.get(target, name, target)
      },
    })
    expect(canBeSplitDifferently({ timestamp: TIMESTAMP, nonce: 'n'.repeat(100), body })).toBe(false)
    expect(reads).toHaveLength(28)
  })
})
