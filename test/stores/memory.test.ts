import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { MemoryNonceStore, type MemoryNonceStoreOptions } from '../../src/index.js'
import { arraysInUse, heapInUse } from '../support/memory.js'
import { TestClock } from '../support/request.js'

/** `words` replaces the random words of a hash key while it is defined. */
const random = vi.hoisted(() => ({ calls: 0, words: undefined as number[] | undefined }))
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:crypto')>()
  return {
    ...original,
    randomFillSync(array: Int32Array) {
      random.calls++
      original.randomFillSync(array)
      if (random.words !== undefined) array.set(random.words)
      return array
    },
  }
})

function storeAt(milliseconds = 0, options: MemoryNonceStoreOptions = {}) {
  const clock = new TestClock(milliseconds)
  return { clock, store: new MemoryNonceStore({ clock, ...options }) }
}

/** A flat string, like the value of a header from an HTTP server. */
function uuid(index: number): string {
  return Buffer.from(`6f9619ff-8b86-4d01-b42d-${String(index).padStart(12, '0')}`).toString('latin1')
}

const UUIDS = Array.from({ length: 200_000 }, (_, index) => uuid(index))

describe('a reservation', () => {
  it.each([
    [0, 600_000, false],
    [0, 600_000.999, false],
    [0, 600_001, true],
    [0.001, 600_000.001, false],
    [0.001, 600_001.999, false],
    [0.001, 600_002, true],
    [0.999, 600_001, false],
    [5, 600_005, false],
    [5, 600_006, true],
  ])('made at %d ms: at %d ms the key is free again: %s', (reservedAt, askedAt, free) => {
    const { clock, store } = storeAt(reservedAt)
    expect(store.reserve('a', 'key', 600)).toBe(true)
    clock.milliseconds = askedAt
    expect(store.reserve('a', 'key', 600)).toBe(free)
  })

  it.each([
    [0.25, 250],
    [1.001, 1001],
    [0.0001, 1],
  ])('with a TTL of %d s is taken until %d ms have passed', (ttlSeconds, milliseconds) => {
    const { clock, store } = storeAt()
    store.reserve('a', 'key', ttlSeconds)
    clock.milliseconds = milliseconds
    expect(store.reserve('a', 'key', ttlSeconds)).toBe(false)
    clock.milliseconds = milliseconds + 1
    expect(store.reserve('a', 'key', ttlSeconds)).toBe(true)
  })

  it('is not prolonged by a replay', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'key', 600)
    clock.milliseconds = 600_000
    expect(store.reserve('a', 'key', 600)).toBe(false)
    clock.milliseconds = 600_001
    expect(store.reserve('a', 'key', 600)).toBe(true)
  })

  it('keeps its own expiry behind one with a longer TTL', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'long', 600)
    store.reserve('a', 'short', 1)
    clock.milliseconds = 1001
    expect(store.reserve('a', 'short', 1)).toBe(true)
    expect(store.reserve('a', 'long', 600)).toBe(false)
  })

  it('keeps the new expiry if it is made again with another TTL', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'key', 1)
    clock.milliseconds = 1001
    store.reserve('a', 'key', 600)
    clock.milliseconds = 2002
    expect(store.reserve('a', 'key', 1)).toBe(false)
  })

  it('can be made again while other expired entries are not removed yet', () => {
    const { clock, store } = storeAt()
    const keys = Array.from({ length: 20 }, (_, index) => String(index))
    for (const key of keys) store.reserve('a', key, 600)
    clock.milliseconds = 600_001
    for (const key of keys.toReversed()) expect(store.reserve('a', key, 600)).toBe(true)
    for (const key of keys) expect(store.reserve('a', key, 600)).toBe(false)
  })

  it('survives a step of the system time: the default clock is monotonic', () => {
    // The store may keep the clock that it finds when it is created.
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const store = new MemoryNonceStore()
      store.reserve('a', 'key', 600)
      vi.setSystemTime(Date.now() + 10 * 600_000)
      expect(store.reserve('a', 'key', 600)).toBe(false)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('time', () => {
  it('can step back: each reservation keeps its own expiry', () => {
    const { clock, store } = storeAt(1_000_000)
    store.reserve('a', 'before', 600)
    clock.milliseconds = 0
    store.reserve('a', 'after', 600)
    clock.milliseconds = 600_000
    for (const key of ['before', 'after']) expect(store.reserve('a', key, 600)).toBe(false)
    clock.milliseconds = 600_001
    expect(store.reserve('a', 'after', 1)).toBe(true)
    clock.milliseconds = 1_600_000
    expect(store.reserve('a', 'before', 600)).toBe(false)
    clock.milliseconds = 1_600_001
    expect(store.reserve('a', 'before', 600)).toBe(true)
  })

  it('can pass 2^32 ms between reservations, and between a reservation and its expiry', () => {
    const { clock, store } = storeAt(0.5)
    const weeks = Array.from({ length: 30 }, (_, index) => index + 1)
    for (const week of weeks) store.reserve('a', `week ${week}`, week * 604_800)
    for (const week of weeks) {
      clock.milliseconds = week * 604_800_000 + 1.9
      expect(store.reserve('a', `week ${week}`, 1)).toBe(false)
      clock.milliseconds = week * 604_800_000 + 2
      expect(store.reserve('a', `week ${week}`, 1)).toBe(true)
    }
  })

  it('can be years of uptime with a long reservation from the first day', () => {
    const { clock, store } = storeAt(0)
    store.reserve('a', 'ten years', 86_400 * 3650)
    for (let day = 1; day < 3650; day++) {
      clock.milliseconds = day * 86_400_000
      expect(store.reserve('a', `day ${day}`, 600)).toBe(true)
      expect(store.reserve('a', `day ${day}`, 600)).toBe(false)
      expect(store.reserve('a', 'ten years', 600)).toBe(false)
    }
    clock.milliseconds = 3650 * 86_400_000 + 1
    expect(store.reserve('a', 'ten years', 600)).toBe(true)
  })

  it('can be any number, and a TTL too', () => {
    const { clock, store } = storeAt(-1e12)
    const ttls = [600, 86_400 * 365, 86_400 * 365 * 5000, Number.MAX_SAFE_INTEGER, 1e300, Number.MAX_VALUE, 1]
    for (const ttlSeconds of ttls) expect(store.reserve('a', String(ttlSeconds), ttlSeconds)).toBe(true)
    expect(store.reserve('b', 'key', Number.MAX_VALUE)).toBe(true)
    clock.milliseconds += 600_001
    for (const ttlSeconds of [1, 600]) expect(store.reserve('a', String(ttlSeconds), ttlSeconds)).toBe(true)
    clock.milliseconds += 86_400_000 * 365
    expect(store.reserve('a', String(86_400 * 365), 1)).toBe(true)
    clock.milliseconds = Date.now()
    for (const ttlSeconds of ttls.slice(2, 6)) expect(store.reserve('a', String(ttlSeconds), 1)).toBe(false)
    expect(store.reserve('b', 'key', 1)).toBe(false)
  })
})

describe('webhook and key', () => {
  const long = 'w'.repeat(3000)
  it.each([
    // The same characters, divided differently.
    [
      ['a', 'b:c'],
      ['a:b', 'c'],
    ],
    [
      ['a', 'bc'],
      ['ab', 'c'],
    ],
    [
      ['1', ':x'],
      ['1:', 'x'],
    ],
    [
      ['a\0', 'b'],
      ['a', '\0b'],
    ],
    [
      ['abcd', 'efgh'],
      ['abcdefgh', ''],
    ],
    [
      ['a', ''],
      ['', 'a'],
    ],
    // Similar characters.
    [
      ['a', 'key'],
      ['A', 'key'],
    ],
    [
      ['a', 'key'],
      ['a', 'key '],
    ],
    [
      ['a', 'Z'],
      ['a', 'Z\0'],
    ],
    [
      ['a', 'Z'],
      ['a', '\0Z'],
    ],
    [
      ['a', 'abcd'],
      ['a', 'abcd\0\0\0\0'],
    ],
    [
      ['a', 'abcd'],
      ['a', 'dabcd'],
    ],
    [
      ['\u00e9', 'key'],
      ['e\u0301', 'key'],
    ],
    [
      ['__proto__', 'key'],
      ['constructor', 'key'],
    ],
    // Characters beyond Latin-1, alone and next to those that share their low bits.
    [
      ['a', 'a'],
      ['a', '\u0161'],
    ],
    // The same bytes. One text has two of them per character.
    [
      ['a', '\u0161'],
      ['a\0', 'a\x01'],
    ],
    [
      ['a', '\u00ff'],
      ['a', '\u01ff'],
    ],
    [
      ['a', '\ud83e'],
      ['a', '\ud83d'],
    ],
    [
      ['\u{1f98a}', 'key'],
      ['\u{1f43a}', 'key'],
    ],
    [
      ['a', 'b\u0161'],
      ['a', 'ca'],
    ],
    // Long texts.
    [
      ['a', 'k'.repeat(500)],
      ['a', 'k'.repeat(501)],
    ],
    [
      ['a', `${long}1`],
      ['a', `${long}2`],
    ],
    [
      [`${long}1`, 'key'],
      [`${long}2`, 'key'],
    ],
  ])('%j and %j are two', ([webhookId = '', key = ''], [otherId = '', otherKey = '']) => {
    const { store } = storeAt()
    expect(store.reserve(webhookId, key, 600)).toBe(true)
    expect(store.reserve(otherId, otherKey, 600)).toBe(true)
    expect(store.reserve(webhookId, key, 600)).toBe(false)
    expect(store.reserve(otherId, otherKey, 600)).toBe(false)
  })

  it('is not confused with the hash that replaces a text beyond Latin-1', () => {
    const { store } = storeAt()
    expect(store.reserve('\u0161', 'key', 600)).toBe(true)
    expect(store.reserve(createHash('sha256').update('\u0161', 'utf16le').digest('hex'), 'key', 600)).toBe(true)
  })
})

it('needs no random numbers before the first reservation, because some runtimes refuse them while modules load', async () => {
  random.calls = 0
  vi.resetModules()
  const { MemoryNonceStore: LoadedStore } = await import('../../src/stores/memory.js')
  const store = new LoadedStore()
  expect(random.calls).toBe(0)
  store.reserve('a', 'key', 600)
  expect(random.calls).toBe(1)
})

describe('two keys whose fingerprints agree in 64 bits', () => {
  it('are two keys, also after one of them expires', () => {
    // Found by searching about 2^30 keys with a C program (distinguished points), for the hash key 1, 2, 3, 4.
    random.words = [1, 2, 3, 4]
    const { clock, store } = storeAt()
    const [first, second] = ['8f6a6839056bdfb5', 'ead579a5b142ad0f'] as const
    expect(store.reserve('a', first, 600)).toBe(true)
    random.words = undefined
    clock.milliseconds = 1
    expect(store.reserve('a', second, 600)).toBe(true)
    for (const key of [first, second]) expect(store.reserve('a', key, 600)).toBe(false)
    clock.milliseconds = 600_001
    expect(store.reserve('a', second, 600)).toBe(false)
    expect(store.reserve('a', first, 600)).toBe(true)
  })
})

describe('a full store', () => {
  it('throws and keeps its live entries, and says how to size it', () => {
    const { store } = storeAt(0, { maxEntries: 2 })
    store.reserve('a', '1', 600)
    store.reserve('a', '2', 600)
    expect(() => store.reserve('a', '3', 600)).toThrow(
      expect.objectContaining({
        name: 'NonceStoreFullError',
        code: 'ERR_NONCE_STORE_FULL',
        message: expect.stringMatching(/full: 2 live entries.*requests per second × 1200/),
      }),
    )
    for (const key of ['1', '2']) expect(store.reserve('a', key, 600)).toBe(false)
  })

  it('keeps nothing of a reservation that it refused', () => {
    const { clock, store } = storeAt(0, { maxEntries: 1 })
    store.reserve('a', '1', 600)
    expect(() => store.reserve('a', '2', 600)).toThrow()
    clock.milliseconds = 600_001
    expect(store.reserve('a', '2', 600)).toBe(true)
  })

  it('accepts new entries as the old ones expire', () => {
    const { clock, store } = storeAt(0, { maxEntries: 2 })
    store.reserve('a', '1', 600)
    clock.milliseconds = 1
    store.reserve('a', '2', 600)
    clock.milliseconds = 600_001
    expect(store.reserve('a', '3', 600)).toBe(true)
    expect(() => store.reserve('a', '4', 600)).toThrow()
  })

  it('accepts an expired key again', () => {
    const { clock, store } = storeAt(0, { maxEntries: 1 })
    store.reserve('a', '1', 600)
    clock.milliseconds = 600_001
    expect(store.reserve('a', '1', 600)).toBe(true)
    expect(store.reserve('a', '1', 600)).toBe(false)
  })

  it.each(['throw', 'evict'] as const)('removes expired entries first, with mixed TTLs: %s', (whenFull) => {
    const { clock, store } = storeAt(0, { maxEntries: 3, whenFull })
    store.reserve('a', 'long 1', 600)
    store.reserve('a', 'short', 1)
    store.reserve('a', 'long 2', 600)
    clock.milliseconds = 1001
    expect(store.reserve('a', 'new', 600)).toBe(true)
    for (const key of ['long 1', 'long 2', 'new']) expect(store.reserve('a', key, 600)).toBe(false)
  })

  it.each(['throw', 'evict'] as const)(
    'removes expired entries first, after the clock stepped back: %s',
    (whenFull) => {
      const { clock, store } = storeAt(100_000, { maxEntries: 4, whenFull })
      store.reserve('a', 'before', 600)
      clock.milliseconds = 0
      store.reserve('a', 'after', 600)
      clock.milliseconds = 50_000
      store.reserve('a', 'later', 600)
      store.reserve('a', 'short', 1)
      clock.milliseconds = 600_001
      for (const key of ['new', 'newer']) expect(store.reserve('a', key, 600)).toBe(true)
      for (const key of ['before', 'later', 'new', 'newer']) expect(store.reserve('a', key, 600)).toBe(false)
    },
  )

  it('also removes expired entries after those whose keys were reserved again', () => {
    const { clock, store } = storeAt(0, { maxEntries: 12 })
    for (let key = 1; key <= 12; key++) store.reserve('a', `${key}`, 600)
    clock.milliseconds = 600_001
    for (const key of ['5', '6']) expect(store.reserve('a', key, 600)).toBe(true)
    // The clock steps back: 5 to 12 are live again, and 4 new entries fill the store.
    clock.milliseconds = 1
    for (const key of ['a', 'b', 'c', 'd']) expect(store.reserve('a', key, 600)).toBe(true)
    expect(() => store.reserve('a', 'e', 600)).toThrow(/full: 12 live entries/)
    clock.milliseconds = 600_001
    expect(store.reserve('a', 'e', 600)).toBe(true)
  })

  it('holds as many entries as allowed, each to its own expiry, with a shorter TTL each time', () => {
    const { clock, store } = storeAt(0, { maxEntries: 100 })
    for (let ttlSeconds = 100; ttlSeconds >= 1; ttlSeconds--) store.reserve('a', `${ttlSeconds}`, ttlSeconds)
    for (let ttlSeconds = 1; ttlSeconds <= 100; ttlSeconds++) {
      clock.milliseconds = ttlSeconds * 1000
      expect(() => store.reserve('a', 'new', 600)).toThrow(/full: 100 live entries/)
      clock.milliseconds += 1
      expect(store.reserve('a', `${ttlSeconds}`, 600)).toBe(true)
    }
  })
})

describe("whenFull: 'evict'", () => {
  it('forgets the oldest entry', () => {
    const { store } = storeAt(0, { maxEntries: 3, whenFull: 'evict' })
    for (const key of ['1', '2', '3', '4']) store.reserve('a', key, 600)
    for (const key of ['2', '3', '4']) expect(store.reserve('a', key, 600)).toBe(false)
    expect(store.reserve('a', '1', 600)).toBe(true)
    expect(store.reserve('a', '2', 600)).toBe(true)
  })

  it('forgets the oldest of the entries with the longer TTL, if there are two', () => {
    const { store } = storeAt(0, { maxEntries: 3, whenFull: 'evict' })
    store.reserve('a', 'long 1', 600)
    store.reserve('a', 'short', 1)
    store.reserve('a', 'long 2', 600)
    expect(store.reserve('a', 'new', 1)).toBe(true)
    for (const key of ['short', 'long 2', 'new']) expect(store.reserve('a', key, 1)).toBe(false)
    expect(store.reserve('a', 'long 1', 1)).toBe(true)
    for (const key of ['short', 'new', 'long 1']) expect(store.reserve('a', key, 1)).toBe(false)
    expect(store.reserve('a', 'long 2', 1)).toBe(true)
  })

  it('forgets the oldest entry after the clock stepped back, not the newest', () => {
    const { clock, store } = storeAt(3_600_000, { maxEntries: 2, whenFull: 'evict' })
    store.reserve('a', '1', 600)
    store.reserve('a', '2', 600)
    clock.milliseconds = 0
    for (const key of ['3', '4', '5']) {
      expect(store.reserve('a', key, 600)).toBe(true)
      expect(store.reserve('a', key, 600)).toBe(false)
    }
    expect(store.reserve('a', '4', 600)).toBe(false)
  })

  it('does not refresh an entry when it is replayed', () => {
    const { store } = storeAt(0, { maxEntries: 2, whenFull: 'evict' })
    store.reserve('a', '1', 600)
    store.reserve('a', '2', 600)
    expect(store.reserve('a', '1', 600)).toBe(false)
    store.reserve('a', '3', 600)
    expect(store.reserve('a', '1', 600)).toBe(true)
  })

  it('counts an expired key that is reserved again as the newest entry', () => {
    const { clock, store } = storeAt(0, { maxEntries: 2, whenFull: 'evict' })
    store.reserve('a', '1', 1)
    store.reserve('a', '2', 600)
    clock.milliseconds = 1001
    store.reserve('a', '1', 600)
    store.reserve('a', '3', 600)
    expect(store.reserve('a', '1', 600)).toBe(false)
    expect(store.reserve('a', '2', 600)).toBe(true)
  })

  it('keeps exactly the newest entries, for 20 times as many as fit', () => {
    const { store } = storeAt(0, { maxEntries: 10_000, whenFull: 'evict' })
    expect(UUIDS.every((key) => store.reserve('a', key, 600))).toBe(true)
    const newest = UUIDS.slice(-10_000)
    expect(newest.filter((key) => store.reserve('a', key, 600))).toEqual([])
    expect(store.reserve('a', UUIDS.at(-10_001) ?? '', 600)).toBe(true)
  })
})

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

    pass(clock, store, UUIDS.length)
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
      if (hour === 1 || hour === 29) after.push(heapInUse() + arraysInUse())
    }
    expect((after[1] ?? 0) - (after[0] ?? 0)).toBeLessThan(300_000)
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
      const construct: ProxyHandler<typeof Int32Array>['construct'] = (target, args) => {
        if (fails()) throw new RangeError('Array buffer allocation failed')
        return Reflect.construct(target, args)
      }
      vi.stubGlobal('Int32Array', new Proxy(Int32Array, { construct }))
      try {
        action()
      } finally {
        vi.unstubAllGlobals()
      }
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

describe('with half a million segments of memory', () => {
  const SEGMENT_WORDS = 8192 * 5
  /** Records whose expiries are so far apart each need a segment. */
  const SECONDS_APART = 4_294_968

  /** A segment takes 160 kB. These tests use one record per segment, so they replace its memory with one record. */
  function withSmallSegments(action: () => void) {
    const isSegment = (length: unknown) => length === SEGMENT_WORDS
    const construct: ProxyHandler<typeof Int32Array>['construct'] = (target, args) =>
      Reflect.construct(target, isSegment(args[2]) ? [5] : args)
    const constructBuffer: ProxyHandler<typeof ArrayBuffer>['construct'] = (target, args) =>
      isSegment(args[0] / 4) ? {} : Reflect.construct(target, args)
    vi.stubGlobal('Int32Array', new Proxy(Int32Array, { construct }))
    vi.stubGlobal('ArrayBuffer', new Proxy(ArrayBuffer, { construct: constructBuffer }))
    try {
      action()
    } finally {
      vi.unstubAllGlobals()
    }
  }

  it('uses the numbers of removed segments again', () => {
    withSmallSegments(() => {
      const { clock, store } = storeAt()
      for (let index = 0; index < 530_000; index++) {
        clock.milliseconds += 600_001
        if (!store.reserve('a', 'key', 600)) throw new Error('the segment before was not removed')
      }
    })
  })

  it('does not count the numbers of removed segments', () => {
    withSmallSegments(() => {
      const { clock, store } = storeAt()
      // A shorter TTL needs another queue. A reservation removes two records per queue.
      const [queues, records] = [64, 4160]
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
      for (let index = 1; index < 2 ** 19; index++) store.reserve('a', `${index}`, index * SECONDS_APART)
      const reserve = () => store.reserve('a', 'key', 2 ** 19 * SECONDS_APART)
      expect(reserve).toThrow(/full: 524287 live entries/)
      expect(store.reserve('a', '1', 600)).toBe(false)
    })
  })
})

describe('options', () => {
  it('are optional: one million entries, fail closed', () => {
    const { store } = storeAt()
    for (let index = 0; index < 1_000_000; index++) store.reserve('a', String(index), 600)
    expect(() => store.reserve('a', 'one more', 600)).toThrow(/full: 1000000 live entries/)
  })

  it('can be undefined', () => {
    const store = new MemoryNonceStore({ maxEntries: undefined, whenFull: undefined, clock: undefined })
    expect(store.reserve('a', 'key', 600)).toBe(true)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 26 + 1])(
    'maxEntries: %d is a RangeError',
    (maxEntries) => {
      const create = () => new MemoryNonceStore({ maxEntries })
      expect(create).toThrow(RangeError)
      expect(create).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_ARGUMENT',
          message: 'maxEntries must be an integer from 1 to 67108864. Suggested: requests per second × 1200.',
        }),
      )
    },
  )

  it('maxEntries can be four times what a Map holds', () => {
    expect(new MemoryNonceStore({ maxEntries: 2 ** 26 }).reserve('a', 'key', 600)).toBe(true)
  })

  it.each<[unknown, RegExp]>([
    [1000, /options is a number/],
    [null, /options is null/],
    [{ maxEntries: '1000' }, /maxEntries is a string\. Pass a number\./],
    [{ maxEntries: null }, /maxEntries is null/],
    [{ whenFull: 'drop' }, /whenFull must be 'throw' or 'evict'/],
    [{ whenFull: null }, /whenFull/],
    [{ clock: {} }, /clock/],
    [{ clock: null }, /clock/],
  ])('%o is a TypeError', (options, message) => {
    const create = () => Reflect.construct(MemoryNonceStore, [options])
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})

describe('fails closed', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, '0'])('when its clock returns %o', (time) => {
    const store = new MemoryNonceStore({ clock: { now: () => time as number } })
    expect(() => store.reserve('a', 'key', 600)).toThrow(/clock\.now\(\)/)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '600'])('when ttlSeconds is %o', (ttlSeconds) => {
    const { store } = storeAt()
    expect(() => store.reserve('a', 'key', ttlSeconds as number)).toThrow(/ttlSeconds/)
  })
})
