import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, type Secret, verify, type WebhookRequest } from '../src/index.js'
import {
  NONCE,
  NOW,
  type Parts,
  RecordingStore,
  SECRET,
  signatureOf,
  signedRequest,
  TestClock,
  TIMESTAMP,
} from './request.js'

const SECONDS = Number(TIMESTAMP)

function verdict(request: WebhookRequest, secret: Secret = SECRET, store: NonceStore = new RecordingStore()) {
  return verify(request, secret, store, new TestClock())
}

describe('a genuine request', () => {
  it('is accepted with what was verified', async () => {
    expect(await verdict(signedRequest())).toEqual({
      ok: true,
      webhookId: '42',
      timestamp: SECONDS,
      nonce: NONCE,
      secretIndex: 0,
    })
  })

  it('reserves its nonce on its webhook for 600 s', async () => {
    const store = new RecordingStore()
    await verdict(signedRequest(), SECRET, store)
    expect(store.calls).toEqual([['42', NONCE, 600]])
  })

  it('needs no clock: Date is the default', async () => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    expect(await verify(signedRequest({ timestamp }), SECRET, new MemoryNonceStore())).toMatchObject({ ok: true })
  })

  it.each([
    ['an empty body', ''],
    ['a body of every byte', Uint8Array.from({ length: 256 }, (_, byte) => byte)],
    ['a body of 1 MiB', new Uint8Array(2 ** 20).fill(0xff)],
    ['text outside ASCII', '{"name":"Zoë 🦊"}'],
  ])('may have %s', async (_, body) => {
    expect(await verdict(signedRequest({ body }))).toMatchObject({ ok: true })
  })
})

describe('missing_header', () => {
  it.each(['x-timestamp', 'x-nonce', 'x-signature'] as const)('names %s', async (header) => {
    const { [header]: _, ...headers } = signedRequest().headers as Record<string, string>
    expect(await verdict({ ...signedRequest(), headers })).toEqual({
      ok: false,
      reason: 'missing_header',
      header,
      message: expect.stringContaining(header),
    })
  })

  it.each([
    [{}, 'x-timestamp'],
    [{ 'x-timestamp': 'nonsense' }, 'x-nonce'],
    [{ 'x-timestamp': 'nonsense', 'x-nonce': '' }, 'x-signature'],
    [{ 'x-signature': '' }, 'x-timestamp'],
  ])('names the first that is absent from %o, before any format is checked', async (headers, header) => {
    expect(await verdict({ ...signedRequest(), headers })).toMatchObject({ reason: 'missing_header', header })
  })
})

describe('invalid_timestamp', () => {
  it.each([
    '',
    ' ',
    ` ${TIMESTAMP}`,
    `${TIMESTAMP} `,
    `${TIMESTAMP}\n`,
    `+${TIMESTAMP}`,
    `-${TIMESTAMP}`,
    `${TIMESTAMP}.0`,
    `${TIMESTAMP}.`,
    '1.7e9',
    '1e9',
    '0x6553f100',
    '1_700_000_000',
    '1,700,000,000',
    `${TIMESTAMP}, ${TIMESTAMP}`,
    '\u0661\u0667\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660',
    '\uff11\uff17\uff10\uff10\uff10\uff10\uff10\uff10\uff10\uff10',
    'NaN',
    'Infinity',
    '2023-11-14T22:13:20Z',
  ])('rejects %j', async (timestamp) => {
    expect(await verdict(signedRequest({ timestamp }))).toMatchObject({ reason: 'invalid_timestamp' })
  })

  it('takes the digits verbatim, leading zeros included', async () => {
    expect(await verdict(signedRequest({ timestamp: `000${TIMESTAMP}` }))).toMatchObject({
      ok: true,
      timestamp: SECONDS,
    })
    const signature = signatureOf(TIMESTAMP, NONCE, 'a body', SECRET)
    expect(await verdict(signedRequest({ timestamp: `000${TIMESTAMP}`, signature }))).toMatchObject({
      reason: 'signature_mismatch',
    })
  })
})

describe('timestamp_outside_window', () => {
  it.each([
    [-300_000, true],
    [-300_000.5, false],
    [-300_001, false],
    [-299_999.5, true],
    [-301_000, false],
    [0, true],
    [299_999.5, true],
    [300_000, true],
    [300_000.5, false],
    [300_001, false],
    [301_000, false],
  ])('with server time %d ms after the timestamp: accepted is %s', async (milliseconds, accepted) => {
    const clock = new TestClock(NOW + milliseconds)
    expect(await verify(signedRequest(), SECRET, new RecordingStore(), clock)).toMatchObject(
      accepted ? { ok: true } : { reason: 'timestamp_outside_window' },
    )
  })

  it.each(['0', '9'.repeat(400), `${NOW}`, `1${'0'.repeat(65_536)}`])(
    'rejects a timestamp of any size',
    async (timestamp) => {
      expect(await verdict(signedRequest({ timestamp }))).toMatchObject({ reason: 'timestamp_outside_window' })
    },
  )

  it('says by how much, and on which side', async () => {
    const behind = await verify(signedRequest(), SECRET, new RecordingStore(), new TestClock(NOW + 300_001))
    const ahead = await verify(signedRequest(), SECRET, new RecordingStore(), new TestClock(NOW - 301_000))
    expect(behind).toMatchObject({ message: expect.stringContaining('300.001 s behind server time') })
    expect(ahead).toMatchObject({ message: expect.stringContaining('301 s ahead of server time') })
  })

  it('reserves nothing', async () => {
    const store = new RecordingStore()
    await verify(signedRequest(), SECRET, store, new TestClock(NOW + 300_001))
    expect(store.calls).toEqual([])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, undefined, String(NOW), new Date(NOW), 1n])(
    'is all that a clock which reads %o gives',
    async (time) => {
      const result = await verify(signedRequest(), SECRET, new RecordingStore(), { now: () => time as number })
      expect(result).toMatchObject({
        reason: 'timestamp_outside_window',
        message: expect.stringContaining('clock whose now() gives no number'),
      })
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
      message: expect.stringContaining('300.001 s behind'),
    })
  })

  it('is checked after the last reservation, not only after the first', async () => {
    const clock = new TestClock(NOW + 299_999)
    const lateStore = {
      reserve() {
        clock.milliseconds += 1
        return true
      },
    }
    expect(await verify(signedRequest({ nonce: 'a:b' }), SECRET, lateStore, clock)).toMatchObject({
      reason: 'timestamp_outside_window',
    })
  })

  it('is what a clock that fails while the store answers gives', async () => {
    const times = [NOW, Number.NaN]
    const clock = { now: () => times.shift() as number }
    expect(await verify(signedRequest(), SECRET, new RecordingStore(), clock)).toMatchObject({
      reason: 'timestamp_outside_window',
    })
  })
})

describe('invalid_nonce', () => {
  it.each([
    ['nothing', ''],
    ['a space', ' '],
    ['a space inside', 'a b'],
    ['a space before', ' a'],
    ['a space after', 'a '],
    ['a tab', 'a\tb'],
    ['a line feed after', 'a\n'],
    ['a NUL', 'a\0'],
    ['DEL', 'a\x7f'],
    ['0x80', 'a\x80'],
    ['a Latin-1 letter', 'é'],
    ['a fullwidth letter', '\uff41'],
    ['an emoji', '🦊'],
    ['a lone surrogate', '\ud83e'],
    ['two values joined', 'a, b'],
    ['129 characters', 'a'.repeat(129)],
    ['65 536 characters', 'a'.repeat(65_536)],
  ])('rejects %s', async (_, nonce) => {
    expect(await verdict(signedRequest({ nonce }))).toMatchObject({ reason: 'invalid_nonce' })
  })

  it.each([1, 2, 36, 127, 128])('accepts %d characters', async (length) => {
    expect(await verdict(signedRequest({ nonce: 'n'.repeat(length) }))).toMatchObject({ ok: true })
  })

  it('accepts each of the 94 visible ASCII characters and none of the other first 256', async () => {
    const accepted: number[] = []
    for (let code = 0; code < 256; code++) {
      const result = await verdict(signedRequest({ nonce: String.fromCharCode(code) }))
      if (result.ok) accepted.push(code)
      else expect(result.reason).toBe('invalid_nonce')
    }
    expect(accepted).toEqual(Array.from({ length: 94 }, (_, index) => 0x21 + index))
  })
})

describe('signature_mismatch', () => {
  const genuine = signedRequest().headers['x-signature']

  it.each([
    ['nothing', ''],
    ['uppercase hex', genuine.toUpperCase()],
    ['one uppercase digit', genuine.replace(/[a-f]/, (digit) => digit.toUpperCase())],
    ['a prefix', `sha256=${genuine}`],
    ['63 digits', genuine.slice(1)],
    ['62 digits', genuine.slice(2)],
    ['65 digits', `${genuine}0`],
    ['66 digits', `${genuine}00`],
    ['twice the digits', `${genuine}${genuine}`],
    ['two values joined', `${genuine}, ${genuine}`],
    ['a space before', ` ${genuine}`],
    ['a line feed after', `${genuine}\n`],
    ['a letter that is no digit', `g${genuine.slice(1)}`],
    ['a letter outside ASCII', `é${genuine.slice(1)}`],
    ['base64', Buffer.from(genuine, 'hex').toString('base64')],
    ['64 zeros', '0'.repeat(64)],
    ['65 536 digits', 'a'.repeat(65_536)],
  ])('rejects %s', async (_, signature) => {
    const result = await verdict(signedRequest({ signature }))
    expect(result).toMatchObject({ reason: 'signature_mismatch' })
    const { message } = result as { message: string }
    expect(message.includes('it is not 64 lowercase hex digits')).toBe(signature !== '0'.repeat(64))
  })

  it('rejects a signature that differs in any one digit', async () => {
    for (let index = 0; index < 64; index++) {
      const digit = genuine[index] === '0' ? '1' : '0'
      const signature = genuine.slice(0, index) + digit + genuine.slice(index + 1)
      expect(await verdict(signedRequest({ signature }))).toMatchObject({ reason: 'signature_mismatch' })
    }
  })

  it.each([
    ['another timestamp', { timestamp: String(SECONDS + 1) }],
    ['another nonce', { nonce: `${NONCE}x` }],
    ['another body', { body: 'a bodY' }],
    ['a longer body', { body: 'a body\n' }],
    ['another secret', { secret: `${SECRET} ` }],
  ])('rejects a signature made over %s', async (_, parts) => {
    const signature = signedRequest(parts).headers['x-signature']
    expect(await verdict(signedRequest({ signature }))).toMatchObject({ reason: 'signature_mismatch' })
  })

  it('tells bytes apart that decode to the same text', async () => {
    const signed = signedRequest({ body: Uint8Array.of(0xef, 0xbf, 0xbd) })
    expect(await verdict({ ...signed, body: Uint8Array.of(0xff) })).toMatchObject({ reason: 'signature_mismatch' })
  })

  it('reserves nothing, so nobody without the secret can spend a nonce', async () => {
    const store = new RecordingStore()
    await verdict(signedRequest({ secret: 'guessed' }), SECRET, store)
    expect(store.calls).toEqual([])
  })
})

describe('the order of the rules', () => {
  const broken = {
    invalid_timestamp: { timestamp: 'x', nonce: '', signature: '' },
    timestamp_outside_window: { timestamp: '0', nonce: '', signature: '' },
    invalid_nonce: { nonce: '', signature: '' },
    signature_mismatch: { signature: '' },
  }
  it.each(Object.entries(broken))('names %s first', async (reason, parts) => {
    const taken = { reserve: () => false }
    expect(await verdict(signedRequest(parts), SECRET, taken)).toMatchObject({ reason })
  })
})

describe('the message of a rejection says what to do', () => {
  it.each<[string, Partial<Parts & { signature: string }>, RegExp]>([
    ['invalid_timestamp', { timestamp: 'x' }, /^X-Timestamp is not Unix time in seconds: send decimal digits only/],
    [
      'timestamp_outside_window',
      { timestamp: '0' },
      /^X-Timestamp is more than 300 s from server time: sign every attempt anew/,
    ],
    ['invalid_nonce', { nonce: '' }, /^X-Nonce is not 1 to 128 visible ASCII characters .*: send a new UUID/],
    [
      'signature_mismatch',
      { signature: '' },
      /^X-Signature is not the lowercase hex HMAC-SHA256 of .*: compare the secret/,
    ],
    [
      'replayed_nonce',
      {},
      /^X-Nonce or this signed message was used on this webhook within the last 600 s: sign every attempt anew, with a new nonce/,
    ],
  ])('%s', async (reason, parts, message) => {
    const result = await verdict(signedRequest(parts), SECRET, { reserve: () => false })
    expect(result).toMatchObject({ ok: false, reason, message: expect.stringMatching(message) })
    expect(JSON.stringify(result)).not.toMatch(/undefined/)
    expect(JSON.stringify(result)).not.toContain(SECRET)
  })

  it('missing_header', async () => {
    expect(await verdict({ ...signedRequest(), headers: {} })).toMatchObject({
      message: expect.stringMatching(/^x-timestamp is missing: send X-Timestamp, X-Nonce and X-Signature/),
    })
  })
})

describe('replayed_nonce', () => {
  it('rejects the same request again', async () => {
    const store = new MemoryNonceStore()
    expect(await verdict(signedRequest(), SECRET, store)).toMatchObject({ ok: true })
    expect(await verdict(signedRequest(), SECRET, store)).toMatchObject({ reason: 'replayed_nonce' })
  })

  it('rejects another message with the same nonce', async () => {
    const store = new MemoryNonceStore()
    await verdict(signedRequest(), SECRET, store)
    const another = signedRequest({ timestamp: String(SECONDS + 1), body: 'another body' })
    expect(await verdict(another, SECRET, store)).toMatchObject({ reason: 'replayed_nonce' })
  })

  it('accepts the same nonce on another webhook', async () => {
    const store = new MemoryNonceStore()
    await verdict(signedRequest({ webhookId: 'a' }), SECRET, store)
    expect(await verdict(signedRequest({ webhookId: 'b' }), SECRET, store)).toMatchObject({ ok: true })
  })

  it('tells nonces apart by case', async () => {
    const store = new MemoryNonceStore()
    await verdict(signedRequest({ nonce: 'nonce' }), SECRET, store)
    expect(await verdict(signedRequest({ nonce: 'Nonce' }), SECRET, store)).toMatchObject({ ok: true })
  })

  it('lets one of 100 simultaneous copies through', async () => {
    const store = new MemoryNonceStore()
    const results = await Promise.all(Array.from({ length: 100 }, () => verdict(signedRequest(), SECRET, store)))
    expect(results.filter((result) => result.ok)).toHaveLength(1)
  })

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

describe('a message that can be cut another way', () => {
  const whole = { nonce: 'abc', body: '{"a":1}' }
  const signature = signatureOf(TIMESTAMP, whole.nonce, whole.body, SECRET)
  const cuts = [whole, { nonce: 'abc:{"a"', body: '1}' }]

  it('is accepted in either cut, and reserves its signature after its nonce', async () => {
    for (const cut of cuts) {
      const store = new RecordingStore()
      expect(await verdict(signedRequest({ ...cut, signature }), SECRET, store)).toMatchObject({ ok: true })
      expect(store.calls).toEqual([
        ['42', cut.nonce, 600],
        ['42', `signature ${signature}`, 600],
      ])
    }
  })

  it.each([cuts, cuts.toReversed()])('is accepted once: %o, then %o', async (first, second) => {
    const store = new MemoryNonceStore()
    expect(await verdict(signedRequest({ ...first, signature }), SECRET, store)).toMatchObject({ ok: true })
    expect(await verdict(signedRequest({ ...second, signature }), SECRET, store)).toMatchObject({
      reason: 'replayed_nonce',
    })
  })

  it('leaves the signature free when the nonce is taken, so that it can be sent again once the nonce is free', async () => {
    const store = new RecordingStore()
    store.reserve('42', whole.nonce, 600)
    expect(await verdict(signedRequest(whole), SECRET, store)).toMatchObject({ reason: 'replayed_nonce' })
    expect(store.keys).not.toContain(`signature ${signature}`)
  })

  it.each<[string, { nonce: string; body: string | Uint8Array }, boolean]>([
    ['no colon anywhere', { nonce: 'abc', body: 'body' }, false],
    ['an empty body', { nonce: 'abc', body: '' }, false],
    ['a colon in the nonce', { nonce: 'a:c', body: '' }, true],
    ['a colon at the end of the nonce', { nonce: 'a:', body: '' }, true],
    ['a colon at the start of the nonce, for no nonce is empty', { nonce: ':a', body: '' }, false],
    ['two colons at the start of the nonce', { nonce: '::a', body: '' }, true],
    ['nothing but a colon', { nonce: ':', body: '' }, false],
    ['a colon at the start of the body', { nonce: 'abc', body: ':' }, true],
    ['a colon behind a space in the body', { nonce: 'abc', body: 'a b:c' }, false],
    ['a colon behind a control character in the body', { nonce: 'abc', body: '{\n"a":1}' }, false],
    ['a colon behind a byte outside ASCII', { nonce: 'abc', body: Uint8Array.of(0x61, 0x80, 0x3a) }, false],
    ['a colon behind DEL', { nonce: 'abc', body: 'a\x7f:' }, false],
    ['a colon behind the first and last visible characters', { nonce: 'abc', body: '!~:' }, true],
    ['a colon that ends a nonce of 128 characters', { nonce: 'a'.repeat(100), body: `${'b'.repeat(27)}:` }, true],
    ['a colon that ends one of 129', { nonce: 'a'.repeat(100), body: `${'b'.repeat(28)}:` }, false],
    ['a nonce of 127 characters and a colon', { nonce: 'a'.repeat(127), body: ':' }, true],
    ['a nonce of 128 characters and a colon', { nonce: 'a'.repeat(128), body: ':' }, false],
    ['a nonce of 128 characters with a colon', { nonce: `${'a'.repeat(127)}:`, body: ':' }, true],
  ])('with %s: %s', async (_, cut, another) => {
    const store = new RecordingStore()
    expect(await verdict(signedRequest(cut), SECRET, store)).toMatchObject({ ok: true })
    expect(store.keys).toHaveLength(another ? 2 : 1)
  })
})

describe('a list of secrets', () => {
  const secrets = ['new', 'old', SECRET]

  it.each(secrets)('accepts a request signed with %j and says which matched', async (secret) => {
    expect(await verdict(signedRequest({ secret }), secrets)).toMatchObject({
      ok: true,
      secretIndex: secrets.indexOf(secret),
    })
  })

  it('rejects a request signed with none of them', async () => {
    expect(await verdict(signedRequest({ secret: 'another' }), secrets)).toMatchObject({ reason: 'signature_mismatch' })
  })

  it('says the first place of a secret that is in it twice', async () => {
    expect(await verdict(signedRequest(), ['new', SECRET, SECRET])).toMatchObject({ secretIndex: 1 })
  })
})

describe('a secret', () => {
  it.each([
    ['is text, encoded as UTF-8', 'schlüssel 🔑'],
    ['is not decoded, though it looks like hex', '00ff'],
    ['is not decoded, though it looks like base64', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['keeps its spaces', ' secret\n'],
    ['may be longer than a block of the hash', 's'.repeat(1000)],
  ])('%s', async (_, secret) => {
    expect(await verdict(signedRequest({ secret }), secret)).toMatchObject({ ok: true })
  })
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
    await verdict(counted({ ...request, headers: counted(request.headers, 'headers.') }))
    const named = reads.filter((read) => /^(webhookId|headers|body|headers\.x-.*)$/.test(read))
    expect(named.sort()).toEqual([
      'body',
      'headers',
      'headers.x-nonce',
      'headers.x-signature',
      'headers.x-timestamp',
      'webhookId',
    ])
  })

  it('is not moved by changes made while the store answers', async () => {
    const body = Buffer.from('abc:{"a":1}')
    const request: WebhookRequest & { headers: Record<string, string> } = signedRequest({ body })
    const secrets = [SECRET]
    const store = new RecordingStore()
    const changing: NonceStore = {
      async reserve(...call) {
        await Promise.resolve()
        body.fill(0)
        request.webhookId = 'another'
        request.headers['x-nonce'] = 'another'
        request.body = ''
        secrets[0] = 'another'
        return store.reserve(...call)
      },
    }
    expect(await verdict(request, secrets, changing)).toMatchObject({ ok: true, webhookId: '42', nonce: NONCE })
    expect(store.calls.map(([webhookId]) => webhookId)).toEqual(['42', '42'])
  })

  it('has read all of it when verify returns its promise', async () => {
    const body = Buffer.from('pooled')
    const request = signedRequest({ body })
    const result = verdict(request)
    body.fill(0)
    request.headers['x-timestamp'] = ''
    expect(await result).toMatchObject({ ok: true })
  })
})

function transferred(): ArrayBuffer {
  const buffer = new ArrayBuffer(8)
  structuredClone(buffer, { transfer: [buffer] })
  return buffer
}

describe('a mistake of the caller is a TypeError that says what to do', () => {
  const request = signedRequest()
  const store = new RecordingStore()
  const cases: [name: string, args: unknown[], message: RegExp][] = [
    ['no request', [undefined, SECRET, store], /request is undefined: pass \{ webhookId, headers, body \}/],
    ['a null request', [null, SECRET, store], /request is null/],
    [
      'no webhookId',
      [{ ...request, webhookId: undefined }, SECRET, store],
      /webhookId is undefined: pass the identifier/,
    ],
    ['an empty webhookId', [{ ...request, webhookId: '' }, SECRET, store], /webhookId is an empty string/],
    ['a numeric webhookId', [{ ...request, webhookId: 42 }, SECRET, store], /webhookId is a number.*as a string/],
    [
      'an ill-formed webhookId',
      [{ ...request, webhookId: 'a\ud800' }, SECRET, store],
      /webhookId holds a lone surrogate/,
    ],
    ['no secret', [request, undefined, store], /secret is undefined: .*environment variable/],
    ['a null secret', [request, null, store], /secret is null: .*was the record found/],
    ['an empty secret', [request, '', store], /secret is an empty string/],
    ['bytes as secret', [request, Buffer.from(SECRET), store], /secret is bytes: pass .* as text/],
    ['a secret not awaited', [request, Promise.resolve(SECRET), store], /secret is a promise, not awaited/],
    ['an ill-formed secret', [request, '\udc00', store], /secret holds a lone surrogate/],
    ['no secrets', [request, [], store], /secret is an empty list/],
    ['an absent secret in a list', [request, [SECRET, undefined], store], /secret\[1\] is undefined/],
    // biome-ignore lint/suspicious/noSparseArray: map() and every() would pass over the hole.
    ['a hole in a list', [request, [SECRET, , 'x'], store], /secret\[1\] is undefined/],
    ['an empty secret in a list', [request, [SECRET, ''], store], /secret\[1\] is an empty string/],
    ['a list in a list', [request, [[SECRET]], store], /secret\[0\] is an array/],
    ['a parsed body', [{ ...request, body: { a: 1 } }, SECRET, store], /body is an object, as a body parser leaves it/],
    [
      'a body transferred away',
      [{ ...request, body: transferred() }, SECRET, store],
      /body is memory that was transferred away/,
    ],
    ['an ill-formed body', [{ ...request, body: '\ud800' }, SECRET, store], /body holds a lone surrogate/],
    ['no store', [request, SECRET], /nonceStore is undefined without a reserve\(\) method: pass new MemoryNonceStore/],
    ['a null store', [request, SECRET, null], /nonceStore is null without a reserve/],
    ['a Map as store', [request, SECRET, new Map()], /nonceStore is an object without a reserve/],
    ['a store not awaited', [request, SECRET, Promise.resolve(store)], /nonceStore is a promise, not awaited/],
    ['a clock without now', [request, SECRET, store, {}], /clock has no now\(\) method: pass Date itself/],
    ['a null clock', [request, SECRET, store, null], /clock has no now/],
    ['a number as clock', [request, SECRET, store, NOW], /clock has no now/],
  ]

  it.each(cases)('%s', async (_, args, message) => {
    const error: unknown = await Reflect.apply(verify, undefined, args).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(message) })
    expect(String(error)).not.toContain(SECRET)
  })

  it('is told whatever the request holds, so that it shows on the first one', async () => {
    const empty = { webhookId: '42', headers: {}, body: { parsed: true } }
    await expect(Reflect.apply(verify, undefined, [empty, SECRET, store])).rejects.toThrow(TypeError)
  })
})

describe('the nonce store', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('connection refused')
      },
    ],
    ['rejects', () => Promise.reject(new Error('connection refused'))],
  ])('that %s gives a NonceStoreError with the cause', async (_, reserve) => {
    const result = verdict(signedRequest(), SECRET, { reserve } as NonceStore)
    await expect(result).rejects.toMatchObject({
      name: 'NonceStoreError',
      code: 'ERR_NONCE_STORE',
      message: expect.stringContaining('503'),
      cause: { message: 'connection refused' },
    })
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['a string', 'OK'],
    ['an object', {}],
    ['an object', new Boolean(true)],
    ['an array', [true]],
  ])('that answers %s gives a NonceStoreError, never an acceptance', async (kind, answer) => {
    for (const reserve of [() => answer, async () => answer]) {
      await expect(verdict(signedRequest(), SECRET, { reserve } as NonceStore)).rejects.toMatchObject({
        code: 'ERR_NONCE_STORE',
        message: expect.stringMatching(
          new RegExp(
            `answered ${kind}: make it return true \\(reserved now\\) or false \\(already taken\\), .* reply === 'OK'`,
          ),
        ),
      })
    }
  })

  it('that is full is a NonceStoreError whose cause says how to size it', async () => {
    const store = new MemoryNonceStore({ maxEntries: 1 })
    store.reserve('42', 'another', 600)
    await expect(verdict(signedRequest(), SECRET, store)).rejects.toMatchObject({
      code: 'ERR_NONCE_STORE',
      cause: { code: 'ERR_NONCE_STORE_FULL', message: expect.stringContaining('requests a second × 600 × 2') },
    })
  })

  it('that fails on the second key gives an error too', async () => {
    const store = {
      reserve: (_: string, key: string) => (key.startsWith('signature ') ? Promise.reject(new Error()) : true),
    }
    await expect(verdict(signedRequest({ nonce: 'a:b' }), SECRET, store)).rejects.toMatchObject({
      code: 'ERR_NONCE_STORE',
    })
  })

  it('keeps its own this', async () => {
    class Store {
      keys = new Set<string>()
      reserve(_: string, key: string) {
        return this.keys.size < this.keys.add(key).size
      }
    }
    const store = new Store()
    expect(await verdict(signedRequest({ nonce: randomUUID() }), SECRET, store)).toMatchObject({ ok: true })
    expect(store.keys.size).toBe(1)
  })
})
