import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ClaimState } from '../../src/stores/nonce-store.js'
import { Reservations } from '../../src/stores/reservations.js'
import { LateReservations } from '../../src/stores/with-timeout.js'
import { SimulatedTime } from '../support/simulated-time.js'
import { deferred } from '../support/step.js'

let time: SimulatedTime
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
})
afterEach(() => time.stop())

const elapse = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** A database that counts its statements. */
class Database {
  readonly taken = new Set<string>()
  statements = 0
  milliseconds = 10
  error: Error | undefined

  async reserve(keys: readonly string[]): Promise<boolean> {
    this.statements++
    await elapse(this.milliseconds)
    if (this.error !== undefined) throw this.error
    return this.reserveNow(keys)
  }

  reserveNow(keys: readonly string[]): boolean {
    const isFree = !keys.some((key) => this.taken.has(key))
    if (isFree) for (const key of keys) this.taken.add(key)
    return isFree
  }

  async release(keys: readonly string[]): Promise<void> {
    await elapse(this.milliseconds)
    for (const key of keys) this.taken.delete(key)
    if (this.error !== undefined) throw this.error
  }
}

function open(database = new Database()) {
  const reservations = new Reservations(1000, 32)
  const reserve = (keys: string[], ttlSeconds = 600) =>
    reservations.reserve(
      keys,
      ttlSeconds,
      () => database.reserve(keys),
      () => database.release(keys),
    )
  const release = (keys: string[]) => reservations.release(keys, () => database.release(keys))
  return { database, reservations, reserve, release }
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

  it('has the same error, and a retry after the error asks again', async () => {
    const { database, reserve } = open()
    database.error = new Error('out of memory')
    expect(await outcomesOf([reserve(['a']), reserve(['a'])])).toEqual(['out of memory', 'out of memory'])
    expect(database.statements).toBe(1)
    database.error = undefined
    expect(await outcomesOf([reserve(['a'])]), 'the retry').toEqual([true])
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

  it.each([
    [10, 20],
    [20, 10],
  ])('waits for all that have one of its keys, and asks if they fail after %d and %d ms', async (first, second) => {
    const { database, reservations, reserve } = open()
    const failing = (keys: string[], milliseconds: number) =>
      reservations.reserve(keys, 600, () => elapse(milliseconds).then(() => Promise.reject(new Error('lost'))))
    const answers = [failing(['a', 's'], first), failing(['x', 't'], second), reserve(['a', 't'])]
    expect(await outcomesOf(answers), 'it did not wait for both').toEqual(['lost', 'lost', true])
    expect(database.statements).toBe(1)
  })

  it('has an answer within its own time-out, however many there are before it', async () => {
    const { database, reserve } = open()
    database.milliseconds = 10_000
    const waits: Promise<number>[] = []
    for (let split = 0; split < 20; split++) {
      const at = time.now
      waits.push(
        reserve([`a:${split}`, 'signature']).then(
          () => 0,
          () => time.now - at,
        ),
      )
      await time.pass(10)
    }
    await time.pass(2000)
    for (const milliseconds of await Promise.all(waits)) {
      expect(milliseconds).toBeGreaterThan(0)
      // Time passes in steps of 10 ms here.
      expect(milliseconds).toBeLessThanOrEqual(1010)
    }
    expect(database.statements).toBe(1)
  })
})

describe('a key that this process has reserved', () => {
  it('is refused without a statement until its TTL ends, which counts from when the reservation was sent', async () => {
    const { database, reserve } = open()
    database.milliseconds = 400
    expect(await outcomesOf([reserve(['a'])], 400)).toEqual([true])
    for (const until of [401, 250_000, 600_000]) {
      await time.pass(until - time.now)
      expect(await outcomesOf([reserve(['a'])], 0)).toEqual([false])
    }
    expect(database.statements).toBe(1)
    await time.pass(1)
    expect(await outcomesOf([reserve(['a'])], 400)).toEqual([false])
    expect(database.statements).toBe(2)
  })

  it('is refused in every split of its message, and takes no other key of the split with it', async () => {
    const { database, reserve } = open()
    await outcomesOf([reserve(['a', 'signature'])], 10)
    await time.pass(10_000)
    expect(await outcomesOf([reserve(['a:b', 'signature']), reserve(['a'])], 0)).toEqual([false, false])
    expect(database.statements).toBe(1)
    expect(await outcomesOf([reserve(['a:b'])], 10)).toEqual([true])
  })

  it('keeps its TTL when other copies are refused', async () => {
    const { database, reserve } = open()
    await outcomesOf([reserve(['a'], 1)], 10)
    for (let count = 0; count < 99; count++) await outcomesOf([reserve(['a'], 600)], 10)
    database.taken.clear()
    await time.pass(11)
    expect(await outcomesOf([reserve(['a'])], 10)).toEqual([true])
  })

  it('is forgotten first if 100 000 others were reserved after it', () => {
    const { reservations } = open()
    for (let key = 0; key < 100_000; key++) reservations.start([`${key}`], 600)
    expect(reservations.start(['0'], 600)).toBe(false)
    expect(reservations.start(['one more'], 600)).toBe(true)
    expect(reservations.start(['1'], 600)).toBe(false)
    expect(reservations.start(['0'], 600)).toBe(true)
  })

  it.each([
    ['refuses', (database: Database) => database.taken.add('signature'), false],
    ['fails', (database: Database) => Object.assign(database, { error: new Error('out of memory') }), 'out of memory'],
    [
      'does not respond to',
      (database: Database) => Object.assign(database, { milliseconds: 5000 }),
      expect.stringContaining('No response within 1000 ms'),
    ],
  ])('is forgotten if the server %s the reservation', async (_, spoil, outcome) => {
    const { database, reserve } = open()
    spoil(database)
    expect(await outcomesOf([reserve(['a', 'signature'])], 10_000)).toEqual([outcome])
    Object.assign(database, new Database())
    database.taken.clear()
    expect(await outcomesOf([reserve(['signature']), reserve(['a'])], 10)).toEqual([true, true])
  })

  it('is forgotten when its release is sent, so that a retry asks', async () => {
    const { database, reserve, release } = open()
    await outcomesOf([reserve(['a', 'signature'])], 10)
    const released = release(['a', 'signature'])
    const retry = reserve(['a', 'signature'])
    expect(await outcomesOf([retry], 10)).toEqual([true])
    expect(database.statements).toBe(2)
    await released
  })

  it('is forgotten again when its release ends, also if the response is lost', async () => {
    const { database, reserve, release } = open()
    await outcomesOf([reserve(['a', 'signature'])], 10)
    database.milliseconds = 20
    database.error = new Error('connection lost')
    const released = release(['a', 'signature']).catch(({ message }: Error) => message)
    database.error = undefined
    database.milliseconds = 5
    // The retry overtakes the release, and the server refuses it.
    expect(await outcomesOf([reserve(['a', 'signature'])], 5)).toEqual([false])
    database.error = new Error('connection lost')
    await time.pass(15)
    database.error = undefined
    expect(await released).toBe('connection lost')
    expect(await outcomesOf([reserve(['a', 'signature'])], 5)).toEqual([true])
  })
})

describe('a reservation that has no response in time', () => {
  const LATE = expect.stringContaining('An earlier copy of the request got no response within 1000 ms.')
  const TIMED_OUT = expect.stringContaining('No response within 1000 ms.')

  it('is given back when it comes late, and copies fail until then', async () => {
    const { database, reserve } = open()
    database.milliseconds = 2000
    expect(await outcomesOf([reserve(['a', 'signature'])], 1000)).toEqual([TIMED_OUT])
    database.milliseconds = 300
    // At 2000 ms, the server reserves the keys. At 2300 ms, the keys are released.
    for (const at of [1000, 1999, 2000, 2001, 2299]) {
      await time.pass(at - time.now)
      expect(await outcomesOf([reserve(['a', 'signature'])], 0)).toEqual([LATE])
      expect(await outcomesOf([reserve(['a:b', 'signature'])], 0)).toEqual([LATE])
      expect(await outcomesOf([reserve(['a'])], 0)).toEqual([LATE])
    }
    expect(database.statements).toBe(1)
    await time.pass(1)
    expect(await outcomesOf([reserve(['a', 'signature'])], 300)).toEqual([true])
  })

  it.each([
    ['refused', async () => false],
    ['failed', () => Promise.reject(new Error('connection lost'))],
  ])('is not released if it was %s late', async (_, respond) => {
    const { database, reservations } = open()
    const ask = () => elapse(2000).then(respond)
    let releases = 0
    const answer = reservations.reserve(['a'], 600, ask, async () => releases++)
    expect(await outcomesOf([answer], 2000)).toEqual([TIMED_OUT])
    expect(releases).toBe(0)
    expect(await outcomesOf([reservations.reserve(['a'], 600, () => database.reserve(['a']))], 10)).toEqual([true])
  })

  it('fails copies for 60 s after its time-out, and then copies ask', async () => {
    const { database, reserve } = open()
    database.milliseconds = 1_000_000
    expect(await outcomesOf([reserve(['a'])], 1000)).toEqual([TIMED_OUT])
    database.milliseconds = 10
    expect(await outcomesOf([reserve(['a'])], 59_999)).toEqual([LATE])
    expect(await outcomesOf([reserve(['a'])], 1)).toEqual([LATE])
    expect(await outcomesOf([reserve(['a'])], 10)).toEqual([true])
    // The reservation without a response is then refused, because the key is taken.
    await time.pass(1_000_000)
    expect(await outcomesOf([reserve(['a'])], 10)).toEqual([false])
  })

  it('fails copies while it is given back, also more than 60 s after its time-out', async () => {
    const { database, reserve } = open()
    database.milliseconds = 100_000
    expect(await outcomesOf([reserve(['a'])], 1000)).toEqual([TIMED_OUT])
    await time.pass(99_000 - 1)
    database.milliseconds = 500
    await time.pass(1)
    expect(await outcomesOf([reserve(['a'])], 0)).toEqual([LATE])
    await time.pass(500)
    expect(await outcomesOf([reserve(['a'])], 500)).toEqual([true])
  })

  it('fails the copies of 10 000 keys, and forgets the oldest key first', async () => {
    const late = new LateReservations(1000)
    const keys = [...Array(10_001).keys()].map(String)
    const waits = [keys.slice(0, 5000), keys.slice(5000)].map((part) => late.wait(part, new Promise(() => {})))
    await outcomesOf(waits, 1000)
    expect(() => late.assertNone(['0'])).not.toThrow()
    for (const key of ['1', '10000']) expect(() => late.assertNone([key])).toThrow(/^An earlier copy/)
  })

  it('is not sent after its time-out', async () => {
    const reservations = new Reservations(1000, 1)
    let sent = 0
    const reserve = (keys: string[], milliseconds: number, error?: Error) =>
      reservations.reserve(keys, 600, async () => {
        sent++
        await elapse(milliseconds)
        if (error !== undefined) throw error
        return true
      })
    const answers = [reserve(['s'], 800, new Error('lost')), reserve(['a', 's'], 10)]
    await time.pass(700)
    // This one is sent at 800 ms, because it is newer, so the second one could be sent at 1200 ms.
    answers.push(reserve(['x'], 400))
    expect(await outcomesOf(answers)).toEqual(['lost', TIMED_OUT, true])
    expect(sent).toBe(2)
    expect(await outcomesOf([reserve(['a', 's'], 10)])).toEqual([true])
  })
})

describe('a key that another process holds', () => {
  it('is refused without a statement for 250 ms', async () => {
    const { database, reserve } = open()
    database.taken.add('a')
    expect(await outcomesOf([reserve(['a'])], 10)).toEqual([false])
    await time.pass(249)
    expect(await outcomesOf([reserve(['a'])], 0)).toEqual([false])
    expect(database.statements).toBe(1)
    await time.pass(1)
    expect(await outcomesOf([reserve(['a'])], 10)).toEqual([false])
    expect(database.statements).toBe(2)
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

  it('is remembered for a hundredth of its TTL if that is shorter', async () => {
    const { database, reserve } = open()
    for (const [ttlSeconds, milliseconds] of [
      [0.001, 0],
      [0.1, 1],
      [20, 200],
      [600, 250],
    ] as const) {
      const key = String(ttlSeconds)
      database.taken.add(key)
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

  it('is forgotten first if 10 000 others were taken after it', () => {
    const { reservations } = open()
    for (const key of ['a', 'b', ...Array(9999).keys()]) reservations.settle([String(key)], false, 600)
    expect(reservations.start(['b'], 600)).toBe(false)
    expect(reservations.start(['a'], 600)).toBe(true)
  })
})

describe('a claim', () => {
  /** Returns a function that claims a key with these responses, and counts what is sent. */
  function openClaims(concurrency = 32) {
    const reservations = new Reservations(1000, concurrency)
    const sent: string[] = []
    const claim = (key: string, owner: string, state: ClaimState | Promise<ClaimState>, isDone = false, seconds = 30) =>
      reservations.claim([key], seconds, owner, isDone, async () => {
        sent.push(owner)
        return state
      })
    return { reservations, sent, claim }
  }

  it('of a key that is known to be taken is refused without a statement, but no later call of its owner', async () => {
    const { sent, claim } = openClaims()
    expect(await claim('a', 'one', 'taken')).toBe('taken')
    await time.pass(249)
    expect(await claim('a', 'two', 'claimed')).toBe('taken')
    await time.pass(1)
    expect(await claim('a', 'two', 'claimed')).toBe('claimed')
    expect(await claim('a', 'three', 'taken')).toBe('taken')
    expect(await claim('a', 'two', 'claimed')).toBe('claimed')
    expect(await claim('a', 'two', 'claimed', true)).toBe('claimed')
    expect(sent).toEqual(['one', 'two', 'three', 'two', 'two'])
  })

  it('of a key that this process recorded is refused without a statement for 600 s', async () => {
    const { sent, claim } = openClaims()
    await claim('event', 'one', 'claimed')
    await claim('event', 'one', 'claimed', true, 604_800)
    await time.pass(600_000)
    expect(await claim('event', 'two', 'claimed')).toBe('taken')
    expect(sent).toHaveLength(2)
    await time.pass(1)
    expect(await claim('event', 'two', 'taken')).toBe('taken')
    expect(sent).toHaveLength(3)
  })

  it('of a key that is being reserved is in progress, and one that was refused to a reservation too', async () => {
    const { reservations, claim } = openClaims()
    const answer = deferred<boolean>()
    const reserved = reservations.reserve(['a'], 600, () => answer.promise)
    await time.pass(0)
    expect(await claim('a', 'one', 'claimed')).toBe('in_progress')
    answer.resolve(false)
    expect(await reserved).toBe(false)
    // The reservation may have been refused because of a claim.
    expect(await claim('a', 'one', 'claimed')).toBe('in_progress')
  })

  it('obeys the limit, but no later call of its owner waits', async () => {
    const { sent, claim } = openClaims(1)
    await claim('a', 'one', 'claimed')
    const slow = claim('b', 'two', new Promise(() => {}))
    const waiting = claim('c', 'three', 'claimed')
    await time.pass(0)
    const later = [claim('event', 'one', 'claimed'), claim('a', 'one', 'claimed'), claim('a', 'one', 'claimed', true)]
    await time.pass(0)
    expect(sent).toEqual(['one', 'two', 'one', 'one', 'one'])
    expect(await Promise.all(later)).toEqual(Array(3).fill('claimed'))
    const outcomes = Promise.allSettled([slow, waiting])
    await time.pass(1000)
    expect(await outcomes).toMatchObject([
      { reason: { code: 'ETIMEDOUT' } },
      { reason: { code: 'ERR_NONCE_STORE_BUSY' } },
    ])
    // A claim that was refused is not sent later.
    await time.pass(10_000)
    expect(sent).toHaveLength(5)
  })

  it('is extended and recorded one at a time while the server is silent, so that the client notices a lost connection', async () => {
    const { sent, claim } = openClaims()
    for (const key of ['a', 'b']) await claim(key, key, 'claimed')
    const never = new Promise<never>(() => {})
    const outcomes = Promise.allSettled([claim('c', 'c', never)])
    await time.pass(500)
    const later = Promise.allSettled([claim('a', 'a', never), claim('b', 'b', never, true)])
    await time.pass(500)
    expect(sent).toEqual(['a', 'b', 'c'])
    expect(await outcomes).toMatchObject([{ reason: { code: 'ETIMEDOUT' } }])
    expect(await later).toMatchObject(Array(2).fill({ reason: { code: 'ERR_NONCE_STORE_BUSY' } }))
  })

  it('that is released is forgotten, so that the next claim asks', async () => {
    const { reservations, sent, claim } = openClaims()
    await claim('a', 'one', 'claimed')
    await reservations.release(['a'], async () => {})
    await claim('a', 'two', 'claimed')
    await claim('a', 'one', 'taken')
    expect(await claim('a', 'three', 'claimed')).toBe('taken')
    expect(sent).toEqual(['one', 'two', 'one'])
  })
})

it('leaves no timer', async () => {
  const { reserve } = open()
  await outcomesOf([reserve(['a']), reserve(['a']), reserve(['b'])])
  expect(time.refs).toBe(0)
})

it('lets the process end after its time-out, if the client never responds', async () => {
  const { reservations } = open()
  await outcomesOf([reservations.reserve(['a'], 600, () => new Promise(() => {}))], 1000)
  expect(time.refs).toBe(0)
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
          await elapse(there)
          const isReserved = database.reserveNow(keys)
          await elapse(back)
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
          await elapse(latencies[sent++ % latencies.length] as number)
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
