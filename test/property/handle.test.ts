import { describe, expect, it } from 'vitest'
import type { NonceStore } from '../../src/index.js'
import { fc } from '../support/fast-check.js'
import { NOW, SECRET, TestClock } from '../support/request.js'
import { SCHEMES } from '../support/schemes.js'

// Copies of one request arrive at two processes that share a store. Their steps happen in any order, work fails, processes die, and time
// passes.

const BODY = Buffer.from('{"event":"invoice.paid"}')
const FAILURE = new Error('the work failed')

type Schedule = (name: string) => Promise<unknown>

/** A store that several processes share. */
class SharedStore {
  readonly clock = new TestClock()
  readonly #nonces = new Map<string, { owner: string | undefined; expiresAt: number }>()

  reserve(names: readonly string[], ttlSeconds: number, owner: string | undefined): boolean {
    const now = this.clock.now()
    if (names.some((name) => Number(this.#nonces.get(name)?.expiresAt) >= now)) return false
    for (const name of names) this.#nonces.set(name, { owner, expiresAt: now + ttlSeconds * 1000 })
    return true
  }

  release(names: readonly string[], owner: string): void {
    for (const name of names) if (this.#nonces.get(name)?.owner === owner) this.#nonces.delete(name)
  }

  get isEmpty(): boolean {
    return this.#nonces.size === 0
  }
}

/** A process with its client of the store, until it dies. */
class Process {
  #isDead = false
  #die = () => {}
  readonly died = new Promise<'died'>((resolve) => {
    this.#die = () => resolve('died')
  })
  readonly store: NonceStore

  constructor(
    shared: SharedStore,
    readonly schedule: Schedule,
  ) {
    const namesOf = (webhookId: string, keys: readonly string[]) => keys.map((key) => `${webhookId} ${key}`)
    const reserveAll: NonceStore['reserveAll'] = async (webhookId, keys, ttlSeconds, owner) => {
      await this.step('the reservation arrives')
      const isReserved = shared.reserve(namesOf(webhookId, keys), ttlSeconds, owner)
      await this.step('the answer arrives')
      return isReserved
    }
    this.store = {
      reserve: (webhookId, key, ttlSeconds, owner) => reserveAll(webhookId, [key], ttlSeconds, owner),
      reserveAll,
      release: async (webhookId, keys, owner) => {
        await this.step('the release arrives')
        shared.release(namesOf(webhookId, keys), owner)
        await this.step('the release is answered')
      },
    }
  }

  /** Waits until the order comes to this step. Nothing goes on in a process that is dead. */
  async step(name: string): Promise<void> {
    await this.schedule(name)
    if (this.#isDead) await new Promise(() => {})
  }

  kill(): void {
    this.#isDead = true
    this.#die()
  }
}

const processes = fc.nat({ max: 1 })
/** How many other steps may happen first. */
const steps = fc.nat({ max: 8 })
const attempts = fc.array(
  fc.record({
    process: processes,
    fails: fc.boolean(),
    steps,
    /** How long after the attempt before, in milliseconds. */
    wait: fc.constantFrom(0, 0, 0, 1, 150_000, 300_000),
  }),
  { minLength: 1, maxLength: 6 },
)
const kills = fc.array(fc.record({ process: processes, steps }), { maxLength: 1 })
/** The first attempt may be as early as the window allows. */
const starts = fc.constantFrom(NOW - 300_000, NOW - 299_999, NOW)
/** The last attempt may be as late as the window allows, when the first reservation is about to expire. */
const ends = fc.constantFrom(0, 0, 0, NOW + 300_000, NOW + 300_001)

describe.each(SCHEMES)('nothing lost, and nothing done twice (%s)', (_, { handle, request }) => {
  const { headers } = request({ body: BODY })

  it('at most one copy does its work, and the next one is accepted if none did', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), starts, ends, attempts, kills, async (scheduler, start, end, list, killed) => {
        const shared = new SharedStore()
        shared.clock.milliseconds = start
        const schedule = (name: string) => scheduler.schedule(Promise.resolve(), name)
        const newProcess = () => new Process(shared, schedule)
        const running = [newProcess(), newProcess()]
        // Work that a dead process has begun stays in progress, because nobody knows how far it came.
        let [inProgress, done] = [0, 0]

        const attempt = (process: Process, fails: boolean) =>
          Promise.race([
            process.died,
            handle(
              { webhookId: '42', request: { headers, body: BODY } },
              SECRET,
              process.store,
              async () => {
                expect([++inProgress, done]).toEqual([1, 0])
                await process.step('the work begins')
                await process.step('the work ends')
                inProgress--
                if (fails) throw FAILURE
                done++
              },
              shared.clock,
            ).then(
              () => 'done',
              (error: unknown) => (error === FAILURE ? 'failed' : (Object(error).reason ?? Object(error).code)),
            ),
          ])

        const outcomes = Promise.all([
          ...list.map(async ({ process, fails, steps, wait }) => {
            for (let step = 0; step <= steps; step++) await schedule('a copy arrives')
            shared.clock.milliseconds += wait
            return attempt(running[process] as Process, fails)
          }),
          ...killed.map(async ({ process, steps }) => {
            for (let step = 0; step <= steps; step++) await schedule('a process dies')
            running[process]?.kill()
            running[process] = newProcess()
            return 'killed'
          }),
        ])
        await scheduler.waitFor(outcomes)
        for (const outcome of await outcomes) seen.add(outcome)

        // A sender sends the same bytes again until it gets 2xx.
        shared.clock.milliseconds = Math.max(shared.clock.now(), end)
        const isOpen = Math.abs(shared.clock.now() - NOW) <= 300_000
        if (isOpen && killed.length === 0) expect(shared.isEmpty).toBe(done === 0)
        const isFree = shared.isEmpty && inProgress + done === 0
        const expected = isOpen ? (isFree ? 'done' : 'replayed_nonce') : 'timestamp_outside_window'
        const again = await scheduler.waitFor(attempt(running[0] as Process, false))
        seen.add(inProgress > 0 ? `after a crash ${again}` : `then ${again}`)
        expect(again).toBe(expected)
        expect(done).toBeLessThanOrEqual(1)
      }),
    )
    expect([...seen].sort()).toEqual([
      'ERR_WEBHOOK_IN_PROGRESS',
      'after a crash replayed_nonce',
      'after a crash timestamp_outside_window',
      'died',
      'done',
      'failed',
      'killed',
      'replayed_nonce',
      'then done',
      'then replayed_nonce',
      'then timestamp_outside_window',
      'timestamp_outside_window',
    ])
  })
})
