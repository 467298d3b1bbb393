import { expect, it } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { fc, RUNS } from '../support/fast-check.js'
import { TestClock } from '../support/request.js'

/** The intended behaviour of MemoryNonceStore, written simply: a Map in the order of reservation. */
class NaiveStore {
  readonly entries = new Map<string, number>()
  readonly owners = new Map<string, string | undefined>()

  constructor(
    readonly clock: TestClock,
    readonly maxEntries: number,
    readonly whenFull: 'throw' | 'evict',
  ) {}

  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): boolean | 'full' {
    const now = this.clock.now()
    const reservation = JSON.stringify([webhookId, key])
    if (this.isTaken(reservation, now)) return false
    this.entries.delete(reservation)
    if (this.entries.size === this.maxEntries) {
      for (const entry of this.entries.keys()) if (!this.isTaken(entry, now)) this.entries.delete(entry)
    }
    if (this.entries.size === this.maxEntries) {
      if (this.whenFull === 'throw') return 'full'
      for (const oldest of [...this.entries.keys()].slice(0, 1)) this.entries.delete(oldest)
    }
    this.entries.set(reservation, Math.ceil(now) + Math.ceil(ttlSeconds * 1000))
    this.owners.set(reservation, owner)
    return true
  }

  release(webhookId: string, key: string, owner: string): void {
    const reservation = JSON.stringify([webhookId, key])
    if (this.owners.get(reservation) === owner) this.entries.delete(reservation)
  }

  isTaken(reservation: string, now: number): boolean {
    const expiresAt = this.entries.get(reservation)
    return expiresAt !== undefined && Math.floor(now) <= expiresAt
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
    readonly owner?: string,
  ) {}
  check = () => true
  run(model: NaiveStore, { store }: Real): void {
    // The forgotten entry is always the oldest only if there is one TTL.
    const ttlSeconds = model.whenFull === 'evict' ? 600 : this.ttlSeconds
    const expected = model.reserve(this.webhookId, this.key, ttlSeconds, this.owner)
    const reserve = () => store.reserve(this.webhookId, this.key, ttlSeconds, this.owner)
    if (expected === 'full') expect(reserve).toThrow(expect.objectContaining({ code: 'ERR_NONCE_STORE_FULL' }))
    else expect(reserve()).toBe(expected)
  }
  toString = () =>
    `reserve(${JSON.stringify(this.webhookId)}, ${JSON.stringify(this.key)}, ${this.ttlSeconds}, ${this.owner})`
}

class Release implements fc.Command<NaiveStore, Real> {
  constructor(
    readonly webhookId: string,
    readonly key: string,
    readonly owner: string,
  ) {}
  check = () => true
  run(model: NaiveStore, { store }: Real): void {
    model.release(this.webhookId, this.key, this.owner)
    store.release(this.webhookId, [this.key], this.owner)
  }
  toString = () => `release(${JSON.stringify(this.webhookId)}, ${JSON.stringify(this.key)}, ${this.owner})`
}

class Wait implements fc.Command<NaiveStore, Real> {
  constructor(readonly milliseconds: number) {}
  check = () => true
  run(_: NaiveStore, { clock }: Real): void {
    clock.milliseconds += this.milliseconds
  }
  toString = () => `wait ${this.milliseconds} ms`
}

/** Reserves many keys at once, so that the store must allocate memory, and can free some later. */
class Burst implements fc.Command<NaiveStore, Real> {
  constructor(
    readonly webhooks: number,
    readonly from: number,
    readonly count: number,
    readonly ttlSeconds: number,
    readonly released: number,
  ) {}
  check = () => true
  run(model: NaiveStore, real: Real): void {
    for (let number = this.from; number < this.from + this.count; number++) {
      new Reserve(`${number % this.webhooks}`, `burst ${number}`, this.ttlSeconds, 'a').run(model, real)
    }
    for (let number = this.from; number < this.from + this.released; number++) {
      new Release(`${number % this.webhooks}`, `burst ${number}`, 'a').run(model, real)
    }
  }
  toString = () => `burst(${this.webhooks}, ${this.from}, ${this.count}, ${this.ttlSeconds}, ${this.released})`
}

const ttls = fc.oneof(
  { weight: 3, arbitrary: fc.constant(600) },
  fc.constantFrom(1, 0.5, 30, 0.0001, 1.001, 86_400 * 60),
  fc.double({ min: 1e-6, max: 2000, noNaN: true }),
)
const keys = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 9 }).map(String) },
  fc.constantFrom(
    '',
    '0',
    '00',
    'Z',
    'Z\0',
    'é',
    'ĩ',
    '\ud83e',
    'x'.repeat(128),
    'x'.repeat(129),
    `${'a'.repeat(128)}`,
  ),
)
const webhooks = fc.constantFrom('a', 'b', 'a:', '1:a')
const reserve = fc
  .tuple(webhooks, keys, ttls, fc.constantFrom(undefined, 'a', 'b'))
  .map((values) => new Reserve(...values))
const release = fc.tuple(webhooks, keys, fc.constantFrom('a', 'b')).map((values) => new Release(...values))
const wait = fc
  .oneof(
    fc.constantFrom(0.25, 0.5, 1, 499, 500, 501, 999, 1000, 1001, 30_000, 600_000, 600_001),
    fc.double({ min: 0, max: 700_000, noNaN: true }),
  )
  .map((milliseconds) => new Wait(milliseconds))
const burst = fc
  .tuple(
    fc.integer({ min: 1, max: 50 }),
    fc.nat({ max: 1000 }),
    fc.integer({ min: 1, max: 700 }),
    ttls,
    fc.nat({ max: 700 }),
  )
  .map((values) => new Burst(...values))

function check(
  commands: Iterable<fc.Command<NaiveStore, Real>>,
  maxEntries: number,
  whenFull: 'throw' | 'evict',
  start: number,
) {
  fc.modelRun(() => {
    const clock = new TestClock(start)
    return {
      model: new NaiveStore(clock, maxEntries, whenFull),
      real: { clock, store: new MemoryNonceStore({ clock, maxEntries, whenFull }) },
    }
  }, commands)
}

const whenFull = fc.constantFrom('throw' as const, 'evict' as const)

it('MemoryNonceStore does the same as a simple Map, while time moves', () => {
  const commands = fc.commands([reserve, reserve, reserve, reserve, release, release, wait], {
    maxCommands: 200,
    size: '+1',
  })
  const start = fc.double({ min: -1e12, max: 1e13, noNaN: true })
  fc.assert(fc.property(commands, fc.integer({ min: 1, max: 12 }), whenFull, start, check))
})

it('MemoryNonceStore does the same as a simple Map, with bursts', () => {
  const commands = fc.commands([burst, burst, reserve, release, wait], { maxCommands: 20, size: '+1' })
  const start = fc.double({ min: 0, max: 1e13, noNaN: true })
  fc.assert(fc.property(commands, fc.integer({ min: 1, max: 3000 }), whenFull, start, check), {
    numRuns: Math.ceil(RUNS / 20),
  })
})
