import { createPublicKey, verify as verifyBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type FindWebhook, MemoryNonceStore, type WebhookRequest } from '../../src/index.js'
import {
  generateKeyPair,
  generateSecret,
  handle,
  receive,
  type StandardSecret,
  sign,
  verify,
} from '../../src/standard-webhooks/index.js'
import { STANDARD_WEBHOOKS } from '../../src/standard-webhooks/scheme.js'
import { readKeys } from '../../src/standard-webhooks/secret.js'
import { TestClock, TIMESTAMP } from '../support/request.js'
import {
  ED25519_SIGNATURE,
  MESSAGE_ID,
  PRIVATE_KEY,
  PUBLIC_KEY,
  STANDARD_SECRET,
  signedMessage,
} from '../support/standard-webhooks.js'

// Signatures of version 1a, and the keys `whpk_` and `whsk_`.

/** A key pair by `openssl genpkey -algorithm ed25519`. */
const OPENSSL_SEED = 'whsk_W6xM7YoQXNvo1PQvivKAtFyYVYDBtZLqj0xkMdidZLE='
const OPENSSL_PUBLIC_KEY = 'whpk_dj9L+uRlsHRCLQ4Eh8qzd/fXpoE0I8XwyZv2e/3PRZ8='

/** The message whose `v1a` signature is in the specification. */
const SPECIFICATION = {
  webhookId: '42',
  headers: {
    'webhook-id': MESSAGE_ID,
    'webhook-timestamp': '1614265330',
    'webhook-signature': ED25519_SIGNATURE,
  },
  body: '{"test": 2432232314}',
}
const OPTIONS = { messageId: MESSAGE_ID, timestamp: Number(TIMESTAMP) }

/** Returns a message that these keys signed. */
function signedBy(secret: StandardSecret, signature = sign('a body', secret, OPTIONS)['webhook-signature']) {
  return signedMessage({ signature })
}

async function outcome(request: WebhookRequest, secret: StandardSecret, clock = new TestClock()) {
  const result = await verify(request, secret, new MemoryNonceStore(), clock)
  return result.ok ? `accepted by ${result.secretIndex}` : result.reason
}

describe('a signature', () => {
  it('is accepted with the public key: the example of the specification', async () => {
    expect(await outcome(SPECIFICATION, PUBLIC_KEY, new TestClock(1_614_265_330_000))).toBe('accepted by 0')
    expect(await outcome(SPECIFICATION, OPENSSL_PUBLIC_KEY, new TestClock(1_614_265_330_000))).toBe(
      'signature_mismatch',
    )
  })

  it.each([PRIVATE_KEY, `whsk_${PRIVATE_KEY.slice(5, 47)}c=`, `v1a,${PRIVATE_KEY}`])(
    'is made with the private key, of 64 bytes or of 32: %s',
    (key) => {
      const { body, headers } = SPECIFICATION
      expect(sign(body, key, { messageId: MESSAGE_ID, timestamp: 1_614_265_330 })).toEqual(headers)
    },
  )

  it('is that of OpenSSL for bytes that are no text', async () => {
    const body = Uint8Array.of(0xff, 0, 0xfe)
    // By `openssl pkeyutl -sign -rawin` of the bytes `msg_1.1700000000.` and the body.
    const signature = 'v1a,4z954PsrDsq+uchhQGiJXaE8PLzzR+wDbtVdOupajwLCSmcwBdebMPSwjksRFDzK4I7+SfBbV8ohy7rgP27XDQ=='
    expect(sign(body, OPENSSL_SEED, { messageId: 'msg_1', timestamp: Number(TIMESTAMP) })).toMatchObject({
      'webhook-signature': signature,
    })
    expect(await outcome(signedMessage({ nonce: 'msg_1', body, signature }), OPENSSL_PUBLIC_KEY)).toBe('accepted by 0')
  })

  it.each([
    ['ID', { nonce: 'msg_2' }],
    ['timestamp', { timestamp: String(Number(TIMESTAMP) + 1) }],
    ['body', { body: 'a bodY' }],
  ])('covers the %s', async (_, parts) => {
    const signature = sign('a body', PRIVATE_KEY, OPTIONS)['webhook-signature']
    expect(await outcome(signedMessage({ signature }), PUBLIC_KEY)).toBe('accepted by 0')
    expect(await outcome(signedMessage({ ...parts, signature }), PUBLIC_KEY)).toBe('signature_mismatch')
  })

  it('is not accepted in its second form, whose S is larger by the order of the group', async () => {
    const bytes = Buffer.from(ED25519_SIGNATURE.slice(4), 'base64')
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
    const second = Buffer.concat([
      bytes.subarray(0, 32),
      Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(),
    ])
    const headers = { ...SPECIFICATION.headers, 'webhook-signature': `v1a,${second.toString('base64')}` }
    const clock = new TestClock(1_614_265_330_000)
    expect(await outcome({ ...SPECIFICATION, headers }, PUBLIC_KEY, clock)).toBe('signature_mismatch')
  })

  it('is checked by receive and handle, also if a function finds the public key', async () => {
    for (const source of [{ webhookId: '42' }, {}]) {
      const find: FindWebhook<StandardSecret> = () => ({ webhookId: '42', secret: PUBLIC_KEY })
      const secret = 'webhookId' in source ? PUBLIC_KEY : find
      const { headers, body } = signedBy(PRIVATE_KEY)
      const request = { headers, rawBody: Buffer.from(body) }
      const [store, clock] = [new MemoryNonceStore(), new TestClock()]
      const received = await receive({ ...source, request }, secret, store, clock)
      expect(received).toMatchObject({ webhookId: '42', messageId: MESSAGE_ID, secretIndex: 0 })
      await received.release()
      expect(await handle({ ...source, request }, secret, store, ({ body }) => String(body), clock)).toBe('a body')
    }
  })
})

describe('a rotation', () => {
  const old = { privateKey: PRIVATE_KEY, publicKey: PUBLIC_KEY }
  const current = { privateKey: OPENSSL_SEED, publicKey: OPENSSL_PUBLIC_KEY }
  const signatureOf = (secret: StandardSecret) => sign('a body', secret, OPTIONS)['webhook-signature']

  it('to another key pair passes, whichever side begins', async () => {
    const publicKeys = [current.publicKey, old.publicKey]
    expect(await outcome(signedBy(old.privateKey), publicKeys)).toBe('accepted by 1')
    expect(await outcome(signedBy(current.privateKey), publicKeys)).toBe('accepted by 0')
    const both = signedBy([old.privateKey, current.privateKey])
    const [first, second] = [signatureOf(old.privateKey), signatureOf(current.privateKey)]
    expect(both.headers['webhook-signature']).toBe(`${first} ${second}`)
    for (const { publicKey } of [old, current]) expect(await outcome(both, publicKey)).toBe('accepted by 0')
    expect(await outcome(signedBy('', `${second} ${first}`), old.publicKey)).toBe('accepted by 0')
  })

  it('from a secret to a key pair passes, and back', async () => {
    for (const keys of [
      [PUBLIC_KEY, STANDARD_SECRET],
      [STANDARD_SECRET, PUBLIC_KEY],
    ]) {
      expect(await outcome(signedBy(PRIVATE_KEY), keys)).toBe(`accepted by ${keys.indexOf(PUBLIC_KEY)}`)
      expect(await outcome(signedBy(STANDARD_SECRET), keys)).toBe(`accepted by ${keys.indexOf(STANDARD_SECRET)}`)
    }
    const both = signedBy([STANDARD_SECRET, PRIVATE_KEY])
    expect(both.headers['webhook-signature']).toMatch(/^v1,\S{44} v1a,\S{88}$/)
    for (const key of [STANDARD_SECRET, PUBLIC_KEY]) expect(await outcome(both, key)).toBe('accepted by 0')
  })

  it('has at most two signatures that count, and at most two keys', async () => {
    const [first, other] = [signatureOf(old.privateKey), `v1a,${'A'.repeat(86)}==`]
    expect(await outcome(signedBy('', `${other} ${first}`), old.publicKey)).toBe('accepted by 0')
    expect(await outcome(signedBy('', `${other} ${other} ${first}`), old.publicKey)).toBe('signature_mismatch')
    const three = [old, current, generateKeyPair()]
    const message = 'secret has 3 Ed25519 keys. Pass at most two: the new key and the old one.'
    for (const act of [
      () =>
        verify(
          signedBy(old.privateKey),
          three.map(({ publicKey }) => publicKey),
          new MemoryNonceStore(),
        ),
      async () =>
        sign(
          'a body',
          three.map(({ privateKey }) => privateKey),
        ),
    ]) {
      await expect(act()).rejects.toMatchObject({ name: 'RangeError', code: 'ERR_INVALID_ARGUMENT', message })
    }
    const secrets = Array.from({ length: 5 }, generateSecret)
    expect(await outcome(signedBy(old.privateKey), [...secrets, old.publicKey, current.publicKey])).toBe(
      'accepted by 5',
    )
  })
})

it('generateKeyPair creates a private key of 64 bytes that ends with the public key', async () => {
  const { publicKey, privateKey } = generateKeyPair()
  expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
  expect(privateKey).toMatch(/^whsk_[A-Za-z0-9+/]{86}==$/)
  expect(Buffer.from(privateKey.slice(5), 'base64').subarray(32).toString('base64')).toBe(publicKey.slice(5))
  expect(generateKeyPair()).not.toEqual({ publicKey, privateKey })
  expect(await outcome(signedBy(privateKey), publicKey)).toBe('accepted by 0')
})

it('a dummy key stands in for each kind of key that a request has a signature for, and a webhook lacks', () => {
  const [v1, v1a] = [`v1,${'A'.repeat(43)}=`, `v1a,${'A'.repeat(86)}==`]
  const versions = (secrets: string[], signature: string) => {
    const keys = secrets.flatMap((secret) => readKeys(secret))
    return STANDARD_WEBHOOKS.dummyKeys(keys, signature).map(({ version }) => version)
  }
  expect([v1, v1a, `${v1a} ${v1}`, 'v2,'].map((signature) => versions([], signature))).toEqual([
    ['v1'],
    ['v1a'],
    ['v1', 'v1a'],
    [],
  ])
  expect(versions([STANDARD_SECRET], `${v1a} ${v1}`)).toEqual(['v1a'])
  expect(versions([PUBLIC_KEY], `${v1a} ${v1}`)).toEqual(['v1'])
  expect(versions([STANDARD_SECRET, PUBLIC_KEY], `${v1a} ${v1}`)).toEqual([])
  const dummies = STANDARD_WEBHOOKS.dummyKeys([], `${v1a} ${v1}`)
  expect(dummies.map(({ bytes }) => bytes.length)).toEqual([32, 32])
  expect(STANDARD_WEBHOOKS.dummyKeys([], `${v1a} ${v1}`)).toEqual(dummies)
})

describe('a point of small order', () => {
  // By Python: y is 0, 1 or -1, or a solution of d * y ** 4 + 2 * y ** 2 = 1. The last two are y + p.
  const SMALL = [
    `00${'00'.repeat(31)}`,
    `01${'00'.repeat(31)}`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    `ec${'ff'.repeat(30)}7f`,
    `ed${'ff'.repeat(30)}7f`,
    `ee${'ff'.repeat(30)}7f`,
  ].map((digits) => Buffer.from(digits, 'hex'))

  it.each(SMALL.slice(0, 5))('verifies in OpenSSL what anybody can sign (%#)', (point) => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }
    const publicKey = createPublicKey({ key, format: 'jwk' })
    const signature = Buffer.concat([Buffer.of(1), Buffer.alloc(63)]) // R = 1, S = 0
    const isForged = (_: unknown, index: number) =>
      verifyBytes(null, Buffer.from(`message ${index}`), publicKey, signature)
    expect(Array.from({ length: 100 }, isForged)).toContain(true)
  })

  it('is refused as a public key, with either sign', async () => {
    for (const point of SMALL) {
      for (const sign of [0, 0x80]) {
        const bytes = Buffer.from(point)
        bytes[31] = (bytes[31] as number) ^ sign
        const key = `whpk_${bytes.toString('base64')}`
        const act = () => verify(SPECIFICATION, ['whsec_'.padEnd(38, 'A'), key], new MemoryNonceStore())
        await expect(act()).rejects.toThrow(
          'secret[1] is unsafe, because anybody can forge its signatures. Ask the sender for another key.',
        )
      }
    }
  })
})

describe('a key', () => {
  const wrongEnd = Buffer.from(PRIVATE_KEY.slice(5), 'base64')
  wrongEnd[63] = (wrongEnd[63] as number) ^ 1
  const NO_KEY =
    "secret begins with whsk_ but is not an Ed25519 key (base64 of 32 or 64 bytes). If it is an HMAC secret, like PayMongo's, pass Buffer.from(secret)."
  const base64 = (length: number) => Buffer.alloc(length, 7).toString('base64')

  it.each<[string, string, string]>([
    [
      'the private key',
      PRIVATE_KEY,
      'secret is a private key, which only the sender may have. Pass the public key: whpk_…',
    ],
    ['the seed alone', OPENSSL_SEED, 'secret is a private key'],
    ['a secret of PayMongo', 'whsk_ct2JNL9yPZyLLXr5RfFYpMpa', NO_KEY],
    [
      'both keys, as the configuration of Supabase has them',
      `v1a,${PUBLIC_KEY}:${PRIVATE_KEY}`,
      'secret contains two keys.',
    ],
    ['31 bytes', `whpk_${base64(31)}`, 'secret is base64 of 31 bytes, not of 32. Copy the whole text again.'],
    ['64 bytes', `whpk_${base64(64)}`, 'secret is base64 of 64 bytes, not of 32.'],
    ['nothing', 'whpk_', 'secret is not base64, even without a prefix such as whsec_. Copy the whole text again.'],
    ['stray bits', PUBLIC_KEY.replace('4=', '5='), 'secret is base64 with stray bits in the last character.'],
    ['text before it', `v1,${PUBLIC_KEY}`, 'secret has text before whpk_. Remove this text.'],
    ['the version of another scheme', `v2a,${PUBLIC_KEY}`, 'secret has text before whpk_. Remove this text.'],
  ])('to verify is not %s', async (_, secret, message) => {
    const act = verify(SPECIFICATION, secret, new MemoryNonceStore())
    await expect(act).rejects.toThrow(message)
    await expect(act).rejects.toMatchObject({ name: 'RangeError', code: 'ERR_INVALID_ARGUMENT' })
    await expect(act).rejects.not.toThrow(secret)
  })

  it.each<[string, string, string]>([
    ['the public key', PUBLIC_KEY, 'secret is a public key, which cannot sign. Pass the private key: whsk_….'],
    [
      'a private key with another public key',
      `whsk_${wrongEnd.toString('base64')}`,
      'whose public half does not match',
    ],
    ['a secret of PayMongo', 'whsk_ct2JNL9yPZyLLXr5RfFYpMpa', NO_KEY],
    ['nothing', 'v1a,whsk_', NO_KEY],
    ['63 bytes', `whsk_${base64(63)}`, NO_KEY],
    ['stray bits', OPENSSL_SEED.replace('E=', 'F='), NO_KEY],
    ['quotes', `"${OPENSSL_SEED}"`, 'secret is in quotes. Remove the quotes.'],
  ])('to sign is not %s', (_, secret, message) => {
    expect(() => sign('a body', secret)).toThrow(message)
    expect(() => sign('a body', secret)).toThrow(
      expect.objectContaining({ name: 'RangeError', code: 'ERR_INVALID_ARGUMENT' }),
    )
    expect(() => sign('a body', secret)).not.toThrow(secret)
  })

  it('of PayMongo is a secret if its bytes are passed', async () => {
    const secret = Buffer.from('whsk_ct2JNL9yPZyLLXr5RfFYpMpa')
    expect(await outcome(signedMessage({ secret }), secret)).toBe('accepted by 0')
  })
})

describe('the advice on a signature that does not match', () => {
  const OTHER_SECRET = `whsec_${'A'.repeat(32)}`
  const BOTH = [STANDARD_SECRET, PRIVATE_KEY]

  it.each<[string, StandardSecret, StandardSecret, RegExp]>([
    [
      'names the public key',
      PRIVATE_KEY,
      STANDARD_SECRET,
      /It has only v1a signatures\. Pass the public key: whpk_…\.$/,
    ],
    ['names the secret', STANDARD_SECRET, PUBLIC_KEY, /It has only v1 signatures\. Pass the secret: whsec_…\.$/],
    ['is the usual one', PRIVATE_KEY, OPENSSL_PUBLIC_KEY, /Compare the secrets and the body bytes\.$/],
    ['is the usual one for both signatures', BOTH, OTHER_SECRET, /Compare the secrets and the body bytes\.$/],
    ['is the usual one for both signatures and a public key', BOTH, OPENSSL_PUBLIC_KEY, /Compare the secrets and/],
    ['is the usual one with both keys', PRIVATE_KEY, [OTHER_SECRET, OPENSSL_PUBLIC_KEY], /Compare the secrets and/],
  ])('%s', async (_, senders, secret, message) => {
    expect(await verify(signedBy(senders), secret, new MemoryNonceStore(), new TestClock())).toMatchObject({
      reason: 'signature_mismatch',
      message: expect.stringMatching(message),
    })
  })
})
