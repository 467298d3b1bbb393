import { describe, expect, it, vi } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { storeAt, UUIDS } from '../support/memory-store.js'

describe('a reservation', () => {
  it.each([
    [0, 600_000, false],
    [0, 600_001, true],
    [0.001, 600_000.001, false],
    [0.001, 600_001.999, false],
    [0.001, 600_002, true],
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

describe('reserveAll', () => {
  it.each([[['taken', 'free']], [['free', 'taken']], [['free', 'free too', 'taken']]])(
    'reserves none of %j',
    (keys) => {
      const { store } = storeAt()
      store.reserve('a', 'taken', 600)
      expect(store.reserveAll('a', keys, 600)).toBe(false)
      expect(store.reserveAll('a', ['free', 'free too'], 600)).toBe(true)
    },
  )

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

  it('removes two expired entries per key, so that memory shrinks, and no more', () => {
    const { clock, store } = storeAt(0)
    for (const key of ['1', '2', '3', '4', '5']) store.reserve('a', key, 600)
    clock.milliseconds = 600_001
    store.reserveAll('a', ['6', '7'], 600)
    // The clock steps back. An old entry that is still there is live again.
    clock.milliseconds = 0
    expect(store.reserve('a', '5', 600)).toBe(false)
    expect(store.reserveAll('a', ['1', '2', '3', '4'], 600)).toBe(true)
  })
})

describe('release', () => {
  it('makes room in a full store', () => {
    const { store } = storeAt(0, { maxEntries: 3 })
    store.reserve('42', 'live', 600)
    for (let round = 0; round < 10; round++) {
      if (!store.reserveAll('42', ['a', 'b'], 600, `${round}`)) throw new Error('a released key is taken')
      store.release('42', ['a', 'b'], `${round}`)
    }
    expect(store.reserve('42', 'live', 600)).toBe(false)
    expect(store.reserveAll('42', ['a', 'b'], 600)).toBe(true)
    expect(() => store.reserve('42', 'c', 600)).toThrow(expect.objectContaining({ code: 'ERR_NONCE_STORE_FULL' }))
  })

  it('does not free a key that expired and was reserved for another owner', () => {
    const { store, clock } = storeAt()
    // A reservation removes the two oldest entries only, so the expired entry of the key is still there.
    for (const key of ['1', '2', '3', 'key']) store.reserve('42', key, 600, 'old')
    clock.milliseconds = 600_001
    expect(store.reserve('42', 'key', 600, 'new')).toBe(true)
    store.release('42', ['key'], 'old')
    expect(store.reserve('42', 'key', 600)).toBe(false)
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
})

describe('a claim', () => {
  it('is taken for reserve, even for its owner', () => {
    const { store } = storeAt()
    store.claim('42', ['key'], 30, 'owner')
    expect(store.reserve('42', 'key', 600, 'owner')).toBe(false)
  })

  it("is not forgotten, even if there are more claims than maxEntries, with whenFull: 'evict'", () => {
    const { store } = storeAt(0, { maxEntries: 1, whenFull: 'evict' })
    for (const key of ['1', '2']) expect(store.claim('42', [key], 30, 'owner')).toBe('claimed')
    for (const key of ['1', '2']) expect(store.claim('42', [key], 30, 'another')).toBe('in_progress')
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
  // The Map of the warning about two stores is small.
  const tables = [...sizes.values()].filter((size) => size > 100)
  expect(tables).toHaveLength(20)
  expect(Math.max(...tables)).toBeLessThan(2400)
})

describe('events', () => {
  const eventOf = (index: number) => [`event ${String(index).padStart(64, '0')}`]

  it('have a bound of their own, at which the oldest recorded event is forgotten, but no claim', () => {
    const { store } = storeAt(0, { maxEntries: 1 })
    store.claim('a', eventOf(0), 30, 'running')
    for (let index = 1; index <= 100_000; index++) store.claim('a', eventOf(index), 604_800, 'done', true)
    expect(store.reserve('a', 'a nonce', 600)).toBe(true)
    expect(store.claim('a', eventOf(0), 30, 'other')).toBe('in_progress')
    expect(store.claim('a', eventOf(2), 30, 'other')).toBe('taken')
    expect(store.claim('a', eventOf(1), 30, 'other')).toBe('claimed')
    // The new claim took the place of the next event.
    expect(store.claim('a', eventOf(2), 30, 'other')).toBe('claimed')
  })

  it('leave no room for themselves among the nonces', () => {
    const { store } = storeAt(0, { maxEntries: 2 })
    for (const index of [1, 2, 3]) expect(store.claim('a', eventOf(index), 604_800, 'done', true)).toBe('claimed')
    expect(store.claim('a', ['1', '2'], 30, 'owner')).toBe('claimed')
    expect(() => store.claim('a', ['3'], 30, 'owner')).toThrow(/^MemoryNonceStore is full: 2 live entries/)
  })
})

describe('a claim in a full store', () => {
  it('is extended and recorded, because it has its room already', () => {
    const { store } = storeAt(0, { maxEntries: 2 })
    store.claim('a', ['1', '2'], 30, 'owner')
    for (const isDone of [false, true, true]) expect(store.claim('a', ['1', '2'], 600, 'owner', isDone)).toBe('claimed')
    expect(store.claim('a', ['1'], 30, 'owner')).toBe('taken')
  })

  it("is not forgotten with whenFull: 'evict', but a reservation is", () => {
    const { store } = storeAt(0, { maxEntries: 2, whenFull: 'evict' })
    store.claim('a', ['claimed'], 30, 'owner')
    for (const key of ['1', '2', '3']) expect(store.reserve('a', key, 600)).toBe(true)
    expect(store.reserve('a', 'claimed', 600)).toBe(false)
    expect(store.reserve('a', '2', 600)).toBe(true)
  })
})

describe('options', () => {
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
    [{ maxEntries: '1000' }, /^maxEntries .*a string/],
    [{ whenFull: 'drop' }, /^whenFull .*'throw'.*'evict'/],
    [{ clock: {} }, /clock/],
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
