import { describe, expect, it } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { nonceStoreContract } from '../../src/testing/index.js'
import { TestClock } from '../support/request.js'
import { HEALTHY, type Specimen, ZOO } from './zoo.js'

/** The messages of the cases that a specimen fails. */
async function faultsFound({ create }: Specimen): Promise<string[]> {
  const { createStore, options } = create()
  const faults: string[] = []
  for (const { run } of nonceStoreContract(createStore, options)) {
    await run().catch((error: Error) => faults.push(error.message))
  }
  return faults
}

describe.concurrent('the contract catches, for its own reason,', () => {
  it.each(ZOO)('$fault', async (specimen) => {
    const faults = await faultsFound(specimen)
    expect(faults.filter((fault) => specimen.message.test(fault))).not.toEqual([])
  })
})

it('the contract finds nothing wrong with a store that is right', async () => {
  expect(await faultsFound(HEALTHY)).toEqual([])
})

it('the contract finds nothing wrong with a store that fails when its backend is down', async () => {
  const create = () => {
    const { createStore, options } = HEALTHY.create()
    const reserve = () => Promise.reject(new Error('connection refused'))
    return { createStore, options: { ...options, createUnreachableStore: () => ({ reserve }) } }
  }
  expect(await faultsFound({ ...HEALTHY, create })).toEqual([])
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

it('the contract wants a function', () => {
  expect(() => Reflect.apply(nonceStoreContract, undefined, [new MemoryNonceStore()])).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringContaining('Pass a function') }),
  )
})
