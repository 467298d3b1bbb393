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
  open,
  type Reservation,
  reserve,
  reserveKeys,
  reserveNew,
  resultOf,
  resultWithin,
  type Setting,
  TAKEN,
  unique,
  wait,
} from './calls.js'
import { KEY_CHECKS, WEBHOOK_CHECKS } from './pairs.js'

/** Returns whether a key may have expired in real time, because the machine slept. With the option `wait`, the store has its own clock. */
function mayHaveExpired({ wait: given }: Setting, start: number, ttlSeconds: number): boolean {
  return given === undefined && performance.now() - start >= ttlSeconds * 1000
}

async function race(store: NonceStore, { load }: Setting, what: string, expired?: Reservation) {
  const { calls, rounds } = LOADS[load]
  const tried = `${calls} simultaneous calls for one key. Return true to one call, and false to all others.`
  for (let round = 0; round < (expired ? 1 : rounds); round++) {
    const reservation = expired ?? newReservation()
    await expectOneWinner(calls, () => reserve(store, reservation, 600, tried), what)
  }
}

/** Runs checks concurrently. A check that fails runs again alone, to tell whether only concurrent calls fail. */
async function runAtOnce(store: NonceStore, { load }: Setting, checks: typeof KEY_CHECKS): Promise<void> {
  const errors = await inBatches(checks, LOADS[load].calls / 2, (check) =>
    check(store).catch((error: unknown) => error),
  )
  const index = errors.findIndex((error) => error !== undefined)
  if (index === -1) return
  await checks[index]?.(store)
  const fault = 'reserve() returns a wrong result if other keys are reserved at the same time.'
  throw new Error(`${fault} Make concurrent calls independent of each other.`, { cause: errors[index] })
}

/** Returns a case of TTLs. If it fails, it runs again alone, to tell whether the store evicts live keys. */
function checkTtls(check: Cases[string]): Cases[string] {
  return async (store, setting) => {
    try {
      await check(store, setting)
    } catch (cause) {
      // If the user passed wait, the cases run one after the other, so no other case caused the failure.
      if (setting.wait !== undefined) throw cause
      await wait(setting, EXPIRED_MILLISECONDS)
      await check(store, setting)
      throw new Error(
        'A key is free too early if many other keys are reserved. Never evict a live key. Throw if there is no room.',
        { cause },
      )
    }
  }
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

/** Runs each step at its time, in milliseconds after the start. The steps are in order of their times. */
async function followTimeline(
  setting: Setting,
  steps: readonly (readonly [at: number, act: () => Promise<void>])[],
): Promise<void> {
  let now = 0
  for (const [at, act] of steps) {
    if (at > now) await wait(setting, at - now)
    now = at
    await act()
  }
}

/** Returns two functions: one reserves a new key for 2 s, and the other checks that this key is still taken. */
function keyFor2Seconds(store: NonceStore, setting: Setting) {
  const reservation = newReservation()
  let start = 0
  return {
    reserve() {
      start = performance.now()
      return reserveNew(store, reservation, 2)
    },
    async expectTaken(fault: string) {
      expect(!(await reserve(store, reservation, 2)) || mayHaveExpired(setting, start, 2), fault)
    },
  }
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
  'frees a key when its TTL ends, not earlier and not later': checkTtls(async (store, setting) => {
    const [long, short] = [newReservation(), newReservation()]
    const first = keyFor2Seconds(store, setting)
    const others = [0, 250, 500, 750].map((start) => [start, keyFor2Seconds(store, setting)] as const)
    await followTimeline(setting, [
      [0, () => reserveNew(store, long, 600)],
      [0, () => reserveNew(store, short, 1)],
      [0, first.reserve],
      ...others.map(([start, key]) => [start, key.reserve] as const),
      // This check runs before 1 s has passed. Later, a store that rounds down would fail too, and the message would be wrong.
      [750, () => first.expectTaken(NOT_IN_SECONDS)],
      [1700, () => expectTaken(store, long, FREE_TOO_EARLY)],
      ...others.map(([start, key]) => [start + 1700, () => key.expectTaken(ROUNDED_DOWN)] as const),
      [2700, () => expectFree(store, short, FREE_TOO_LATE)],
      [2700, () => expectTaken(store, long, FREE_TOO_EARLY)],
    ])
  }),
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
  'gives each key its own TTL': checkTtls(async (store, setting) => {
    const webhookId = unique()
    const reservations = [newReservation(webhookId), newReservation(webhookId), newReservation(webhookId)] as const
    for (const [index, reservation] of reservations.entries()) {
      await reserveNew(store, reservation, index === 1 ? 1 : 600)
    }
    await wait(setting, EXPIRED_MILLISECONDS)
    await expectFree(
      store,
      reservations[1],
      'If other keys have a longer TTL, a key with a TTL of 1 s is still taken after 2.5 s. Store an expiry per key, and check the unit.',
    )
    for (const reservation of [reservations[0], reservations[2]]) await expectTaken(store, reservation, FREE_TOO_EARLY)
  }),
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
}

/** The cases that need exact times. These cases run only if the user passes `wait`, which advances the clock of the store. */
export const CLOCK_CASES: Cases = {
  async 'keeps a key until its TTL has passed, to the millisecond'(store, setting) {
    const reservation = newReservation()
    await reserveNew(store, reservation)
    await wait(setting, 3000)
    await expectTaken(store, reservation, FREE_TOO_EARLY)
    for (const seconds of [57, 240, 291]) {
      await wait(setting, seconds * 1000)
      await expectTaken(
        store,
        reservation,
        'A key with a TTL of 600 s is free minutes too early. Keep each key for ttlSeconds, without an upper limit.',
      )
    }
    await wait(setting, 8999)
    await expectTaken(
      store,
      reservation,
      'A key with a TTL of 600 s is free 1 ms before its end. Keep each key 1 ms longer than its TTL.',
    )
    await wait(setting, 1)
    await expectTaken(
      store,
      reservation,
      'A key with a TTL of 600 s is free after exactly 600 s, when a replay of the request can still be valid. Keep each key 1 ms longer.',
    )
  },
}

export const DOWN_CASES: Cases = {
  async 'throws when its database is down'(_, { createUnreachableStore }) {
    const store = await outcomeWhenDown('createUnreachableStore()', () => createUnreachableStore?.())
    if (store === 'fails') return
    expectStore(store, 'createUnreachableStore')
    const [webhookId, key] = newReservation()
    const calls: [name: string, call: () => unknown][] = [['reserve()', () => store.reserve(webhookId, key, 600)]]
    if (store.reserveAll) calls.push(['reserveAll()', () => store.reserveAll?.(webhookId, [key, unique()], 600)])
    if (store.release) calls.push(['release()', () => store.release?.(webhookId, [key], unique())])
    if (store.claim) calls.push(['claim()', () => store.claim?.(webhookId, [key], 600, unique())])
    for (const [name, call] of calls) {
      const outcome = await outcomeWhenDown(name, call)
      expect(outcome === 'fails', `${name} returns ${String(outcome)} while the backend is down. Throw an error.`)
    }
  },
}

const FREED =
  'A key that reserveAll() reserved is free for reserve(). Use the same keys in both methods, and never free a taken key.'

const ALL_OR_NONE = 'Reserve all keys or none.'

/** Returns a case that runs a check of `reserveAll`. A store without this optional method passes. */
function ifPresent(check: Cases[string]): Cases[string] {
  return async (store, setting) => {
    if (store.reserveAll === undefined) return
    const { single, all } = newMessage()
    expect(await all(store, 'a'), 'reserveAll() returns false for free keys. Return true if all keys are now reserved.')
    expect(!(await all(store, 'a')), 'reserveAll() returns true for taken keys. Return false if one key was taken.')
    await expectTaken(store, single('a'), FREED)
    expect(!(await all(store, 'b')), `reserveAll() returns true although the signature is taken. ${ALL_OR_NONE}`)
    await check(store, setting)
  }
}

/** The cases of the optional method `reserveAll`. */
export const RESERVE_ALL_CASES: Cases = {
  'reserveAll(), if present, reserves all keys or none': ifPresent(async (store) => {
    const { single, all } = newMessage()
    await reserveNew(store, single('a'))
    expect(!(await all(store, 'a')), `reserveAll() returns true although the nonce is taken. ${ALL_OR_NONE}`)
    expect(await all(store, 'b'), `reserveAll() leaves the signature reserved when the nonce is taken. ${ALL_OR_NONE}`)
    await all(store, 'c')
    await expectFree(
      store,
      single('c'),
      `reserveAll() leaves the nonce reserved when the signature is taken. ${ALL_OR_NONE}`,
    )
    const isApart = await all(store, 'a', 600, unique())
    expect(isApart, 'reserveAll() shares keys between webhooks. Make the webhook part of each key.')
  }),
  'reserveAll(), if present, returns true to exactly one of many calls at once': ifPresent(async (store, setting) => {
    const { calls, rounds } = LOADS[setting.load]
    const answers = await Promise.all(Array.from({ length: calls }, () => newMessage().all(store, 'a')))
    const apart = 'Make concurrent calls independent of each other.'
    expect(!answers.includes(false), `reserveAll() returns false for free keys if several calls run at once. ${apart}`)
    for (let round = 0; round < rounds; round++) {
      const { single, all } = newMessage()
      // All calls have the same signature. In odd rounds, all calls also have the same nonce.
      const split = (index: number) => (round % 2 === 0 ? String(index) : 'a')
      const call = (index: number) => all(store, split(index))
      const winner = await expectOneWinner(calls, call, 'the same keys of reserveAll()')
      await expectTaken(store, single(split(winner)), FREED)
      if (round % 2 === 1) continue
      await expectFree(
        store,
        single(split(winner === 0 ? 1 : 0)),
        'If several calls run at once, a reserveAll() that returns false leaves a nonce reserved. Use one atomic step.',
      )
    }
  }),
  'reserveAll(), if present, frees its keys when their TTL ends': ifPresent(async (store, setting) => {
    const [short, long] = [newMessage(), newMessage()]
    await long.all(store, 'a', 600)
    await short.all(store, 'a', 1)
    await wait(setting, EXPIRED_MILLISECONDS)
    expect(await short.all(store, 'a', 600), `reserveAll(): ${FREE_TOO_LATE}`)
    for (const { single, all } of [short, long]) {
      await expectTaken(store, single('a'), `reserveAll(): ${FREE_TOO_EARLY}`)
      expect(!(await all(store, 'b')), `reserveAll(): ${FREE_TOO_EARLY}`)
    }
  }),
}

const STILL_TAKEN = 'is still taken after release(). Delete what was reserved for this owner.'
const FREES_OTHERS = 'Delete only where webhook, key and owner are the same, in one atomic step.'
/** Owners that a store could take for no owner, or for the start of every owner. */
const NOBODY = ['', 'null', 'undefined']

/** Calls `release` and checks that the store returns nothing and throws nothing. */
async function release(store: NonceStore, webhookId: string, keys: readonly string[], owner: string): Promise<void> {
  const tried = `${keys.length === 1 ? 'a key' : 'two keys'}. Return nothing, even if the keys are free or have another owner.`
  const answer = await resultOf('release', async () => (await store.release?.(webhookId, keys, owner)) ?? true, tried)
  expect(answer, 'release() returned false. Return nothing, and throw only if the store failed.')
}

/** The cases of the optional method `release`. A store without this method passes. */
export const RELEASE_CASES: Cases = {
  async 'release(), if present, frees the keys of its owner and no others'(store, setting) {
    if (store.release === undefined) return
    const [webhookId, key] = newReservation()
    const [owner, other] = [`owner ${unique()}`, `owner ${unique()}`]
    const isFreeFor = (name: string | undefined, of = key, scope = webhookId) =>
      reserve(store, [scope, of], 600, TAKEN, name)
    const expectStays = async (fault: string, of = key, scope = webhookId) =>
      expect(!(await isFreeFor(unique(), of, scope)), `${fault} ${FREES_OTHERS}`)
    const [neighbour, elsewhere, unowned, expired] = [unique(), unique(), unique(), unique()]
    await reserve(store, [webhookId, expired], 1, TAKEN, other)
    for (const [of, scope, name] of [
      [key, webhookId, owner],
      [neighbour, webhookId, owner],
      [key, elsewhere, owner],
      [unowned, webhookId, undefined],
    ] as const) {
      expect(await isFreeFor(name, of, scope), 'reserve() returns false for a free key with an owner.')
    }
    await expectStays('reserve() returns true for a taken key with another owner.')
    expect(!(await isFreeFor(owner)), 'reserve() returns true for a taken key with the same owner. Return false.')

    for (const name of [other, ...NOBODY]) await release(store, webhookId, [key], name)
    await expectStays('release() frees a key of another owner.')
    for (const name of [owner, ...NOBODY]) await release(store, webhookId, [unowned], name)
    await expectStays('release() frees a key that has no owner.', unowned)
    await release(store, webhookId, [key], owner)
    expect(await isFreeFor(other), `A key ${STILL_TAKEN}`)
    await expectStays('A key that was released is not reserved again.')
    await expectStays('release() frees another key of the owner.', neighbour)
    await expectStays('release() frees the key on another webhook.', key, elsewhere)
    await release(store, webhookId, [key], owner)
    await expectStays('A second release() frees a key that another owner has reserved.')
    await release(store, webhookId, [unique()], owner)
    await wait(setting, EXPIRED_MILLISECONDS)
    expect(await isFreeFor(owner, expired), FREE_TOO_LATE)
    await release(store, webhookId, [expired], owner)
    expect(await isFreeFor(other, expired), `A key that was reserved again after its TTL ${STILL_TAKEN}`)
  },
  async 'release(), if present, frees the keys of reserveAll()'(store) {
    if (store.release === undefined || store.reserveAll === undefined) return
    const { single, keysOf, all } = newMessage()
    const [owner, other] = [unique(), unique()]
    const [webhookId] = single('a')
    const reserveBoth = (name: string) => reserveKeys(store, webhookId, keysOf('a'), 600, name)
    expect(await reserveBoth(owner), 'reserveAll() returns false for free keys with an owner.')
    expect(!(await reserveBoth(other)), 'reserveAll() returns true for taken keys with another owner.')
    expect(!(await reserveBoth(owner)), 'reserveAll() returns true for taken keys with the same owner.')
    await release(store, webhookId, keysOf('a'), other)
    expect(!(await all(store, 'b')), `release() frees a signature of another owner. ${FREES_OTHERS}`)
    await expectTaken(store, single('a'), `release() frees a nonce of another owner. ${FREES_OTHERS}`)
    await release(store, webhookId, keysOf('a'), owner)
    expect(await all(store, 'c'), `A signature ${STILL_TAKEN}`)
    await expectFree(store, single('a'), `A nonce ${STILL_TAKEN}`)

    const unowned = newMessage()
    const [unownedId] = unowned.single('a')
    await unowned.all(store, 'a')
    for (const name of [owner, ...NOBODY]) await release(store, unownedId, unowned.keysOf('a'), name)
    expect(!(await unowned.all(store, 'b')), `release() frees a signature that has no owner. ${FREES_OTHERS}`)
    await expectTaken(store, unowned.single('a'), `release() frees a nonce that has no owner. ${FREES_OTHERS}`)
  },
  async 'release(), if present, lets exactly one of many calls reserve the key again'(store, setting) {
    if (store.release === undefined) return
    const stores = [store, await open(setting)] as const
    const [webhookId, key] = newReservation()
    const { calls, rounds } = LOADS[setting.load]
    for (let round = 0; round < rounds; round++) {
      const owners = Array.from({ length: calls }, unique)
      const call = (index: number) =>
        reserve(stores[index % 2] as NonceStore, [webhookId, key], 600, TAKEN, owners[index] as string)
      const winner = await expectOneWinner(calls, call, 'the same key, after it was released')
      await release(stores[winner % 2] as NonceStore, webhookId, [key], owners[winner] as string)
    }
  },
}
