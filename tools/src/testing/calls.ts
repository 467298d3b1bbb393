import { randomInt } from 'node:crypto'
import { kindOf } from '../../../src/arguments.js'
import type { ClaimState, NonceStore } from '../../../src/stores/nonce-store.js'

// The cases call the store through these functions, which throw an error with the reason if the store returns something other than a boolean.

export type Reservation = readonly [webhookId: string, key: string]

/** Options of `nonceStoreContract`. */
export interface NonceStoreContractOptions {
  /** Creates a store whose database is down. The contract then also checks that this store throws within 4 s. */
  createUnreachableStore?: (() => NonceStore | Promise<NonceStore>) | undefined
  /**
   * Waits for the given number of milliseconds. By default, the contract waits in real time. If your store has its own clock, advance this
   * clock, so that the contract can also check the last millisecond of a reservation.
   */
  wait?: ((milliseconds: number) => void | Promise<void>) | undefined
  /**
   * How many calls a case makes. `'full'`, the default, makes up to 100 calls at once. Use `'light'` if your database is slow.
   * `'light'` makes up to 10 calls at once, and fewer calls in total, but finds fewer concurrency faults.
   */
  load?: 'full' | 'light' | undefined
}

export interface Setting extends NonceStoreContractOptions {
  createStore: () => NonceStore | Promise<NonceStore>
  load: keyof typeof LOADS
}

/** The test cases by name. Each case gets a store that `createStore` has just returned. */
export type Cases = { readonly [name: string]: (store: NonceStore, setting: Setting) => Promise<void> }

/** `calls` simultaneous calls for one key, repeated `rounds` times; `burst` keys that are reserved at once, and `keys` in total. */
export const LOADS = {
  full: { calls: 40, rounds: 10, burst: 100, keys: 1000 },
  light: { calls: 10, rounds: 2, burst: 10, keys: 100 },
}

/** The advice if a database changes the text of `webhookId` or `key`. */
export const HASH = 'Store SHA-256 of JSON.stringify([webhookId, key]).'
export const FREE_TOO_EARLY =
  'A key with a TTL of 600 s is free after a few seconds. Use the ttlSeconds of each call, in seconds, and evict no live key.'
export const FREE_TOO_LATE =
  'A key with a TTL of 1 s is still taken after 2.5 s. Let each key expire after ttlSeconds, and check the unit.'
const RACE =
  'The store looks up the key and then inserts it. Insert if absent in one atomic step: SET NX, INSERT … ON CONFLICT, or a conditional put.'
const FREE = 'a free key. See the cause of this error.'
export const TAKEN = 'a taken key. Return false for a taken key, and throw only if the store failed.'
const IS_TRUE_OR_FALSE = 'Return true if the key is now reserved, and false if the key was taken.'

/** How long a case waits until a key with a TTL of 1 s has expired. A database that counts whole seconds may free the key 1 s later. */
export const EXPIRED_MILLISECONDS = 2500
const MAX_CALL_MILLISECONDS = 20_000

export function expect(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Error(fault)
}

/** Returns 14 random digits, which no other case and no other run uses. */
export function unique(): string {
  return String(randomInt(1e13, 1e14))
}

export function newReservation(webhookId = unique()): Reservation {
  return [webhookId, unique()]
}

export async function wait({ wait: given }: Pick<Setting, 'wait'>, milliseconds: number): Promise<void> {
  if (given !== undefined) await given(milliseconds)
  else await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Resolves to what `act` returns, or to `'hangs'` if `act` takes longer than `milliseconds`. */
export async function resultWithin<T>(milliseconds: number, act: () => T | Promise<T>): Promise<T | 'hangs'> {
  let timer: ReturnType<typeof setTimeout> | undefined
  // The timer keeps the process alive, because a process with nothing else to do would end before act has settled.
  const late = new Promise<'hangs'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'hangs')
  })
  try {
    return await Promise.race([act(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Calls `act` for each item, but for at most `size` items at the same time. Resolves to the results in the order of the items. */
export async function inBatches<T, R>(items: readonly T[], size: number, act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += size) {
    results.push(...(await Promise.all(items.slice(start, start + size).map(act))))
  }
  return results
}

/** Resolves to what a method of the store returns. If it throws, `threw` is the end of the error message. */
export async function answerOf(method: string, call: () => unknown, threw: string): Promise<unknown> {
  const answer = await resultWithin(MAX_CALL_MILLISECONDS, async () => call()).catch((cause: unknown) => {
    throw new Error(`${method}() threw${threw}`, { cause })
  })
  const fault = `${method}() did not respond within 20 s. Set a time-out in the client, and release locks.`
  expect(answer !== 'hangs', fault)
  return answer
}

/** Resolves to the result of a call, which must be a boolean. If the store throws, `tried` is the end of the error message. */
export async function resultOf(method: string, call: () => unknown, tried: string): Promise<boolean> {
  const answer = await answerOf(method, call, ` for ${tried}`)
  expect(typeof answer === 'boolean', `${method}() returned ${kindOf(answer)}, not a boolean. ${IS_TRUE_OR_FALSE}`)
  return answer
}

/** Calls `reserve` for a key that may be taken and resolves to the result. */
export function reserve(
  store: NonceStore,
  [webhookId, key]: Reservation,
  ttlSeconds = 600,
  tried = TAKEN,
  owner?: string,
): Promise<boolean> {
  return resultOf('reserve', () => store.reserve(webhookId, key, ttlSeconds, owner), tried)
}

/** Calls `reserve` for a free key. Throws if the result is not `true`. */
export async function reserveNew(
  store: NonceStore,
  reservation: Reservation,
  ttlSeconds = 600,
  tried = FREE,
): Promise<void> {
  const reserved = await reserve(store, reservation, ttlSeconds, tried)
  expect(reserved, `reserve() returns false for a free key. ${IS_TRUE_OR_FALSE}`)
}

/** Reserves a key and throws an error with the text `fault` if the key was taken. */
export async function expectFree(store: NonceStore, reservation: Reservation, fault: string): Promise<void> {
  expect(await reserve(store, reservation), fault)
}

export async function expectTaken(store: NonceStore, reservation: Reservation, fault: string): Promise<void> {
  expect(!(await reserve(store, reservation)), fault)
}

export function reserveKeys(
  store: NonceStore,
  webhookId: string,
  keys: readonly string[],
  ttlSeconds = 600,
  owner?: string,
): Promise<boolean> {
  const tried = `${keys.length} keys. Return false if one of them is taken, and throw only if the store failed.`
  return resultOf('reserveAll', () => store.reserveAll?.(webhookId, keys, ttlSeconds, owner), tried)
}

/** Returns the webhook and the keys of a message that can be split in several ways. The name of a signature is an uppercase letter from A to F. */
export function newMessage() {
  const [webhookId, first, digits] = [unique(), unique(), unique()]
  const keyOf = (name: string) =>
    /[A-F]/.test(name) ? `signature ${digits.padStart(63, '0')}${name.toLowerCase()}` : `${first}:${name}`
  return { webhookId, keysOf: (names: readonly string[]) => names.map(keyOf) }
}

/** Makes `count` calls at the same time and checks that exactly one of them returns `true`. Returns the index of this call. */
export async function expectOneWinner(
  count: number,
  call: (index: number) => Promise<boolean>,
  what: string,
): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => call(index)))
  const winners = answers.filter((answer) => answer).length
  expect(winners > 0, `None of ${count} simultaneous calls got ${what}. The first call must get the key.`)
  expect(winners === 1, `${winners} of ${count} simultaneous calls got ${what}. ${RACE}`)
  return answers.indexOf(true)
}

export function expectStore(store: unknown, from: string): asserts store is NonceStore {
  expect(
    typeof (store as NonceStore | undefined)?.reserve === 'function',
    `${from} returned ${kindOf(store)}, which has no reserve(). Return a NonceStore from ${from}.`,
  )
}

/** Returns one store that sends its calls to two new stores. Throws if a store does not remember a key of the other store. */
export async function open({ createStore }: Setting): Promise<NonceStore> {
  const stores: [NonceStore, NonceStore] = [await createStore(), await createStore()]
  for (const store of stores) {
    expectStore(store, 'createStore')
    const isWhole = store.claim === undefined || store.release !== undefined
    expect(isWhole, 'The store has claim(), but no release(). Add release(), which frees a claim.')
  }
  const [one, other] = stores
  await expectRemembers(one)
  if (one === other) return one
  const reservation = newReservation()
  await reserveNew(one, reservation)
  await expectTaken(
    other,
    reservation,
    'A key that one instance reserved is free in another instance. Keep keys in the shared backend, not in the instance.',
  )
  return alternate(stores)
}

/**
 * Returns a store that asks the other store about each key, because a store may remember its own. A release goes to the store that reserved
 * the key, and all claims of one owner go to one store.
 */
function alternate(stores: readonly [NonceStore, NonceStore]): NonceStore {
  /** The index of the store that reserved a key, and the index of the store to ask next about this key. */
  const holders = new Map<string, number>()
  const next = new Map<string, number>()
  /** The index of the store with the claims of an owner. */
  const owners = new Map<string, number>()
  const namesOf = (webhookId: string, keys: readonly string[]) => keys.map((key) => JSON.stringify([webhookId, key]))
  const indexOf = (names: readonly string[], indexes: ReadonlyMap<string, number>) =>
    indexes.get(names.find((name) => indexes.has(name)) ?? '') ?? 0

  async function reserveWith(names: readonly string[], call: (store: NonceStore) => unknown): Promise<boolean> {
    const index = indexOf(names, next)
    // Simultaneous calls for a free key go to both stores.
    if (!names.some((name) => holders.has(name))) for (const name of names) next.set(name, 1 - index)
    const answer = await call(stores[index] as NonceStore)
    if (answer === true) {
      for (const name of names) {
        holders.set(name, index)
        next.set(name, 1 - index)
      }
    }
    return answer as boolean
  }

  const [{ reserveAll, release, claim }] = stores
  return {
    reserve: (...call) => reserveWith(namesOf(call[0], [call[1]]), (store) => store.reserve(...call)),
    ...(reserveAll && {
      reserveAll: (...call) => reserveWith(namesOf(call[0], call[1]), (store) => store.reserveAll?.(...call)),
    }),
    ...(release && {
      async release(...call) {
        const names = namesOf(call[0], call[1])
        const index = owners.get(call[2]) ?? indexOf(names, holders)
        for (const name of names) next.set(name, index)
        return stores[index]?.release?.(...call)
      },
    }),
    ...(claim && {
      async claim(...call) {
        const index = owners.get(call[3]) ?? owners.size % 2
        owners.set(call[3], index)
        for (const name of namesOf(call[0], call[1])) next.set(name, 1 - index)
        return (await stores[index]?.claim?.(...call)) as ClaimState
      },
    }),
  }
}

/** Reserves a free key twice and checks that only the first call returns `true`. */
export async function expectRemembers(store: NonceStore): Promise<void> {
  const reservation = newReservation()
  const first = await reserve(store, reservation, 600, FREE)
  const second = await reserve(store, reservation)
  expect(first || !second, `reserve() returns false for a free key, and true for a taken key. ${IS_TRUE_OR_FALSE}`)
  expect(first, `reserve() returns false for a free key. ${IS_TRUE_OR_FALSE}`)
  if (!second) return
  await wait({}, 250)
  await expectFree(
    store,
    reservation,
    'reserve() returns true before the key is stored. Await the write, and do not read from a replica.',
  )
  throw new Error('reserve() returns true for a taken key. Store each key, and return false for a taken key.')
}
