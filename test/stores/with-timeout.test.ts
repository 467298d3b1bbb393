import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, withTimeout } from '../../src/index.js'
import { SimulatedTime } from '../support/simulated-time.js'

const SILENT = { reserve: () => new Promise<boolean>(() => {}) }

let time: SimulatedTime
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
})
afterEach(() => time.stop())

/** The outcome of a promise so far. */
function watch(answer: boolean | Promise<boolean>): { outcome: unknown } {
  const seen: { outcome: unknown } = { outcome: 'pending' }
  Promise.resolve(answer)
    .catch((error: Error) => error.message)
    .then((outcome) => Object.assign(seen, { outcome }))
  return seen
}

describe('withTimeout', () => {
  it.each(['reserve', 'reserveAll', 'release', 'claim'] as const)(
    'rejects %s after its milliseconds, and not before',
    async (method) => {
      const silent = {
        reserve: SILENT.reserve,
        reserveAll: SILENT.reserve,
        release: () => new Promise<void>(() => {}),
        claim: () => new Promise<never>(() => {}),
      }
      const seen = watch(Reflect.apply(withTimeout(silent, 1000)[method] as () => never, undefined, ['42', ['n'], 600]))
      await time.pass(999)
      expect(seen.outcome).toBe('pending')
      await time.pass(1)
      expect(seen.outcome).toBe(
        'No response within 1000 ms. The nonce may be reserved, so a retry may be refused. Check the server.',
      )
    },
  )

  it.each<[string, () => Promise<boolean>, unknown]>([
    ['true', async () => true, true],
    ['false', async () => false, false],
    ['an error', () => Promise.reject(new Error('connection refused')), 'connection refused'],
  ])('passes on an answer in time, and clears its timer: %s', async (_, reserve, outcome) => {
    const seen = watch(withTimeout({ reserve }, 1000).reserve('42', 'nonce', 600, 'me'))
    await time.pass(0)
    expect(seen.outcome).toBe(outcome)
    expect(time.timers).toBe(0)
  })

  describe('of a store that has release', () => {
    /** A store whose reservations take 2000 ms, and whose releases take 300 ms. */
    function slowStore() {
      const store = new MemoryNonceStore()
      const calls: string[] = []
      const later = (milliseconds: number, act: () => boolean | undefined) =>
        new Promise<never>((resolve) => {
          setTimeout(() => resolve(act() as never), milliseconds)
        })
      const limited = withTimeout(
        {
          reserve(...call) {
            calls.push('reserve')
            return later(2000, () => store.reserve(...call))
          },
          reserveAll(...call) {
            calls.push('reserveAll')
            return later(2000, () => store.reserveAll(...call))
          },
          release(...call) {
            calls.push(`release ${call.flat().join()}`)
            return later(300, () => void store.release(...call))
          },
        },
        1000,
      )
      return { store, calls, limited }
    }

    it.each([
      ['reserve', ['n']],
      ['reserveAll', ['n', 's']],
    ] as const)('gives back what %s reserved too late, and copies fail until then', async (method, keys) => {
      const { store, calls, limited } = slowStore()
      const reserve = () =>
        method === 'reserve'
          ? limited.reserve('42', 'n', 600, 'me')
          : (limited.reserveAll?.('42', keys, 600, 'me') ?? true)
      const seen = watch(reserve())
      await time.pass(1000)
      expect(seen.outcome).toMatch('No response within 1000 ms')
      for (const milliseconds of [0, 999, 1, 299]) {
        await time.pass(milliseconds)
        expect(reserve).toThrow(/^An earlier copy of the request got no response within 1000 ms/)
      }
      expect(store.reserve('42', 'n', 600)).toBe(false)
      await time.pass(1)
      expect(calls).toEqual([method, `release 42,${keys.join()},me`])
      expect(store.reserveAll('42', keys, 600)).toBe(true)
      watch(reserve())
      expect(calls).toHaveLength(3)
    })

    it('releases nothing without an owner, and no other webhook is refused', async () => {
      const { store, calls, limited } = slowStore()
      watch(limited.reserve('42', 'n', 600))
      await time.pass(1000)
      expect(() => limited.reserveAll?.('42', ['x', 'n'], 600)).toThrow(/^An earlier copy/)
      watch(limited.reserve('4', '2n', 600))
      await time.pass(1000)
      expect(store.reserve('42', 'n', 600)).toBe(false)
      expect(calls).toEqual(['reserve', 'reserve'])
    })
  })

  it('passes on claim and eventTtlSeconds, and never gives back a claim that comes late', async () => {
    const database = new MemoryNonceStore({ eventTtlSeconds: 700 })
    const store: NonceStore = {
      reserve: (...call) => database.reserve(...call),
      release: () => expect.unreachable(),
      async claim(...call) {
        await new Promise((resolve) => setTimeout(resolve, 2000))
        return database.claim(...call)
      },
      eventTtlSeconds: database.eventTtlSeconds,
    }
    const limited = withTimeout(store, 1000)
    expect(limited.eventTtlSeconds).toBe(700)
    for (const isDone of [false, true]) {
      const seen = watch(limited.claim?.('42', ['n'], 30, 'owner', isDone) as never)
      await time.pass(3000)
      expect(seen.outcome).toMatch(/^No response within 1000 ms/)
    }
    expect(database.claim('42', ['n'], 30, 'another owner')).toBe('taken')
    const direct = withTimeout(database, 1000)
    expect(await direct.claim?.('42', ['n'], 30, 'another owner')).toBe('taken')
    expect(withTimeout(SILENT, 1000)).not.toHaveProperty('claim')
  })

  it('runs the lazy statement of a query builder once, also if it is late', async () => {
    let statements = 0
    // The promise of such a client sends its statement in `then`.
    const statement = new Proxy(new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 2000)), {
      get(promise, name) {
        if (name === 'then') statements++
        return Reflect.get(promise, name).bind(promise)
      },
    })
    const seen = watch(withTimeout({ reserve: () => statement }, 1000).reserve('42', 'n', 600, 'me'))
    await time.pass(3000)
    expect(seen.outcome).toMatch(/^No response within 1000 ms/)
    expect(statements).toBe(1)
  })

  it('reads an answer that arrived while the process stalled before it rejects', async () => {
    let answer: (value: boolean) => void = () => {}
    const response = new Promise<boolean>((resolve) => {
      answer = resolve
    })
    const seen = watch(withTimeout({ reserve: () => response }, 500).reserve('42', 'n', 600))
    await time.stall(800, () => answer(true))
    await time.pass(0)
    expect(seen.outcome).toBe(true)
  })

  it('passes on an answer without a promise, and needs no timer for it', () => {
    const store = withTimeout(new MemoryNonceStore(), 1000)
    expect(store.reserve('42', 'nonce', 600)).toBe(true)
    expect(store.reserve('42', 'nonce', 600)).toBe(false)
    expect(time.timers).toBe(0)
  })

  it('has reserveAll and release if and only if the store has them, and calls each as a method', async () => {
    class Store implements NonceStore {
      calls: unknown[] = []
      reserve(...call: unknown[]) {
        this.calls.push(call)
        return true
      }
      reserveAll(...call: unknown[]) {
        this.calls.push(call)
        return false
      }
      release(...call: unknown[]) {
        this.calls.push(call)
      }
    }
    const store = new Store()
    const limited = withTimeout(store, 1000)
    expect(limited.reserve('42', 'nonce', 600)).toBe(true)
    expect(limited.reserveAll?.('42', ['nonce', 'another'], 600)).toBe(false)
    void limited.release?.('42', ['nonce'], 'me')
    expect(store.calls).toEqual([
      ['42', 'nonce', 600],
      ['42', ['nonce', 'another'], 600],
      ['42', ['nonce'], 'me'],
    ])
    expect(Object.keys(withTimeout(SILENT, 1000))).toEqual(['reserve'])
  })

  it.each([1, 2 ** 31 - 1])('accepts %d milliseconds', async (milliseconds) => {
    expect(await withTimeout({ reserve: async () => true }, milliseconds).reserve('42', 'nonce', 600)).toBe(true)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000', undefined])(
    'with %o milliseconds is a RangeError',
    (milliseconds) => {
      const create = () => Reflect.apply(withTimeout, undefined, [SILENT, milliseconds])
      expect(create).toThrow(RangeError)
      expect(create).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_ARGUMENT',
          message: expect.stringMatching(/^milliseconds .*\b2147483647\b/),
        }),
      )
    },
  )

  it('without a store is a TypeError', () => {
    expect(() => Reflect.apply(withTimeout, undefined, [undefined, 1000])).toThrow(/^nonceStore /)
  })
})
