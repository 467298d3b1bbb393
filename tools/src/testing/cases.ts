import type { NonceStore } from '../../../src/stores/nonce-store.js'
import {
  type Cases,
  EXPIRED_MILLISECONDS,
  expect,
  expectFree,
  expectOneWinner,
  expectRemembers,
  expectStore,
  expectTaken,
  FREE_TOO_EARLY,
  FREE_TOO_LATE,
  HASH,
  inBatches,
  LOADS,
  newMessage,
  newReservation,
  type Reservation,
  reserve,
  reserveKeys,
  reserveNew,
  resultWithin,
  type Setting,
  TAKEN,
  unique,
  wait,
} from './calls.js'
import { KEY_CHECKS, WEBHOOK_CHECKS } from './pairs.js'
import { claim, release } from './steps.js'

async function race(store: NonceStore, { load }: Setting, what: string, expired?: Reservation) {
  const { calls, rounds } = LOADS[load]
  const tried = `${calls} simultaneous calls for one key. Return true to one call, and false to all others.`
  for (let round = 0; round < (expired ? 1 : rounds); round++) {
    const reservation = expired ?? newReservation()
    await expectOneWinner(calls, () => reserve(store, reservation, 600, tried), what)
  }
}

/** Runs checks concurrently. */
async function runAtOnce(store: NonceStore, { load }: Setting, checks: typeof KEY_CHECKS): Promise<void> {
  await inBatches(checks, LOADS[load].calls / 2, (check) => check(store))
}

const WHOLE_HASH = 'If you hash keys, use the whole hash. Make concurrent calls independent of each other.'

/** Reserves `count` new keys of one webhook, `size` keys at once, and returns how many of these keys are free afterwards. */
async function countForgotten(store: NonceStore, count: number, size: number): Promise<number> {
  const webhookId = unique()
  const reservations = Array.from({ length: count }, () => newReservation(webhookId))
  const tried = `${size} free keys at once. If the cause is a time-out, pass load: 'light'.`
  await inBatches(reservations, size, async (reservation) => {
    const isFree = await reserve(store, reservation, 600, tried)
    expect(isFree, `reserve() returns false for one of ${count} free keys. ${WHOLE_HASH}`)
  })
  const answers = await inBatches(reservations, size, (reservation) => reserve(store, reservation))
  return answers.filter((isFree) => isFree).length
}

/** Returns the result of `call`, or `'fails'` if `call` throws. Throws if `call` takes longer than 4 s. */
async function outcomeWhenDown(name: string, call: () => unknown): Promise<unknown> {
  const outcome = await resultWithin(4000, async () => call()).catch(() => 'fails')
  const fault = `${name} does not return within 4 s while the backend is down. Set a time-out in the client.`
  expect(outcome !== 'hangs', fault)
  return outcome
}

const NOT_IN_SECONDS = 'A key with a TTL of 2 s is free within 1 s. ttlSeconds is in seconds, not in milliseconds.'
const ROUNDED_DOWN =
  'A key with a TTL of 2 s is free after 1.7 s. Count in milliseconds, or round the expiry up, never down.'

export const CASES: Cases = {
  'returns true for a free key, and then false': expectRemembers,
  'returns true to exactly one of many calls at once': (store, setting) => race(store, setting, 'the same key'),
  'lets two webhooks reserve the same key': (store, setting) => runAtOnce(store, setting, WEBHOOK_CHECKS),
  async 'accepts two keys that differ in one character'(store, setting) {
    await runAtOnce(store, setting, KEY_CHECKS)
    const [webhookId, digits] = newReservation()
    const keys = Array.from({ length: 0x7e - 0x1f }, (_, index) => `${digits}${String.fromCharCode(0x20 + index)}.`)
    await inBatches(keys, LOADS[setting.load].calls / 2, async (key) => {
      const tried = `the key ${JSON.stringify(key)}`
      const isFree = () => reserve(store, [webhookId, key], 600, `${tried}. ${HASH}`)
      expect(await isFree(), `reserve() confuses ${tried} with another key. ${HASH}`)
      expect(!(await isFree()), `reserve() does not remember ${tried}. ${HASH}`)
    })
  },
  async 'forgets no key while many keys are reserved'(store, setting) {
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
  async 'frees a key when its TTL ends, not earlier and not later'(store, setting) {
    const [long, short] = [newReservation(), newReservation()]
    await reserveNew(store, long, 600)
    await reserveNew(store, short, 1)
    // These keys are reserved in different quarters of a second, because a store that rounds down may keep a key long enough by chance.
    await inBatches([0, 250, 500, 750], setting.wait === undefined ? 4 : 1, async (start) => {
      await wait(setting, start)
      const reservation = newReservation()
      const reserved = performance.now()
      await reserveNew(store, reservation, 2)
      const isTaken = async () => {
        if (!(await reserve(store, reservation, 2))) return true
        // If the machine slept, the key may have expired. With the option `wait`, the store has its own clock.
        return setting.wait === undefined && performance.now() - reserved >= 2000
      }
      await wait(setting, 750)
      // A store that rounds down fails only after 1 s.
      expect(await isTaken(), NOT_IN_SECONDS)
      await wait(setting, 950)
      expect(await isTaken(), ROUNDED_DOWN)
    })
    await wait(setting, 250)
    await expectFree(store, short, FREE_TOO_LATE)
    await expectTaken(store, long, FREE_TOO_EARLY)
  },
  async 'does not extend the TTL of a taken key'(store, setting) {
    const [replayed, other] = [newReservation(), newReservation()]
    await reserveNew(store, replayed, 1)
    await reserveNew(store, other, 1)
    for (let waited = 0; waited < EXPIRED_MILLISECONDS; waited += 250) {
      await wait(setting, 250)
      if (await reserve(store, replayed, 1)) return
    }
    await expectFree(store, other, FREE_TOO_LATE)
    throw new Error('A key that is requested again and again never expires. Do not change the expiry of a taken key.')
  },
  async 'returns true to exactly one of many calls for an expired key'(store, setting) {
    const [one, other] = [newReservation(), newReservation()]
    for (const reservation of [one, other]) await reserveNew(store, reservation, 1)
    await wait(setting, EXPIRED_MILLISECONDS)
    await expectFree(store, other, FREE_TOO_LATE)
    await race(store, setting, 'an expired key', one)
    for (const reservation of [one, other]) {
      await expectTaken(
        store,
        reservation,
        'An expired key stays free after it is reserved again. Store the key again.',
      )
    }
  },
  async 'reserveAll(), if present, returns true to exactly one of many calls at once'(store, { load }) {
    if (store.reserveAll === undefined) return
    const { calls, rounds } = LOADS[load]
    const reserveNew = () => {
      const { webhookId, keysOf } = newMessage()
      return reserveKeys(store, webhookId, keysOf(['a', 'A']))
    }
    const answers = await Promise.all(Array.from({ length: calls }, reserveNew))
    const apart = 'Make concurrent calls independent of each other.'
    expect(!answers.includes(false), `reserveAll() returns false for free keys if several calls run at once. ${apart}`)
    for (let round = 0; round < rounds; round++) {
      const { webhookId, keysOf } = newMessage()
      // All calls have the same signature. In odd rounds, all calls also have the same nonce.
      const nonceOf = (index: number) => (round % 2 === 0 ? String(index) : 'a')
      const reservationOf = (index: number) => [webhookId, String(keysOf([nonceOf(index)]))] as const
      const call = (index: number) => reserveKeys(store, webhookId, keysOf([nonceOf(index), 'A']))
      const winner = await expectOneWinner(calls, call, 'the same keys of reserveAll()')
      await expectTaken(
        store,
        reservationOf(winner),
        'A key that reserveAll() reserved is free. Use the same keys in both methods, and never free a taken key.',
      )
      if (round % 2 === 1) continue
      await expectFree(
        store,
        reservationOf(winner === 0 ? 1 : 0),
        'If several calls run at once, a reserveAll() that returns false leaves a nonce reserved. Use one atomic step.',
      )
    }
  },
  async 'release(), if present, lets exactly one of many calls reserve the key again'(store, { load }) {
    if (store.release === undefined) return
    const [webhookId, key] = newReservation()
    const { calls, rounds } = LOADS[load]
    for (let round = 0; round < rounds; round++) {
      const owners = Array.from({ length: calls }, unique)
      const call = (index: number) => reserve(store, [webhookId, key], 600, TAKEN, owners[index])
      const winner = await expectOneWinner(calls, call, 'the same key, after it was released')
      await release(store, webhookId, [key], String(owners[winner]))
    }
  },
  async 'claim(), if present, gives crossing keys to at most one of many calls at once'(store, { load }) {
    if (store.claim === undefined) return
    const { calls, rounds } = LOADS[load]
    for (let round = 0; round < rounds; round++) {
      const { webhookId, keysOf } = newMessage()
      const states = await Promise.all(
        Array.from({ length: calls }, (_, index) => claim(store, webhookId, keysOf([`${index}`, 'A']), unique())),
      )
      const winners = states.filter((state) => state === 'claimed').length
      const fault = `${winners} of ${calls} simultaneous calls of claim() got the same key. Use one atomic step.`
      expect(winners <= 1, fault)
    }
  },
}

export const DOWN_CASES: Cases = {
  async 'throws when its database is down'(_, { createUnreachableStore }) {
    const store = await outcomeWhenDown('createUnreachableStore()', () => createUnreachableStore?.())
    if (store === 'fails') return
    expectStore(store, 'createUnreachableStore')
    const [webhookId, key] = newReservation()
    const calls = {
      reserve: () => store.reserve(webhookId, key, 600),
      reserveAll: () => store.reserveAll?.(webhookId, [key, unique()], 600),
      release: () => store.release?.(webhookId, [key], unique()),
      claim: () => store.claim?.(webhookId, [key], 600, unique()),
    }
    for (const name of ['reserve', 'reserveAll', 'release', 'claim'] as const) {
      if (store[name] === undefined) continue
      const outcome = await outcomeWhenDown(`${name}()`, calls[name])
      expect(outcome === 'fails', `${name}() returns ${String(outcome)} while the backend is down. Throw an error.`)
    }
  },
}
