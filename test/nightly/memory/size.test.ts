import { describe, expect, it } from 'vitest'
import type { MemoryNonceStore } from '../../../src/index.js'
import { storeAt, UUIDS, withArrays } from '../../stores/memory/memory-store.js'
import { arraysInUse, heapInUse } from '../../support/memory.js'
import type { TestClock } from '../../support/request.js'

// What a MemoryNonceStore with many entries takes, and what it does when memory is short.

describe('memory', () => {
  /** Lets this number of entries expire, one at a time. */
  function pass(clock: TestClock, store: MemoryNonceStore, reservations: number) {
    for (let index = 0; index < reservations; index++) {
      clock.milliseconds += 600_001
      store.reserve('a', `${index}`, 600)
    }
  }

  it('is at most 50 bytes per UUID, and the garbage collector does not scan it', () => {
    const { store } = storeAt()
    const [heap, arrays] = [heapInUse(), arraysInUse()]
    for (const key of UUIDS) store.reserve('a', key, 600)
    expect((heapInUse() - heap) / UUIDS.length).toBeLessThan(4)
    expect((arraysInUse() - arrays) / UUIDS.length).toBeLessThan(50)
    expect(store.reserve('a', UUIDS[77_777] ?? '', 600)).toBe(false)
  })

  it('returns after a burst, because each reservation removes two expired entries', () => {
    const { clock, store } = storeAt()
    const empty = arraysInUse()
    for (const key of UUIDS) store.reserve('a', key, 600)
    const burst = arraysInUse() - empty

    clock.milliseconds += 600_001
    store.reserve('a', 'the first one removes two entries, not all', 600)
    expect(arraysInUse() - empty).toBeGreaterThan(burst / 2)

    pass(clock, store, 2 * UUIDS.length)
    expect(arraysInUse() - empty).toBeLessThan(burst / 10)
  })

  it('of a small store is half a megabyte at most, and is not allocated before the first reservation', () => {
    const before = arraysInUse()
    const { store } = storeAt(0, { maxEntries: 2 ** 26 })
    expect(arraysInUse() - before).toBeLessThan(2000)
    for (let index = 0; index < 1000; index++) store.reserve('a', `${index}`, 600)
    expect(arraysInUse() - before).toBeLessThan(500_000)
  })

  it('is flat for 30 hours at a steady rate', () => {
    const { clock, store } = storeAt()
    const after: number[] = []
    for (let hour = 0; hour < 30; hour++) {
      for (let index = 0; index < 7200; index++) {
        clock.milliseconds += 500
        store.reserve(`webhook ${index % 7}`, `hour ${hour}, number ${index}`, 600)
      }
      // From the third hour on, there is a second segment.
      if (hour === 5 || hour === 29) after.push(heapInUse() + arraysInUse())
    }
    expect((after[1] ?? 0) - (after[0] ?? 0)).toBeLessThan(100_000)
  })

  it('is not used for a TTL that no entry has any longer', () => {
    const { clock, store } = storeAt()
    const empty = heapInUse() + arraysInUse()
    for (let ttlSeconds = 1; ttlSeconds <= 10_000; ttlSeconds++) {
      store.reserve('a', 'key', ttlSeconds)
      clock.milliseconds += ttlSeconds * 1000 + 1
    }
    expect(heapInUse() + arraysInUse() - empty).toBeLessThan(1_000_000)
  })

  it('holds no text', () => {
    const { store } = storeAt()
    const empty = heapInUse()
    for (let index = 0; index < 2000; index++) store.reserve(`${index} ${'w'.repeat(3000)}`, `${index}`, 600)
    expect(heapInUse() - empty).toBeLessThan(1_000_000)
  })

  describe('that cannot be allocated', () => {
    /** Runs `action` while `fails` decides which arrays cannot be allocated. */
    function whileMemoryIsShort(fails: () => boolean, action: () => void) {
      withArrays((length) => {
        if (fails()) throw new RangeError('Array buffer allocation failed')
        return length
      }, action)
    }

    it('changes nothing but the failed reservation', () => {
      const { store } = storeAt(0, { maxEntries: UUIDS.length })
      const failed: string[] = []
      let arrays = 0
      whileMemoryIsShort(
        () => arrays++ % 2 === 1,
        () => {
          for (const key of UUIDS) {
            try {
              store.reserve('a', key, 600)
            } catch {
              failed.push(key)
            }
          }
        },
      )
      expect(failed.length).toBeGreaterThan(100)
      expect(UUIDS.filter((key) => store.reserve('a', key, 600))).toEqual(failed)
      expect(() => store.reserve('a', 'one more', 600)).toThrow(/full: 200000 live entries/)
    })

    it("evicts nothing with whenFull: 'evict'", () => {
      const { store } = storeAt(0, { maxEntries: 20_000, whenFull: 'evict' })
      for (const key of UUIDS.slice(0, 20_000)) store.reserve('a', key, 600)
      const reserved = UUIDS.slice(0, 20_000)
      whileMemoryIsShort(
        () => true,
        () => {
          for (const key of UUIDS.slice(20_000, 40_000)) {
            try {
              store.reserve('a', key, 600)
              reserved.push(key)
            } catch {
              // It has reserved nothing, and evicted nothing.
            }
          }
        },
      )
      expect(reserved.length).toBeLessThan(40_000)
      expect(reserved.slice(-20_000).filter((key) => store.reserve('a', key, 600))).toEqual([])
    })
  })
})

describe('with a quarter of a million segments of memory', () => {
  const SEGMENT_WORDS = 16_384 * 6
  /** Records whose expiries are so far apart each need a segment. */
  const SECONDS_APART = 4_294_968

  /** A segment takes 384 kB. These tests use one record per segment, so they replace its memory with one record. */
  function withSmallSegments(action: () => void) {
    withArrays((length) => (length === SEGMENT_WORDS ? 6 : length), action)
  }

  it('uses the numbers of removed segments again', () => {
    withSmallSegments(() => {
      const { clock, store } = storeAt()
      for (let index = 0; index < 270_000; index++) {
        clock.milliseconds += 600_001
        if (!store.reserve('a', 'key', 600)) throw new Error('the segment before was not removed')
      }
    })
  })

  it('does not count the numbers of removed segments', () => {
    withSmallSegments(() => {
      const { clock, store } = storeAt()
      // A shorter TTL needs another queue. A reservation removes two records per queue.
      const [queues, records] = [64, 2080]
      for (let queue = queues; queue > 0; queue--) {
        for (let record = 0; record < records; record++) {
          store.reserve('a', `${queue} ${record}`, (queue * records + record) * SECONDS_APART)
        }
      }
      clock.milliseconds = 2 * queues * records * SECONDS_APART * 1000
      for (let index = 0; index < records; index++) {
        if (!store.reserve('a', `${index}`, 600)) throw new Error('a record was not removed')
      }
    })
  })

  it('is full when all numbers are in use', () => {
    withSmallSegments(() => {
      const { store } = storeAt()
      for (let index = 1; index < 2 ** 18; index++) store.reserve('a', `${index}`, index * SECONDS_APART)
      const reserve = () => store.reserve('a', 'key', 2 ** 18 * SECONDS_APART)
      expect(reserve).toThrow(/full: 262143 live entries/)
      expect(store.reserve('a', '1', 600)).toBe(false)
    })
  })
})

it('has room for one million entries by default, and fails closed', () => {
  const { store } = storeAt()
  for (let index = 0; index < 1_000_000; index++) store.reserve('a', String(index), 600)
  expect(() => store.reserve('a', 'one more', 600)).toThrow(/full: 1000000 live entries/)
})
