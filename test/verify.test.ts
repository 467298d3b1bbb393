import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, type Secret, verify, type WebhookRequest } from '../src/index.js'
import { VERIFY_MISTAKES } from './support/cases/mistakes.js'
import {
  NONCE,
  NOW,
  RecordingStore,
  SECRET,
  signatureOf,
  signedRequest,
  TestClock,
  TIMESTAMP,
} from './support/request.js'

const SECONDS = Number(TIMESTAMP)

type Signed = NonNullable<Parameters<typeof signedRequest>[0]>

const valid = signedRequest().headers['x-signature']

/** The two splits of one message. */
const TWO_SPLITS = [
  { nonce: 'abc', body: '{"a":1}' },
  { nonce: 'abc:{"a"', body: '1}' },
] as const

function resultOf(request: WebhookRequest, secret: Secret = SECRET, store: NonceStore = new RecordingStore()) {
  return verify(request, secret, store, new TestClock())
}

describe('a valid request', () => {
  it('is accepted, and returns the verified values', async () => {
    expect(await resultOf(signedRequest())).toEqual({
      ok: true,
      webhookId: '42',
      timestamp: SECONDS,
      nonce: NONCE,
      secretIndex: 0,
    })
  })

  it('reserves its nonce on its webhook for 600 s', async () => {
    const store = new RecordingStore()
    await resultOf(signedRequest(), SECRET, store)
    expect(store.calls).toEqual([['42', NONCE, 600]])
  })
})

// docs/vectors.json has the formats of the headers, in Latin-1.
it.each<[string, Signed, string]>([
  ['a timestamp in other digits than those of ASCII', { timestamp: '\uff11'.repeat(10) }, 'invalid_timestamp'],
  ['a timestamp with the character before 0', { timestamp: '169999999/' }, 'invalid_timestamp'],
  ['a timestamp with the character after 9', { timestamp: '169999999:' }, 'invalid_timestamp'],
  ['a nonce with a letter whose low byte is A', { nonce: '\u0141' }, 'invalid_nonce'],
  ['a nonce with a lone surrogate', { nonce: '\ud83e' }, 'invalid_nonce'],
  [
    'a signature of letters whose low bytes are the digits',
    { signature: valid.replace(/./g, (digit) => String.fromCharCode(0x100 + digit.charCodeAt(0))) },
    'signature_mismatch',
  ],
])('rejects %s', async (_, parts, reason) => {
  expect(await resultOf(signedRequest(parts))).toMatchObject({ reason })
})

describe('timestamp_outside_window', () => {
  it.each<unknown>([Number.NaN, Number.NEGATIVE_INFINITY, undefined, String(NOW), new Date(NOW), 1n])(
    'rejects everything if the clock returns %o',
    async (time) => {
      const result = await verify(signedRequest(), SECRET, new RecordingStore(), { now: () => time as number })
      expect(result).toMatchObject({ reason: 'timestamp_outside_window' })
    },
  )

  it('is checked again after the store has answered', async () => {
    const clock = new TestClock(NOW + 300_000)
    const lateStore = {
      async reserve() {
        await Promise.resolve()
        clock.milliseconds += 1
        return true
      },
    }
    expect(await verify(signedRequest(), SECRET, lateStore, clock)).toMatchObject({
      reason: 'timestamp_outside_window',
      message: expect.stringContaining('300.001 s'),
    })
  })

  it('rejects if the clock fails while the store answers', async () => {
    const times = [NOW, Number.NaN]
    const clock = { now: () => times.shift() as number }
    expect(await verify(signedRequest(), SECRET, new RecordingStore(), clock)).toMatchObject({
      reason: 'timestamp_outside_window',
    })
  })
})

describe('signature_mismatch', () => {
  it('rejects 64 zeros, and a signature that differs in any one digit', async () => {
    const changed = Array.from(
      valid,
      (digit, index) => valid.slice(0, index) + (digit === '0' ? '1' : '0') + valid.slice(index + 1),
    )
    expect(new Set(changed).size).toBe(64)
    for (const signature of ['0'.repeat(64), ...changed]) {
      expect(await resultOf(signedRequest({ signature }))).toMatchObject({ reason: 'signature_mismatch' })
    }
  })

  it.each<[string, Signed]>([
    ['another timestamp', { timestamp: String(Number(TIMESTAMP) + 1) }],
    ['another nonce', { nonce: `${NONCE}x` }],
    ['another body', { body: 'a bodY' }],
    ['a longer body', { body: 'a body\n' }],
    ['another secret', { secret: 'the signing secret of webhook 42 ' }],
  ])('rejects a signature made over %s', async (_, parts) => {
    const signature = signedRequest(parts).headers['x-signature']
    expect(await resultOf(signedRequest({ signature }))).toMatchObject({ reason: 'signature_mismatch' })
  })
})

describe('replayed_nonce', () => {
  it('rejects a replay at the last instant at which its timestamp is in the window', async () => {
    const clock = new TestClock(NOW - 300_000)
    const store = new MemoryNonceStore({ clock })
    expect(await verify(signedRequest(), SECRET, store, clock)).toMatchObject({ ok: true })
    clock.milliseconds = NOW + 300_000
    expect(await verify(signedRequest(), SECRET, store, clock)).toMatchObject({ reason: 'replayed_nonce' })
    clock.milliseconds += 1
    expect(await verify(signedRequest(), SECRET, store, clock)).toMatchObject({ reason: 'timestamp_outside_window' })
  })
})

describe('a message that can be split differently', () => {
  const [whole, other] = TWO_SPLITS
  const signature = signatureOf(TIMESTAMP, whole.nonce, whole.body, SECRET)

  it('is accepted in either split, and reserves its signature after its nonce', async () => {
    for (const split of TWO_SPLITS) {
      const store = new RecordingStore()
      expect(await resultOf(signedRequest({ ...split, signature }), SECRET, store)).toMatchObject({ ok: true })
      expect(store.calls).toEqual([
        ['42', split.nonce, 600],
        ['42', `signature ${signature}`, 600],
      ])
    }
  })

  it('reserves both keys in one call if the store has reserveAll', async () => {
    const calls: unknown[] = []
    const store = {
      taken: new Set<string>(),
      reserve: () => Promise.reject(new Error('not for two keys')),
      reserveAll(...call: [string, readonly string[], number]) {
        calls.push(call)
        const isFree = call[1].every((key) => !this.taken.has(key))
        if (isFree) for (const key of call[1]) this.taken.add(key)
        return isFree
      },
    }
    expect(await resultOf(signedRequest({ ...whole, signature }), SECRET, store)).toMatchObject({ ok: true })
    expect(await resultOf(signedRequest({ ...other, signature }), SECRET, store)).toMatchObject({
      reason: 'replayed_nonce',
    })
    expect(calls[0]).toEqual(['42', [whole.nonce, `signature ${signature}`], 600])
    expect(calls).toHaveLength(2)
  })

  it.each<[string, number, Signed]>([
    ['a colon behind the first and last visible characters', 2, { nonce: 'abc', body: '!~:' }],
    ['a colon behind a space', 1, { nonce: 'abc', body: ' :' }],
    ['a colon behind DEL', 1, { nonce: 'abc', body: '\x7f:' }],
    ['a colon that ends a nonce of 128 characters', 2, { nonce: 'a'.repeat(100), body: `${'b'.repeat(27)}:` }],
    ['a colon that ends one of 129', 1, { nonce: 'a'.repeat(100), body: `${'b'.repeat(28)}:` }],
    ['a colon at the start of the nonce', 1, { nonce: ':a', body: '' }],
  ])('with %s: keys: %i', async (_, keys, split) => {
    const store = new RecordingStore()
    await resultOf(signedRequest(split), SECRET, store)
    expect(store.keys).toHaveLength(keys)
  })

  it('does not call reserveAll for one key', async () => {
    const store = { reserve: () => true, reserveAll: () => Promise.reject(new Error('not for one key')) }
    expect(await resultOf(signedRequest(), SECRET, store)).toMatchObject({ ok: true })
  })
})

it.each(['not undefined', 'null and void'])('a secret may contain a word for a missing value: %s', async (secret) => {
  expect(await resultOf(signedRequest({ secret }), secret)).toMatchObject({ ok: true })
})

describe('everything is read once, before the store is asked', () => {
  it('reads each property of the request and each header once', async () => {
    const reads: string[] = []
    function counted<T extends object>(target: T, prefix = ''): T {
      return new Proxy(target, {
        get(object, property, receiver) {
          reads.push(`${prefix}${String(property)}`)
          return Reflect.get(object, property, receiver)
        },
      })
    }
    const request = signedRequest()
    await resultOf(counted({ ...request, headers: counted(request.headers, 'headers.') }))
    const named = reads.filter((read) => /^(webhookId|headers|body|headers\.x-.*)$/.test(read))
    expect(named.sort()).toEqual([
      ...['body', 'headers', 'headers.x-nonce', 'headers.x-signature', 'headers.x-timestamp', 'webhookId'],
    ])
  })

  it('ignores changes made while the store answers', async () => {
    const body = Buffer.from('abc:{"a":1}')
    const request: WebhookRequest & { headers: Record<string, string> } = signedRequest({ body })
    const secrets = [SECRET]
    const store = new RecordingStore()
    const changing: NonceStore = {
      async reserve(webhookId, key, ttlSeconds) {
        await Promise.resolve()
        body.fill(0)
        request.webhookId = 'another'
        request.headers['x-nonce'] = 'another'
        request.body = ''
        secrets[0] = 'another'
        return store.reserve(webhookId, key, ttlSeconds)
      },
    }
    expect(await resultOf(request, secrets, changing)).toMatchObject({ ok: true, webhookId: '42', nonce: NONCE })
    expect(store.calls.map(([webhookId]) => webhookId)).toEqual(['42', '42'])
  })

  it('has read everything when verify returns its promise', async () => {
    const body = Buffer.from('pooled')
    const request = signedRequest({ body })
    const result = resultOf(request)
    body.fill(0)
    request.headers['x-timestamp'] = ''
    expect(await result).toMatchObject({ ok: true })
  })
})

describe('a mistake of the caller is a TypeError that says what to do', () => {
  it.each(VERIFY_MISTAKES)('%s', async (_, args, message) => {
    const error: unknown = await Reflect.apply(verify, undefined, args()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(message) })
    expect(String(error)).not.toContain(SECRET)
  })

  it('throws even if the request also breaks a rule', async () => {
    const empty = { webhookId: '42', headers: {}, body: { parsed: true } }
    await expect(Reflect.apply(verify, undefined, [empty, SECRET, new RecordingStore()])).rejects.toThrow(TypeError)
  })
})

describe('the nonce store', () => {
  const cause = new Error('connection refused')
  const fails = () => Promise.reject(cause)
  const throws = () => {
    throw cause
  }
  /** A request that needs two keys. */
  const splittable = signedRequest({ nonce: 'a:b' })

  it('that throws or rejects leads to a NonceStoreError with the cause', async () => {
    for (const reserve of [throws, fails]) {
      await expect(resultOf(signedRequest(), SECRET, { reserve })).rejects.toMatchObject({
        name: 'NonceStoreError',
        code: 'ERR_NONCE_STORE',
        message: expect.not.stringContaining('connection refused'),
        status: 503,
        statusCode: 503,
        cause,
      })
    }
  })

  const failsOnSignature = (_: string, key: string) => (key.startsWith('signature ') ? fails() : true)
  it.each<[string, object, object]>([
    ['that fails on the second key', { reserve: failsOnSignature }, { message: 'connection refused' }],
    ['whose reserveAll() fails', { reserve: () => true, reserveAll: fails }, { message: 'connection refused' }],
    [
      'whose reserveAll is not a function',
      { reserve: () => true, reserveAll: true },
      { message: 'nonceStore.reserveAll is not a function' },
    ],
    [
      'whose reserveAll throws when it is read',
      Object.defineProperty({ reserve: () => true }, 'reserveAll', { get: throws }),
      { message: 'connection refused' },
    ],
  ])('%s leads to a NonceStoreError with the cause', async (_, store, cause) => {
    const result = resultOf(splittable, SECRET, store as NonceStore)
    await expect(result).rejects.toMatchObject({ code: 'ERR_NONCE_STORE', cause })
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['a string', 'OK'],
    ['an object', {}],
    ['an object', new Boolean(true)],
    ['an array', [true]],
  ])('that returns %s leads to a NonceStoreError, never to acceptance', async (kind, answer) => {
    for (const reply of [() => answer, async () => answer]) {
      for (const [request, store] of [
        [signedRequest(), { reserve: reply }],
        [splittable, { reserve: () => true, reserveAll: reply }],
      ] as const) {
        await expect(resultOf(request, SECRET, store as NonceStore)).rejects.toMatchObject({
          code: 'ERR_NONCE_STORE',
          message: expect.stringMatching(new RegExp(`^The nonce store returned ${kind}\\b`)),
        })
      }
    }
  })

  it.each([1, 'OK', null])('that returns %j for the first of two keys is not asked for the second', async (answer) => {
    for (const reply of [() => answer, async () => answer]) {
      const asked: string[] = []
      const reserve = (_: string, key: string) => (asked.push(key) === 1 ? reply() : true)
      const result = resultOf(splittable, SECRET, { reserve } as NonceStore)
      await expect(result).rejects.toMatchObject({ code: 'ERR_NONCE_STORE' })
      expect(asked).toEqual(['a:b'])
    }
  })
})
