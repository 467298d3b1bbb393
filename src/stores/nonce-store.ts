import { randomUUID } from 'node:crypto'
import { hasMethod, invalidType, kindOf } from '../arguments.js'
import { NonceStoreError } from '../errors.js'
import { notNonceStore } from '../hints/nonce-store.js'
import { NONCE_TTL_SECONDS } from '../rules/nonce.js'

/**
 * Remembers which nonces are reserved. All processes that serve the same webhooks share one store.
 *
 * @example A store on a database that can insert a row if it is absent, in one atomic step:
 * ```ts
 * import type { NonceStore } from 'inbound-webhook-auth'
 *
 * declare const database: {
 *   addIfAbsent(key: string, owner: string, ttlSeconds: number): Promise<boolean>
 *   deleteIfOwner(keys: string[], owner: string): Promise<void>
 * }
 * const keyOf = (webhookId: string, key: string) => JSON.stringify([webhookId, key])
 *
 * const nonceStore: NonceStore = {
 *   reserve: (id, key, ttlSeconds, owner = '') => database.addIfAbsent(keyOf(id, key), owner, ttlSeconds),
 *   release: (id, keys, owner) => database.deleteIfOwner(keys.map((key) => keyOf(id, key)), owner),
 * }
 * ```
 */
export interface NonceStore {
  /**
   * Atomically reserves `key` for `webhookId` for `ttlSeconds`. Of any number of concurrent calls, in any number of
   * processes, exactly one returns `true`.
   *
   * Do not look up and then insert: two copies that arrive together both find nothing, and both are accepted.
   *
   * A key is still reserved at exactly `ttlSeconds` after its reservation. A call that returns `false` does not prolong the reservation.
   *
   * @param webhookId - any well-formed string that is not empty. The same key on two webhooks is two keys.
   * @param key - 1 to 128 characters of 0x20 to 0x7E, compared exactly: a nonce, or `signature ` and 64 hex digits.
   * @param ttlSeconds - how long to keep the key, in seconds. `verify` passes 600.
   * @param owner - a random string per request, which {@link NonceStore.release} needs later. The owner does not change whether a key is
   * free.
   * @returns `true` if the key was free and is now reserved, and `false` if the key was taken.
   * @throws any error if the store failed. After a failure, never return `true` or `false`.
   */
  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): boolean | Promise<boolean>

  /**
   * Optional: reserves all keys or none, in one atomic step and one round trip. `verify` calls `reserveAll` for a message that needs two
   * keys. Without `reserveAll`, `verify` calls {@link NonceStore.reserve} for one key after the other.
   *
   * If a key is taken, the other keys stay free. A nonce that was reserved by `reserve` or `reserveAll` is taken for both methods.
   *
   * @param keys - different keys: a nonce, then `signature ` and 64 hex digits. Calls with the same signature have nonces that are equal up
   * to the first `:`. A store can use this part of the nonce to place both keys on the same node.
   * @returns `true` if all keys were free and are now reserved, and `false` if one key was taken.
   * @throws any error if the store failed.
   */
  reserveAll?(
    webhookId: string,
    keys: readonly string[],
    ttlSeconds: number,
    owner?: string,
  ): boolean | Promise<boolean>

  /**
   * Frees the keys that were reserved for this `owner`, and no others. `handle` needs `release`, and calls `release` if your code throws.
   *
   * Delete only keys of the same owner, in one atomic step. When a late release arrives, the key may have expired, and another owner may
   * have reserved it.
   *
   * @param keys - the keys of one call of `reserve` or `reserveAll`, in the same order.
   * @throws any error if the store failed. The keys then stay reserved.
   */
  release?(webhookId: string, keys: readonly string[], owner: string): void | Promise<void>

  /**
   * Optional: claims all keys or none for `seconds`, in one atomic step. A claim ends by itself, so the keys are free again if the process
   * dies. `handle` with `eventId` needs `claim` and {@link NonceStore.release}: it claims the keys, extends the claim while your code runs,
   * and records the keys as done.
   *
   * A claim whose time has ended is free. A claim by the same owner extends its own claim. A claim never changes a reservation, not even of
   * the same owner. For `reserve` and `reserveAll`, a live claim is taken. `release` frees a claim too.
   *
   * With `isDone`, the keys become reserved for `seconds` if each key is free, or claimed or reserved by this owner. The same call may be
   * repeated, because its response may be lost. Its own claim may have ended, if nobody else took the key.
   *
   * @param keys - the keys of a message, or the key of an event: `event ` and 64 hex digits.
   * @param seconds - how long the claim or, with `isDone`, the reservation lasts, in seconds.
   * @returns `'claimed'` if the keys are now claimed or, with `isDone`, reserved. `'taken'` if a key is reserved, and `'in_progress'` if
   * another owner has a live claim. If you cannot tell the two apart, return `'in_progress'`.
   * @throws any error if the store failed.
   */
  claim?(
    webhookId: string,
    keys: readonly string[],
    seconds: number,
    owner: string,
    isDone?: boolean,
  ): ClaimState | Promise<ClaimState>

  /** How long `handle` records an event, in seconds. The default is 604 800 (7 days). */
  readonly eventTtlSeconds?: number
}

/** What {@link NonceStore.claim} returns. */
export type ClaimState = 'claimed' | 'in_progress' | 'taken'

export function isClaimState(value: unknown): value is ClaimState {
  return value === 'claimed' || value === 'in_progress' || value === 'taken'
}

export function assertNonceStore(nonceStore: NonceStore): void {
  // The client of postgres.js is a function, and its reserve() reserves a connection.
  if (typeof nonceStore === 'function' || typeof nonceStore?.reserve !== 'function') throw notNonceStore(nonceStore)
}

export function assertRelease(nonceStore: NonceStore): void {
  if (!hasMethod(nonceStore, 'release')) {
    throw invalidType('nonceStore has no release(). Pass a store of this package, or add release() to your store.')
  }
}

/** The random beginning of every owner of this process. Some runtimes have no random numbers when a module is loaded. */
let processId: string | undefined
let owners = 0

/** Returns a new owner: a string that no other request of any process has. The string stays small while a store keeps it. */
export function newOwner(): string {
  processId ??= randomUUID()
  return `${processId} ${++owners}`
}

/** Resolves to whether all keys are now reserved. If the store fails in between, frees the keys, so that a retry is not refused. */
export async function reserveKeys(
  nonceStore: NonceStore,
  webhookId: string,
  keys: readonly string[],
  owner?: string,
): Promise<boolean> {
  const rest: [number, string?] = owner === undefined ? [NONCE_TTL_SECONDS] : [NONCE_TTL_SECONDS, owner]
  let isPartial = false
  let failure: NonceStoreError
  try {
    let reserved: unknown
    if (keys.length > 1 && nonceStore.reserveAll) reserved = await nonceStore.reserveAll(webhookId, keys, ...rest)
    else {
      for (const key of keys) {
        reserved = await nonceStore.reserve(webhookId, key, ...rest)
        if (reserved !== true) break
        isPartial = true
      }
    }
    if (typeof reserved === 'boolean') return reserved
    const message = `The nonce store returned ${kindOf(reserved)}. Return true (reserved) or false (taken).`
    failure = new NonceStoreError(message)
  } catch (cause) {
    failure = new NonceStoreError('The nonce store failed. See the cause.', { cause })
  }
  if (isPartial && owner !== undefined) await releaseKeys(nonceStore, webhookId, keys, owner).catch(() => {})
  throw failure
}

/** Claims keys, or records them as done. Throws if the store fails, or returns no state. */
export async function claimKeys(
  nonceStore: NonceStore,
  ...call: Parameters<NonNullable<NonceStore['claim']>>
): Promise<ClaimState> {
  let state: unknown
  try {
    state = await nonceStore.claim?.(...call)
  } catch (cause) {
    throw new NonceStoreError('The nonce store failed. See the cause.', { cause })
  }
  if (isClaimState(state)) return state
  throw new NonceStoreError(`claim() returned ${kindOf(state)}. Return 'claimed', 'in_progress' or 'taken'.`)
}

export async function releaseKeys(
  nonceStore: NonceStore,
  ...call: Parameters<NonNullable<NonceStore['release']>>
): Promise<void> {
  assertRelease(nonceStore)
  try {
    await nonceStore.release?.(...call)
  } catch (cause) {
    throw new NonceStoreError('The nonce store failed. See the cause.', { cause })
  }
}
