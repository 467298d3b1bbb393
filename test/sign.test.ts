import { describe, expect, it, vi } from 'vitest'
import { type SignedHeaders, sign, verify } from '../src/index.js'
import { SIGN_MISTAKES, SIGN_RANGES } from './support/cases/mistakes.js'
import { NONCE, NOW, RecordingStore, SECRET, signatureOf, TestClock, TIMESTAMP } from './support/request.js'

const SECONDS = Number(TIMESTAMP)

describe('sign', () => {
  it('returns the three headers of the specification', () => {
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
    ['an empty body', ''],
  ])('signs %s so that verify accepts it', async (_, body) => {
    const clock = new TestClock()
    const request = { webhookId: '42', headers: sign(body, SECRET, { clock }), body }
    expect(await verify(request, SECRET, new RecordingStore(), clock)).toMatchObject({ ok: true })
  })

  it('rounds the time of the clock down to whole seconds', () => {
    expect(sign('', SECRET, { clock: new TestClock(NOW + 999.9) })['X-Timestamp']).toBe(TIMESTAMP)
  })

  it('uses Date by default', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW + 999 })
    try {
      expect(sign('', SECRET)['X-Timestamp']).toBe(TIMESTAMP)
    } finally {
      vi.useRealTimers()
    }
  })

  it('generates a new UUID for each request', () => {
    const nonces = Array.from({ length: 100 }, () => sign('', SECRET)['X-Nonce'])
    expect(new Set(nonces).size).toBe(100)
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('treats undefined options as absent', () => {
    const headers = sign('', SECRET, { timestamp: undefined, nonce: undefined, clock: undefined })
    expect(headers['X-Nonce']).toHaveLength(36)
  })

  it('returns headers that fetch accepts', () => {
    const headers: SignedHeaders = sign('', SECRET)
    expect(new Headers(headers).get('x-nonce')).toBe(headers['X-Nonce'])
  })

  it('refuses milliseconds: a timestamp after the year 9999', () => {
    const lastSecond = 253_402_300_799
    expect(sign('', SECRET, { timestamp: lastSecond })['X-Timestamp']).toBe('253402300799')
    for (const timestamp of [lastSecond + 1, NOW]) {
      expect(() => sign('', SECRET, { timestamp })).toThrow(
        `timestamp is ${timestamp}, after the year 9999. Pass seconds, not milliseconds: Math.floor(Date.now() / 1000).`,
      )
    }
    expect(() => sign('', SECRET, { timestamp: NOW })).toThrow(RangeError)
    expect(() => sign('', SECRET, { clock: { now: () => NOW * 1000 } })).toThrow(/after the year 9999/)
  })

  it('signs at the limits of what verify accepts', () => {
    expect(sign('', SECRET, { timestamp: 0 })['X-Timestamp']).toBe('0')
    expect(sign('', SECRET, { timestamp: -0 })['X-Timestamp']).toBe('0')
    expect(sign('', SECRET, { nonce: '!~'.repeat(64) })['X-Nonce']).toHaveLength(128)
  })
})

describe('sign refuses what verify refuses', () => {
  const timestamp = /^timestamp is not a whole number of seconds .*\. Pass Math\.floor\(Date\.now\(\) \/ 1000\)\.$/
  const nonce = /^nonce is not 1 to 128 visible ASCII characters .*\. Leave out nonce to use a random UUID\.$/
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
