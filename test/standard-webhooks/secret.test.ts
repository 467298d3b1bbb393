import { Buffer } from 'node:buffer'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { generateSecret, type StandardSecret } from '../../src/standard-webhooks/index.js'
import { adviseOnKeys, readKeys } from '../../src/standard-webhooks/secret.js'

/** Base64 of `n` bytes. */
const base64 = (n: number) => Buffer.alloc(n, 7).toString('base64')
const bytesIn = (secret: StandardSecret) => readKeys(secret).map(({ bytes }) => bytes)
const adviceOn = (secret: StandardSecret) => adviseOnKeys(readKeys(secret), `v1,${'A'.repeat(43)}=`)
const TEXT_AS_KEY = 'If the platform uses the text as the key, pass Buffer.from(secret).'

describe('a secret', () => {
  it('is base64, with or without whsec_', () => {
    expect(readKeys(generateSecret())[0]?.bytes).toHaveLength(32)
    expect(generateSecret()).not.toBe(generateSecret())
    const key = Buffer.from('31f290f6bf06298aab4f08d43c3f082cf648a362da2da4b0', 'hex') // by Python's b64decode
    expect(bytesIn('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual([key])
    expect(bytesIn('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual([key])
  })

  it('may be as Supabase prints it: with the version and, while it is rotated, two secrets', () => {
    const [old, current] = [Buffer.alloc(24, 1), Buffer.alloc(32, 2)]
    const [a, b] = [old, current].map((bytes) => `v1,whsec_${bytes.toString('base64')}`)
    expect(bytesIn(`${a}`)).toEqual([old])
    expect(bytesIn(`${a}|${b}`)).toEqual([old, current])
    // Who removes `v1,whsec_` from the text, as a guide of Supabase says, leaves the second one.
    expect(bytesIn(`${a}|${b}`.replace('v1,whsec_', ''))).toEqual([old, current])
    expect(bytesIn([base64(64), `${a}|${b}`])).toEqual([Buffer.alloc(64, 7), old, current])
  })

  it.each([
    ['v2,whsec_', 'secret has text before whsec_. Remove this text.'],
    ['v1a,whsec_', 'secret has text before whsec_. Remove this text.'],
    ['v1,v1,whsec_', 'secret has text before whsec_. Remove this text.'],
    ['WEBHOOK_SECRET=whsec_', 'secret has text before whsec_. Remove this text.'],
    ['whsec_whsec_', 'secret has text before whsec_. Remove this text.'],
    [
      'v1,',
      'secret is not base64, even without a prefix such as whsec_. If the platform uses the text as the key, pass Buffer.from',
    ],
  ])('has no other text before it: %s', (start, message) => {
    expect(() => readKeys(start + base64(32))).toThrow(message)
  })

  it.each([
    [
      (secret: string) => `${secret}|`,
      'part 2 of secret is not base64, even without a prefix such as whsec_. Copy the whole text',
    ],
    [
      (secret: string) => `|${secret}`,
      'part 1 of secret is not base64, even without a prefix such as whsec_. Copy the whole text',
    ],
    [(secret: string) => `${secret}||${secret}`, 'part 2 of secret is not base64'],
    [(secret: string) => `${secret} | ${secret}`, 'part 1 of secret contains white space. Remove the white space.'],
    [
      (secret: string) => `${secret}|${secret.slice(0, -4)}`,
      'part 2 of secret is base64 of 21 bytes, not of 24 to 64.',
    ],
  ])('has no empty or wrong part (%#)', (change, message) => {
    expect(() => readKeys(change(`v1,whsec_${base64(24)}`))).toThrow(message)
    expect(() => readKeys([base64(24), change(`whsec_${base64(24)}`)])).toThrow(message.replace('secret', 'secret[1]'))
  })

  it.each([
    ['in quotes', (secret: string) => `"${secret}"`, 'is in quotes. Remove the quotes.'],
    ['in other quotes', (secret: string) => `'${secret}'`, 'is in quotes. Remove the quotes.'],
    ['with one quote', (secret: string) => `${secret}\``, 'is in quotes. Remove the quotes.'],
    [
      'with a space inside',
      (secret: string) => secret.replace(/.{9}$/, ' $&'),
      'contains white space. Remove the white',
    ],
    ['with a newline', (secret: string) => `${secret}\n`, 'contains white space. Remove the white space.'],
    [
      'in base64url',
      (secret: string) => secret.replace(/.{9}$/, '-_$&'),
      'contains - or _, so it is base64url. Replace - with + and _ with /.$',
    ],
    [
      'with a character of no base64',
      (secret: string) => `${secret}!`,
      'is not base64, even without a prefix such as whsec_.',
    ],
    ['without its padding', (secret: string) => secret.replace(/=+$/, ''), 'is not base64 with the right padding.'],
    ['too short', () => 'whsec_AAAA', 'is base64 of 3 bytes, not of 24 to 64.'],
  ])('gets an error that says just that it is %s, and never advises Buffer.from for whsec_', (_, change, message) => {
    for (const prefix of ['whsec_', 'v1,whsec_']) {
      const secret = change(`${prefix}${base64(32)}`)
      expect(() => readKeys(secret)).toThrow(new RegExp(`^secret ${message.replace('+', '.')}(?!.*Buffer)`))
      expect(() => readKeys(secret)).not.toThrow(secret)
    }
  })

  it.each([24, 25, 26, 64])('may have %i bytes', (bytes) => {
    expect(bytesIn(base64(bytes))).toEqual([Buffer.alloc(bytes, 7)])
  })

  it.each([1, 23, 65])('has not %i bytes', (bytes) => {
    expect(() => readKeys(base64(bytes))).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message: `secret is base64 of ${bytes} bytes, not of 24 to 64. If the platform uses the text as the key, pass Buffer.from(secret).`,
      }),
    )
  })

  it.each([
    [
      'the text of a password manager',
      'correct horse battery staple!',
      'contains white space. Remove the white space.',
    ],
    ['plain text with -', 'a.secret-text', `is not base64, even without a prefix such as whsec_. ${TEXT_AS_KEY}`],
    ['plain text with - before', 'secret-text.', `is not base64, even without a prefix such as whsec_. ${TEXT_AS_KEY}`],
    ['plain text', 'secret.text', `is not base64, even without a prefix such as whsec_. ${TEXT_AS_KEY}`],
    ['plain text with a |', 'text|text', `is not base64, even without a prefix such as whsec_. ${TEXT_AS_KEY}`],
    [
      'plain text with a quote inside',
      `Hunter's-secret!`,
      `is not base64, even without a prefix such as whsec_. ${TEXT_AS_KEY}`,
    ],
    [
      'base64url, such as the secrets of the main entry',
      `${'a'.repeat(42)}-`,
      `contains - or _, so it is base64url. Replace - with + and _ with /. ${TEXT_AS_KEY}`,
    ],
  ])('is not %s', (_, secret, message) => {
    const act = () => readKeys(secret)
    expect(act).toThrow(RangeError)
    expect(act).toThrow(`secret ${message}`)
    expect(act).not.toThrow(secret)
  })

  it.each([base64(32).slice(0, -1), 'a'.repeat(43), 'abcde', `${base64(32)}=`])('has its padding (%s)', (secret) => {
    expect(() => readKeys(secret)).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message:
          'secret is not base64 with the right padding. If the = at the end is missing, add it. If the platform uses the text as the key, pass Buffer.from(secret).',
      }),
    )
  })

  it.each([25, 26])('has one spelling: %i bytes with stray bits in the last character', (bytes) => {
    const right = base64(bytes)
    const stray = right.replace(/[wc](=+)$/, (end) => end.replace('w', 'x').replace('c', 'd'))
    expect(Buffer.from(stray, 'base64')).toEqual(Buffer.from(right, 'base64'))
    const message = 'secret is base64 with stray bits in the last character. Decode the secret and encode it again.'
    expect(() => readKeys(`whsec_${stray}`)).toThrow(expect.objectContaining({ name: 'RangeError', message }))
  })

  it.each([undefined, null, '', 7, {}, 'undefined'])('is not %j', (secret) => {
    const act = () => readKeys(secret as never)
    expect(act).toThrow(TypeError)
    expect(act).toThrow('Check that the environment variable is set or the record has a secret.')
  })

  it('is no nonce store', () => {
    expect(() => readKeys({ reserve: () => true } as never)).toThrow('secret is a nonce store.')
  })

  it('may be bytes, which are copied', () => {
    const bytes = Uint8Array.of(1, 2, 3)
    const keys = readKeys(bytes)
    bytes.fill(0)
    expect(keys.map((key) => key.bytes)).toEqual([Buffer.of(1, 2, 3)])
    expect(() => readKeys(new Uint8Array())).toThrow('secret has no bytes.')
  })

  it('may be bytes of another realm, such as that of a test runner', () => {
    const bytes = runInNewContext('Uint8Array.of(1, 2, 3)')
    expect(bytes).not.toBeInstanceOf(Uint8Array)
    expect(bytesIn(bytes)).toEqual([Buffer.of(1, 2, 3)])
  })

  it('gets advice if it is the bytes of a text with whsec_', () => {
    const wrong = Buffer.from(`whsec_${base64(24)}`)
    expect(adviceOn(wrong)).toMatch(/^secret is bytes that begin with whsec_\. Pass the secret as text/)
    expect(adviceOn([Buffer.alloc(24), wrong])).toMatch(/^secret\[1\] is bytes/)
    expect(adviceOn([Buffer.from('whsec'), Buffer.alloc(24)])).toBeUndefined()
  })

  it('gets advice to pass its bytes only if it has no prefix, because platforms decode a secret with a prefix', () => {
    expect(adviceOn(base64(24))).toMatch(/For a text key, pass Buffer\.from\(secret\)\.$/)
    expect(adviceOn([`whsec_${base64(24)}`, base64(24)])).toMatch(/Buffer\.from/)
    for (const secret of [`whsec_${base64(24)}`, `v1,whsec_${base64(24)}`, `whsec_${base64(24)}|${base64(24)}`]) {
      expect(adviceOn(secret)).toBeUndefined()
    }
  })

  it('may be a list, and an error names the entry', () => {
    expect(bytesIn([base64(24), Uint8Array.of(1)])).toEqual([Buffer.alloc(24, 7), Buffer.of(1)])
    expect(() => readKeys([base64(24), 'no'])).toThrow('secret[1] is not base64')
    expect(() => readKeys([])).toThrow('secret is an empty array.')
    expect(() => readKeys(new Array(1))).toThrow('secret[0] is undefined.')
  })
})
