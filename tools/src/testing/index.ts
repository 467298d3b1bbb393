import { assertOptions, invalidType, kindOf } from '../../../src/arguments.js'
import type { NonceStore } from '../../../src/stores/nonce-store.js'
import { LOADS, type NonceStoreContractOptions, open } from './calls.js'
import { CASES, DOWN_CASES } from './cases.js'
import { CLOCK_CASES, SCRIPTED_CASES } from './scripts.js'

export {
  type EndpointCase,
  type EndpointContractOptions,
  type EndpointDelivery,
  type EndpointResponse,
  type EndpointResult,
  endpointContract,
} from './endpoint/contract.js'
export type { NonceStoreContractOptions }

/** One case of the contract. */
export interface NonceStoreContractCase {
  /** What the store must do. The name of a skipped case says what is not tested, and which option to pass. */
  name: string
  /** Whether the case tests nothing, because an option is missing. */
  isSkipped: boolean
  /**
   * Runs the case. If the store is wrong, `run` rejects with an error whose message says what is wrong and how to fix it. If the store threw
   * an error, this error is the `cause`.
   *
   * A case waits up to 2.7 s for keys to expire. Run the cases concurrently (`test.concurrent`) with a time-out of 60 s.
   */
  run(): Promise<void>
}

/**
 * Returns the cases that every `NonceStore` must pass, for any test runner.
 *
 * @param createStore - creates a store. Each case calls `createStore` two to four times, because a store may remember what it reserved. All
 * stores must share one database, so if the store is in memory, always return the same store. You do not need to empty the database, because each case uses its own keys.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` if `createStore` is not a function, or an option is invalid.
 *
 * @example
 * ```ts
 * import { test } from 'node:test'
 * import { MemoryNonceStore } from 'inbound-webhook-auth'
 * import { nonceStoreContract } from 'inbound-webhook-tools/testing'
 *
 * const store = new MemoryNonceStore()
 * for (const { name, run, isSkipped } of nonceStoreContract(() => store)) test(name, { skip: isSkipped }, run)
 * ```
 */
export function nonceStoreContract(
  createStore: () => NonceStore | Promise<NonceStore>,
  options: NonceStoreContractOptions = {},
): NonceStoreContractCase[] {
  if (typeof createStore !== 'function') {
    throw invalidType(
      `createStore is ${kindOf(createStore)}. Pass a function that returns a store, such as () => store.`,
    )
  }
  assertOptions(options, ['createUnreachableStore', 'wait', 'load'])
  const { load = 'full', wait, createUnreachableStore } = options
  if (!Object.hasOwn(LOADS, load)) throw invalidType("load must be 'full' or 'light'.")
  for (const [name, value] of Object.entries({ wait, createUnreachableStore })) {
    if (value !== undefined && typeof value !== 'function') {
      throw invalidType(`${name} is ${kindOf(value)}. Pass a function.`)
    }
  }
  const setting = { ...options, createStore, load }
  const cases = {
    ...CASES,
    ...SCRIPTED_CASES,
    ...(wait && CLOCK_CASES),
    ...(createUnreachableStore && DOWN_CASES),
  }
  return [
    ...Object.entries(cases).map(([name, run]) => ({
      name,
      isSkipped: false,
      run: async () => run(await open(setting), setting),
    })),
    ...notTested(options).map((name) => ({ name: `not tested: ${name}`, isSkipped: true, async run() {} })),
  ]
}

/** Lists what the contract does not test with these options, and what to do to test it. */
function notTested({ wait, createUnreachableStore, load }: NonceStoreContractOptions): string[] {
  return [
    ...(wait ? [] : ['a TTL of 600 s. Pass wait, which advances the clock of the store']),
    ...(createUnreachableStore ? [] : ['a database that is down. Pass createUnreachableStore']),
    ...(load === 'light' ? ["100 calls at once. Leave out load: 'light'"] : []),
    'a second process. Reserve one key in two processes at once',
  ]
}
