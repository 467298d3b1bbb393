import { randomUUID } from 'node:crypto'
import { kindOf } from '../errors.js'
import type { NonceStore } from '../stores/nonce-store.js'
import type { NonceStoreContractOptions } from './index.js'

interface Setting extends NonceStoreContractOptions {
  createStore: () => NonceStore | Promise<NonceStore>
}

interface Case {
  name: string
  /** The option without which the case cannot be run. */
  needs?: keyof NonceStoreContractOptions
  run(setting: Setting): Promise<void>
}

type Reservation = readonly [webhookId: string, key: string]

/** How late a key may become free. Engines that count whole seconds are up to 1000 ms late. */
const MAX_LATE_MILLISECONDS = 1500

async function reserve(store: NonceStore, [webhookId, key]: Reservation, ttlSeconds = 600): Promise<boolean> {
  const answer: unknown = await store.reserve(webhookId, key, ttlSeconds)
  if (typeof answer === 'boolean') return answer
  throw new Error(
    `reserve() returned ${kindOf(answer)}, not a boolean. Return true if the key is now reserved, false if it was taken.`,
  )
}

/** Makes 20 calls at once to each store, and returns how many got the key. */
async function countWinners(stores: readonly NonceStore[], reservation: Reservation): Promise<number> {
  const calls = Array.from({ length: 20 }, () => stores.map((store) => reserve(store, reservation)))
  return (await Promise.all(calls.flat())).filter((answer) => answer).length
}

async function wait({ wait: given }: Setting, milliseconds: number): Promise<void> {
  if (given !== undefined) await given(milliseconds)
  else await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Checks whether a key reserved at `start` may have expired in real time. The machine may have been suspended since. */
function mayHaveExpired({ wait: given }: Setting, start: number, ttlSeconds: number): boolean {
  return given === undefined && performance.now() - start >= ttlSeconds * 1000
}

function expect(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Error(fault)
}

/** Returns a webhook that no other case or run uses. */
function newWebhook(): string {
  return `webhook ${randomUUID()}`
}

/** Checks that the other key is still free after one is reserved. */
async function expectApart(store: NonceStore, one: Reservation, other: Reservation, fault: string): Promise<void> {
  const shown = [one, other].map((pair) => JSON.stringify(pair).slice(0, 200)).join(' and ')
  await reserve(store, one)
  expect(await reserve(store, other), `${fault} Tested with ${shown}.`)
}

const RACE =
  'Look-up and insert are two steps, so two simultaneous requests both pass. ' +
  'Insert if absent in one atomic step (SET NX, INSERT … ON CONFLICT, a conditional put).'

/** Pairs of keys that a faulty store confuses, with its fault and the fix. */
const ALTERED_KEYS: readonly (readonly [one: string, other: string, how: string])[] = [
  ['Nonce', 'nonce', 'case-folded. Compare bytes, with a binary collation or a hash of the key.'],
  ['nonce', 'nonce ', 'trimmed at the end. Use a type and a collation that keep spaces, or a hash of the key.'],
  ['nonce', ' nonce', 'trimmed at the start. Keep them unchanged.'],
  [`${'n'.repeat(127)}a`, `${'n'.repeat(127)}b`, 'truncated. Keep all 128 characters, or a hash of the key.'],
  [
    `a${'n'.repeat(127)}`,
    `b${'n'.repeat(127)}`,
    'truncated at the start. Keep all 128 characters, or a hash of the key.',
  ],
  ['signature a', 'signature b', 'truncated at a space. Keep them unchanged.'],
  ['Aa', 'BB', 'compared by a weak hash. Compare the keys themselves, or a cryptographic hash.'],
  ['1', '01', 'compared as numbers. Keep them as text.'],
  ['1', '1.0', 'compared as numbers. Keep them as text.'],
  ['10', '1e1', 'compared as numbers. Keep them as text.'],
  ['a-b', 'ab', 'stripped of some characters. Keep them unchanged.'],
  ['%41', 'A', 'percent-decoded. Keep them unchanged.'],
  ['a+b', 'a b', 'form-decoded. Keep them unchanged.'],
  ['aXb', 'a_b', 'matched as patterns. Compare with =, not LIKE.'],
  ['aXb', 'a%b', 'matched as patterns. Compare with =, not LIKE.'],
  ['aXb', 'a*b', 'matched as patterns. Compare exactly.'],
  ["a'b", "a''b", 'inserted into the text of a statement. Pass them as parameters.'],
  ['a\\b', 'a\\\\b', 'unescaped. Pass them as parameters.'],
  ['{a}b', '{a}c', 'reduced to their hash tag. Keep them unchanged.'],
]

const ALTERED_WEBHOOKS: readonly (readonly [one: string, other: string, how: string])[] = [
  ['Hook', 'hook', 'case-folded'],
  ['hook', 'hook ', 'trimmed'],
  ['caf\u00e9', 'cafe\u0301', 'normalised'],
  ['hook\0a', 'hook\0b', 'truncated at a NUL'],
  [`${'h'.repeat(3000)}a`, `${'h'.repeat(3000)}b`, 'truncated'],
  ['\u{1f98a}', '\u{1f43a}', 'stripped of characters outside the Basic Multilingual Plane'],
  ['__proto__', 'constructor', 'used as property names of an object'],
]

export const CASES: readonly Case[] = [
  {
    name: 'returns true for a free key, then false',
    async run({ createStore }) {
      const store = await createStore()
      const reservation = [newWebhook(), 'nonce'] as const
      const [first, second] = [await reserve(store, reservation), await reserve(store, reservation)]
      expect(
        first || !second,
        'reserve() returns the opposite. Return true if the key is now reserved, false if it was taken.',
      )
      expect(first, 'reserve() returns false for a free key. Return true if the key is now reserved.')
      expect(!second, 'reserve() returns true for a taken key. Remember keys, and return false for a taken one.')
    },
  },
  {
    name: 'returns true to one of many simultaneous calls',
    async run({ createStore }) {
      const store = await createStore()
      for (let round = 0; round < 10; round++) {
        const count = await countWinners([store, store], [newWebhook(), 'nonce'])
        expect(count > 0, 'None of 40 simultaneous calls got the key. The first must get it.')
        expect(count === 1, `${count} of 40 simultaneous calls got the same key. ${RACE}`)
      }
    },
  },
  {
    name: 'returns true to one of many simultaneous calls to two instances on one backend',
    async run({ createStore }) {
      const stores = [await createStore(), await createStore()] as const
      const reservation = [newWebhook(), 'nonce'] as const
      await reserve(stores[0], reservation)
      expect(
        !(await reserve(stores[1], reservation)),
        'A key that one instance reserved is free in another. Keep keys in the shared backend, not in the instance.',
      )
      for (let round = 0; round < 10; round++) {
        const count = await countWinners(stores, [newWebhook(), 'nonce'])
        expect(count === 1, `${count} of 40 simultaneous calls to two instances got the same key. ${RACE}`)
      }
    },
  },
  {
    name: 'keeps webhooks apart',
    async run({ createStore }) {
      const store = await createStore()
      await expectApart(
        store,
        [newWebhook(), 'nonce'],
        [newWebhook(), 'nonce'],
        'Keys are shared by all webhooks. Make the webhook part of the key.',
      )
      for (const separator of ['', ':', '/', '|', '.', '-', '_', ' ', ',', '#']) {
        const webhookId = newWebhook()
        const [one, other] = [
          [webhookId, `b${separator}c`],
          [`${webhookId}${separator}b`, 'c'],
        ] as const
        const fault = `Webhook and key run together. Put the webhook's length in front, or hash or store the two separately.`
        await expectApart(store, one, other, fault)
      }
      for (const [one, other, how] of ALTERED_WEBHOOKS) {
        const key = randomUUID()
        const fault = `Webhooks are ${how}. Compare them exactly, byte for byte, or by a hash.`
        await expectApart(store, [one, key], [other, key], fault)
      }
    },
  },
  {
    name: 'compares keys exactly',
    async run({ createStore }) {
      const store = await createStore()
      for (const [one, other, how] of ALTERED_KEYS) {
        for (const pair of [
          [one, other],
          [other, one],
        ] as const) {
          const webhookId = newWebhook()
          await expectApart(store, [webhookId, pair[0]], [webhookId, pair[1]], `Keys are ${how}`)
        }
      }
      const webhookId = newWebhook()
      for (let code = 0x20; code <= 0x7e; code++) {
        const key = `key ${String.fromCharCode(code)}.`
        expect(
          await reserve(store, [webhookId, key]),
          `Key ${JSON.stringify(key)} is confused with another. Compare keys exactly.`,
        )
        expect(
          !(await reserve(store, [webhookId, key])),
          `Key ${JSON.stringify(key)} is not remembered. Keep every character.`,
        )
      }
    },
  },
  {
    name: 'keeps every key while many others are reserved',
    async run({ createStore }) {
      const store = await createStore()
      const webhookId = newWebhook()
      const reserveAll = async () => {
        const answers: boolean[] = []
        for (let start = 0; start < 1000; start += 100) {
          const batch = Array.from({ length: 100 }, (_, index) => reserve(store, [webhookId, `nonce ${start + index}`]))
          answers.push(...(await Promise.all(batch)))
        }
        return answers.filter((answer) => answer).length
      }
      const [free, forgotten] = [await reserveAll(), await reserveAll()]
      expect(free === 1000, `reserve() returns false for ${1000 - free} of 1000 free keys. Compare keys exactly.`)
      expect(
        forgotten === 0,
        `${forgotten} of 1000 keys are forgotten before their TTL. Never evict a live key. Throw if there is no room.`,
      )
    },
  },
  {
    name: 'keeps a key to the end of its TTL, from any fraction of a second',
    async run(setting) {
      const store = await setting.createStore()
      const webhookId = newWebhook()
      const reservedAt: number[] = []
      for (let index = 0; index < 4; index++) {
        if (index > 0) await wait(setting, 250)
        reservedAt.push(performance.now())
        await reserve(store, [webhookId, `nonce ${index}`], 2)
      }
      await wait(setting, 950)
      for (const [index, start] of reservedAt.entries()) {
        // The first key is 1.7 s old now. The wait below makes each other key as old when it is checked.
        const taken = !(await reserve(store, [webhookId, `nonce ${index}`], 2))
        expect(
          mayHaveExpired(setting, start, 2) || taken,
          'A key with a TTL of 2 s is free after 1.7 s. Count in milliseconds, or round the expiry up, never down.',
        )
        await wait(setting, 250)
      }
    },
  },
  {
    name: 'keeps a key for its TTL, in seconds, and no longer',
    async run(setting) {
      const store = await setting.createStore()
      const long = [newWebhook(), 'nonce'] as const
      const short = [newWebhook(), 'nonce'] as const
      await reserve(store, long)
      const start = performance.now()
      await reserve(store, short, 2)
      await wait(setting, 1000)
      const early = await reserve(store, short, 2)
      expect(
        mayHaveExpired(setting, start, 2) || !early,
        'A key with a TTL of 2 s is free after 1 s. ttlSeconds is in seconds: multiply it for milliseconds.',
      )
      await wait(setting, 1000 + MAX_LATE_MILLISECONDS)
      expect(
        await reserve(store, short, 2),
        'A key with a TTL of 2 s is still taken 1.5 s after its expiry. Let it expire ttlSeconds after its reservation, and check the unit.',
      )
      expect(
        !(await reserve(store, long)),
        'A key with a TTL of 600 s is free after a few seconds. Use the ttlSeconds of each call.',
      )
    },
  },
  {
    name: 'does not prolong a key on a replay',
    async run(setting) {
      const store = await setting.createStore()
      const reservation = [newWebhook(), 'nonce'] as const
      await reserve(store, reservation, 1)
      let free = false
      for (let waited = 0; waited < 1000 + MAX_LATE_MILLISECONDS && !free; waited += 250) {
        await wait(setting, 250)
        free = await reserve(store, reservation, 1)
      }
      expect(free, 'A key that is requested again and again never expires. Do not change the expiry of a taken key.')
    },
  },
  {
    name: 'lets each key expire by its own TTL',
    async run(setting) {
      const store = await setting.createStore()
      const webhookId = newWebhook()
      await reserve(store, [webhookId, 'first'], 600)
      await reserve(store, [webhookId, 'second'], 1)
      await reserve(store, [webhookId, 'third'], 600)
      await wait(setting, 1000 + MAX_LATE_MILLISECONDS)
      expect(
        await reserve(store, [webhookId, 'second'], 600),
        'A key outlives its TTL among keys with a longer TTL. Keep an expiry for each key.',
      )
      for (const key of ['first', 'third', 'second']) {
        expect(
          !(await reserve(store, [webhookId, key], 1)),
          'A key expires before its TTL, together with a key that has a shorter TTL. Keep an expiry for each key.',
        )
      }
    },
  },
  {
    name: 'returns true to one of many simultaneous calls for an expired key',
    async run(setting) {
      const store = await setting.createStore()
      const reservation = [newWebhook(), 'nonce'] as const
      await reserve(store, reservation, 1)
      await wait(setting, 1000 + MAX_LATE_MILLISECONDS)
      const count = await countWinners([store, store], reservation)
      expect(count > 0, 'An expired key cannot be reserved again. Replace expired keys.')
      expect(count === 1, `${count} of 40 simultaneous calls got an expired key. ${RACE}`)
      expect(
        !(await reserve(store, reservation)),
        'An expired key that was reserved again is free. Remember it like any other key.',
      )
    },
  },
  {
    name: 'keeps a key at exactly its TTL',
    needs: 'wait',
    async run(setting) {
      const store = await setting.createStore()
      const reservation = [newWebhook(), 'nonce'] as const
      await reserve(store, reservation, 600)
      await wait(setting, 600_000)
      expect(
        !(await reserve(store, reservation)),
        'A key with a TTL of 600 s is free at exactly 600 s, while its request is still in the window. Keep it one millisecond longer.',
      )
    },
  },
  {
    name: 'fails when its backend is down',
    needs: 'createUnreachableStore',
    async run({ createUnreachableStore }) {
      // Not unref(): a process with nothing else to do must wait for the timer.
      let timer: ReturnType<typeof setTimeout> | undefined
      const outcome = await Promise.race([
        attempt(async () => (await createUnreachableStore?.())?.reserve(newWebhook(), 'nonce', 600)),
        new Promise<'hangs'>((resolve) => {
          timer = setTimeout(resolve, 4000, 'hangs')
        }),
      ])
      clearTimeout(timer)
      expect(
        outcome !== 'hangs',
        'The store does not answer within 4 s while its backend is down. Set a time-out in the client.',
      )
      expect(outcome === 'fails', `reserve() returns ${String(outcome)} while its backend is down. Throw an error.`)
    },
  },
]

async function attempt<T>(act: () => Promise<T>): Promise<T | 'fails'> {
  try {
    return await act()
  } catch {
    return 'fails'
  }
}
