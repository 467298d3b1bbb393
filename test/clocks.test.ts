import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, sign, verify } from '../src/index.js'
import { NOW, SECRET, signedRequest, TestClock } from './support/request.js'

// How clocks affect replay protection. SECURITY.md has a table of these cases.

const DAY = 86_400_000
const YEAR = 365 * DAY

async function outcome(store: NonceStore, now: number, timestamp = NOW / 1000): Promise<string> {
  const request = signedRequest({ timestamp: String(timestamp) })
  const result = await verify(request, SECRET, store, { now: () => now })
  return result.ok ? 'accepted' : result.reason
}

/** A store with another clock than the server, as `performance` is another clock than `Date`. */
function withMonotonicClock() {
  const monotonic = new TestClock(0)
  return { monotonic, store: new MemoryNonceStore({ clock: monotonic }) }
}

describe('the wall clock of a server with a memory store steps', () => {
  it.each([
    ['back by a second', -1000],
    ['back by 300 s', -300_000],
    ['forward by a second', 1000],
    ['forward by 300 s', 300_000],
  ])('%s: a replay is still rejected, because the nonce is kept by a monotonic clock', async (_, step) => {
    const { store } = withMonotonicClock()
    expect(await outcome(store, NOW)).toBe('accepted')
    expect(await outcome(store, NOW + step)).toBe('replayed_nonce')
  })

  it('back by a second, after the nonce is forgotten: a replay is accepted in the last second of its window', async () => {
    const { monotonic, store } = withMonotonicClock()
    // Its timestamp is 300 s ahead of the server, so it is valid for 600 s, as long as its reservation.
    expect(await outcome(store, NOW - 300_000)).toBe('accepted')
    monotonic.milliseconds = 600_001
    expect(await outcome(store, NOW + 300_001)).toBe('timestamp_outside_window')
    expect(await outcome(store, NOW + 299_001)).toBe('accepted')
  })
})

describe('the clock of a store steps', () => {
  /** A store that all servers share, with its own wall clock. */
  function shared() {
    const clock = new TestClock()
    return { clock, store: new MemoryNonceStore({ clock }) }
  }

  it.each([
    ['a second', 1000, 'replayed_nonce'],
    ['600 s', 600_000, 'replayed_nonce'],
    ['600.001 s', 600_001, 'accepted'],
    ['a year', YEAR, 'accepted'],
  ])(
    'forward by %s (%d ms): what has expired by the new time is forgotten, so a replay is %s',
    async (_, step, expected) => {
      const { clock, store } = shared()
      expect(await outcome(store, NOW)).toBe('accepted')
      clock.milliseconds += step
      expect(await outcome(store, NOW + 1000)).toBe(expected)
      expect(await outcome(store, NOW + 2000)).toBe('replayed_nonce')
    },
  )

  it('back by an hour, and right again: what was reserved in between has expired, so a replay is accepted', async () => {
    const { clock, store } = shared()
    clock.milliseconds -= 3_600_000
    expect(await outcome(store, NOW)).toBe('accepted')
    expect(await outcome(store, NOW + 1000)).toBe('replayed_nonce')
    clock.milliseconds += 3_600_000
    expect(await outcome(store, NOW + 2000)).toBe('accepted')
  })
})

describe('servers that differ by d seconds and share a store', () => {
  it.each([1, 10, 300, 600])('d = %d: a replay passes only in the last d seconds of the slower clock', async (d) => {
    const time = new TestClock(NOW - 300_000 - d * 1000)
    const store = new MemoryNonceStore({ clock: time })
    expect(await outcome(store, time.milliseconds + d * 1000)).toBe('accepted')

    // The server whose clock is behind accepts the timestamp until NOW + 300 s of its own time. The nonce is kept for 600 s.
    time.milliseconds = NOW + 300_000 - d * 1000
    expect(await outcome(store, time.milliseconds)).toBe('replayed_nonce')
    time.milliseconds += 1
    expect(await outcome(store, time.milliseconds)).toBe('accepted')
    time.milliseconds = NOW + 300_001
    expect(await outcome(store, time.milliseconds)).toBe('timestamp_outside_window')
  })
})

describe('the year', () => {
  it.each([
    ['1970', 0],
    ['2038, as 32 bits with a sign end', 2 ** 31 - 1],
    ['2038, after that', 2 ** 31],
    ['2106, as 32 bits end', 2 ** 32],
    ['9999, its last second', 253_402_300_799],
  ])('%s: a request is signed, accepted once, and outside the window 300.001 s later', async (_, seconds) => {
    const clock = new TestClock(seconds * 1000)
    const store = new MemoryNonceStore({ clock })
    const request = { webhookId: '42', headers: sign('a body', SECRET, { clock }), body: 'a body' }
    expect(request.headers['X-Timestamp']).toBe(String(seconds))
    expect(await verify(request, SECRET, store, clock)).toMatchObject({ ok: true, timestamp: seconds })
    clock.milliseconds += 300_000
    expect(await verify(request, SECRET, store, clock)).toMatchObject({ reason: 'replayed_nonce' })
    clock.milliseconds += 1
    expect(await verify(request, SECRET, store, clock)).toMatchObject({ reason: 'timestamp_outside_window' })
  })
})
