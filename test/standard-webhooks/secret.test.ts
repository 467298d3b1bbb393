import { Buffer } from 'node:buffer'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { generateSecret } from '../../src/standard-webhooks/index.js'
import { adviseOnKeys, readKeys } from '../../src/standard-webhooks/secret.js'

/** Base64 of `n` bytes. */
const base64 = (n: number) => Buffer.alloc(n, 7).toString('base64')

describe('a secret', () => {
  it('is base64, with or without whsec_', () => {
    expect(readKeys(generateSecret())[0]).toHaveLength(32)
    expect(generateSecret()).not.toBe(generateSecret())
    const key = Buffer.from('31f290f6bf06298aab4f08d43c3f082cf648a362da2da4b0', 'hex') // by Python's b64decode
    expect(readKeys('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual([key])
    expect(readKeys('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual([key])
  })

  it.each([24, 25, 26, 64])('may have %i bytes', (bytes) => {
    expect(readKeys(base64(bytes))).toEqual([Buffer.alloc(bytes, 7)])
  })

  it.each([1, 23, 65])('has not %i bytes', (bytes) => {
    expect(() => readKeys(`whsec_${base64(bytes)}`)).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message: `secret is base64 of ${bytes} bytes, not of 24 to 64. If the platform uses the text as the key, pass Buffer.from(secret).`,
      }),
    )
  })

  it.each([
    ['the text of a password manager', 'correct horse battery staple!', 'Remove the white space.'],
    ['the newline at the end of a file', `whsec_${base64(24)}\n`, 'Remove the white space.'],
    ['whsec_ in the middle', `${base64(24)}whsec_`, 'pass Buffer.from(secret).'],
    ['plain text', 'my-secret-is-not-base64', 'If the platform uses the text as the key, pass Buffer.from(secret).'],
    ['base64url, such as the secrets of the main entry', `${'a'.repeat(42)}-`, 'pass Buffer.from(secret).'],
  ])('is not %s', (_, secret, fix) => {
    const act = () => readKeys(secret)
    expect(act).toThrow(RangeError)
    expect(act).toThrow('secret is not base64 with or without whsec_.')
    expect(act).toThrow(fix)
    expect(act).not.toThrow(secret)
  })

  it.each([base64(32).slice(0, -1), `whsec_${'a'.repeat(43)}`, 'abcde', `${base64(32)}=`])(
    'has its padding (%s)',
    (secret) => {
      expect(() => readKeys(secret)).toThrow(
        expect.objectContaining({
          name: 'RangeError',
          message:
            'secret is not base64 with its padding. If the = at the end is missing, add it. If the platform uses the text as the key, pass Buffer.from(secret).',
        }),
      )
    },
  )

  it.each([25, 26])('has one spelling: %i bytes with stray bits in the last character', (bytes) => {
    const right = base64(bytes)
    const stray = right.replace(/[wc](=+)$/, (end) => end.replace('w', 'x').replace('c', 'd'))
    expect(Buffer.from(stray, 'base64')).toEqual(Buffer.from(right, 'base64'))
    const message = 'secret is base64 whose last character has stray bits. Decode the secret and encode it again.'
    expect(() => readKeys(`whsec_${stray}`)).toThrow(expect.objectContaining({ name: 'RangeError', message }))
  })

  it.each(['whsk_', 'whpk_'])('is not an asymmetric key (%s)', (prefix) => {
    expect(() => readKeys(prefix + base64(32))).toThrow('secret is an asymmetric key.')
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
    expect(keys).toEqual([Buffer.of(1, 2, 3)])
    expect(() => readKeys(new Uint8Array())).toThrow('secret has no bytes.')
  })

  it('may be bytes of another realm, such as that of a test runner', () => {
    const bytes = runInNewContext('Uint8Array.of(1, 2, 3)')
    expect(bytes).not.toBeInstanceOf(Uint8Array)
    expect(readKeys(bytes)).toEqual([Buffer.of(1, 2, 3)])
  })

  it('gets advice if it is the bytes of a text with whsec_', () => {
    const wrong = Buffer.from(`whsec_${base64(24)}`)
    expect(adviseOnKeys([wrong])).toMatch(/^secret is bytes that begin with whsec_\. Pass the secret as text/)
    expect(adviseOnKeys([Buffer.alloc(24), wrong])).toMatch(/^secret\[1\] is bytes/)
    expect(adviseOnKeys([Buffer.from('whsec'), Buffer.alloc(24)])).toBeUndefined()
  })

  it('may be a list, and an error names the entry', () => {
    expect(readKeys([base64(24), Uint8Array.of(1)])).toEqual([Buffer.alloc(24, 7), Buffer.of(1)])
    expect(() => readKeys([base64(24), 'no'])).toThrow('secret[1] is not base64')
    expect(() => readKeys([])).toThrow('secret is an empty array.')
  })
})
