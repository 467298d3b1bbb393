import { describe, expect, it, vi } from 'vitest'
import { MemoryNonceStore, type MemoryNonceStoreOptions } from '../../src/index.js'
import { arraysInUse, heapInUse } from '../support/memory.js'
import { TestClock } from '../support/request.js'

function storeAt(milliseconds = 0, options: MemoryNonceStoreOptions = {}) {
  const clock = new TestClock(milliseconds)
  return { clock, store: new MemoryNonceStore({ clock, ...options }) }
}

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
  ])('made at %d ms: at %d ms the key is free again is %s', (reservedAt, askedAt, free) => {
    const { clock, store } = storeAt(reservedAt)
    expect(store.reserve('a', 'key', 600)).toBe(true)
    clock.milliseconds = askedAt
    expect(store.reserve('a', 'key', 600)).toBe(free)
  })

  it('is not prolonged by a replay', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'key', 600)
    clock.milliseconds = 600_000
    expect(store.reserve('a', 'key', 600)).toBe(false)
    clock.milliseconds = 600_001
    expect(store.reserve('a', 'key', 600)).toBe(true)
  })

  it('may last a fraction of a second', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'key', 0.25)
    clock.milliseconds = 250
    expect(store.reserve('a', 'key', 0.25)).toBe(false)
    clock.milliseconds = 251
    expect(store.reserve('a', 'key', 0.25)).toBe(true)
  })

  it('rounds the end of a fractional TTL up, not down', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'key', 1.001)
    clock.milliseconds = 1001
    expect(store.reserve('a', 'key', 1.001)).toBe(false)
    clock.milliseconds = 1002
    expect(store.reserve('a', 'key', 1.001)).toBe(true)
  })

  it('keeps its own expiry behind one that lasts longer', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'long', 600)
    store.reserve('a', 'short', 1)
    clock.milliseconds = 1001
    expect(store.reserve('a', 'short', 1)).toBe(true)
    expect(store.reserve('a', 'long', 600)).toBe(false)
  })

  it('keeps its own expiry when it is made anew with another TTL', () => {
    const { clock, store } = storeAt()
    store.reserve('a', 'key', 1)
    clock.milliseconds = 1001
    store.reserve('a', 'key', 600)
    clock.milliseconds = 2002
    expect(store.reserve('a', 'key', 1)).toBe(false)
  })

  it('may be made anew among others that have expired and not left yet', () => {
    const { clock, store } = storeAt()
    for (const key of ['1', '2', '3', '4', '5']) store.reserve('a', key, 600)
    clock.milliseconds = 600_001
    expect(store.reserve('a', '3', 600)).toBe(true)
    for (const key of ['5', '4', '2', '1']) expect(store.reserve('a', key, 600)).toBe(true)
    for (const key of ['1', '2', '3', '4', '5']) expect(store.reserve('a', key, 600)).toBe(false)
  })

  it('outlives a step of the wall clock: the default clock is monotonic', () => {
    const store = new MemoryNonceStore()
    store.reserve('a', 'key', 600)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 600_000 })
    try {
      expect(store.reserve('a', 'key', 600)).toBe(false)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('keys and webhooks', () => {
  it.each([
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
      ['1:a', 'x'],
      ['1', 'ax'],
    ],
    [
      ['a', '3:b'],
      ['a3', ':b'],
    ],
    [
      ['a\0', 'b'],
      ['a', '\0b'],
    ],
    [
      ['a', 'key'],
      ['A', 'key'],
    ],
    [
      ['a', 'key'],
      ['a', 'Key'],
    ],
    [
      ['a', 'key'],
      ['a', 'key '],
    ],
    [
      ['é', 'key'],
      ['e\u0301', 'key'],
    ],
    [
      ['__proto__', 'key'],
      ['constructor', 'key'],
    ],
    [
      ['a', '__proto__'],
      ['a', 'constructor'],
    ],
    // Hex digits, other ASCII characters, and what is neither.
    [
      ['a', ''],
      ['a', '0'],
    ],
    [
      ['a', 'f'],
      ['a', 'f0'],
    ],
    [
      ['a', '00000'],
      ['a', '000000'],
    ],
    [
      ['a', 'Z'],
      ['a', 'Z\0'],
    ],
    [
      ['a', 'a'],
      ['a', '\u0161'],
    ],
    [
      ['a', '\u00ff'],
      ['a', '\u01ff'],
    ],
    [
      ['a', '\u0100'],
      ['1:a\u0100', ''],
    ],
    [
      ['a', 'k'.repeat(129)],
      ['a', 'k'.repeat(128)],
    ],
    [
      ['a', `${'k'.repeat(3000)}1`],
      ['a', `${'k'.repeat(3000)}2`],
    ],
    [
      ['a', '\ud83e'],
      ['a', '\ud83d'],
    ],
    [
      ['\u{1f98a}', 'key'],
      ['\u{1f43a}', 'key'],
    ],
  ])('%j and %j are two', ([webhookId = '', key = ''], [otherId = '', otherKey = '']) => {
    const { store } = storeAt()
    expect(store.reserve(webhookId, key, 600)).toBe(true)
    expect(store.reserve(otherId, otherKey, 600)).toBe(true)
    expect(store.reserve(webhookId, key, 600)).toBe(false)
    expect(store.reserve(otherId, otherKey, 600)).toBe(false)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is a name like any other', (name) => {
    const { store } = storeAt()
    expect(store.reserve(name, name, 600)).toBe(true)
    expect(store.reserve(name, name, 600)).toBe(false)
  })
})

describe('a full store', () => {
  it('throws rather than forget a live entry, and says how to size it', () => {
    const { store } = storeAt(0, { maxEntries: 2 })
    store.reserve('a', '1', 600)
    store.reserve('a', '2', 600)
    expect(() => store.reserve('a', '3', 600)).toThrow(
      expect.objectContaining({
        name: 'NonceStoreFullError',
        code: 'ERR_NONCE_STORE_FULL',
        message: expect.stringMatching(/full: 2 reservations.*requests a second × 600 × 2/),
      }),
    )
  })

  it('still says of a key that it is taken', () => {
    const { store } = storeAt(0, { maxEntries: 1 })
    store.reserve('a', '1', 600)
    expect(store.reserve('a', '1', 600)).toBe(false)
  })

  it('has kept nothing of what it refused', () => {
    const { clock, store } = storeAt(0, { maxEntries: 1 })
    store.reserve('a', '1', 600)
    expect(() => store.reserve('a', '2', 600)).toThrow()
    clock.milliseconds = 600_001
    expect(store.reserve('a', '2', 600)).toBe(true)
  })

  it('takes entries again as the old ones expire', () => {
    const { clock, store } = storeAt(0, { maxEntries: 2 })
    store.reserve('a', '1', 600)
    clock.milliseconds = 1
    store.reserve('a', '2', 600)
    clock.milliseconds = 600_001
    expect(store.reserve('a', '3', 600)).toBe(true)
    expect(() => store.reserve('a', '4', 600)).toThrow()
  })

  it('takes an expired key again', () => {
    const { clock, store } = storeAt(0, { maxEntries: 1 })
    store.reserve('a', '1', 600)
    clock.milliseconds = 600_001
    expect(store.reserve('a', '1', 600)).toBe(true)
    expect(store.reserve('a', '1', 600)).toBe(false)
  })

  it.each(['throw', 'evict'] as const)('lets expired entries leave first, wherever they stand: %s', (whenFull) => {
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
  it('forgets the least recently reserved, whatever its TTL', () => {
    const { store } = storeAt(0, { maxEntries: 3, whenFull: 'evict' })
    store.reserve('a', '1', 600)
    store.reserve('a', '2', 1)
    store.reserve('a', '3', 600)
    expect(store.reserve('a', '4', 1)).toBe(true)
    expect(store.reserve('a', '2', 1)).toBe(false)
    expect(store.reserve('a', '5', 1)).toBe(true)
    expect(store.reserve('a', '3', 600)).toBe(false)
    expect(store.reserve('a', '1', 600)).toBe(true)
  })

  it('takes a replay for no use: it does not refresh an entry', () => {
    const { store } = storeAt(0, { maxEntries: 2, whenFull: 'evict' })
    store.reserve('a', '1', 600)
    store.reserve('a', '2', 600)
    expect(store.reserve('a', '1', 600)).toBe(false)
    store.reserve('a', '3', 600)
    expect(store.reserve('a', '1', 600)).toBe(true)
  })

  it('takes an expired key that is reserved anew for the most recent', () => {
    const { clock, store } = storeAt(0, { maxEntries: 2, whenFull: 'evict' })
    store.reserve('a', '1', 1)
    store.reserve('a', '2', 600)
    clock.milliseconds = 1001
    store.reserve('a', '1', 600)
    store.reserve('a', '3', 600)
    expect(store.reserve('a', '1', 600)).toBe(false)
    expect(store.reserve('a', '2', 600)).toBe(true)
  })
})

describe('a full store, as the clock is set back and TTLs differ,', () => {
  it.each(['throw', 'evict'] as const)('lets expired entries leave first: %s', (whenFull) => {
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
  })

  it('holds as many as it may, each to its own end, while every TTL is shorter than the last', () => {
    const { clock, store } = storeAt(0, { maxEntries: 100 })
    for (let ttlSeconds = 100; ttlSeconds >= 1; ttlSeconds--) store.reserve('a', `${ttlSeconds}`, ttlSeconds)
    for (let ttlSeconds = 1; ttlSeconds <= 100; ttlSeconds++) {
      clock.milliseconds = ttlSeconds * 1000
      expect(() => store.reserve('a', 'new', 600)).toThrow(/full: 100 reservations/)
      clock.milliseconds += 1
      expect(store.reserve('a', `${ttlSeconds}`, 600)).toBe(true)
    }
  })

  it('forgets the least recently reserved after any number of reservations', () => {
    const { store } = storeAt(0, { maxEntries: 3, whenFull: 'evict' })
    store.reserve('a', 'first', 600)
    for (let count = 0; count < 2 ** 23; count++) {
      if (count % 2 ** 21 === 0) store.reserve('a', `short ${count}`, 1)
      store.reserve('a', `${count % 5}`, 600)
    }
    store.reserve('a', 'short', 1)
    store.reserve('a', 'long', 600)
    store.reserve('a', 'shorter', 0.5)
    for (const key of ['short', 'long', 'shorter']) expect(store.reserve('a', key, 1)).toBe(false)
    store.reserve('a', 'new', 600)
    expect(store.reserve('a', 'long', 600)).toBe(false)
    expect(store.reserve('a', 'short', 1)).toBe(true)
  }, 300_000)
})

describe('time', () => {
  it('may be any number: entries that expire in millennia stand beside others', () => {
    const { clock, store } = storeAt(-1e12)
    const ttls = [600, 86_400 * 365, 86_400 * 365 * 5000, 1e300, Number.MAX_VALUE, 1]
    for (const ttlSeconds of ttls) expect(store.reserve('a', String(ttlSeconds), ttlSeconds)).toBe(true)
    clock.milliseconds += 600_001
    for (const ttlSeconds of [1, 600]) expect(store.reserve('a', String(ttlSeconds), ttlSeconds)).toBe(true)
    clock.milliseconds += 86_400_000 * 365
    expect(store.reserve('a', String(86_400 * 365), 1)).toBe(true)
    clock.milliseconds = Date.now()
    for (const ttlSeconds of ttls.slice(2, 5)) expect(store.reserve('a', String(ttlSeconds), 1)).toBe(false)
  })

  it('keeps each end exactly, weeks apart in one run', () => {
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
})

describe('memory', () => {
  // Of one piece, as the values of headers are.
  const uuids = Array.from({ length: 200_000 }, (_, index) =>
    Buffer.from(`6f9619ff-8b86-4d01-b42d-${String(index).padStart(12, '0')}`).toString('latin1'),
  )

  /** Lets so many expire, one at a time. */
  function pass(clock: TestClock, store: MemoryNonceStore, reservations: number) {
    for (let index = 0; index < reservations; index++) {
      clock.milliseconds += 600_001
      store.reserve('a', `${index}`, 600)
    }
  }

  it('is bytes: of 200 000 reservations the garbage collector sees next to nothing', () => {
    const { store } = storeAt()
    const [heap, arrays] = [heapInUse(), arraysInUse()]
    for (const uuid of uuids) store.reserve('a', uuid, 600)
    expect((heapInUse() - heap) / uuids.length).toBeLessThan(4)
    // Arrays double, and of what they have at the end some is free.
    expect((arraysInUse() - arrays) / uuids.length).toBeLessThan(2 * 50)
    expect(store.reserve('a', uuids[77_777] ?? '', 600)).toBe(false)
  })

  it('is given back when a burst has expired: each reservation that comes lets two expired ones leave', () => {
    const { clock, store } = storeAt()
    const empty = arraysInUse()
    for (const uuid of uuids) store.reserve('a', uuid, 600)
    const burst = arraysInUse() - empty

    clock.milliseconds += 600_001
    store.reserve('a', 'the first to come pays for two, not for all', 600)
    expect(arraysInUse() - empty).toBeGreaterThan(burst / 2)

    pass(clock, store, uuids.length)
    expect(arraysInUse() - empty).toBeLessThan(burst / 10)
  })

  it('of a small store is half a megabyte, however much it may hold, and none before the first reservation', () => {
    const before = arraysInUse()
    const { store } = storeAt(0, { maxEntries: 2 ** 26 })
    expect(arraysInUse() - before).toBeLessThan(2000)
    for (let index = 0; index < 1000; index++) store.reserve('a', `${index}`, 600)
    expect(arraysInUse() - before).toBeLessThan(600_000)
  })

  it('is flat in 30 hours at a steady rate', () => {
    const { clock, store } = storeAt()
    const after: number[] = []
    for (let hour = 0; hour < 30; hour++) {
      for (let index = 0; index < 7200; index++) {
        clock.milliseconds += 500
        store.reserve(`webhook ${index % 7}`, `hour ${hour}, number ${index}`, 600)
      }
      if (hour === 1 || hour === 29) after.push(heapInUse() + arraysInUse())
    }
    expect((after[1] ?? 0) - (after[0] ?? 0)).toBeLessThan(100_000)
  })

  it('is not spent on a TTL that no entry has any longer', () => {
    const { clock, store } = storeAt()
    const empty = heapInUse() + arraysInUse()
    for (let ttlSeconds = 1; ttlSeconds <= 50_000; ttlSeconds++) {
      store.reserve('a', 'key', ttlSeconds)
      clock.milliseconds += ttlSeconds * 1000 + 1
    }
    expect(heapInUse() + arraysInUse() - empty).toBeLessThan(1_000_000)
  })

  it('holds a long webhookId once, for as long as it has reservations', () => {
    const { clock, store } = storeAt()
    const empty = heapInUse()
    for (let webhook = 0; webhook < 100; webhook++) {
      for (let key = 0; key < 100; key++) store.reserve(`${'w'.repeat(3000)}${webhook}`, `${key}`, 600)
    }
    expect(heapInUse() - empty).toBeLessThan(3 * 100 * 3000)
    pass(clock, store, 10_000)
    expect(heapInUse() - empty).toBeLessThan(100 * 3000)
  })

  it('gives the number of a webhook that is gone to no two others', () => {
    const { clock, store } = storeAt()
    for (let round = 0; round < 3; round++) {
      for (let webhook = 0; webhook < 50; webhook++) {
        expect(store.reserve(`${round} ${webhook}`, 'key', 600)).toBe(true)
        expect(store.reserve(`${round} ${webhook}`, 'key', 600)).toBe(false)
      }
      pass(clock, store, 60)
    }
  })

  it('does not hold the text that a webhookId or key was cut from, nor what it was put together of', () => {
    const { store } = storeAt()
    const empty = heapInUse()
    for (let index = 0; index < 20; index++) {
      const text = `${index} ${Buffer.alloc(1_000_000, 'x').toString('latin1')}`
      const wide = `${index} ${'\u{1f98a}'.repeat(500_000)}`
      store.reserve(text.slice(0, 40), text.slice(0, 50), 600)
      store.reserve(wide.slice(0, 40), wide.slice(0, 50), 600)
      store.reserve(text.slice(0, 40), text.slice(0, 200), 600)
    }
    expect(heapInUse() - empty).toBeLessThan(10_000_000)
  })

  it('may be short at times: then a reservation fails, and nothing has changed', () => {
    const { store } = storeAt()
    let arrays = 0
    const construct: ProxyHandler<typeof Int32Array>['construct'] = (Words, [length]) => {
      if (arrays++ % 2 === 1) throw new RangeError('Array buffer allocation failed')
      return new Words(length)
    }
    vi.stubGlobal('Int32Array', new Proxy(Int32Array, { construct }))
    const failed = new Set<string>()
    for (const uuid of uuids) {
      try {
        store.reserve(uuid.slice(0, 35), uuid, 600)
      } catch {
        failed.add(uuid)
      }
    }
    vi.unstubAllGlobals()
    expect(failed.size).toBeGreaterThan(5)
    const again = uuids.filter((uuid) => store.reserve(uuid.slice(0, 35), uuid, 600))
    expect(again).toEqual([...failed])
  })
})

describe('options', () => {
  it('are optional: one million entries, fail closed', () => {
    const { store } = storeAt()
    for (let index = 0; index < 1_000_000; index++) store.reserve('a', String(index), 600)
    expect(() => store.reserve('a', 'one more', 600)).toThrow(/full: 1000000 reservations/)
  })

  it('take undefined as absent', () => {
    const store = new MemoryNonceStore({ maxEntries: undefined, whenFull: undefined, clock: undefined })
    expect(store.reserve('a', 'key', 600)).toBe(true)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 26 + 1])(
    'maxEntries: %d is a RangeError',
    (maxEntries) => {
      const create = () => new MemoryNonceStore({ maxEntries })
      expect(create).toThrow(RangeError)
      expect(create).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringContaining('maxEntries') }),
      )
    },
  )

  it('maxEntries may be four times what a Map holds', () => {
    expect(new MemoryNonceStore({ maxEntries: 2 ** 26 }).reserve('a', 'key', 600)).toBe(true)
  })

  it.each<[unknown, RegExp]>([
    [1000, /options is a number\. Pass an object/],
    [null, /options is null/],
    [{ maxEntries: '1000' }, /maxEntries is a string: pass a number/],
    [{ maxEntries: null }, /maxEntries is null/],
    [{ whenFull: 'drop' }, /whenFull is neither 'throw' nor 'evict'/],
    [{ whenFull: null }, /whenFull/],
    [{ clock: {} }, /clock has no now/],
    [{ clock: null }, /clock has no now/],
  ])('%o is a TypeError', (options, message) => {
    const create = () => Reflect.construct(MemoryNonceStore, [options])
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})

describe('fails closed', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, '0'])('when its clock reads %o', (time) => {
    const store = new MemoryNonceStore({ clock: { now: () => time as number } })
    expect(() => store.reserve('a', 'key', 600)).toThrow(/clock\.now\(\) returned no number\. Return milliseconds/)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '600'])('when ttlSeconds is %o', (ttlSeconds) => {
    const { store } = storeAt()
    expect(() => store.reserve('a', 'key', ttlSeconds as number)).toThrow(/ttlSeconds is not a positive number/)
  })
})
