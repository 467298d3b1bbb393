import { describe, expect, it } from 'vitest'
import type { NonceStore } from '../../src/index.js'
import { fc } from '../support/fast-check.js'
import { type Call, findViolations, isLinearizable } from '../support/stores/linearizable.js'

// The checker that test/integration/linearizable.test.ts applies to real stores.

/** Reads `ab 0-2 reserved`: keys `a` and `b`, from 0 to 2. */
function read(text: string): Call {
  const [keys = '', times = '', outcome] = text.split(' ')
  const [startedAt = Number.NaN, endedAt = Number.POSITIVE_INFINITY] = times.split('-').map(Number)
  return { keys: [...keys], startedAt, endedAt, outcome: outcome as Call['outcome'] }
}

describe('linearizable', () => {
  it.each<[why: string, history: string[]]>([
    ['nothing happened', []],
    ['one of two copies is reserved', ['a 0-1 reserved', 'a 2-3 taken']],
    ['of two concurrent calls, the one that ends later is first', ['a 0-2 taken', 'a 1-3 reserved']],
    ['of two calls that touch at an instant, either is first', ['a 0-1 taken', 'a 1-2 reserved']],
    ['two splits: the other nonce stays free', ['as 0-1 reserved', 'bs 2-3 taken', 'b 4-5 reserved']],
    ['each key of a pair is taken', ['as 0-1 reserved', 'a 2-3 taken', 's 2-3 taken']],
    ['a failed call took its key', ['a 0-1 failure', 'a 2-3 taken']],
    ['a failed call did not take its key', ['a 0-1 failure', 'a 2-3 reserved']],
    ['a failed call took its key much later', ['a 0-1 failure', 'as 2-3 reserved']],
    ['a failed call took its keys between two later calls', ['as 0-1 failure', 'a 2-3 failure', 's 4-5 taken']],
    ['a killed process took its key', ['a 0 failure', 'a 2-3 taken']],
    [
      'the failed call that explains a later one is the second of three',
      ['ab 0-1 failure', 'bc 0-1 failure', 'cd 0-1 failure', 'a 2-3 reserved', 'b 4-5 taken', 'd 6-7 reserved'],
    ],
    [
      'four concurrent calls have one order',
      ['ab 0-9 reserved', 'bc 0-9 taken', 'c 0-9 reserved', 'cd 0-9 taken', 'd 10-11 reserved'],
    ],
  ])('%s', (_, history) => {
    expect(isLinearizable(history.map(read))).toBe(true)
  })
})

describe('not linearizable', () => {
  it.each<[why: string, history: string[]]>([
    ['a key is reserved twice', ['a 0-1 reserved', 'a 2-3 reserved']],
    ['a key is reserved twice at the same time', ['a 0-9 reserved', 'a 0-9 reserved']],
    ['a key is reserved in two pairs', ['as 0-9 reserved', 'bs 0-9 reserved']],
    ['nobody took the key', ['a 0-1 taken']],
    ['the key was taken only later', ['a 0-1 taken', 'a 2-3 reserved']],
    ['a call failed only later', ['a 0-1 taken', 'a 2-3 failure']],
    ['a call that was refused reserved one of its keys', ['as 0-1 reserved', 'bs 2-3 taken', 'b 4-5 taken']],
    ['a call that failed reserved one of its keys', ['as 0-1 reserved', 'bs 2-3 failure', 'b 4-5 taken']],
    ['a failed call took only one of its keys', ['as 0-1 failure', 'a 2-3 reserved', 's 4-5 taken']],
    ['one failed call cannot free a key', ['a 0-1 failure', 'a 2-3 taken', 'a 4-5 reserved']],
    ['two calls of which each waits for the other', ['ab 0-9 taken', 'ab 0-9 taken']],
  ])('%s', (_, history) => {
    expect(isLinearizable(history.map(read))).toBe(false)
  })
})

it('gives the same result as a search through all orders', () => {
  const call = fc
    .record({
      keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 }),
      startedAt: fc.nat(8),
      duration: fc.nat(5),
      outcome: fc.constantFrom('reserved' as const, 'taken' as const, 'failure' as const),
    })
    .map(({ duration, ...rest }): Call => ({ ...rest, endedAt: rest.startedAt + duration }))
  const seen = new Set<boolean>()
  fc.assert(
    fc.property(fc.array(call, { maxLength: 5 }), (history) => {
      const expected = someOrderExplains(history)
      seen.add(expected)
      expect(isLinearizable(history)).toBe(expected)
      expect(findViolations(history).length === 0).toBe(expected)
    }),
  )
  expect(seen.size).toBe(2)
})

/** Tries each order of the calls, with and without each call that failed. */
function someOrderExplains(rest: readonly Call[], done: readonly Call[] = []): boolean {
  if (rest.length === 0) return explains(done)
  return rest.some((call, index) => {
    const others = rest.toSpliced(index, 1)
    return someOrderExplains(others, [...done, call]) || (call.outcome === 'failure' && someOrderExplains(others, done))
  })
}

function explains(order: readonly Call[]): boolean {
  const taken = new Set<string>()
  for (const [index, { keys, endedAt, outcome }] of order.entries()) {
    // A call that failed may take effect after its end.
    if (outcome !== 'failure' && order.slice(0, index).some(({ startedAt }) => startedAt > endedAt)) return false
    const isFree = !keys.some((key) => taken.has(key))
    if (isFree === (outcome === 'taken')) return false
    if (isFree) for (const key of keys) taken.add(key)
  }
  return true
}

describe('a store', () => {
  it('that reserves all keys or none in one step has no violation', async () => {
    const violations = await violationsOf((taken) => async (keys) => {
      await step()
      if (keys.some((key) => taken.has(key))) return false
      for (const key of keys) taken.add(key)
      await step()
      return true
    })
    expect(violations).toBe(0)
  })

  it('that looks up and then inserts is found', async () => {
    const violations = await violationsOf((taken) => async (keys) => {
      if (keys.some((key) => taken.has(key))) return false
      await step()
      for (const key of keys) taken.add(key)
      return true
    })
    expect(violations).toBeGreaterThan(0)
  })

  it('that reserves only some keys is found', async () => {
    const violations = await violationsOf((taken) => async (keys) => {
      await step()
      for (const key of keys) {
        if (taken.has(key)) return false
        taken.add(key)
      }
      return true
    })
    expect(violations).toBeGreaterThan(0)
  })

  it('that answers before it writes is found', async () => {
    const violations = await violationsOf((taken) => async (keys) => {
      await step()
      if (keys.some((key) => taken.has(key))) return false
      void step().then(() => {
        for (const key of keys) taken.add(key)
      })
      return true
    })
    expect(violations).toBeGreaterThan(0)
  })
})

type ReserveAll = Required<NonceStore>['reserveAll']

/** Lets some other calls go first. */
async function step(): Promise<void> {
  for (let count = Math.floor(Math.random() * 4); count >= 0; count--) await new Promise(setImmediate)
}

/** Reserves the keys of 100 groups, three calls at a time, and returns how many groups no order explains. */
async function violationsOf(create: (taken: Set<string>) => (keys: readonly string[]) => ReturnType<ReserveAll>) {
  const reserveAll = create(new Set())
  const history: Call[] = []
  let now = 0
  for (let group = 0; group < 100; group++) {
    const names = ['as', 'bs', 'a', 'bt', 'a', 'b', 's'].map((keys) => [...keys].map((key) => `${group}${key}`))
    const next = names.values()
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        for (const keys of next) {
          const startedAt = now++
          const outcome = (await reserveAll(keys)) ? 'reserved' : 'taken'
          history.push({ keys, startedAt, endedAt: now++, outcome })
        }
      }),
    )
  }
  return findViolations(history).length
}
