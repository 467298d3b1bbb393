import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Reservations } from '../../src/stores/reservations.js'
import { SimulatedTime } from '../support/simulated-time.js'

let time: SimulatedTime
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
})
afterEach(() => time.stop())

const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** A database that counts its statements. */
class Database {
  readonly taken = new Set<string>()
  statements = 0
  milliseconds = 10
  error: Error | undefined

  async reserve(keys: readonly string[]): Promise<boolean> {
    this.statements++
    await after(this.milliseconds)
    if (this.error !== undefined) throw this.error
    return this.reserveNow(keys)
  }

  reserveNow(keys: readonly string[]): boolean {
    const isFree = !keys.some((key) => this.taken.has(key))
    if (isFree) for (const key of keys) this.taken.add(key)
    return isFree
  }
}

function open(database = new Database()) {
  const reservations = new Reservations(1000, 32)
  const reserve = (keys: string[], ttlSeconds = 600) =>
    reservations.reserve(keys, ttlSeconds, () => database.reserve(keys))
  return { database, reservations, reserve }
}

/** Lets enough time pass for every answer, and resolves to the outcomes: true, false, or the message of an error. */
async function outcomesOf(answers: Promise<boolean>[], milliseconds = 2000): Promise<unknown[]> {
  const outcomes = Promise.all(answers.map((answer) => answer.catch((error: Error) => error.message)))
  await time.pass(milliseconds)
  return outcomes
}

describe('a copy of a reservation that has no answer yet', () => {
  it('waits for it, and is taken: twenty copies are one statement, one acceptance and nineteen replays', async () => {
    const { database, reserve } = open()
    const outcomes = await outcomesOf(Array.from({ length: 20 }, () => reserve(['a', 'signature'])))
    expect(outcomes).toEqual([true, ...Array(19).fill(false)])
    expect(database.statements).toBe(1)
  })

  it('is taken too if the first was taken', async () => {
    const { database, reserve } = open()
    database.taken.add('a')
    expect(await outcomesOf([reserve(['a']), reserve(['a'])])).toEqual([false, false])
    expect(database.statements).toBe(1)
  })

  it('has the same error', async () => {
    const { database, reserve } = open()
    database.error = new Error('out of memory')
    expect(await outcomesOf([reserve(['a']), reserve(['a'])])).toEqual(['out of memory', 'out of memory'])
    expect(database.statements).toBe(1)
    database.error = undefined
    expect(await outcomesOf([reserve(['a'])])).toEqual([true])
  })
})

describe('another split of a message that has no answer yet', () => {
  it('waits, and is taken without a statement if the first was reserved', async () => {
    const { database, reserve } = open()
    expect(await outcomesOf([reserve(['a', 'signature']), reserve(['a:b', 'signature'])])).toEqual([true, false])
    expect(database.statements).toBe(1)
  })

  it('asks if the first was taken', async () => {
    const { database, reserve } = open()
    database.taken.add('a')
    const answers = [reserve(['a', 's']), reserve(['a:b', 's'])]
    // The first has its answer by now, and the second has none.
    await time.pass(15)
    expect(await outcomesOf([...answers, reserve(['a:b:c', 's'])])).toEqual([false, true, false])
    expect(database.statements).toBe(2)
  })

  it('is taken without a statement if one of two before it was reserved', async () => {
    const { database, reserve } = open()
    database.taken.add('a')
    expect(await outcomesOf([reserve(['a']), reserve(['s']), reserve(['a', 's'])])).toEqual([false, true, false])
    expect(database.statements).toBe(2)
  })

  it('asks if the first had an error', async () => {
    const { database, reserve } = open()
    database.error = new Error('out of memory')
    const answers = [reserve(['a', 'signature']), reserve(['a:b', 'signature'])]
    await time.pass(10)
    database.error = undefined
    expect(await outcomesOf(answers)).toEqual(['out of memory', true])
  })

  it('has an answer within its own time-out, however many there are before it', async () => {
    const { database, reserve } = open()
    database.milliseconds = 10_000
    const answers: Promise<unknown>[] = []
    for (let split = 0; split < 20; split++) {
      const at = time.now
      answers.push(reserve([`a:${split}`, 'signature']).catch(() => time.now - at))
      await time.pass(10)
    }
    await time.pass(2000)
    expect(await Promise.all(answers)).toEqual(Array(20).fill(1000))
  })
})

describe('a key that was taken a moment ago', () => {
  it('is refused without a statement for 250 ms', async () => {
    const { database, reserve } = open()
    expect(await outcomesOf([reserve(['a'])], 10)).toEqual([true])
    await time.pass(249)
    expect(await outcomesOf([reserve(['a'])], 0)).toEqual([false])
    expect(database.statements).toBe(1)
    await time.pass(1)
    expect(await outcomesOf([reserve(['a'])], 10)).toEqual([false])
    expect(database.statements).toBe(2)
  })

  it('is refused without a statement if the database refused it, as a replay of an older request', async () => {
    const { database, reserve } = open()
    database.taken.add('a')
    for (let milliseconds = 0; milliseconds < 10_000; milliseconds++) {
      void reserve(['a'])
      await time.pass(1)
    }
    // One per 260 ms.
    expect(database.statements).toBe(39)
  })

  it('is refused in every split of a reserved message', async () => {
    const { database, reserve } = open()
    await outcomesOf([reserve(['a', 'signature'])], 10)
    expect(await outcomesOf([reserve(['a:b', 'signature']), reserve(['a'])], 0)).toEqual([false, false])
    expect(database.statements).toBe(1)
  })

  it('says nothing about the other key of a refused reservation', async () => {
    const { database, reserve } = open()
    database.taken.add('a')
    expect(await outcomesOf([reserve(['a', 'signature'])], 10)).toEqual([false])
    expect(await outcomesOf([reserve(['a', 'signature'])], 0)).toEqual([false])
    expect(database.statements).toBe(1)
    // These have the same text without the border between the keys.
    expect(await outcomesOf([reserve(['as', 'ignature'])], 10)).toEqual([true])
    expect(await outcomesOf([reserve(['a:b', 'signature'])], 10)).toEqual([true])
  })

  it('is remembered for a thousandth of its TTL if that is shorter', async () => {
    const { database, reserve } = open()
    for (const [ttlSeconds, milliseconds] of [
      [0.001, 0],
      [1, 1],
      [100, 100],
      [600, 250],
    ] as const) {
      const key = String(ttlSeconds)
      database.statements = 0
      await outcomesOf([reserve([key], ttlSeconds)], 10)
      if (milliseconds > 0) {
        await time.pass(milliseconds - 1)
        await outcomesOf([reserve([key], ttlSeconds)], 0)
        expect(database.statements).toBe(1)
        await time.pass(1)
      }
      await outcomesOf([reserve([key], ttlSeconds)], 10)
      expect(database.statements).toBe(2)
    }
  })

  it('is forgotten when its reservation is released', async () => {
    const { database, reservations, reserve } = open()
    await outcomesOf([reserve(['a', 'signature'])], 10)
    await outcomesOf([reserve(['a', 'signature'])], 10)
    database.taken.clear()
    reservations.forget(['a', 'signature'])
    expect(await outcomesOf([reserve(['a', 'signature'])], 10)).toEqual([true])
  })

  it('is forgotten first if 10 000 others were taken after it', async () => {
    const { database, reserve } = open()
    database.milliseconds = 0
    for (const key of ['a', 'b', ...Array(9999).keys()]) await outcomesOf([reserve([String(key)])], 0)
    database.statements = 0
    expect(await outcomesOf([reserve(['b'])], 0)).toEqual([false])
    expect(database.statements).toBe(0)
    expect(await outcomesOf([reserve(['a'])], 0)).toEqual([false])
    expect(database.statements).toBe(1)
  })
})

it('is not remembered if there was an error, because nobody knows whether it is taken', async () => {
  const { database, reserve } = open()
  database.error = new Error('connection lost')
  await outcomesOf([reserve(['a'])], 10)
  database.error = undefined
  expect(await outcomesOf([reserve(['a'])], 10)).toEqual([true])
})

it('leaves no timer', async () => {
  const { reserve } = open()
  await outcomesOf([reserve(['a']), reserve(['a']), reserve(['b'])])
  expect(time.timers).toBe(0)
})

/** Three splits of each of two messages. The third split of the one message has the nonce of the other message. */
const SPLITS = [
  ['a', 'first'],
  ['a:b', 'first'],
  ['x', 'first'],
  ['x', 'second'],
  ['x:y', 'second'],
  ['x:y:z', 'second'],
]

const statement = fc.record({
  /** When the statement arrives at the server after it was sent, and when its answer arrives after that, in milliseconds. */
  there: fc.nat({ max: 700 }),
  back: fc.nat({ max: 700 }),
  isLost: fc.boolean(),
})

it('is never overtaken by a copy or another split, in any interleaving with any faults', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.tuple(fc.nat({ max: 200 }), fc.constantFrom(...SPLITS)), { minLength: 2, maxLength: 20 }),
      fc.array(statement, { minLength: 1, maxLength: 8 }),
      async (concurrency, arrivals, statements) => {
        const database = new Database()
        const reservations = new Reservations(1000, concurrency)
        let sent = 0
        const send = async (keys: readonly string[]) => {
          const { there, back, isLost } = statements[sent++ % statements.length] as (typeof statements)[number]
          await after(there)
          const isReserved = database.reserveNow(keys)
          await after(back)
          if (isLost) throw new Error('connection lost')
          return isReserved
        }
        const answers: Promise<boolean>[] = []
        for (const [pause, keys] of arrivals) {
          await time.pass(pause)
          answers.push(reservations.reserve(keys, 600, () => send(keys)))
        }
        const outcomes = await outcomesOf(answers, 4000)

        for (const [accepted, [, keys]] of arrivals.entries()) {
          if (outcomes[accepted] !== true) continue
          for (const [index, [, others]] of arrivals.entries()) {
            if (index === accepted || !keys.some((key) => others.includes(key))) continue
            expect(outcomes[index]).not.toBe(true)
            // An earlier one that shares only one key may have been refused because of its other key.
            if (index < accepted && keys.join() === others.join()) expect(outcomes[index]).toEqual(expect.any(String))
          }
        }
      },
    ),
  )
})

it('is accepted if it is the first of its message, when nothing fails', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 3 }), fc.nat({ max: 3 })), { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 8 }),
      async (concurrency, arrivals, latencies) => {
        const database = new Database()
        const reservations = new Reservations(1000, concurrency)
        let sent = 0
        const send = async (keys: readonly string[]) => {
          await after(latencies[sent++ % latencies.length] as number)
          return database.reserveNow(keys)
        }
        const answers: Promise<boolean>[] = []
        for (const [pause, message, split] of arrivals) {
          await time.pass(pause)
          const keys = [`${message}:${split}`, `signature ${message}`]
          answers.push(reservations.reserve(keys, 600, () => send(keys)))
        }
        const seen = new Set<number>()
        const expected = arrivals.map(([, message]) => !seen.has(message) && seen.add(message) !== undefined)
        expect(await outcomesOf(answers)).toEqual(expected)
      },
    ),
  )
})
