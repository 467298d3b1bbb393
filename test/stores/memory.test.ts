import { describe, expect, it, vi } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { storeAt, UUIDS } from '../support/memory-store.js'

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

  it.each([2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1])('can be %i ms between two expiries', (milliseconds) => {
    const { clock, store } = storeAt()
    store.reserve('a', 'first', 600)
    store.reserve('a', 'second', 600 + milliseconds / 1000)
    clock.milliseconds = 600_000 + milliseconds
    expect(store.reserve('a', 'second', 600)).toBe(false)
    clock.milliseconds++
    expect(store.reserve('a', 'second', 600)).toBe(true)
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
    ['a', 'b:c', 'a:b', 'c'],
    ['a\0', 'b', 'a', '\0b'],
    ['abcd', 'efgh', 'abcdefgh', ''],
    ['a', '', '', 'a'],
    // Similar characters.
    ['a', 'key', 'A', 'key'],
    ['a', 'key', 'a', 'key '],
    ['a', 'abcd', 'a', 'abcd\0\0\0\0'],
    ['a', 'abcd', 'a', 'dabcd'],
    ['\u00e9', 'key', 'e\u0301', 'key'],
    ['__proto__', 'key', 'constructor', 'key'],
    // Characters beyond Latin-1, alone and next to those that share their low bits.
    ['a', 'a', 'a', '\u0161'],
    // The same bytes. One text has two of them per character.
    ['a', '\u0161', 'a\0', 'a\x01'],
    ['a', '\u00ff', 'a', '\u01ff'],
    ['a', 'b\u0161', 'a', 'ca'],
    // Long texts.
    ['a', 'k'.repeat(500), 'a', 'k'.repeat(501)],
    ['a', `${long}1`, 'a', `${long}2`],
    [`${long}1`, 'key', `${long}2`, 'key'],
  ])('%j, %j and %j, %j are two', (webhookId, key, otherId, otherKey) => {
    // A store this small has one shard.
    const { store } = storeAt(0, { maxEntries: 100 })
    expect(store.reserve(webhookId, key, 600)).toBe(true)
    expect(store.reserve(otherId, otherKey, 600)).toBe(true)
    expect(store.reserve(webhookId, key, 600)).toBe(false)
    expect(store.reserve(otherId, otherKey, 600)).toBe(false)
  })
})

describe('reserveAll', () => {
  it('reserves all keys, as reserve does', () => {
    const { clock, store } = storeAt()
    expect(store.reserveAll('a', ['1', '2', '3'], 600)).toBe(true)
    for (const key of ['1', '2', '3']) expect(store.reserve('a', key, 600)).toBe(false)
    expect(store.reserve('b', '1', 600)).toBe(true)
    clock.milliseconds = 600_000
    for (const key of ['1', '2', '3']) expect(store.reserveAll('a', [key, 'another'], 600)).toBe(false)
    clock.milliseconds = 600_001
    expect(store.reserveAll('a', ['1', '2', '3'], 600)).toBe(true)
  })

  it.each([[['taken', 'free']], [['free', 'taken']], [['free', 'free too', 'taken']]])(
    'reserves none of %j',
    (keys) => {
      const { store } = storeAt()
      store.reserve('a', 'taken', 600)
      expect(store.reserveAll('a', keys, 600)).toBe(false)
      expect(store.reserveAll('a', ['free', 'free too'], 600)).toBe(true)
    },
  )

  it('reserves again what has expired, together with what is new', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'old', 1)
    store.reserve('a', 'live', 600)
    clock.milliseconds = 1001
    expect(store.reserveAll('a', ['old', 'live'], 600)).toBe(false)
    expect(store.reserveAll('a', ['old', 'new'], 600)).toBe(true)
    for (const key of ['old', 'live', 'new']) expect(store.reserve('a', key, 600)).toBe(false)
  })

  it('keeps nothing if there is room for some keys only', () => {
    const { clock, store } = storeAt(0, { maxEntries: 3 })
    store.reserveAll('a', ['1', '2'], 600)
    expect(() => store.reserveAll('a', ['3', '4'], 600)).toThrow(/full: 2 live entries/)
    expect(store.reserve('a', '3', 600)).toBe(true)
    clock.milliseconds = 600_001
    expect(store.reserveAll('a', ['4', '5', '6'], 600)).toBe(true)
  })

  it("forgets as many of the oldest entries as it needs, with whenFull: 'evict'", () => {
    const { store } = storeAt(0, { maxEntries: 3, whenFull: 'evict' })
    for (const key of ['1', '2', '3']) store.reserve('a', key, 600)
    expect(store.reserveAll('a', ['4', '5'], 600)).toBe(true)
    for (const key of ['3', '4', '5']) expect(store.reserve('a', key, 600)).toBe(false)
    // Each reservation forgets another entry, so the last one that was forgotten is checked first.
    for (const key of ['2', '1']) expect(store.reserve('a', key, 600)).toBe(true)
  })

  it('throws and forgets nothing if the keys are more than maxEntries', () => {
    const { store } = storeAt(0, { maxEntries: 2, whenFull: 'evict' })
    store.reserveAll('a', ['1', '2'], 600)
    expect(() => store.reserveAll('a', ['3', '4', '5'], 600)).toThrow(/full: 2 live entries/)
    for (const key of ['1', '2']) expect(store.reserve('a', key, 600)).toBe(false)
  })

  it('reserves any number of keys at once', () => {
    const { store } = storeAt()
    const keys = UUIDS.slice(0, 20_000)
    expect(store.reserveAll('a', keys, 600)).toBe(true)
    expect(keys.filter((key) => store.reserve('a', key, 600))).toEqual([])
  })

  it('keeps every key of pairs and triples', () => {
    const { store } = storeAt()
    const keys = UUIDS.slice(0, 40_000)
    for (let index = 0; index < keys.length; index += 5) {
      const [one = '', two = '', three = '', four = '', five = ''] = keys.slice(index, index + 5)
      if (!store.reserveAll('a', [one, two], 600)) throw new Error('a new pair was taken')
      if (!store.reserveAll('a', [three, four, five], 600)) throw new Error('a new triple was taken')
    }
    expect(keys.filter((key) => store.reserve('a', key, 600))).toEqual([])
  })

  it('removes two expired entries per key, so that memory shrinks', () => {
    const { clock, store } = storeAt(0, { maxEntries: 8 })
    for (const key of ['1', '2', '3', '4']) store.reserve('a', key, 600)
    clock.milliseconds = 600_001
    store.reserveAll('a', ['5', '6'], 600)
    // The clock steps back. If an old entry were still there, it would be live again.
    clock.milliseconds = 0
    expect(store.reserveAll('a', ['1', '2', '3', '4'], 600)).toBe(true)
  })
})

describe('release', () => {
  it('makes room in a full store', () => {
    const { store } = storeAt(0, { maxEntries: 3 })
    store.reserve('42', 'live', 600)
    for (let round = 0; round < 20_000; round++) {
      if (!store.reserveAll('42', ['a', 'b'], 600, `${round}`)) throw new Error('a released key is taken')
      store.release('42', ['a', 'b'], `${round}`)
    }
    expect(store.reserve('42', 'live', 600)).toBe(false)
    expect(store.reserveAll('42', ['a', 'b'], 600)).toBe(true)
    expect(() => store.reserve('42', 'c', 600)).toThrow(expect.objectContaining({ code: 'ERR_NONCE_STORE_FULL' }))
  })

  it('of every other entry keeps the entries between them, each to its own expiry', () => {
    const { store, clock } = storeAt(0, { maxEntries: 20_000 })
    const keys = UUIDS.slice(0, 20_000)
    for (const key of keys) {
      clock.milliseconds++
      store.reserve('42', key, 600, 'owner')
    }
    const live = keys.filter((key, index) => index % 2 === 0 || store.release('42', [key], 'owner'))
    expect(live).toHaveLength(10_000)
    for (const [index, key] of live.entries()) {
      clock.milliseconds = 600_001 + 2 * index
      if (store.reserve('42', key, 600)) throw new Error(`${key} has expired early`)
      clock.milliseconds++
      if (!store.reserve('42', key, 600)) throw new Error(`${key} has not expired`)
    }
  })

  it('does not free a key that expired and was reserved for another owner', () => {
    const { store, clock } = storeAt()
    // A reservation removes the two oldest entries only, so the expired entry of the key is still there.
    for (const key of ['1', '2', '3', 'key']) store.reserve('42', key, 600, 'old')
    clock.milliseconds = 600_001
    expect(store.reserve('42', 'key', 600, 'new')).toBe(true)
    store.release('42', ['key'], 'old')
    expect(store.reserve('42', 'key', 600)).toBe(false)
    store.release('42', ['key'], 'new')
    expect(store.reserve('42', 'key', 600)).toBe(true)
  })

  it('frees the keys of its own webhook and owner only', () => {
    const { store } = storeAt()
    store.reserveAll('42', ['a', 'b'], 600, 'owner')
    store.reserve('43', 'a', 600, 'owner')
    store.reserve('42', 'c', 600)
    store.release('42', ['a', 'c', 'unknown'], 'owner')
    expect(store.reserve('42', 'a', 600)).toBe(true)
    for (const key of ['b', 'c']) expect(store.reserve('42', key, 600)).toBe(false)
    expect(store.reserve('43', 'a', 600)).toBe(false)
  })
})

describe('an expired entry', () => {
  it('is not mistaken for a later one in its place, nor a live one for an expired one', () => {
    const { clock, store } = storeAt()
    const year = 86_400 * 365
    store.reserve('a', 'long', year)
    // Each step removes the short entry, whose memory is used again for the next one.
    for (let step = 0; step < 5000; step++) {
      if (!store.reserve('a', `short ${step % 3}`, 1)) throw new Error(`step ${step}: an expired key was taken`)
      if (store.reserve('a', `short ${step % 3}`, 1)) throw new Error(`step ${step}: a live key was free`)
      if (store.reserve('a', 'long', year)) throw new Error(`step ${step}: the long reservation was lost`)
      clock.milliseconds += 1001
    }
  })

  it('of thousands leaves nothing behind: each key can be reserved again, in any order', () => {
    const { clock, store } = storeAt()
    const keys = UUIDS.slice(0, 20_000)
    for (const ttlSeconds of [600, 60, 600]) {
      for (const key of keys) if (!store.reserve('a', key, ttlSeconds)) throw new Error('an expired key was taken')
      expect(keys.filter((key) => store.reserve('a', key, 600))).toEqual([])
      clock.milliseconds += ttlSeconds * 1000 + 1
      keys.reverse()
    }
  })
})

describe('a full store', () => {
  it('throws and keeps its live entries, and says how to size it', () => {
    const { store } = storeAt(0, { maxEntries: 2 })
    store.reserve('a', '1', 600)
    store.reserve('a', '2', 600)
    expect(() => store.reserve('a', '3', 600)).toThrow(
      expect.objectContaining({
        name: 'Error',
        code: 'ERR_NONCE_STORE_FULL',
        message: expect.stringMatching(/full: 2 live entries.*requests per second × 1200/),
      }),
    )
    for (const key of ['1', '2']) expect(store.reserve('a', key, 600)).toBe(false)
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

  it('counts an expired entry that a clock which stepped back makes live again', () => {
    const { clock, store } = storeAt(0, { maxEntries: 12 })
    for (let key = 1; key <= 12; key++) store.reserve('a', `${key}`, 600)
    clock.milliseconds = 600_001
    for (const key of ['5', '6']) expect(store.reserve('a', key, 600)).toBe(true)
    // The clock steps back: 7 to 12 are live again, and 4 new entries fill the store.
    clock.milliseconds = 1
    for (const key of ['a', 'b', 'c', 'd']) expect(store.reserve('a', key, 600)).toBe(true)
    expect(() => store.reserve('a', 'e', 600)).toThrow(/full: 12 live entries/)
    clock.milliseconds = 600_001
    for (const key of ['e', 'f', 'g', 'h', 'i', 'j']) expect(store.reserve('a', key, 600)).toBe(true)
    expect(() => store.reserve('a', 'k', 600)).toThrow(/full: 12 live entries/)
  })

  it('whose entries have all expired accepts maxEntries new ones, also after releases', () => {
    const { clock, store } = storeAt(0, { maxEntries: 5000 })
    for (const key of UUIDS.slice(0, 5000)) store.reserve('a', key, 600, 'owner')
    for (let index = 0; index < 5000; index += 3) store.release('a', [UUIDS[index] ?? ''], 'owner')
    for (let index = 0; index < 1667; index++) store.reserve('a', `${index}`, 1 + (index % 7))
    clock.milliseconds = 600_001
    expect(UUIDS.slice(5000, 10_000).filter((key) => !store.reserve('a', key, 600))).toEqual([])
    expect(() => store.reserve('a', 'one more', 600)).toThrow(/full: 5000 live entries/)
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
  it('forgets the oldest entry, whatever its TTL is', () => {
    const { store } = storeAt(0, { maxEntries: 4, whenFull: 'evict' })
    const entries: [string, number][] = [
      ['short', 1],
      ['long', 600],
      ['middle', 30],
      ['long too', 600],
    ]
    for (const [key, ttlSeconds] of entries) store.reserve('a', key, ttlSeconds)
    for (const index of entries.keys()) {
      expect(store.reserve('a', `new ${index}`, 600)).toBe(true)
      for (const [key] of entries.slice(index + 1)) expect(store.reserve('a', key, 600)).toBe(false)
    }
    for (const [key] of entries) expect(store.reserve('a', key, 600)).toBe(true)
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

  it('keeps exactly the newest entries, for 20 times as many as fit', () => {
    const { store } = storeAt(0, { maxEntries: 2500, whenFull: 'evict' })
    const keys = UUIDS.slice(0, 50_000)
    expect(keys.every((key) => store.reserve('a', key, 600))).toBe(true)
    expect(keys.slice(-2500).filter((key) => store.reserve('a', key, 600))).toEqual([])
    expect(store.reserve('a', keys.at(-2501) ?? '', 600)).toBe(true)
  })
})

it('keeps its entries in small Maps, so that none pauses the process for long when it grows', () => {
  const { store } = storeAt(0, { maxEntries: 40_000 })
  const sizes = new Map<object, number>()
  const { set } = Map.prototype
  Map.prototype.set = function (...entry) {
    set.apply(this, entry)
    set.call(sizes, this, this.size)
    return this
  }
  try {
    for (const key of UUIDS.slice(0, 40_000)) store.reserve('a', key, 600)
  } finally {
    Map.prototype.set = set
  }
  expect(sizes.size).toBe(20)
  expect(Math.max(...sizes.values())).toBeLessThan(2400)
})

describe('options', () => {
  it('can be undefined', () => {
    const store = new MemoryNonceStore({ maxEntries: undefined, whenFull: undefined, clock: undefined })
    expect(store.reserve('a', 'key', 600)).toBe(true)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 24 + 1])(
    'maxEntries: %d is a RangeError',
    (maxEntries) => {
      const create = () => new MemoryNonceStore({ maxEntries })
      expect(create).toThrow(RangeError)
      expect(create).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_ARGUMENT',
          message: expect.stringMatching(/^maxEntries .*\b16777216\b/),
        }),
      )
    },
  )

  it('maxEntries can be what one Map holds', () => {
    expect(new MemoryNonceStore({ maxEntries: 2 ** 24 }).reserve('a', 'key', 600)).toBe(true)
  })

  it.each<[unknown, RegExp]>([
    [1000, /^options .*a number/],
    [null, /^options .*null/],
    [{ maxEntries: '1000' }, /^maxEntries .*a string/],
    [{ maxEntries: null }, /^maxEntries .*null/],
    [{ whenFull: 'drop' }, /^whenFull .*'throw'.*'evict'/],
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
