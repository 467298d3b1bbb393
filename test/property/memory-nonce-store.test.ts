import { it } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { fc, RUNS } from '../support/fast-check.js'
import { TestClock } from '../support/request.js'

interface Entry {
  readonly expiry: number
  readonly owner: string | undefined
  /** Whether a reservation may have removed this entry, because the entry was expired then. A clock that steps back can revive it. */
  isUncertain: boolean
}

type Outcome = boolean | 'full'

/** The intended behaviour of MemoryNonceStore, written simply: a Map in the order of reservation. */
class Model {
  readonly entries = new Map<string, Entry>()

  constructor(
    readonly maxEntries: number,
    readonly whenFull: 'throw' | 'evict',
  ) {}

  /** Checks the outcome of a reservation at this time, and updates the model. */
  reserve(now: number, keys: readonly string[], ttlSeconds: number, owner: string | undefined, outcome: Outcome) {
    for (const entry of this.entries.values()) entry.isUncertain ||= Math.floor(now) > entry.expiry
    const live = [...this.entries].filter(([, { expiry }]) => Math.floor(now) <= expiry)
    const certain = live.filter(([, { isUncertain }]) => !isUncertain)
    const room = this.maxEntries - keys.length
    const isFull = (size: number) => (this.whenFull === 'throw' ? size > room : room < 0)

    const allowed: Outcome[] = []
    if (certain.some(([key]) => keys.includes(key))) allowed.push(false)
    else {
      if (live.some(([key]) => keys.includes(key))) allowed.push(false)
      if (isFull(live.length)) allowed.push('full')
      if (!isFull(certain.length)) allowed.push(true)
    }
    // `expect` would take as long as the store.
    if (!allowed.includes(outcome)) throw new Error(`${outcome}, not ${allowed.join(' or ')}`)
    if (outcome !== true) return

    // A full store evicts the oldest entries. How many these are depends on the uncertain ones.
    for (const [, entry] of live.slice(0, Math.max(0, live.length - room))) entry.isUncertain = true
    for (const [key] of certain.slice(0, Math.max(0, certain.length - room))) this.entries.delete(key)
    for (const key of keys) {
      this.entries.delete(key)
      this.entries.set(key, { expiry: Math.ceil(now) + Math.ceil(ttlSeconds * 1000), owner, isUncertain: false })
    }
  }

  release(key: string, owner: string): void {
    if (this.entries.get(key)?.owner === owner) this.entries.delete(key)
  }
}

interface Real {
  clock: TestClock
  store: MemoryNonceStore
}

const scoped = (webhookId: string, key: string) => JSON.stringify([webhookId, key])

class Reserve implements fc.Command<Model, Real> {
  constructor(
    readonly webhookId: string,
    readonly keys: readonly string[],
    readonly ttlSeconds: number,
    readonly owner?: string,
  ) {}
  check = () => true
  run(model: Model, { clock, store }: Real): void {
    const keys = this.keys.map((key) => scoped(this.webhookId, key))
    model.reserve(clock.now(), keys, this.ttlSeconds, this.owner, this.#outcome(store))
  }
  #outcome(store: MemoryNonceStore): Outcome {
    const [key, ...others] = this.keys as [string]
    try {
      if (others.length > 0) return store.reserveAll(this.webhookId, this.keys, this.ttlSeconds, this.owner)
      return store.reserve(this.webhookId, key, this.ttlSeconds, this.owner)
    } catch (error) {
      if (Object(error).code !== 'ERR_NONCE_STORE_FULL') throw error
      return 'full'
    }
  }
  toString = () =>
    `reserve(${JSON.stringify(this.webhookId)}, ${JSON.stringify(this.keys)}, ${this.ttlSeconds}, ${this.owner})`
}

class Release implements fc.Command<Model, Real> {
  constructor(
    readonly webhookId: string,
    readonly key: string,
    readonly owner: string,
  ) {}
  check = () => true
  run(model: Model, { store }: Real): void {
    model.release(scoped(this.webhookId, this.key), this.owner)
    store.release(this.webhookId, [this.key], this.owner)
  }
  toString = () => `release(${JSON.stringify(this.webhookId)}, ${JSON.stringify(this.key)}, ${this.owner})`
}

class Step implements fc.Command<Model, Real> {
  constructor(readonly milliseconds: number) {}
  check = () => true
  run(_: Model, { clock }: Real): void {
    clock.milliseconds += this.milliseconds
  }
  toString = () => `step(${this.milliseconds} ms)`
}

/** Reserves many keys one after the other, and releases some of them. */
class Burst implements fc.Command<Model, Real> {
  constructor(
    readonly webhooks: number,
    readonly from: number,
    readonly count: number,
    readonly ttlSeconds: number,
    readonly released: number,
  ) {}
  check = () => true
  run(model: Model, real: Real): void {
    for (let number = this.from; number < this.from + this.count; number++) {
      new Reserve(`${number % this.webhooks}`, [`burst ${number}`], this.ttlSeconds, 'a').run(model, real)
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
  fc.constantFrom('', '0', '00', 'Z', 'Z\0', 'é', 'ĩ', '\ud83e', 'x'.repeat(128), 'x'.repeat(129)),
)
const webhooks = fc.constantFrom('a', 'b', 'a:', '1:a')
const reserve = fc
  .tuple(webhooks, fc.uniqueArray(keys, { minLength: 1, maxLength: 3 }), ttls, fc.constantFrom(undefined, 'a', 'b'))
  .map((values) => new Reserve(...values))
const release = fc.tuple(webhooks, keys, fc.constantFrom('a', 'b')).map((values) => new Release(...values))
const wait = fc
  .oneof(
    fc.constantFrom(0.25, 0.5, 1, 499, 500, 501, 999, 1000, 1001, 30_000, 600_000, 600_001),
    fc.double({ min: 0, max: 700_000, noNaN: true }),
  )
  .map((milliseconds) => new Step(milliseconds))
const stepBack = fc
  .oneof(fc.constantFrom(0.25, 1, 1000, 600_001), fc.double({ min: 0, max: 700_000, noNaN: true }))
  .map((milliseconds) => new Step(-milliseconds))
const burst = fc
  .tuple(
    fc.integer({ min: 1, max: 50 }),
    fc.nat({ max: 600 }),
    fc.integer({ min: 1, max: 150 }),
    ttls,
    fc.nat({ max: 150 }),
  )
  .map((values) => new Burst(...values))

function check(
  commands: Iterable<fc.Command<Model, Real>>,
  maxEntries: number,
  whenFull: 'throw' | 'evict',
  start: number,
) {
  fc.modelRun(() => {
    const clock = new TestClock(start)
    return {
      model: new Model(maxEntries, whenFull),
      real: { clock, store: new MemoryNonceStore({ clock, maxEntries, whenFull }) },
    }
  }, commands)
}

const whenFull = fc.constantFrom('throw' as const, 'evict' as const)

it.each([
  ['time moves', [wait]],
  ['the clock also steps back', [wait, stepBack]],
])('MemoryNonceStore does the same as a simple Map, while %s', (_, steps) => {
  const commands = fc.commands([reserve, reserve, reserve, reserve, release, release, ...steps], {
    maxCommands: 200,
    size: '+1',
  })
  const start = fc.double({ min: -1e12, max: 1e13, noNaN: true })
  fc.assert(fc.property(commands, fc.integer({ min: 1, max: 12 }), whenFull, start, check))
})

it('MemoryNonceStore does the same as a simple Map, with bursts', () => {
  const commands = fc.commands([burst, burst, reserve, release, wait, stepBack], { maxCommands: 20, size: '+1' })
  const start = fc.double({ min: 0, max: 1e13, noNaN: true })
  fc.assert(fc.property(commands, fc.integer({ min: 1, max: 600 }), whenFull, start, check), {
    numRuns: Math.ceil(RUNS / 20),
  })
})
