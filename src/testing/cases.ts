import { randomUUID } from 'node:crypto'
import { kindOf } from '../errors.js'
import type { NonceStore } from '../stores/nonce-store.js'
import type { NonceStoreContractOptions } from './options.js'

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

/** How late a key may become free: engines that count whole seconds are up to one late. */
const LATEST_MILLISECONDS = 1500

async function reserve(store: NonceStore, [webhookId, key]: Reservation, ttlSeconds = 600): Promise<boolean> {
  const answer: unknown = await store.reserve(webhookId, key, ttlSeconds)
  if (typeof answer === 'boolean') return answer
  throw new Error(
    `reserve() answered ${kindOf(answer)}, not a boolean: return true if the key is now reserved, false if it was taken`,
  )
}

/** How many of many calls at once, shared out among the stores, got the key. */
async function winners(stores: readonly NonceStore[], reservation: Reservation): Promise<number> {
  const calls = Array.from({ length: 20 }, () => stores.map((store) => reserve(store, reservation)))
  return (await Promise.all(calls.flat())).filter((answer) => answer).length
}

async function wait({ wait: given }: Setting, milliseconds: number): Promise<void> {
  if (given !== undefined) await given(milliseconds)
  else await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Whether a key reserved at `start` may have expired in real time: on a machine that stood still, a check tells nothing. */
function mayHaveExpired({ wait: given }: Setting, start: number, ttlSeconds: number): boolean {
  return given === undefined && performance.now() - start >= ttlSeconds * 1000
}

function expect(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Error(fault)
}

/** A webhook that no other case or run has. */
function newWebhook(): string {
  return `webhook ${randomUUID()}`
}

/** Checks that reserving one leaves the other free. */
async function expectApart(store: NonceStore, one: Reservation, other: Reservation, fault: string): Promise<void> {
  const shown = [one, other].map((pair) => JSON.stringify(pair).slice(0, 200)).join(' and ')
  await reserve(store, one)
  expect(await reserve(store, other), `${fault} (${shown} were taken for the same)`)
}

const RACE =
  'look-up and write are two steps, and both of two simultaneous requests get through: ' +
  'insert if absent in one atomic step (SET NX, INSERT … ON CONFLICT, a conditional put)'

/** Keys that a store which alters keys takes for the same, and how it alters them. */
const ALTERED_KEYS: readonly (readonly [one: string, other: string, how: string])[] = [
  ['Nonce', 'nonce', 'case-folded: compare bytes, with a binary collation or a hash of the key'],
  ['nonce', 'nonce ', 'trimmed at the end: use a type and a collation that keep spaces, or a hash of the key'],
  ['nonce', ' nonce', 'trimmed at the start: keep them as they are'],
  [`${'n'.repeat(127)}a`, `${'n'.repeat(127)}b`, 'cut: keep all 128 characters, or a hash of the key'],
  [`a${'n'.repeat(127)}`, `b${'n'.repeat(127)}`, 'cut at the start: keep all 128 characters, or a hash of the key'],
  ['signature a', 'signature b', 'cut at a space: keep them as they are'],
  ['Aa', 'BB', 'compared by a hash that is easy to collide: compare the keys themselves, or a cryptographic hash'],
  ['1', '01', 'taken for numbers: keep them as text'],
  ['1', '1.0', 'taken for numbers: keep them as text'],
  ['10', '1e1', 'taken for numbers: keep them as text'],
  ['a-b', 'ab', 'stripped of characters: keep them as they are'],
  ['%41', 'A', 'percent-decoded: keep them as they are'],
  ['a+b', 'a b', 'form-decoded: keep them as they are'],
  ['aXb', 'a_b', 'matched as patterns: compare with =, not LIKE'],
  ['aXb', 'a%b', 'matched as patterns: compare with =, not LIKE'],
  ['aXb', 'a*b', 'matched as patterns: compare exactly'],
  ["a'b", "a''b", 'pasted into a statement: pass them as parameters'],
  ['a\\b', 'a\\\\b', 'unescaped: pass them as parameters'],
  ['{a}b', '{a}c', 'cut to their hash tag: keep them as they are'],
]

const ALTERED_WEBHOOKS: readonly (readonly [one: string, other: string, how: string])[] = [
  ['Hook', 'hook', 'case-folded'],
  ['hook', 'hook ', 'trimmed'],
  ['caf\u00e9', 'cafe\u0301', 'normalised'],
  ['hook\0a', 'hook\0b', 'cut at a NUL'],
  [`${'h'.repeat(3000)}a`, `${'h'.repeat(3000)}b`, 'cut'],
  ['\u{1f98a}', '\u{1f43a}', 'stripped of what is outside the basic plane'],
  ['__proto__', 'constructor', 'taken for properties of an object'],
]

export const CASES: readonly Case[] = [
  {
    name: 'answers true for a key that is free, then false',
    async run({ createStore }) {
      const store = await createStore()
      const reservation = [newWebhook(), 'nonce'] as const
      const [first, second] = [await reserve(store, reservation), await reserve(store, reservation)]
      expect(first || !second, 'the answer is inverted: return true if the key is now reserved, false if it was taken')
      expect(first, 'a free key is said to be taken: return true if the key is now reserved')
      expect(!second, 'a taken key is reserved again: remember keys, and return false for one that is taken')
    },
  },
  {
    name: 'lets one of many simultaneous calls through',
    async run({ createStore }) {
      const store = await createStore()
      for (let round = 0; round < 10; round++) {
        const count = await winners([store, store], [newWebhook(), 'nonce'])
        expect(count > 0, 'none of 40 simultaneous calls got the key: the first to come must')
        expect(count === 1, `${count} of 40 simultaneous calls got the same key: ${RACE}`)
      }
    },
  },
  {
    name: 'lets one through of those to two instances on one backend',
    async run({ createStore }) {
      const stores = [await createStore(), await createStore()] as const
      const taken = [newWebhook(), 'nonce'] as const
      await reserve(stores[0], taken)
      expect(
        !(await reserve(stores[1], taken)),
        'what one instance reserved is free for another: keep keys in the shared backend, not in the instance',
      )
      for (let round = 0; round < 10; round++) {
        const count = await winners(stores, [newWebhook(), 'nonce'])
        expect(count === 1, `${count} of 40 simultaneous calls to two instances got the same key: ${RACE}`)
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
        'keys are shared by all webhooks: make the webhook part of the key',
      )
      for (const separator of ['', ':', '/', '|', '.', '-', '_', ' ', ',', '#']) {
        const webhookId = newWebhook()
        const [one, other] = [
          [webhookId, `b${separator}c`],
          [`${webhookId}${separator}b`, 'c'],
        ] as const
        const fault = `webhook and key run together: put the webhook's length in front, or hash or store the two apart`
        await expectApart(store, one, other, fault)
      }
      for (const [one, other, how] of ALTERED_WEBHOOKS) {
        const key = randomUUID()
        const fault = `webhooks are ${how}: compare them exactly, byte for byte, or by a hash`
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
          await expectApart(store, [webhookId, pair[0]], [webhookId, pair[1]], `keys are ${how}`)
        }
      }
      const webhookId = newWebhook()
      for (let code = 0x20; code <= 0x7e; code++) {
        const key = `key ${String.fromCharCode(code)}.`
        expect(
          await reserve(store, [webhookId, key]),
          `key ${JSON.stringify(key)} is taken for another: compare keys exactly`,
        )
        expect(
          !(await reserve(store, [webhookId, key])),
          `key ${JSON.stringify(key)} is not remembered: keep every character`,
        )
      }
    },
  },
  {
    name: 'keeps every key, however many come after it',
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
      expect(free === 1000, `${1000 - free} of 1000 free keys are said to be taken: compare keys exactly`)
      expect(
        forgotten === 0,
        `${forgotten} of 1000 keys are forgotten before their TTL: evict none that is live, and throw when there is no room`,
      )
    },
  },
  {
    name: 'keeps a key to the end of its TTL, at whatever moment it was reserved',
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
        // The first is 1.7 s old now, and each other will be when its turn comes.
        const taken = !(await reserve(store, [webhookId, `nonce ${index}`], 2))
        expect(
          mayHaveExpired(setting, start, 2) || taken,
          'a key with a TTL of 2 s is free after 1.7 s: count in milliseconds, or round the end up, never down',
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
        'a key with a TTL of 2 s is free after 1 s: ttlSeconds is seconds, and a store that counts in milliseconds multiplies it',
      )
      await wait(setting, 1000 + LATEST_MILLISECONDS)
      expect(
        await reserve(store, short, 2),
        'a key with a TTL of 2 s is still taken 1.5 s after its end: let it expire, ttlSeconds after its reservation (is the unit right?)',
      )
      expect(
        !(await reserve(store, long)),
        'a key with a TTL of 600 s is free after a few seconds: use the ttlSeconds of each call',
      )
    },
  },
  {
    name: 'is not prolonged by a replay',
    async run(setting) {
      const store = await setting.createStore()
      const reservation = [newWebhook(), 'nonce'] as const
      await reserve(store, reservation, 1)
      let free = false
      for (let waited = 0; waited < 1000 + LATEST_MILLISECONDS && !free; waited += 250) {
        await wait(setting, 250)
        free = await reserve(store, reservation, 1)
      }
      expect(free, 'a key that is asked for again and again never expires: leave the expiry of a taken key as it is')
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
      await wait(setting, 1000 + LATEST_MILLISECONDS)
      expect(
        await reserve(store, [webhookId, 'second'], 600),
        'a key outlives its TTL beside ones that last longer: keep an expiry for each key',
      )
      for (const key of ['first', 'third', 'second']) {
        expect(
          !(await reserve(store, [webhookId, key], 1)),
          'a key is gone before its TTL, with one that lasted shorter: keep an expiry for each key',
        )
      }
    },
  },
  {
    name: 'lets one of many take a key that has expired',
    async run(setting) {
      const store = await setting.createStore()
      const reservation = [newWebhook(), 'nonce'] as const
      await reserve(store, reservation, 1)
      await wait(setting, 1000 + LATEST_MILLISECONDS)
      const count = await winners([store, store], reservation)
      expect(count > 0, 'an expired key cannot be reserved again: replace what has expired')
      expect(count === 1, `${count} of 40 simultaneous calls got a key that had expired: ${RACE}`)
      expect(
        !(await reserve(store, reservation)),
        'a key that had expired and was reserved anew is free: remember it like any other',
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
        'a key with a TTL of 600 s is free at exactly 600 s, when its request is still in the window: keep it one millisecond longer',
      )
    },
  },
  {
    name: 'fails when its backend is down',
    needs: 'createUnreachableStore',
    async run({ createUnreachableStore }) {
      // Cleared, not unref'd: a process that has nothing else to do must wait for it, and not every runtime has unref().
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
        'with its backend down the store does not answer for 4 s: set a time-out on the client',
      )
      expect(
        outcome === 'fails',
        `with its backend down the store answers ${String(outcome)}: throw, for it cannot tell`,
      )
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
