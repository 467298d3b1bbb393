import { describe, expect, it } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { nonceStoreContract } from '../../src/testing/index.js'
import { TestClock } from '../support/request.js'
import { CORRECT_STORE, FAULTY_STORES, type FaultyStore } from './faulty-stores.js'

/** Runs the contract and returns the messages of the cases that fail. */
async function faultsFound({ create }: FaultyStore): Promise<string[]> {
  const { createStore, options } = create()
  const faults: string[] = []
  for (const { run } of nonceStoreContract(createStore, options)) {
    await run().catch((error: Error) => faults.push(error.message))
  }
  return faults
}

describe.concurrent('the contract finds the fault and names it:', () => {
  it.each(FAULTY_STORES)('$fault', async (store) => {
    const faults = await faultsFound(store)
    expect(faults.filter((fault) => store.message.test(fault))).not.toEqual([])
  })
})

it('the contract finds nothing wrong with a correct store', async () => {
  expect(await faultsFound(CORRECT_STORE)).toEqual([])
})

it('the contract finds nothing wrong with a store that fails when its backend is down', async () => {
  const create = () => {
    const { createStore, options } = CORRECT_STORE.create()
    const reserve = () => Promise.reject(new Error('connection refused'))
    return { createStore, options: { ...options, createUnreachableStore: () => ({ reserve }) } }
  }
  expect(await faultsFound({ ...CORRECT_STORE, create })).toEqual([])
})

describe('MemoryNonceStore', () => {
  const clock = new TestClock(0)
  const store = new MemoryNonceStore({ clock })
  const wait = (milliseconds: number) => {
    clock.milliseconds += milliseconds
  }
  it.each(nonceStoreContract(() => store, { wait }))('$name', ({ run }) => run())
})

describe('MemoryNonceStore, in real time', () => {
  const store = new MemoryNonceStore()
  it.concurrent.each(nonceStoreContract(() => store))('$name', ({ run }) => run())
})

it('the contract needs a function', () => {
  expect(() => Reflect.apply(nonceStoreContract, undefined, [new MemoryNonceStore()])).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringContaining('Pass a function') }),
  )
})
