import { kindOf } from '../../../src/arguments.js'
import { type ClaimState, isClaimState, type NonceStore } from '../../../src/stores/nonce-store.js'
import {
  answerOf,
  type Cases,
  EXPIRED_MILLISECONDS,
  expect,
  LOADS,
  newMessage,
  newReservation,
  reserve,
  reserveKeys,
  TAKEN,
  unique,
  wait,
} from './calls.js'

// The cases of the optional method `claim`. A store without this method passes. Different owners are in different instances of the store.

const SEVEN_DAYS = 604_800

/** Calls `claim` and resolves to the state that the store returned. */
async function claim(
  store: NonceStore,
  [webhookId, ...keys]: readonly string[],
  owner: string,
  seconds = 600,
  isDone = false,
): Promise<ClaimState> {
  const call = () => store.claim?.(String(webhookId), keys, seconds, owner, isDone)
  const state = await answerOf('claim', call, '. Return the state of the keys, and throw only if the store failed.')
  expect(isClaimState(state), `claim() returned ${kindOf(state)}. Return 'claimed', 'in_progress' or 'taken'.`)
  return state
}

/** Records keys as done. */
function record(store: NonceStore, keys: readonly string[], owner: string, seconds = 600): Promise<ClaimState> {
  return claim(store, keys, owner, seconds, true)
}

/** Returns a function for the webhook and the keys of one split of a new message. Another `end` is another signature. */
function newSplits() {
  const { single, keysOf } = newMessage()
  const [webhookId] = single('a')
  return (rest: string, end?: string): readonly string[] => [webhookId, ...keysOf(rest, end)]
}

/** Checks a state. `fix` is the end of the error message. */
async function expectState(call: Promise<ClaimState>, wanted: ClaimState, what: string, fix: string): Promise<void> {
  const state = await call
  expect(state === wanted, `claim() returns '${state}', not '${wanted}', for ${what}. ${fix}`)
}

/** Claims a free key. */
const claimNew = (store: NonceStore, keys: readonly string[], owner: string, seconds?: number) =>
  expectState(claim(store, keys, owner, seconds), 'claimed', 'a free key', 'Claim it.')

/** Checks that another owner does not get a key. */
const expectClaimed = (store: NonceStore, keys: readonly string[], what: string, fix: string) =>
  expectState(claim(store, keys, unique()), 'in_progress', what, fix)

const expectReserved = (store: NonceStore, keys: readonly string[], what: string, fix: string) =>
  expectState(claim(store, keys, unique()), 'taken', what, fix)

const expectFreed = (store: NonceStore, keys: readonly string[], what: string, fix: string) =>
  expectState(claim(store, keys, unique()), 'claimed', what, fix)

/** Returns a case that needs `claim`. */
function ifPresent(check: Cases[string]): Cases[string] {
  return async (store, setting) => {
    if (store.claim === undefined) return
    expect(store.release !== undefined, 'The store has claim(), but no release(). Add release(), which frees a claim.')
    await check(store, setting)
  }
}

const BY_OWNER = 'Store the owner with the claim, and compare it in the same atomic step.'
const ALL_OR_NONE = 'Claim all keys or none.'
const OWN_DONE = 'With isDone, reserve each key that is free, or that is claimed or reserved by this owner.'
const OTHERS_DONE = 'With isDone, change no key of another owner.'

export const CLAIM_CASES: Cases = {
  'claim(), if present, gives a key to one owner': ifPresent(async (store) => {
    const [key, owner] = [newReservation(), unique()]
    await claimNew(store, key, owner)
    await expectClaimed(store, key, 'a key that another owner has claimed', BY_OWNER)
    await expectState(claim(store, key, owner), 'claimed', 'its own claim', 'Extend it.')
    await expectFreed(
      store,
      [unique(), key[1]],
      'the same key of another webhook',
      'Make the webhook part of each key.',
    )
    await expectClaimed(store, key, 'a key whose claim was extended', BY_OWNER)
  }),
  'claim(), if present, takes no key that is reserved, and its keys are taken for reserve()': ifPresent(
    async (store, setting) => {
      const [claimed, reserved, owner] = [newReservation(), newReservation(), unique()]
      await claimNew(store, claimed, owner)
      for (const name of [unique(), owner]) {
        const isFree = await reserve(store, claimed, 600, TAKEN, name)
        expect(!isFree, 'reserve() returns true for a claimed key. A live claim is taken for reserve().')
      }
      expect(await reserve(store, reserved, 1, TAKEN, owner), 'reserve() returns false for a free key with an owner.')
      for (const name of [unique(), owner]) {
        const call = claim(store, reserved, name)
        await expectState(call, 'taken', 'a reserved key', 'A claim never gets a reservation, not even of its owner.')
      }
      await wait(setting, EXPIRED_MILLISECONDS)
      const fix = 'A claim must not extend a reservation.'
      await expectFreed(store, reserved, 'a key whose reservation has ended', fix)
    },
  ),
  'claim(), if present, ends a claim when its time ends, and not before': ifPresent(async (store, setting) => {
    const [short, long, extended, owner] = [newReservation(), newReservation(), newReservation(), unique()]
    await claimNew(store, short, owner, 1)
    await claimNew(store, extended, owner, 1)
    await claim(store, extended, owner, 600)
    await claimNew(store, long, owner, 4)
    await wait(setting, EXPIRED_MILLISECONDS)
    await expectFreed(store, short, 'a claim of 1 s after 2.5 s', 'Let each claim end after its seconds.')
    await expectClaimed(store, long, 'a claim of 4 s after 2.5 s', 'Keep each claim for its seconds.')
    await expectClaimed(store, extended, 'a claim that its owner extended', 'The second call sets a new end.')
    await expectClaimed(store, short, 'a claim that followed an ended claim', BY_OWNER)
  }),
  'claim(), if present, records a claim with isDone, as often as it is called': ifPresent(async (store, setting) => {
    const [key, owner] = [newReservation(), unique()]
    await claimNew(store, key, owner, 1)
    for (let call = 0; call < 2; call++) {
      await expectState(record(store, key, owner), 'claimed', 'its own key with isDone', OWN_DONE)
    }
    await expectReserved(store, key, 'a recorded key', 'With isDone, the key becomes reserved.')
    await expectState(claim(store, key, owner), 'taken', 'its own recorded key', 'A claim never changes a reservation.')
    expect(!(await reserve(store, key)), 'reserve() returns true for a recorded key.')
    await wait(setting, EXPIRED_MILLISECONDS)
    await expectReserved(store, key, 'a recorded key after the time of its claim', 'With isDone, set a new end.')
  }),
  'claim(), if present, records with isDone after its claim has ended, if nobody took the key': ifPresent(
    async (store, setting) => {
      const [ended, owner] = [newReservation(), unique()]
      await claimNew(store, ended, owner, 1)
      await wait(setting, EXPIRED_MILLISECONDS)
      for (const key of [ended, newReservation()]) {
        await expectState(record(store, key, owner), 'claimed', 'a free key with isDone', OWN_DONE)
        await expectReserved(store, key, 'a recorded key', 'With isDone, the key becomes reserved.')
      }
    },
  ),
  'claim() with isDone, if present, changes no key of another owner': ifPresent(async (store) => {
    const [claimed, reserved, owner] = [newReservation(), newReservation(), unique()]
    await claimNew(store, claimed, owner)
    await reserve(store, reserved, 600, TAKEN, owner)
    const other = unique()
    await expectState(record(store, claimed, other), 'in_progress', "another owner's claim with isDone", OTHERS_DONE)
    await expectState(record(store, reserved, other), 'taken', "another owner's reservation with isDone", OTHERS_DONE)
    await expectClaimed(store, claimed, "a key that another owner's isDone did not get", OTHERS_DONE)
    for (const [webhookId, key] of [claimed, reserved]) {
      await store.release?.(webhookId, [key], owner)
      await expectFreed(store, [webhookId, key], 'a key that its owner released', OTHERS_DONE)
    }
  }),
  'claim(), if present, claims all keys or none': ifPresent(async (store) => {
    const [splitOf, owner] = [newSplits(), unique()]
    await claimNew(store, splitOf('a'), owner)
    await expectState(claim(store, splitOf('a'), owner), 'claimed', 'two own keys', 'Extend both.')
    await expectClaimed(store, splitOf('b'), 'a free nonce with a claimed signature', ALL_OR_NONE)
    await expectFreed(store, splitOf('b', 'a'), 'a nonce that was refused with its signature', ALL_OR_NONE)
    await expectClaimed(store, splitOf('a', 'b'), 'a claimed nonce with a free signature', ALL_OR_NONE)
    await expectFreed(store, splitOf('c', 'b'), 'a signature that was refused with its nonce', ALL_OR_NONE)
  }),
  'claim(), if present, records two keys together': ifPresent(async (store) => {
    const [splitOf, owner] = [newSplits(), unique()]
    await claimNew(store, splitOf('a'), owner)
    await expectState(record(store, splitOf('a'), owner), 'claimed', 'two own keys with isDone', OWN_DONE)
    await expectReserved(store, splitOf('b'), 'a recorded signature', 'With isDone, reserve all keys.')
    await expectReserved(store, splitOf('a', 'a'), 'a recorded nonce', 'With isDone, reserve all keys.')
    const [webhookId = '', nonce = '', signature = ''] = splitOf('a')
    expect(!(await reserve(store, [webhookId, nonce])), 'reserve() returns true for a recorded nonce.')
    if (!store.reserveAll) return
    const isFree = await reserveKeys(store, webhookId, [nonce, signature])
    expect(!isFree, 'reserveAll() returns true for recorded keys.')
  }),
  'claim(), if present, gives crossing keys to at most one of many calls at once': ifPresent(async (store, setting) => {
    const { calls, rounds } = LOADS[setting.load]
    for (let round = 0; round < rounds; round++) {
      const splitOf = newSplits()
      const states = await Promise.all(
        Array.from({ length: calls }, (_, index) => claim(store, splitOf(`${index}`), unique())),
      )
      const winners = states.filter((state) => state === 'claimed').length
      expect(
        winners <= 1,
        `${winners} of ${calls} simultaneous calls of claim() got the same key. Use one atomic step.`,
      )
      const loser = states.findIndex((state) => state !== 'claimed')
      const what = 'the other key of a claim that was refused while many calls ran at once'
      await expectFreed(store, splitOf(`${loser}`, 'a'), what, ALL_OR_NONE)
    }
  }),
  'claim(), if present, is freed by the release() of its owner, and of no other': ifPresent(async (store) => {
    const splitOf = newSplits()
    const [webhookId = '', ...keys] = splitOf('a')
    const [owner, other] = [unique(), unique()]
    await claimNew(store, splitOf('a'), owner)
    await store.release?.(webhookId, keys, other)
    await expectClaimed(store, splitOf('b'), 'a signature after a release() of another owner', BY_OWNER)
    await store.release?.(webhookId, keys, owner)
    await claimNew(store, splitOf('a'), other)
    await store.release?.(webhookId, keys, owner)
    await expectClaimed(store, splitOf('a'), 'keys after a late release() of their first owner', BY_OWNER)
  }),
  'claim(), if present, changes no reservation of its owner if it arrives late': ifPresent(
    async (_, { createStore }) => {
      // A store may remember its own keys, so another instance asks the database.
      const [one, other] = [await createStore(), await createStore()]
      const [recorded, reserved, owner] = [newReservation(), newReservation(), unique()]
      await claimNew(one, recorded, owner)
      await record(one, recorded, owner)
      await reserve(one, reserved, 600, TAKEN, owner)
      const fix = 'A claim never changes a reservation, not even of its owner.'
      await expectState(claim(other, recorded, owner), 'taken', 'a recorded key of its owner', fix)
      await expectState(claim(other, reserved, owner), 'taken', 'a reserved key of its owner', fix)
    },
  ),
}

/** The case that needs days. It runs only if the user passes `wait`, which advances the clock of the store. */
export const CLAIM_CLOCK_CASES: Cases = {
  'claim(), if present, records an event for 7 days': ifPresent(async (store, setting) => {
    const event = [unique(), `event ${unique().padStart(64, '0')}`]
    const owner = unique()
    await claimNew(store, event, owner, 30)
    await record(store, event, owner, SEVEN_DAYS)
    for (let day = 0; day < 6; day++) await wait(setting, 86_400_000)
    await expectReserved(store, event, 'an event of 7 days after 6 days', 'Set no upper limit for the time of a key.')
    await wait(setting, 86_400_000 + 2000)
    await expectFreed(store, event, 'an event of 7 days after its time', 'Let each key end after its seconds.')
  }),
}
