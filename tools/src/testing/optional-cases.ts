import {
  type Cases,
  EXPIRED_MILLISECONDS,
  expect,
  expectFree,
  expectOneWinner,
  expectTaken,
  LOADS,
  newMessage,
  newReservation,
  open,
  reserve,
  reserveKeys,
  TAKEN,
  unique,
} from './calls.js'
import { casesOf, claim, release, type Script } from './steps.js'

// The cases of the optional methods.

const ALL_OR_NONE =
  'Reserve all keys or none, in one atomic step. Use the same keys for all methods, and make the webhook part of each key.'
const BY_OWNER =
  'Store the owner with the key, and free only what this owner reserved, in one atomic step. Reserve a key that was freed again.'
const BY_TTL = 'Let each key end after its TTL, and not before.'
const OWN_CLAIM =
  'Store the owner with the claim, and compare it in the same atomic step. Only its owner extends a claim. Make the webhook part of each key.'
const NO_RESERVATION =
  'A claim never gets or changes a reservation, not even of its owner, and a live claim is taken for reserve().'
const OWN_DONE =
  'With isDone, reserve each key that is free, or that is claimed or reserved by this owner, and set a new end. Change no key of another owner.'

// An instance may remember for a moment that a key was taken. So after a release, that instance is asked about another key.
const SCRIPTS: { readonly [name: string]: Script } = {
  'reserveAll(), if present, reserves all keys or none': [
    ALL_OR_NONE,
    [0, 'reserves', 'aA', true],
    [0, 'reserves', 'aA', false],
    [0, 'reserves', 'a', false],
    [0, 'reserves', 'bA', false],
    [0, 'reserves', 'b', true],
    [0, 'reserves', 'bB', false],
    [0, 'reserves', 'cB', true],
    [0, 'reserves elsewhere', 'aA', true],
  ],
  'reserveAll(), if present, frees its keys when their TTL ends': [
    BY_TTL,
    [0, 'reserves', 'aA', true],
    [0, 'reserves', 'bB', true, 1],
    EXPIRED_MILLISECONDS,
    [0, 'reserves', 'bB', true],
    [0, 'reserves', 'b', false],
    [0, 'reserves', 'cB', false],
    [0, 'reserves', 'a', false],
    [0, 'reserves', 'cA', false],
  ],
  'release(), if present, frees the keys of its owner and no others': [
    BY_OWNER,
    [2, 'reserves', 'e', true, 1],
    [1, 'reserves', 'a', true],
    [1, 'reserves', 'b', true],
    [1, 'reserves elsewhere', 'a', true],
    [0, 'reserves', 'c', true],
    [2, 'reserves', 'a', false],
    [1, 'reserves', 'a', false],
    [2, 'releases', 'a'],
    [3, 'reserves', 'a', false],
    [1, 'releases', 'c'],
    [3, 'reserves', 'c', false],
    [1, 'releases', 'a'],
    [2, 'reserves', 'a', true],
    [3, 'reserves', 'a', false],
    [3, 'reserves', 'b', false],
    [3, 'reserves elsewhere', 'a', false],
    [1, 'releases', 'a'],
    [3, 'reserves', 'a', false],
    [1, 'releases', 'd'],
    EXPIRED_MILLISECONDS,
    [1, 'reserves', 'e', true],
    [1, 'releases', 'e'],
    [2, 'reserves', 'e', true],
  ],
  'release(), if present, frees the keys of reserveAll()': [
    BY_OWNER,
    [1, 'reserves', 'aA', true],
    [2, 'reserves', 'aA', false],
    [1, 'reserves', 'aA', false],
    [2, 'releases', 'aA'],
    [3, 'reserves', 'bA', false],
    [3, 'reserves', 'a', false],
    [1, 'releases', 'aA'],
    [3, 'reserves', 'cA', true],
    [3, 'reserves', 'a', true],
  ],
  'claim(), if present, gives a key to one owner': [
    OWN_CLAIM,
    [1, 'claims', 'a', 'claimed'],
    [2, 'claims', 'a', 'in_progress'],
    [1, 'claims', 'a', 'claimed'],
    [2, 'claims', 'a', 'in_progress'],
    [2, 'claims elsewhere', 'a', 'claimed'],
  ],
  'claim(), if present, takes no key that is reserved, and its keys are taken for reserve()': [
    NO_RESERVATION,
    [1, 'claims', 'a', 'claimed'],
    [1, 'reserves', 'a', false],
    [2, 'reserves', 'a', false],
    [1, 'reserves', 'b', true, 1],
    [2, 'claims', 'b', 'taken'],
    [1, 'claims', 'b', 'taken'],
    [1, 'claims late', 'b', 'taken'],
    EXPIRED_MILLISECONDS,
    [2, 'claims', 'b', 'claimed'],
  ],
  'claim(), if present, ends a claim when its time ends, and not before': [
    'Let each claim end after the seconds of the last call of its owner, and not before.',
    [1, 'claims', 'a', 'claimed', 1],
    [1, 'claims', 'b', 'claimed', 1],
    [1, 'claims', 'b', 'claimed'],
    [1, 'claims', 'c', 'claimed', 4],
    EXPIRED_MILLISECONDS,
    [2, 'claims', 'a', 'claimed'],
    [2, 'claims', 'b', 'in_progress'],
    [2, 'claims', 'c', 'in_progress'],
    [1, 'claims', 'a', 'in_progress'],
  ],
  'claim(), if present, records a claim with isDone, as often as it is called': [
    OWN_DONE,
    [1, 'claims', 'a', 'claimed', 1],
    [1, 'records', 'a', 'claimed'],
    [1, 'records', 'a', 'claimed'],
    [2, 'claims', 'a', 'taken'],
    [1, 'claims', 'a', 'taken'],
    [1, 'claims late', 'a', 'taken'],
    [2, 'reserves', 'a', false],
    EXPIRED_MILLISECONDS,
    [2, 'claims', 'a', 'taken'],
  ],
  'claim(), if present, records with isDone after its claim has ended, if nobody took the key': [
    OWN_DONE,
    [1, 'claims', 'a', 'claimed', 1],
    EXPIRED_MILLISECONDS,
    [1, 'records', 'a', 'claimed'],
    [2, 'claims', 'a', 'taken'],
    [1, 'records', 'b', 'claimed'],
    [2, 'claims', 'b', 'taken'],
  ],
  'claim() with isDone, if present, changes no key of another owner': [
    OWN_DONE,
    [1, 'claims', 'a', 'claimed'],
    [1, 'reserves', 'b', true],
    [2, 'records', 'a', 'in_progress'],
    [2, 'records', 'b', 'taken'],
    [3, 'claims', 'a', 'in_progress'],
    [1, 'releases', 'a'],
    [1, 'releases', 'b'],
    [2, 'claims', 'a', 'claimed'],
    [3, 'claims', 'b', 'claimed'],
  ],
  'claim(), if present, claims all keys or none': [
    'Claim all keys or none.',
    [1, 'claims', 'aA', 'claimed'],
    [1, 'claims', 'aA', 'claimed'],
    [2, 'claims', 'bA', 'in_progress'],
    [3, 'claims', 'bB', 'claimed'],
    [2, 'claims', 'aC', 'in_progress'],
    [3, 'claims', 'cC', 'claimed'],
  ],
  'claim(), if present, records two keys together': [
    'With isDone, reserve all keys.',
    [1, 'claims', 'aA', 'claimed'],
    [1, 'records', 'aA', 'claimed'],
    [2, 'claims', 'bA', 'taken'],
    [2, 'claims', 'aB', 'taken'],
    [2, 'reserves', 'a', false],
    [2, 'reserves', 'aA', false],
  ],
  'claim(), if present, is freed by the release() of its owner, and of no other': [
    OWN_CLAIM,
    [1, 'claims', 'aA', 'claimed'],
    [2, 'releases', 'aA'],
    [3, 'claims', 'bA', 'in_progress'],
    [1, 'releases', 'aA'],
    [2, 'claims', 'aA', 'claimed'],
    [1, 'releases', 'aA'],
    [3, 'claims', 'aA', 'in_progress'],
  ],
}

const DAY = 86_400

/** The case that needs days. It runs only if the user passes `wait`, which advances the clock of the store. */
export const CLAIM_CLOCK_CASES: Cases = casesOf({
  'claim(), if present, records an event for 7 days': [
    'Set no upper limit for the time of a key.',
    [1, 'claims', 'a', 'claimed', 30],
    [1, 'records', 'a', 'claimed', 7 * DAY],
    6 * DAY * 1000,
    [2, 'claims', 'a', 'taken'],
    (DAY + 2) * 1000,
    [2, 'claims', 'a', 'claimed'],
  ],
})

/** The calls of these cases run at the same time. */
const RACES: Cases = {
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
      await expectTaken(store, reservationOf(winner), `A key that reserveAll() reserved is free. ${ALL_OR_NONE}`)
      if (round % 2 === 1) continue
      await expectFree(
        store,
        reservationOf(winner === 0 ? 1 : 0),
        'If several calls run at once, a reserveAll() that returns false leaves a nonce reserved. Use one atomic step.',
      )
    }
  },
  async 'release(), if present, lets exactly one of many calls reserve the key again'(store, setting) {
    if (store.release === undefined) return
    const stores = [store, await open(setting)] as const
    const [webhookId, key] = newReservation()
    const { calls, rounds } = LOADS[setting.load]
    for (let round = 0; round < rounds; round++) {
      const owners = Array.from({ length: calls }, unique)
      const storeOf = (index: number) => (index % 2 === 0 ? stores[0] : stores[1])
      const call = (index: number) => reserve(storeOf(index), [webhookId, key], 600, TAKEN, owners[index])
      const winner = await expectOneWinner(calls, call, 'the same key, after it was released')
      await release(storeOf(winner), webhookId, [key], String(owners[winner]))
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
      const loser = states.findIndex((state) => state !== 'claimed')
      const state = await claim(store, webhookId, keysOf([`${loser}`, 'B']), unique())
      expect(state === 'claimed', `A claim() that was refused while many calls ran at once leaves a key ${state}.`)
    }
  },
}

export const OPTIONAL_CASES: Cases = { ...casesOf(SCRIPTS), ...RACES }
