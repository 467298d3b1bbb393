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
  unique,
  wait,
} from './calls.js'
import type { Cases } from './cases.js'

const FREED =
  'A key that reserveAll() reserved is free for reserve(). Use the same keys in both, and never free a taken one.'

const ALL_OR_NONE = 'Reserve all keys or none.'

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

/** Makes a case of a check. It first checks what all checks need. A store without `reserveAll` passes. */
function ifPresent(check: Cases[string]): Cases[string] {
  return async (store, setting) => {
    if (store.reserveAll === undefined) return
    const { single, all } = newMessage()
    expect(await all(store, 'a'), 'reserveAll() returns false for free keys. Return true if all are now reserved.')
    expect(!(await all(store, 'a')), 'reserveAll() returns true for taken keys. Return false if one was taken.')
    await expectTaken(store, single('a'), FREED)
    expect(!(await all(store, 'b')), `reserveAll() returns true although the signature is taken. ${ALL_OR_NONE}`)
    await check(store, setting)
  }
}

/** The cases of the optional `reserveAll`. */
export const RESERVE_ALL_CASES: Cases = {
  'reserveAll() reserves all keys or none, if the store has it': ifPresent(async (store) => {
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
  'reserveAll() returns true to one of many simultaneous calls, if the store has it': ifPresent(
    async (store, setting) => {
      const stores = [store, await open(setting)] as const
      const { calls, rounds } = LOADS[setting.load]
      for (let round = 0; round < rounds; round++) {
        const { single, all } = newMessage()
        // In odd rounds, all calls have the same nonce too.
        const split = (index: number) => (round % 2 === 0 ? String(index) : 'a')
        const call = (index: number) => all(index % 2 === 0 ? stores[0] : stores[1], split(index))
        const winner = await expectOneWinner(calls, call, 'the same keys of reserveAll()')
        await expectTaken(store, single(split(winner)), FREED)
        if (round % 2 === 1) continue
        await expectFree(
          store,
          single(split(winner === 0 ? 1 : 0)),
          'A reserveAll() that returns false leaves a nonce reserved if other calls run at the same time. Use one atomic step.',
        )
      }
    },
  ),
  'reserveAll() keeps its keys for their TTL, and no longer, if the store has it': ifPresent(async (store, setting) => {
    const [short, long] = [newMessage(), newMessage()]
    await long.all(store, 'a', 600)
    await short.all(store, 'a', 1)
    await wait(setting, EXPIRED_MILLISECONDS)
    expect(await short.all(store, 'a', 600), `reserveAll(): ${LATE}`)
    for (const { single, all } of [short, long]) {
      await expectTaken(store, single('a'), `reserveAll(): ${EARLY}`)
      expect(!(await all(store, 'b')), `reserveAll(): ${EARLY}`)
    }
  }),
}
