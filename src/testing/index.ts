import { invalidType, kindOf } from '../errors.js'
import type { NonceStore } from '../stores/nonce-store.js'
import { CASES } from './cases.js'
import type { NonceStoreContractOptions } from './options.js'

export type { NonceStoreContractOptions } from './options.js'

/** One case of the contract. */
export interface NonceStoreContractCase {
  /** What must hold. */
  name: string
  /** Rejects with an error whose message names the fault and how to mend it. Takes up to 4 s of real time. */
  run(): Promise<void>
}

/**
 * The cases that every `NonceStore` must pass, for any test runner.
 *
 * @param createStore - makes a store. It is called for each case, and twice where two processes are played: all the
 * stores that it makes share one backend (for a store in memory, return the same one). Each case uses webhooks of its own, so the
 * backend need not be emptied.
 * @param options - see {@link NonceStoreContractOptions}.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` if `createStore` is no function.
 *
 * @example
 * ```ts
 * import { test } from 'node:test'
 * import { MemoryNonceStore } from 'inbound-webhook-auth'
 * import { nonceStoreContract } from 'inbound-webhook-auth/testing'
 *
 * const store = new MemoryNonceStore()
 * for (const { name, run } of nonceStoreContract(() => store)) test(name, run)
 * ```
 */
export function nonceStoreContract(
  createStore: () => NonceStore | Promise<NonceStore>,
  options: NonceStoreContractOptions = {},
): NonceStoreContractCase[] {
  if (typeof createStore !== 'function') {
    throw invalidType(`createStore is ${kindOf(createStore)}: pass a function that makes a store, such as () => store`)
  }
  const setting = { createStore, ...options }
  return CASES.filter(({ needs }) => needs === undefined || setting[needs] !== undefined).map(({ name, run }) => ({
    name,
    run: () => run(setting),
  }))
}
