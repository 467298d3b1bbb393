import { type Cases, EXPIRED_MILLISECONDS } from './calls.js'
import { casesOf, type Script } from './steps.js'

// The cases that make one call after the other.

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
  'gives each key its own TTL': [
    'Use the ttlSeconds of each call, in seconds. Store an expiry per key, and evict no live key.',
    [0, 'reserves', 'a', true],
    [0, 'reserves', 'b', true, 1],
    [0, 'reserves', 'c', true],
    EXPIRED_MILLISECONDS,
    [0, 'reserves', 'b', true],
    [0, 'reserves', 'a', false],
    [0, 'reserves', 'c', false],
  ],
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
    [2, 'reserves', 'a', false],
    [1, 'claims', 'a', 'claimed'],
    [2, 'claims', 'a', 'in_progress'],
    [2, 'claims elsewhere', 'a', 'claimed'],
  ],
  'claim(), if present, takes no key that is reserved, and its keys are taken for reserve()': [
    NO_RESERVATION,
    [1, 'claims', 'a', 'claimed'],
    [1, 'reserves', 'a', false],
    [2, 'reserves', 'a', false],
    [1, 'reserves', 'c', true],
    [1, 'claims late', 'c', 'taken'],
    [0, 'reserves', 'd', true],
    [1, 'claims late', 'd', 'taken'],
    [1, 'reserves', 'b', true, 1],
    [2, 'claims', 'b', 'taken'],
    [1, 'claims', 'b', 'taken'],
    EXPIRED_MILLISECONDS,
    [2, 'claims', 'b', 'claimed'],
  ],
  'claim(), if present, ends a claim when its time ends, and not before': [
    'Let each claim end after the seconds of the last call of its owner, and not before.',
    [1, 'claims', 'a', 'claimed', 1],
    [1, 'claims', 'b', 'claimed', 1],
    [1, 'claims', 'b', 'claimed'],
    [1, 'claims', 'c', 'claimed', 8],
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

export const SCRIPTED_CASES: Cases = casesOf(SCRIPTS)

const DAY = 86_400

/** The cases that need exact times. These cases run only if the user passes `wait`, which advances the clock of the store. */
export const CLOCK_CASES: Cases = casesOf({
  'keeps a key until its TTL has passed, to the millisecond': [
    'Keep each key for ttlSeconds, without an upper limit, and 1 ms longer, because a replay can still be valid after exactly 600 s.',
    [0, 'reserves', 'a', true],
    300_000,
    [0, 'reserves', 'a', false],
    299_999,
    [0, 'reserves', 'a', false],
    1,
    [0, 'reserves', 'a', false],
  ],
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
