import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handle, MemoryNonceStore, type NonceStore } from '../../src/index.js'
import { fc } from '../support/fast-check.js'
import { NOW, SECRET, signedRequest } from '../support/request.js'
import { SimulatedTime } from '../support/simulated-time.js'

// Attempts of one event, and copies of them, arrive at two processes over one nonce store. Steps happen in any order, work fails, calls of
// the store fail before or after they have an effect, and processes die.

const time = new SimulatedTime()
beforeEach(() => {
  time.start()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
  time.stop()
})

const FAILED = new Error('the work failed')
const eventId = () => 'evt_1'

type Fault = 'before' | 'after' | undefined

/** A process with its store, until it dies. */
class Process {
  isDead = false
  isWorking = false
  /** Whether an effect of this process is not recorded yet. */
  isUnrecorded = false
  #die = () => {}
  readonly died = new Promise<'died'>((resolve) => {
    this.#die = () => resolve('died')
  })
  readonly store: NonceStore

  constructor(
    database: MemoryNonceStore,
    readonly schedule: (name: string) => Promise<unknown>,
    nextFault: () => Fault,
  ) {
    const call = async <T>(name: string, run: () => T): Promise<T> => {
      const fault = nextFault()
      await this.step(`${name} arrives`)
      if (fault === 'before') throw new Error('the store is down')
      const result = run()
      await this.step(`${name} is answered`)
      if (fault === 'after') throw new Error('the response is lost')
      return result
    }
    this.store = {
      reserve: () => expect.unreachable(),
      claim: (...args) =>
        call(args[4] ? 'a record' : 'a claim', () => {
          const state = database.claim(...args)
          if (args[4] && args[1][0]?.startsWith('event ')) this.isUnrecorded = false
          return state
        }),
      release: (...args) => call('a release', () => database.release(...args)),
    }
  }

  /** Waits until the order comes to a step. A dead process goes no further. */
  async step(name: string): Promise<void> {
    await this.schedule(name)
    if (this.isDead) await new Promise(() => {})
  }

  kill(): void {
    this.isDead = true
    this.isWorking = false
    this.#die()
  }
}

const processes = fc.nat({ max: 1 })
const attempts = fc.array(
  fc.record({
    process: processes,
    /** Copies of an attempt have the same nonce. */
    nonce: fc.constantFrom('a', 'b'),
    fails: fc.boolean(),
    /** How many other steps may happen before the attempt arrives. */
    steps: fc.nat({ max: 20 }),
    /** How long after the attempt before, in milliseconds. All are less than a claim. */
    wait: fc.constantFrom(0, 0, 1, 250, 4000),
  }),
  { minLength: 1, maxLength: 6 },
)
const kills = fc.array(processes, { maxLength: 2 })
const faults = fc.array(fc.constantFrom<Fault>(undefined, undefined, undefined, 'before', 'after'), {
  minLength: 1,
  maxLength: 12,
})

it('no event is lost, and none runs twice unless a process died before it recorded the event', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), attempts, kills, faults, async (scheduler, list, killed, storeFaults) => {
      const database = new MemoryNonceStore({ clock: { now: () => time.now } })
      const start = time.now
      const clock = { now: () => NOW + (time.now - start) }
      let isOver = false
      let calls = 0
      const schedule = (name: string) => (isOver ? Promise.resolve() : scheduler.schedule(Promise.resolve(), name))
      const nextFault = () => (isOver ? undefined : storeFaults[calls++ % storeFaults.length])
      const newProcess = () => new Process(database, schedule, nextFault)
      const running = [newProcess(), newProcess()]
      let effects = 0
      let unrecorded = 0

      async function attempt(process: Process, nonce: string, fails: boolean): Promise<string> {
        const { headers, body } = signedRequest({ nonce })
        const request = { headers, body: Buffer.from(body as Uint8Array) }
        async function work(): Promise<string> {
          expect(running.some(({ isWorking }) => isWorking)).toBe(false)
          process.isWorking = true
          await process.step('the work begins')
          process.isWorking = false
          if (fails) throw FAILED
          effects++
          process.isUnrecorded = true
          await process.step('the work ends')
          return 'done'
        }
        const outcome = await Promise.race([
          process.died,
          handle({ webhookId: '42', request, eventId }, SECRET, process.store, work, clock).then(
            (value) => value ?? 'repeated',
            (error) => (error === FAILED ? 'failed' : String(error.reason ?? error.code)),
          ),
        ])
        seen.add(outcome)
        // The sender stops after each of these.
        if (['done', 'repeated', 'replayed_nonce'].includes(outcome)) expect(effects).toBeGreaterThan(0)
        return outcome
      }

      await scheduler.waitFor(
        Promise.all([
          ...list.map(async ({ process, nonce, fails, steps, wait }) => {
            for (let step = 0; step <= steps; step++) await schedule('an attempt arrives')
            time.now += wait
            await attempt(running[process] as Process, nonce, fails)
          }),
          ...killed.map(async (number) => {
            await schedule('a process dies')
            const process = running[number] as Process
            if (process.isUnrecorded) unrecorded++
            process.kill()
            running[number] = newProcess()
          }),
        ]),
      )
      expect(effects).toBeLessThanOrEqual(1 + unrecorded)

      // The store is back, and the claims of dead processes end. A sender then sends a new attempt.
      isOver = true
      await time.pass(31_000)
      const last = newProcess()
      running.push(last)
      seen.add(`then ${await attempt(last, 'c', false)}`)
      expect(effects).toBeGreaterThan(0)
      expect(effects).toBeLessThanOrEqual(1 + unrecorded)
    }),
  )
  expect([...seen].sort()).toEqual([
    'ERR_NONCE_STORE',
    'ERR_WEBHOOK_IN_PROGRESS',
    'died',
    'done',
    'failed',
    'repeated',
    'replayed_nonce',
    'then done',
    'then repeated',
  ])
})
