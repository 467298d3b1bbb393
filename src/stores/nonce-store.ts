import { invalidType, kindOf, NonceStoreError } from '../errors.js'
import { NONCE_TTL_SECONDS } from '../rules/nonce.js'

/**
 * Remembers which nonces are taken. Share one store among all processes that serve the same webhooks.
 *
 * @example A store on any database that can add a row only if it is absent, in one atomic step:
 * ```ts
 * import type { NonceStore } from 'inbound-webhook-auth'
 *
 * declare const database: { addIfAbsent(key: string, ttlSeconds: number): Promise<'added' | 'present'> }
 *
 * export const nonceStore: NonceStore = {
 *   async reserve(webhookId, key, ttlSeconds) {
 *     return (await database.addIfAbsent(JSON.stringify([webhookId, key]), ttlSeconds)) === 'added'
 *   },
 * }
 * ```
 */
export interface NonceStore {
  /**
   * Takes `key` on one webhook for `ttlSeconds`, if it is free, in one atomic step: of any number of calls for the same
   * key, in any number of processes, one answers `true`. A look-up followed by a write is two steps and lets both of two
   * simultaneous requests through.
   *
   * A key is still taken at exactly `ttlSeconds` after its reservation, and a call that answers `false` does not prolong it.
   *
   * @param webhookId - any well-formed, non-empty string. The same key on two webhooks is two keys.
   * @param key - 1 to 128 characters of 0x20 to 0x7E, compared exactly: a nonce, or `signature ` and 64 hex digits.
   * @param ttlSeconds - how long to keep it, in seconds; 600 from `verify`.
   * @returns `true` if the key was free and is now reserved, `false` if it is taken. When the store cannot tell, it throws.
   */
  reserve(webhookId: string, key: string, ttlSeconds: number): boolean | Promise<boolean>
}

/** @internal */
export function assertNonceStore(nonceStore: NonceStore): void {
  if (typeof nonceStore?.reserve !== 'function') {
    throw invalidType(
      `nonceStore has no reserve(), it is ${kindOf(nonceStore)}: pass a MemoryNonceStore, made once, or another`,
    )
  }
}

/**
 * Reserves `key` for as long as a nonce is kept. Fails closed: `true` only if the store says exactly that. A store that
 * answers at once is not waited for.
 *
 * @internal
 */
export function reserve(nonceStore: NonceStore, webhookId: string, key: string): boolean | Promise<boolean> {
  let answer: unknown
  try {
    answer = nonceStore.reserve(webhookId, key, NONCE_TTL_SECONDS)
  } catch (cause) {
    throw failed(cause)
  }
  return typeof answer === 'boolean' ? answer : settled(answer)
}

async function settled(pending: unknown): Promise<boolean> {
  let answer: unknown
  try {
    answer = await pending
  } catch (cause) {
    throw failed(cause)
  }
  if (typeof answer === 'boolean') return answer
  throw new NonceStoreError(`nonceStore.reserve() answered ${kindOf(answer)}: return true (reserved) or false (taken)`)
}

function failed(cause: unknown): NonceStoreError {
  return new NonceStoreError('The nonce store failed: no verdict, answer 503, see cause', { cause })
}
