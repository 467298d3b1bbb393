import { describe, expect, it } from 'vitest'
import type { MemoryNonceStore } from '../../../src/index.js'
import { flat, storeAt, UUIDS } from '../../support/memory-store.js'
import type { TestClock } from '../../support/request.js'
import { heapInUse } from './heap.js'

// The memory of a MemoryNonceStore with many entries, and its pauses.

describe('memory', () => {
  /** Lets this number of entries expire, one at a time. */
  function pass(clock: TestClock, store: MemoryNonceStore, reservations: number) {
    for (let index = 0; index < reservations; index++) {
      clock.milliseconds += 600_001
      store.reserve('a', `${index}`, 600)
    }
  }

  it.each([
    ['UUID', 320, (index: number) => UUIDS[index] ?? ''],
    ['nonce of 128 characters', 410, (index: number) => flat(`${index}`.padStart(128, 'n'))],
  ])('is about the documented size per %s, with an owner', (_, bytes, keyOf) => {
    const { store } = storeAt(2 ** 32)
    const before = heapInUse()
    for (const index of UUIDS.keys())
      store.reserve(UUIDS[7] ?? '', keyOf(index), 600, flat(`owner ${index}`.padEnd(36)))
    expect((heapInUse() - before) / UUIDS.length).toBeLessThan(bytes)
    expect(store.reserve(UUIDS[7] ?? '', keyOf(77_777), 600)).toBe(false)
  })

  it('returns after a burst, because each reservation removes two expired entries', () => {
    const { clock, store } = storeAt()
    const empty = heapInUse()
    for (const key of UUIDS) store.reserve('a', key, 600)
    const burst = heapInUse() - empty

    clock.milliseconds += 600_001
    store.reserve('a', 'the first one removes two entries, not all', 600)
    expect(heapInUse() - empty).toBeGreaterThan(burst / 2)

    pass(clock, store, UUIDS.length)
    expect(heapInUse() - empty).toBeLessThan(burst / 10)
  })

  it('is bounded by maxEntries, for 20 times as many entries', () => {
    const { store } = storeAt(0, { maxEntries: 10_000, whenFull: 'evict' })
    const empty = heapInUse()
    for (const key of UUIDS) store.reserve('a', key, 600)
    expect((heapInUse() - empty) / 10_000).toBeLessThan(300)
  })

  it('is flat for 30 hours at a steady rate', () => {
    const { clock, store } = storeAt()
    const after: number[] = []
    for (let hour = 0; hour < 30; hour++) {
      for (let index = 0; index < 7200; index++) {
        clock.milliseconds += 500
        store.reserve(`webhook ${index % 7}`, `hour ${hour}, number ${index}`, 600)
      }
      if (hour === 5 || hour === 29) after.push(heapInUse())
    }
    expect((after[1] ?? 0) - (after[0] ?? 0)).toBeLessThan(100_000)
  })

  it('is not used for a TTL that no entry has any longer', () => {
    const { clock, store } = storeAt()
    const empty = heapInUse()
    for (let ttlSeconds = 1; ttlSeconds <= 10_000; ttlSeconds++) {
      store.reserve('a', 'key', ttlSeconds)
      clock.milliseconds += ttlSeconds * 1000 + 1
    }
    expect(heapInUse() - empty).toBeLessThan(200_000)
  })

  it.each([
    ['an empty store', 0],
    ['a store with 50 000 live entries', 50_000],
  ])('is the same after a million reservations and releases of one key, in %s', (_, live) => {
    const { store } = storeAt()
    for (const key of UUIDS.slice(0, live)) store.reserve('a', key, 600)
    const cycle = () => {
      store.reserve('a', 'key', 600, 'owner')
      store.release('a', ['key'], 'owner')
    }
    cycle()
    const before = heapInUse()
    for (let count = 0; count < 1_000_000; count++) cycle()
    // A Map of 2048 entries may grow once.
    expect(heapInUse() - before).toBeLessThan(150_000)
  })
})

it('processor time of a refusal and an eviction does not depend on maxEntries', () => {
  const perCall = (maxEntries: number, whenFull: 'throw' | 'evict') => {
    const { store } = storeAt(0, { maxEntries, whenFull })
    for (let index = 0; index < maxEntries; index++) store.reserve('a', `${index}`, 600)
    const cpu = process.cpuUsage()
    for (const key of UUIDS.slice(0, 50_000)) {
      try {
        store.reserve('a', key, 600)
      } catch {
        // The store is full.
      }
    }
    return process.cpuUsage(cpu).user / 50_000
  }
  for (const whenFull of ['throw', 'evict'] as const) {
    perCall(1000, whenFull)
    const [small, large] = [perCall(1000, whenFull), perCall(400_000, whenFull)]
    console.log(`${whenFull}: ${small.toFixed(1)} µs with 1000 entries, ${large.toFixed(1)} µs with 400 000`)
    expect(large).toBeLessThan(10 * small)
  }
})
