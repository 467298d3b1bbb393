import type { NonceStore } from '../stores/nonce-store.js'
import {
  answerWithin,
  EARLY,
  EXPIRED_MILLISECONDS,
  expect,
  expectFree,
  expectOneWinner,
  expectStore,
  expectTaken,
  HASH,
  inBatches,
  LATE,
  LOADS,
  newReservation,
  open,
  type Reservation,
  reserve,
  reserveNew,
  type Setting,
  unique,
  wait,
} from './calls.js'
import type { NonceStoreContractOptions } from './index.js'
import { KEY_CHECKS, WEBHOOK_CHECKS } from './pairs.js'
import { RESERVE_ALL_CASES } from './reserve-all.js'

export interface Case {
  name: string
  /** The option without which the case cannot be run. */
  needs?: keyof NonceStoreContractOptions
  run(setting: Setting): Promise<void>
}

/** Checks whether a key reserved at `start` may have expired in real time. The machine may have been suspended since. */
function mayHaveExpired({ wait: given }: Setting, start: number, ttlSeconds: number): boolean {
  return given === undefined && performance.now() - start >= ttlSeconds * 1000
}

function race(stores: readonly NonceStore[], { load }: Setting, reservation: Reservation, what: string) {
  const { calls } = LOADS[load]
  const tried = `${calls} simultaneous calls for one key. Return false to all but one.`
  const call = (index: number) => reserve(stores[index % stores.length] as NonceStore, reservation, 600, tried)
  return expectOneWinner(calls, call, what)
}

/** Runs checks at once. If one fails, runs it again alone, because another check may have caused the failure. */
async function runAtOnce(store: NonceStore, { load }: Setting, checks: typeof KEY_CHECKS): Promise<void> {
  const errors = await inBatches(checks, LOADS[load].calls / 2, async (check) => {
    try {
      return await check(store)
    } catch (error) {
      return error
    }
  })
  const index = errors.findIndex((error) => error !== undefined)
  if (index === -1) return
  await checks[index]?.(store)
  throw new Error(
    'reserve() is wrong only while it is also called for other keys. Make concurrent calls independent of each other.',
    {
      cause: errors[index],
    },
  )
}

/** Opens a store and runs a check of TTLs. If it fails, runs it again alone, because other cases may have pushed its keys out. */
function checkTtls(check: (store: NonceStore, setting: Setting) => Promise<void>): Case['run'] {
  return async (setting) => {
    const store = await open(setting)
    try {
      await check(store, setting)
    } catch (cause) {
      // If the store has its own clock, the cases run one after the other.
      if (setting.wait !== undefined) throw cause
      await wait(setting, EXPIRED_MILLISECONDS)
      await check(store, setting)
      throw new Error(
        'A key is free too early only while other keys are reserved. Never evict a live key. Throw if there is no room.',
        { cause },
      )
    }
  }
}

const WHOLE_HASH = 'Use the whole hash, and make concurrent calls independent of each other.'

/** Reserves new keys of one webhook, `size` at once, and returns how many of them are free again. */
async function countForgotten(store: NonceStore, count: number, size: number): Promise<number> {
  const webhookId = unique()
  const reservations = Array.from({ length: count }, () => newReservation(webhookId))
  const tried = `${size} free keys at once. If the cause is a time-out, pass load: 'light'.`
  await inBatches(reservations, size, async (reservation) => {
    const isFree = await reserve(store, reservation, 600, tried)
    expect(isFree, `reserve() returns false for a free key, one of ${count}. ${WHOLE_HASH}`)
  })
  return (await inBatches(reservations, size, (reservation) => reserve(store, reservation))).filter((free) => free)
    .length
}

/** Returns what `call` returns, or `'fails'` if it throws. */
async function outcomeWhenDown(name: string, call: () => unknown): Promise<unknown> {
  const outcome = await answerWithin(4000, async () => {
    try {
      return await call()
    } catch {
      return 'fails'
    }
  })
  expect(
    outcome !== 'hangs',
    `${name} does not answer within 4 s while its backend is down. Set a time-out in the client.`,
  )
  return outcome
}

export const CASES: readonly Case[] = [
  {
    name: 'returns true for a free key, then false',
    async run(setting) {
      await open(setting)
    },
  },
  {
    name: 'returns true to one of many simultaneous calls',
    async run(setting) {
      const store = await open(setting)
      for (let round = 0; round < LOADS[setting.load].rounds; round++) {
        await race([store], setting, newReservation(), 'the same key')
      }
    },
  },
  {
    name: 'returns true to one of many simultaneous calls to two instances on one backend',
    async run(setting) {
      const stores = [await open(setting), await open(setting)] as const
      const reservation = newReservation()
      await reserveNew(stores[0], reservation)
      await expectTaken(
        stores[1],
        reservation,
        'A key that one instance reserved is free in another. Keep keys in the shared backend, not in the instance.',
      )
      for (let round = 0; round < LOADS[setting.load].rounds; round++) {
        await race(stores, setting, newReservation(), 'the same key')
      }
    },
  },
  {
    name: 'keeps webhooks apart',
    async run(setting) {
      await runAtOnce(await open(setting), setting, WEBHOOK_CHECKS)
    },
  },
  {
    name: 'compares keys exactly',
    async run(setting) {
      const store = await open(setting)
      await runAtOnce(store, setting, KEY_CHECKS)
      const [webhookId, digits] = newReservation()
      const keys = Array.from({ length: 0x7e - 0x1f }, (_, index) => `${digits}${String.fromCharCode(0x20 + index)}.`)
      await inBatches(keys, LOADS[setting.load].calls / 2, async (key) => {
        const tried = `the key ${JSON.stringify(key)}`
        const isFree = () => reserve(store, [webhookId, key], 600, `${tried}. ${HASH}`)
        expect(await isFree(), `reserve() confuses ${tried} with another. ${HASH}`)
        expect(!(await isFree()), `reserve() does not remember ${tried}. ${HASH}`)
      })
    },
  },
  {
    name: 'keeps every key while many others are reserved',
    async run(setting) {
      const store = await open(setting)
      const { burst, keys } = LOADS[setting.load]
      const lost = await countForgotten(store, burst, burst)
      expect(
        lost === 0 || (await countForgotten(store, burst, 1)) > 0,
        `${lost} of ${burst} keys that are reserved at once are forgotten. Never return true before a key is stored.`,
      )
      const forgotten = await countForgotten(store, keys, Math.min(burst, 20))
      expect(
        forgotten === 0,
        `${forgotten} of ${keys} keys are forgotten before their TTL. Never evict a live key. Throw if there is no room.`,
      )
    },
  },
  {
    name: 'keeps a key for its TTL, from any fraction of a second, and no longer',
    run: checkTtls(async (store, setting) => {
      const [long, short] = [newReservation(), newReservation()]
      await reserveNew(store, long, 600)
      await reserveNew(store, short, 1)
      const first = { reservation: newReservation(), start: 0 }
      const others = Array.from({ length: 4 }, () => ({ reservation: newReservation(), start: 0 }))
      const expectStillTaken = async ({ reservation, start }: typeof first, fault: string) => {
        expect(!(await reserve(store, reservation, 2)) || mayHaveExpired(setting, start, 2), fault)
      }
      for (const [index, one] of [first, ...others].entries()) {
        if (index > 1) await wait(setting, 250)
        one.start = performance.now()
        await reserveNew(store, one.reservation, 2)
      }
      // Not later, because a store that rounds down to whole seconds has another fault.
      await expectStillTaken(
        first,
        'A key with a TTL of 2 s is free within 1 s. ttlSeconds is in seconds: multiply it for milliseconds.',
      )
      await wait(setting, 950)
      await expectTaken(store, long, EARLY)
      for (const one of others) {
        await expectStillTaken(
          one,
          'A key with a TTL of 2 s is free after 1.7 s. Count in milliseconds, or round the expiry up, never down.',
        )
        await wait(setting, 250)
      }
      await expectFree(store, short, LATE)
      await expectTaken(store, long, EARLY)
    }),
  },
  {
    name: 'does not prolong a key on a replay',
    async run(setting) {
      const store = await open(setting)
      const [replayed, other] = [newReservation(), newReservation()]
      await reserveNew(store, replayed, 1)
      await reserveNew(store, other, 1)
      for (let waited = 0; waited < EXPIRED_MILLISECONDS; waited += 250) {
        await wait(setting, 250)
        if (await reserve(store, replayed, 1)) return
      }
      await expectFree(store, other, LATE)
      throw new Error('A key that is requested again and again never expires. Do not change the expiry of a taken key.')
    },
  },
  {
    name: 'lets each key expire by its own TTL',
    run: checkTtls(async (store, setting) => {
      const webhookId = unique()
      const reservations = [newReservation(webhookId), newReservation(webhookId), newReservation(webhookId)] as const
      for (const [index, reservation] of reservations.entries()) {
        await reserveNew(store, reservation, index === 1 ? 1 : 600)
      }
      await wait(setting, EXPIRED_MILLISECONDS)
      await expectFree(
        store,
        reservations[1],
        'A key with a TTL of 1 s outlives its TTL among keys with a longer TTL. Keep an expiry for each key, and check the unit.',
      )
      for (const reservation of [reservations[0], reservations[2]]) await expectTaken(store, reservation, EARLY)
    }),
  },
  {
    name: 'returns true to one of many simultaneous calls for an expired key',
    async run(setting) {
      const store = await open(setting)
      const [one, other] = [newReservation(), newReservation()]
      for (const reservation of [one, other]) await reserveNew(store, reservation, 1)
      await wait(setting, EXPIRED_MILLISECONDS)
      await expectFree(store, other, LATE)
      await race([store], setting, one, 'an expired key')
      for (const reservation of [one, other]) {
        await expectTaken(
          store,
          reservation,
          'An expired key that was reserved again is free. Remember it like any other key.',
        )
      }
    },
  },
  ...RESERVE_ALL_CASES,
  {
    name: 'keeps a key at exactly its TTL',
    needs: 'wait',
    async run(setting) {
      const store = await open(setting)
      const reservation = newReservation()
      await reserveNew(store, reservation)
      for (const [milliseconds, fault] of [
        [3000, EARLY],
        [
          596_999,
          'A key with a TTL of 600 s is free 1 ms before its end. Keep it one millisecond longer than its TTL.',
        ],
        [
          1,
          'A key with a TTL of 600 s is free at exactly 600 s, when its request is still valid. Keep it 1 ms longer.',
        ],
      ] as const) {
        await wait(setting, milliseconds)
        await expectTaken(store, reservation, fault)
      }
    },
  },
  {
    name: 'fails when its backend is down',
    needs: 'createUnreachableStore',
    async run({ createUnreachableStore }) {
      const store = await outcomeWhenDown('createUnreachableStore()', () => createUnreachableStore?.())
      if (store === 'fails') return
      expectStore(store, 'createUnreachableStore')
      const [webhookId, key] = newReservation()
      const calls: [name: string, call: () => unknown][] = [['reserve()', () => store.reserve(webhookId, key, 600)]]
      if (store.reserveAll) calls.push(['reserveAll()', () => store.reserveAll?.(webhookId, [key, unique()], 600)])
      for (const [name, call] of calls) {
        const outcome = await outcomeWhenDown(name, call)
        expect(outcome === 'fails', `${name} returns ${String(outcome)} while its backend is down. Throw an error.`)
      }
    },
  },
]
