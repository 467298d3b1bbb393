import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { MemoryNonceStore, type MemoryNonceStoreOptions } from '../../src/index.js'
import { TestClock } from '../request.js'

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

describe('memory', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')

  function heapInUse(): number {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }

  it('is given back when a burst has expired: each reservation that comes lets two expired ones leave', () => {
    const { clock, store } = storeAt()
    const empty = heapInUse()
    for (let index = 0; index < 200_000; index++) store.reserve('a', `burst ${index}`, 600)
    const burst = heapInUse() - empty

    clock.milliseconds += 600_001
    store.reserve('a', 'the first to come pays for two, not for all', 600)
    expect(heapInUse() - empty).toBeGreaterThan(burst / 2)

    for (let index = 0; index < 200_000; index++) {
      clock.milliseconds += 600_001
      store.reserve('a', `steady ${index}`, 600)
    }
    expect(heapInUse() - empty).toBeLessThan(burst / 10)
  })

  it('is not spent on a TTL that no entry has any longer', () => {
    const { clock, store } = storeAt()
    const empty = heapInUse()
    for (let ttlSeconds = 1; ttlSeconds <= 50_000; ttlSeconds++) {
      store.reserve('a', 'key', ttlSeconds)
      clock.milliseconds += ttlSeconds * 1000 + 1
    }
    expect(heapInUse() - empty).toBeLessThan(1_000_000)
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

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 23 + 1])(
    'maxEntries: %d is a RangeError',
    (maxEntries) => {
      const create = () => new MemoryNonceStore({ maxEntries })
      expect(create).toThrow(RangeError)
      expect(create).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringContaining('maxEntries') }),
      )
    },
  )

  it('maxEntries may be half of what a Map holds', () => {
    expect(new MemoryNonceStore({ maxEntries: 2 ** 23 }).reserve('a', 'key', 600)).toBe(true)
  })

  it.each<[unknown, RegExp]>([
    [1000, /options is a number: pass an object/],
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
    expect(() => store.reserve('a', 'key', 600)).toThrow(
      /clock\.now\(\) returned no number: make it return milliseconds/,
    )
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '600'])('when ttlSeconds is %o', (ttlSeconds) => {
    const { store } = storeAt()
    expect(() => store.reserve('a', 'key', ttlSeconds as number)).toThrow(/ttlSeconds is not a positive number/)
  })
})
