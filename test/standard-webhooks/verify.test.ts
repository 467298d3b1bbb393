import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, type WebhookRequest } from '../../src/index.js'
import { type StandardSecret, sign, verify } from '../../src/standard-webhooks/index.js'
import { headerShapes } from '../support/arbitraries.js'
import { fc } from '../support/fast-check.js'
import { REASONS, RecordingStore, TestClock, TIMESTAMP } from '../support/request.js'
import { MESSAGE_ID, STANDARD_SECRET, signedMessage, standardSignatureOf } from '../support/standard-webhooks.js'

const OTHER_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const SECONDS = Number(TIMESTAMP)

function verified(
  request: WebhookRequest,
  store: NonceStore = new RecordingStore(),
  clock = new TestClock(),
  secret: StandardSecret = STANDARD_SECRET,
) {
  return verify(request, secret, store, clock)
}

async function outcome(...args: Parameters<typeof verified>): Promise<string> {
  const result = await verified(...args)
  return result.ok ? 'accepted' : result.reason
}

/** Returns a request with these headers instead of its own. `undefined` removes a header. */
function withHeaders(headers: Record<string, string | undefined>, prefix?: string): WebhookRequest {
  const request = signedMessage({}, prefix)
  return { ...request, headers: { ...request.headers, ...headers } }
}

describe('a valid message', () => {
  it('is accepted: the example of the specification', async () => {
    const request = {
      webhookId: '42',
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      body: '{"test": 2432232314}',
    }
    expect(await verified(request, undefined, new TestClock(1_614_265_330_000))).toEqual({
      ok: true,
      webhookId: '42',
      messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1_614_265_330,
      secretIndex: 0,
    })
  })

  it('is accepted in every shape of headers, under both names', async () => {
    for (const prefix of ['webhook', 'svix', 'Webhook']) {
      const { headers, ...request } = signedMessage({}, prefix)
      await fc.assert(
        fc.asyncProperty(headerShapes(headers), async (shape) => {
          expect(await outcome({ ...request, headers: shape })).toBe('accepted')
        }),
      )
    }
  })

  it('is what sign signs', async () => {
    const headers = sign('a body', [OTHER_SECRET, STANDARD_SECRET], { messageId: MESSAGE_ID, timestamp: SECONDS })
    expect(headers).toEqual({
      'webhook-id': MESSAGE_ID,
      'webhook-timestamp': TIMESTAMP,
      'webhook-signature': [OTHER_SECRET, STANDARD_SECRET]
        .map((secret) => standardSignatureOf({ nonce: MESSAGE_ID, timestamp: TIMESTAMP, body: 'a body', secret }))
        .join(' '),
    })
    const now = sign('a body', STANDARD_SECRET, { clock: { now: () => SECONDS * 1000 + 999 } })
    expect(now['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/)
    expect(now['webhook-timestamp']).toBe(TIMESTAMP)
  })

  it.each(['', 'a.b', 'x'.repeat(257), 'a b'])('has no ID %j, which sign refuses', (messageId) => {
    expect(() => sign('a body', STANDARD_SECRET, { messageId })).toThrow(/^messageId is not 1 to 256 visible ASCII/)
    expect(() => sign('a body', STANDARD_SECRET, { messageId: Object(1) })).toThrow(/^messageId is .*Pass a string/)
  })
})

describe('the rules', () => {
  /** Breaks all rules, and then one rule less at a time, in the order of the reasons. */
  it('are checked in the order of the reasons', async () => {
    const store = new MemoryNonceStore()
    expect(await outcome(signedMessage(), store)).toBe('accepted')
    const broken = { 'webhook-id': 'a.b', 'webhook-timestamp': 'now', 'webhook-signature': 'v1,' }
    const steps = [
      { ...broken, 'webhook-signature': undefined },
      broken,
      { ...broken, 'webhook-timestamp': String(SECONDS - 301) },
      { 'webhook-id': 'a.b', 'webhook-signature': 'v1,' },
      { 'webhook-signature': 'v1,' },
      {},
    ]
    const reasons = []
    for (const headers of steps) reasons.push(await outcome(withHeaders(headers), store))
    expect(reasons).toEqual(REASONS)
  })

  it.each(['', 'a.b', 'a b', 'é', 'x'.repeat(257)])('refuse the ID %j', async (nonce) => {
    expect(await outcome(signedMessage({ nonce }))).toBe('invalid_nonce')
  })

  it('cover the ID, the timestamp and the body', async () => {
    expect(await outcome(withHeaders({ 'webhook-id': 'msg_2' }))).toBe('signature_mismatch')
    expect(await outcome(withHeaders({ 'webhook-timestamp': String(SECONDS + 1) }))).toBe('signature_mismatch')
    expect(await outcome({ ...signedMessage(), body: 'another' })).toBe('signature_mismatch')
  })
})

describe('webhook-signature', () => {
  const { headers } = signedMessage()
  const right = headers['webhook-signature'] as string
  const wrong = `v1,${Buffer.alloc(32).toString('base64')}`

  it.each([
    ['two signatures, the second right', `${wrong} ${right}`, 'accepted'],
    ['a ninth signature', `${`${wrong} `.repeat(8)}${right}`, 'signature_mismatch'],
    ['nothing', '', 'signature_mismatch'],
  ])('with %s', async (_, signature, expected) => {
    expect(await outcome(withHeaders({ 'webhook-signature': signature }))).toBe(expected)
  })

  it('has a message that says what is wrong', async () => {
    expect(await verified(withHeaders({ 'webhook-signature': 'v1,AAAA' }))).toMatchObject({
      message: expect.stringContaining('(no v1 signature is base64 of 32 bytes)'),
    })
  })

  it('has a message of at most 200 characters, whatever Content-Length says', async () => {
    const { headers, ...request } = signedMessage({ signature: wrong, body: Buffer.alloc(1_048_575) })
    for (const secret of [STANDARD_SECRET, Buffer.from(STANDARD_SECRET)]) {
      const all = { ...headers, 'content-length': '9007199254740991' }
      const result = await verified({ ...request, headers: all }, undefined, undefined, secret)
      expect(result).toMatchObject({ reason: 'signature_mismatch', message: expect.stringMatching(/^.{150,200}$/) })
    }
  })
})

describe('what is accepted once is the attempt', () => {
  it('accepts a retry: the same ID with another timestamp', async () => {
    const store = new MemoryNonceStore()
    expect(await outcome(signedMessage(), store)).toBe('accepted')
    expect(await outcome(signedMessage({ timestamp: String(SECONDS + 1) }), store)).toBe('accepted')
  })

  it('refuses a copy from which one of two signatures was removed', async () => {
    const secrets = [STANDARD_SECRET, OTHER_SECRET]
    const [first, second] = secrets.map((secret) => signedMessage({ secret }).headers['webhook-signature'])
    const values = [`${first} ${second}`, `${second} ${first}`, `${first}`, `${second}`]
    for (const original of values) {
      const store = new MemoryNonceStore()
      const reasons = []
      for (const signature of [original, ...values]) {
        reasons.push(await outcome(withHeaders({ 'webhook-signature': signature }), store, undefined, secrets))
      }
      expect(reasons).toEqual(['accepted', ...values.map(() => 'replayed_nonce')])
    }
  })

  it('reserves one key, a hash of ID and timestamp, for 600 s', async () => {
    const store = new RecordingStore()
    await outcome(signedMessage({ nonce: 'a', timestamp: TIMESTAMP }), store)
    // The hash is by `printf a.1700000000 | sha256sum`.
    const key = 'attempt 1c1ce91a46609cca807adacd09a6e7dbe3dc2d6d04fc0de8214b8cdc37677656'
    expect(store.calls).toEqual([['42', key, 600]])
  })
})

describe('secrets', () => {
  it('are tried in order, and secretIndex is that of the first that matches', async () => {
    for (const [secrets, secretIndex] of [
      [[STANDARD_SECRET], 0],
      [[OTHER_SECRET, STANDARD_SECRET], 1],
      [[OTHER_SECRET, STANDARD_SECRET, STANDARD_SECRET], 1],
    ] as const) {
      expect(await verified(signedMessage(), undefined, undefined, secrets)).toMatchObject({ ok: true, secretIndex })
    }
    expect(await outcome(signedMessage(), undefined, undefined, OTHER_SECRET)).toBe('signature_mismatch')
  })

  it('may be bytes, if the platform uses the text as the key', async () => {
    const secret = Buffer.from('plain text')
    expect(await outcome(signedMessage({ secret }), undefined, undefined, secret)).toBe('accepted')
    const decoded = Buffer.from(STANDARD_SECRET.slice(6), 'base64')
    expect(await outcome(signedMessage(), undefined, undefined, decoded)).toBe('accepted')
  })

  it('that are the bytes of a text with whsec_ get advice', async () => {
    expect(await verified(signedMessage(), undefined, undefined, Buffer.from(STANDARD_SECRET))).toMatchObject({
      reason: 'signature_mismatch',
      message: expect.stringContaining('secret is bytes that begin with whsec_.'),
    })
  })
})

describe('svix- headers', () => {
  const svix = signedMessage({}, 'svix').headers
  const standard = signedMessage().headers

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('are never mixed with %s', async (name) => {
    const one = { ...svix, [name]: standard[name] as string }
    expect(await verified({ ...signedMessage(), headers: one })).toMatchObject({
      reason: 'missing_header',
      headers: Object.keys(standard)
        .filter((other) => other !== name)
        .sort(byPart),
    })
    const { [name]: _, ...two } = standard
    expect(await verified({ ...signedMessage(), headers: { ...svix, ...two } })).toMatchObject({
      reason: 'missing_header',
      headers: [name],
    })
  })

  it('are ignored beside a whole set of the others', async () => {
    const forged = { ...svix, 'webhook-id': 'msg_2', 'webhook-timestamp': TIMESTAMP, 'webhook-signature': 'v1,' }
    expect(await outcome({ ...signedMessage(), headers: forged })).toBe('signature_mismatch')
    expect(await outcome({ ...signedMessage(), headers: { ...standard, 'svix-id': 'a b' } })).toBe('accepted')
    const empty = { ...svix, 'webhook-id': '' }
    expect(await outcome({ ...signedMessage(), headers: empty })).toBe('missing_header')
  })

  it('name themselves in messages', async () => {
    const store = new MemoryNonceStore()
    const messages = []
    for (const headers of [
      { 'svix-id': undefined },
      { 'svix-timestamp': 'now' },
      { 'svix-timestamp': '1' },
      { 'svix-id': 'a.b' },
      { 'svix-signature': 'v1,' },
      {},
      {},
    ]) {
      const result = await verified(withHeaders(headers, 'svix'), store)
      if (!result.ok) messages.push(result.message)
    }
    expect(messages).toHaveLength(6)
    for (const message of messages) expect(message).toMatch(/^(This attempt, )?svix-/)
    expect(messages.join()).not.toContain('webhook-')
  })

  const byPart = (one: string, other: string) => ORDER.indexOf(one) - ORDER.indexOf(other)
})

const ORDER = ['webhook-timestamp', 'webhook-id', 'webhook-signature']
