import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { TestClock } from '../request.js'

/** What MemoryNonceStore is meant to do, with no thought of speed: a list that is searched from end to end. */
class NaiveStore {
  entries: { webhookId: string; key: string; expiresAt: number }[] = []

  constructor(
    readonly clock: TestClock,
    readonly maxEntries: number,
    readonly whenFull: 'throw' | 'evict',
  ) {}

  reserve(webhookId: string, key: string, ttlSeconds: number): boolean | 'full' {
    const now = this.clock.now()
    this.entries = this.entries.filter((entry) => Math.floor(now) <= entry.expiresAt)
    if (this.entries.some((entry) => entry.webhookId === webhookId && entry.key === key)) return false
    if (this.entries.length === this.maxEntries) {
      if (this.whenFull === 'throw') return 'full'
      this.entries.shift()
    }
    this.entries.push({ webhookId, key, expiresAt: Math.ceil(now) + ttlSeconds * 1000 })
    return true
  }
}

interface Real {
  clock: TestClock
  store: MemoryNonceStore
}

class Reserve implements fc.Command<NaiveStore, Real> {
  constructor(
    readonly webhookId: string,
    readonly key: string,
    readonly ttlSeconds: number,
  ) {}
  check = () => true
  run(model: NaiveStore, { store }: Real): void {
    const expected = model.reserve(this.webhookId, this.key, this.ttlSeconds)
    const reserve = () => store.reserve(this.webhookId, this.key, this.ttlSeconds)
    if (expected === 'full') expect(reserve).toThrow(expect.objectContaining({ code: 'ERR_NONCE_STORE_FULL' }))
    else expect(reserve()).toBe(expected)
  }
  toString = () => `reserve(${JSON.stringify(this.webhookId)}, ${JSON.stringify(this.key)}, ${this.ttlSeconds})`
}

class Wait implements fc.Command<NaiveStore, Real> {
  constructor(readonly milliseconds: number) {}
  check = () => true
  run(_: NaiveStore, { clock }: Real): void {
    clock.milliseconds += this.milliseconds
  }
  toString = () => `wait ${this.milliseconds} ms`
}

it('MemoryNonceStore does what a naive list does, while time moves', () => {
  const reserve = fc
    .tuple(
      fc.constantFrom('a', 'b', 'a:'),
      fc.integer({ min: 0, max: 9 }).map(String),
      fc.constantFrom(600, 600, 600, 1, 0.5, 30),
    )
    .map(([webhookId, key, ttlSeconds]) => new Reserve(webhookId, key, ttlSeconds))
  const wait = fc
    .oneof(
      fc.constantFrom(0.25, 0.5, 1, 499, 500, 501, 999, 1000, 1001, 30_000, 600_000, 600_001),
      fc.double({ min: 0, max: 700_000, noNaN: true }),
    )
    .map((milliseconds) => new Wait(milliseconds))
  const commands = fc.commands([reserve, reserve, reserve, reserve, wait], { maxCommands: 200, size: '+1' })
  fc.assert(
    fc.property(
      commands,
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom('throw' as const, 'evict' as const),
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      (script, maxEntries, whenFull, start) => {
        fc.modelRun(() => {
          const clock = new TestClock(start)
          return {
            model: new NaiveStore(clock, maxEntries, whenFull),
            real: { clock, store: new MemoryNonceStore({ clock, maxEntries, whenFull }) },
          }
        }, script)
      },
    ),
  )
})
