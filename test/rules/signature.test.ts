import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type SignedHeaders, sign, verify } from '../../src/index.js'
import { SIGN_MISTAKES, SIGN_RANGES } from '../support/cases/mistakes.js'
import { NONCE, NOW, RecordingStore, SECRET, signatureOf, TestClock, TIMESTAMP } from '../support/request.js'

const SECONDS = Number(TIMESTAMP)

describe('sign', () => {
  it('makes the three headers of the specification', () => {
    expect(sign('a body', SECRET, { timestamp: SECONDS, nonce: NONCE })).toEqual({
      'X-Timestamp': TIMESTAMP,
      'X-Nonce': NONCE,
      'X-Signature': signatureOf(TIMESTAMP, NONCE, 'a body', SECRET),
    })
  })

  it.each([
    ['text', 'Zoë 🦊'],
    ['bytes', Uint8Array.of(0xff, 0x00)],
    ['an ArrayBuffer', Uint8Array.of(0xff, 0x00).buffer],
    ['nothing', ''],
  ])('is verified over %s', async (_, body) => {
    const clock = new TestClock()
    const request = { webhookId: '42', headers: sign(body, SECRET, { clock }), body }
    expect(await verify(request, SECRET, new RecordingStore(), clock)).toMatchObject({ ok: true })
  })

  it('hashes a large body part by part, and all of it', () => {
    const body = randomBytes(2 ** 25 + 1)
    const expected = createHmac('sha256', SECRET).update(`${TIMESTAMP}:${NONCE}:`).update(body).digest('hex')
    const headers = sign(body, SECRET, { timestamp: SECONDS, nonce: NONCE })
    expect(headers['X-Signature']).toBe(expected)
  })

  // Two gigabytes of memory and some seconds: where it is asked for.
  it.runIf(process.env['CI'])('takes a body of 2 GiB, which OpenSSL takes in parts only', () => {
    const body = Buffer.alloc(2 ** 31, 'x')
    const expected = createHmac('sha256', SECRET).update(`${TIMESTAMP}:${NONCE}:`)
    for (let part = 0; part < 32; part++) expected.update(body.subarray(part * 2 ** 26, (part + 1) * 2 ** 26))
    const headers = sign(body, SECRET, { timestamp: SECONDS, nonce: NONCE })
    expect(headers['X-Signature']).toBe(expected.digest('hex'))
  })

  it('takes the time from the clock, in whole seconds that have passed', () => {
    expect(sign('', SECRET, { clock: new TestClock(NOW + 999.9) })['X-Timestamp']).toBe(TIMESTAMP)
  })

  it('takes the time from Date where no clock is given', () => {
    const before = Math.floor(Date.now() / 1000)
    const timestamp = Number(sign('', SECRET)['X-Timestamp'])
    expect(timestamp).toBeGreaterThanOrEqual(before)
    expect(timestamp).toBeLessThanOrEqual(Math.floor(Date.now() / 1000))
  })

  it('gives every request a UUID of its own', () => {
    const nonces = Array.from({ length: 100 }, () => sign('', SECRET)['X-Nonce'])
    expect(new Set(nonces).size).toBe(100)
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('takes undefined options as absent', () => {
    const headers = sign('', SECRET, { timestamp: undefined, nonce: undefined, clock: undefined })
    expect(headers['X-Nonce']).toHaveLength(36)
  })

  it('makes headers that fetch takes', () => {
    const headers: SignedHeaders = sign('', SECRET)
    expect(new Headers(headers).get('x-nonce')).toBe(headers['X-Nonce'])
  })

  it('signs at the edges of what verify takes', () => {
    expect(sign('', SECRET, { timestamp: 0 })['X-Timestamp']).toBe('0')
    expect(sign('', SECRET, { timestamp: -0 })['X-Timestamp']).toBe('0')
    expect(sign('', SECRET, { nonce: '!~'.repeat(64) })['X-Nonce']).toHaveLength(128)
  })
})

describe('sign refuses what verify would refuse', () => {
  const timestamp = /^timestamp is not a whole number of seconds .*: pass Math\.floor\(Date\.now\(\) \/ 1000\)/
  const nonce = /^nonce is not 1 to 128 visible ASCII characters .*: pass such a string, or none for a UUID/
  it.each(SIGN_RANGES)('RangeError: %s', (_, options) => {
    expect(() => sign('', SECRET, options)).toThrow(RangeError)
    expect(() => sign('', SECRET, options)).toThrow('nonce' in options ? nonce : timestamp)
    expect(() => sign('', SECRET, options)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })

  it.each(SIGN_MISTAKES)('TypeError: %s', (_, args, message) => {
    expect(() => Reflect.apply(sign, undefined, args())).toThrow(message)
    expect(() => Reflect.apply(sign, undefined, args())).toThrow(TypeError)
    expect(() => Reflect.apply(sign, undefined, args())).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }),
    )
  })
})
