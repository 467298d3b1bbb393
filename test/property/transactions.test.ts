import { afterEach, beforeEach, expect, it } from 'vitest'
import { handle } from '../../src/index.js'
import { fc } from '../support/fast-check.js'
import { NOW, SECRET, signedRequest } from '../support/request.js'
import { SimulatedTime } from '../support/simulated-time.js'
import {
  type Session,
  SIMULATED,
  SimulatedDatabase,
  type SimulatedStore,
} from '../support/transactions/simulated-database.js'

// Copies of one request arrive at two processes, whose transactions run in a simulated database. Steps happen in any order, work fails,
// connections are cut, processes die, and reservations expire.

const time = new SimulatedTime()
beforeEach(() => time.start())
afterEach(() => time.stop())

const WORK_FAILED = new Error('the work failed')

/** A process with its store, until it dies. */
class Process {
  /** The open transactions, and what waits for the next step of each. */
  readonly #steps = new Map<Session, (name: string) => Promise<void>>()
  #die = () => {}
  readonly died = new Promise<'died'>((resolve) => {
    this.#die = () => resolve('died')
  })
  #isDead = false
  readonly store: SimulatedStore
  /** The number of the step at which the next transaction loses its connection. */
  cutAt: number | undefined

  constructor(
    database: SimulatedDatabase,
    Store: (typeof SIMULATED)[number][1],
    readonly schedule: (name: string) => Promise<unknown>,
  ) {
    this.store = new Store({
      begin: async (run) => {
        const transaction = database.newSession()
        this.#steps.set(transaction, this.#newStep(transaction))
        try {
          await this.step(transaction, 'BEGIN')
          await run(transaction)
          await this.step(transaction, 'COMMIT arrives')
          transaction.commit()
          await this.step(transaction, 'COMMIT is answered')
        } catch (error) {
          transaction.end()
          throw error
        }
      },
      query: async (transaction, text) => {
        await this.step(transaction, 'a statement arrives')
        const rows = transaction.query(text)
        await this.step(transaction, 'a statement is answered')
        return rows
      },
    })
  }

  /** Waits until the order comes to a step of a transaction. Throws if the connection is cut there. */
  step(transaction: Session, name: string): Promise<void> {
    return this.#steps.get(transaction)?.(name) ?? Promise.resolve()
  }

  #newStep(transaction: Session): (name: string) => Promise<void> {
    let left = this.cutAt ?? Number.POSITIVE_INFINITY
    this.cutAt = undefined
    return async (name) => {
      await this.schedule(name)
      // Nothing goes on in a process that is dead.
      if (this.#isDead) await new Promise(() => {})
      if (left-- > 0) return
      transaction.end()
      throw new Error('The connection is lost.')
    }
  }

  kill(): void {
    this.#isDead = true
    for (const transaction of this.#steps.keys()) transaction.end()
    this.#die()
  }
}

const processes = fc.nat({ max: 1 })
const attempts = fc.array(
  fc.record({
    process: processes,
    fails: fc.boolean(),
    cutAt: fc.option(fc.nat({ max: 12 }), { nil: undefined, freq: 2 }),
    /** How many other steps may happen before the copy arrives. */
    steps: fc.nat({ max: 20 }),
    /** How long after the attempt before, in milliseconds. */
    wait: fc.constantFrom(0, 0, 1, 250, 150_000, 300_000),
  }),
  { minLength: 1, maxLength: 6 },
)
const kills = fc.array(processes, { maxLength: 2 })
/** The first attempt may be as early as the window allows. */
const starts = fc.constantFrom(NOW - 300_000, NOW - 299_999, NOW)

it.each(SIMULATED)(
  'a transaction in %s leaves one row at most, and one if the last attempt in the window succeeded',
  async (_name, Store) => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), starts, attempts, kills, async (scheduler, start, list, killed) => {
        const database = new SimulatedDatabase()
        database.clock.milliseconds = start
        const schedule = (name: string) => scheduler.schedule(Promise.resolve(), name)
        const newProcess = () => new Process(database, Store, schedule)
        const running = [newProcess(), newProcess()]
        const { headers, body } = signedRequest()

        const attempt = (process: Process, fails: boolean) =>
          Promise.race([
            process.died,
            handle(
              { webhookId: '42', request: { headers, body: Buffer.from(body) } },
              SECRET,
              process.store,
              async (_, transaction) => {
                await process.step(transaction, 'the work begins')
                transaction.insertRow()
                await process.step(transaction, 'the work ends')
                if (fails) throw WORK_FAILED
              },
              database.clock,
            ).then(
              () => 'done',
              (error: unknown) =>
                error === WORK_FAILED ? 'failed' : (Object(error).reason ?? Object(error).code ?? 'cut'),
            ),
          ])

        const outcomes = Promise.all([
          ...list.map(async ({ process: number, fails, cutAt, steps, wait }) => {
            for (let step = 0; step <= steps; step++) await schedule('a copy arrives')
            database.clock.milliseconds += wait
            time.now += wait
            const process = running[number] as Process
            process.cutAt = cutAt
            return attempt(process, fails)
          }),
          ...killed.map(async (number) => {
            await schedule('a process dies')
            running[number]?.kill()
            running[number] = newProcess()
          }),
        ])
        await scheduler.waitFor(outcomes)
        const all = (await outcomes).filter((outcome) => outcome !== undefined)
        for (const outcome of all) seen.add(outcome)
        expect(database.rows).toBeLessThanOrEqual(1)
        const done = all.filter((outcome) => outcome === 'done').length
        expect(done).toBeLessThanOrEqual(database.rows)

        // A sender sends the same bytes again until it gets 2xx.
        const isOpen = Math.abs(database.clock.now() - NOW) <= 300_000
        const expected = isOpen ? (database.rows === 1 ? 'replayed_nonce' : 'done') : 'timestamp_outside_window'
        const rows = isOpen ? 1 : database.rows
        const [process] = running as [Process]
        process.cutAt = undefined
        // A process remembers for 250 ms that another process handles a copy.
        time.now += 250
        const again = await scheduler.waitFor(attempt(process, false))
        seen.add(`then ${again}`)
        expect([again, database.rows]).toEqual([expected, rows])
      }),
    )
    expect([...seen].sort()).toEqual([
      'ERR_NONCE_STORE',
      'ERR_WEBHOOK_IN_PROGRESS',
      'cut',
      'died',
      'done',
      'failed',
      'replayed_nonce',
      'then done',
      'then replayed_nonce',
      'then timestamp_outside_window',
      'timestamp_outside_window',
    ])
  },
)
