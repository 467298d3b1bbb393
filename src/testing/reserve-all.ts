import type { NonceStore } from '../stores/nonce-store.js'
import {
  EARLY,
  EXPIRED_MILLISECONDS,
  expect,
  expectFree,
  expectOneWinner,
  expectTaken,
  LATE,
  LOADS,
  open,
  reserveKeys,
  reserveNew,
  type Setting,
  unique,
  wait,
} from './calls.js'
import type { Case } from './cases.js'

const FREED =
  'A key that reserveAll() reserved is free for reserve(). Use the same keys in both, and never free a taken one.'

/** A message in several splits. They have one signature, and nonces that are equal up to the first `:`. */
function newMessage() {
  const [webhookId, first, signature] = [unique(), unique(), `signature ${unique().padStart(64, '0')}`]
  const nonce = (rest: string) => `${first}:${rest}`
  return {
    /** The reservation of `reserve` for one split. */
    single: (rest: string) => [webhookId, nonce(rest)] as const,
    /** Calls `reserveAll` for one split. */
    all: (store: NonceStore, rest: string, ttlSeconds = 600, scope = webhookId) =>
      reserveKeys(store, scope, [nonce(rest), signature], ttlSeconds),
  }
}

/** Creates a store, and checks what all cases need. Returns `undefined` if the store has no `reserveAll`. */
async function openAll(setting: Setting): Promise<NonceStore | undefined> {
  const store = await open(setting)
  if (store.reserveAll === undefined) return undefined
  const { single, all } = newMessage()
  expect(await all(store, 'a'), 'reserveAll() returns false for free keys. Return true if all are now reserved.')
  expect(!(await all(store, 'a')), 'reserveAll() returns true for taken keys. Return false if one was taken.')
  await expectTaken(store, single('a'), FREED)
  expect(
    !(await all(store, 'b')),
    'reserveAll() returns true although the signature is taken. Reserve all keys or none.',
  )
  return store
}

/** The cases of the optional `reserveAll`. A store without it passes them. */
export const RESERVE_ALL_CASES: readonly Case[] = [
  {
    name: 'reserveAll() reserves all keys or none, if the store has it',
    async run(setting) {
      const store = await openAll(setting)
      if (store === undefined) return
      const { single, all } = newMessage()
      await reserveNew(store, single('a'))
      expect(
        !(await all(store, 'a')),
        'reserveAll() returns true although the nonce is taken. Reserve all keys or none.',
      )
      expect(
        await all(store, 'b'),
        'reserveAll() leaves the signature reserved when the nonce is taken. Reserve all keys or none.',
      )
      await all(store, 'c')
      await expectFree(
        store,
        single('c'),
        'reserveAll() leaves the nonce reserved when the signature is taken. Reserve all keys or none.',
      )
      expect(
        await all(store, 'a', 600, unique()),
        'reserveAll() shares keys between webhooks. Make the webhook part of each key.',
      )
    },
  },
  {
    name: 'reserveAll() returns true to one of many simultaneous calls, if the store has it',
    async run(setting) {
      const [store, other] = [await openAll(setting), await openAll(setting)]
      if (store === undefined || other === undefined) return
      const { calls, rounds } = LOADS[setting.load]
      for (let round = 0; round < rounds; round++) {
        const { single, all } = newMessage()
        // In odd rounds, all calls have the same nonce too.
        const split = (index: number) => (round % 2 === 0 ? String(index) : 'a')
        const winner = await expectOneWinner(
          calls,
          (index) => all(index % 2 === 0 ? store : other, split(index)),
          'the same keys of reserveAll()',
        )
        await expectTaken(store, single(split(winner)), FREED)
        if (round % 2 === 1) continue
        await expectFree(
          store,
          single(split(winner === 0 ? 1 : 0)),
          'A reserveAll() that returns false leaves a nonce reserved if other calls run at the same time. Use one atomic step.',
        )
      }
    },
  },
  {
    name: 'reserveAll() keeps its keys for their TTL, and no longer, if the store has it',
    async run(setting) {
      const store = await openAll(setting)
      if (store === undefined) return
      const [short, long] = [newMessage(), newMessage()]
      await long.all(store, 'a', 600)
      await short.all(store, 'a', 1)
      await wait(setting, EXPIRED_MILLISECONDS)
      expect(await short.all(store, 'a', 600), `reserveAll(): ${LATE}`)
      for (const { single, all } of [short, long]) {
        await expectTaken(store, single('a'), `reserveAll(): ${EARLY}`)
        expect(!(await all(store, 'b')), `reserveAll(): ${EARLY}`)
      }
    },
  },
]
