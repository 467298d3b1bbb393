import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore } from '../../../src/index.js'
import { TestClock } from '../../../test/support/request.js'
import { SimulatedTime } from '../../../test/support/simulated-time.js'
import { type NonceStoreContractOptions, nonceStoreContract } from '../../src/testing/index.js'
import { FAULTY_CLAIMS } from './faulty-claims.js'
import { CORRECT_STORE, CORRECT_STORES, FAULTY_STORES, type FaultyStore } from './faulty-stores.js'

// No test waits: the time of the contract is simulated.
const time = new SimulatedTime()
const clock = { now: () => time.now }
beforeAll(() => time.start())
afterAll(() => time.stop())

/** Runs the contract and returns the messages of the cases that fail. */
async function faultsFound({ create }: FaultyStore, more: NonceStoreContractOptions = {}): Promise<string[]> {
  const { createStore, options } = create()
  const faults: string[] = []
  for (const { run } of nonceStoreContract(createStore, { ...options, ...more })) {
    await time.until(run().catch((error: Error) => faults.push(error.message)))
  }
  return faults
}

/** Faults that only many calls at once or many keys show. A light load finds the others in half of the time. */
const NEED_FULL_LOAD = [
  ...[
    'room for 90 keys only',
    'room for 500 keys only',
    'forgets under 100 simultaneous calls',
    'false while another call runs',
  ],
]

describe('the contract finds the fault and names no other:', () => {
  it.each([...FAULTY_STORES, ...FAULTY_CLAIMS])('$fault', async (store) => {
    const faults = await faultsFound(store, { load: NEED_FULL_LOAD.includes(store.fault) ? 'full' : 'light' })
    expect(faults).not.toEqual([])
    expect(faults.filter((fault) => !store.message.test(fault))).toEqual([])
  })

  const failing = () => Promise.reject(new Error('connection refused'))
  const hanging = () => new Promise(() => {})
  it.each<[what: string, store: unknown, fault: string]>([
    [
      'no store',
      undefined,
      'createUnreachableStore returned undefined, which has no reserve(). Return a NonceStore from',
    ],
    ['a factory that hangs', hanging(), 'createUnreachableStore() does not return within 4 s'],
    ['reserve that hangs', { reserve: hanging }, 'reserve() does not return within 4 s while the backend is down. Set'],
    ['reserve', { reserve: async () => false }, 'reserve() returns false while the backend is down. Throw an error.'],
    ['reserveAll', { reserve: failing, reserveAll: () => true }, 'reserveAll() returns true while'],
    ['release', { reserve: failing, release: async () => {} }, 'release() returns undefined while'],
    ['claim', { reserve: failing, claim: async () => 'claimed' }, 'claim() returns claimed while'],
  ])('while the backend is down: %s', async (_, store, fault) => {
    const faults = await faultsFound(CORRECT_STORE, { createUnreachableStore: () => store as NonceStore })
    expect(faults).toEqual([expect.stringContaining(fault)])
  })
})

describe('the contract finds nothing wrong with a correct store:', () => {
  it.each(CORRECT_STORES)('$fault', async (store) => {
    expect(await faultsFound(store)).toEqual([])
  })

  it('that fails when its backend is down', async () => {
    const reserve = () => Promise.reject(new Error('connection refused'))
    for (const unreachable of [{ reserve }, { reserve, reserveAll: reserve, release: reserve }]) {
      expect(await faultsFound(CORRECT_STORE, { createUnreachableStore: () => unreachable })).toEqual([])
    }
    expect(await faultsFound(CORRECT_STORE, { createUnreachableStore: reserve })).toEqual([])
  })
})

describe('MemoryNonceStore', () => {
  const clock = new TestClock(0)
  const store = new MemoryNonceStore({ clock })
  it.each(nonceStoreContract(() => store, { wait: advancing(clock) }))('$name', ({ run }) => time.until(run()))
})

function caseNamed(start: string, createStore: () => NonceStore) {
  const found = nonceStoreContract(createStore).find(({ name }) => name.startsWith(start))
  if (found === undefined) throw new Error(`no case starts with ${start}`)
  return found
}

it('the contract does not blame a store if the machine slept', async () => {
  const store = new MemoryNonceStore({ clock })
  const sleeping: NonceStore = {
    reserve(webhookId, key, ttlSeconds) {
      const reserved = store.reserve(webhookId, key, ttlSeconds)
      if (ttlSeconds === 2) time.now += 5000
      return reserved
    },
  }
  await time.until(caseNamed('frees a key when its TTL ends', () => sleeping).run())
})

it.each<[string, (ttlSeconds: number) => number, RegExp]>([
  ['that is used as milliseconds', (ttlSeconds) => clock.now() + ttlSeconds, /free within 1 s\. ttlSeconds is/],
  [
    'in whole seconds, rounded down',
    (ttlSeconds) => (Math.floor(clock.now() / 1000) + ttlSeconds) * 1000 - 1,
    /free after 1\.7 s\. .* round the expiry up/,
  ],
])('the contract finds a TTL %s in real time', async (_, expiry, says) => {
  const backend = new Map<string, number>()
  const store: NonceStore = {
    reserve(webhookId, key, ttlSeconds) {
      const address = JSON.stringify([webhookId, key])
      const isFree = (backend.get(address) ?? -1) < clock.now()
      if (isFree) backend.set(address, expiry(ttlSeconds))
      return isFree
    },
  }
  await expect(time.until(caseNamed('frees a key when its TTL ends', () => store).run())).rejects.toThrow(says)
})

it('the contract waits in real time by default, and leaves no timer', async () => {
  const store = new MemoryNonceStore({ clock })
  for (const { run } of nonceStoreContract(() => store)) await time.until(run())
  expect(time.timers).toBe(0)
})

describe('an error of the contract', () => {
  it('says what was tried and what to do, and has what the store threw as its cause', async () => {
    const cause = new Error("Data too long for column 'webhook_id'")
    const reserved = new Set<string>()
    const store: NonceStore = {
      async reserve(webhookId, key) {
        if (webhookId.length > 255) throw cause
        const { size } = reserved
        return reserved.add(JSON.stringify([webhookId, key])).size > size
      },
    }
    const { run } = caseNamed('lets two webhooks reserve', () => store)
    const message = expect.stringMatching(/^reserve\(\) threw for \["ahhh.* Store SHA-256 of JSON.stringify/)
    await expect(time.until(run())).rejects.toThrow(expect.objectContaining({ message, cause }))
  })

  it.each<[string, (running: number, key: string) => boolean, RegExp]>([
    [
      'returns true to exactly one of many calls at once',
      (running) => running > 1,
      /threw for 40 simultaneous calls for/,
    ],
    ['forgets no key', (running) => running > 50, /threw for 100 free keys at once\. .* pass load: 'light'\.$/],
    ['accepts two keys', (_, key) => key.endsWith('~.'), /threw for the key "\d+~\."\. Store SHA-256/],
  ])('says what the store threw for: %s', async (start, throws, says) => {
    const store = new MemoryNonceStore({ clock })
    let running = 0
    const throwing: NonceStore = {
      async reserve(...call) {
        const isWrong = throws(++running, call[1])
        await new Promise(setImmediate)
        running--
        if (isWrong) throw new Error('database error')
        return store.reserve(...call)
      },
    }
    await expect(time.until(caseNamed(start, () => throwing).run())).rejects.toThrow(says)
  })

  it('names a factory that returns no store', async () => {
    const { run } = caseNamed('returns true for a free key', () => undefined as never)
    await expect(run()).rejects.toThrow(/^createStore returned undefined, which has no reserve\(\)/)
  })

  it('names a store that never answers', async () => {
    const { run } = caseNamed('returns true for a free key', () => ({ reserve: () => new Promise<boolean>(() => {}) }))
    const start = time.now
    await expect(time.until(run())).rejects.toThrow(
      'reserve() did not respond within 20 s. Set a time-out in the client',
    )
    expect(time.now - start).toBe(20_000)
  })
})

function advancing(clock: TestClock): (milliseconds: number) => void {
  return (milliseconds) => {
    clock.milliseconds += milliseconds
  }
}

it('a light load is at most 10 calls at once, and a third of the calls of the full load', async () => {
  const countCalls = async (load: 'full' | 'light') => {
    const clock = new TestClock(0)
    const store = new MemoryNonceStore({ clock })
    const counts = { all: 0, running: 0, most: 0 }
    const counting: NonceStore = {
      async reserve(...call) {
        counts.all++
        counts.most = Math.max(counts.most, ++counts.running)
        await new Promise(setImmediate)
        counts.running--
        return store.reserve(...call)
      },
    }
    for (const { run } of nonceStoreContract(() => counting, { load, wait: advancing(clock) })) await time.until(run())
    return counts
  }
  const [full, light] = [await countCalls('full'), await countCalls('light')]
  expect([full.most, light.most]).toEqual([100, 10])
  expect(light.all / full.all).toBeLessThan(1 / 3)
})

it('the contract ends with what it did not test, and what to pass for it', async () => {
  const skipped = (options: NonceStoreContractOptions) =>
    nonceStoreContract(() => new MemoryNonceStore(), options).filter(({ isSkipped }) => isSkipped)
  const names = (options: NonceStoreContractOptions) => skipped(options).map(({ name }) => name)
  const process = 'not tested: a second process. Reserve one key in two processes at once'
  expect(names({})).toEqual([
    'not tested: a TTL of 600 s. Pass wait, which advances the clock of the store',
    'not tested: a database that is down. Pass createUnreachableStore',
    process,
  ])
  const all = { wait() {}, createUnreachableStore: () => new MemoryNonceStore() }
  expect(names(all)).toEqual([process])
  expect(names({ ...all, load: 'light' })).toEqual(["not tested: 100 calls at once. Leave out load: 'light'", process])
  for (const { run } of skipped({})) await run()
  const last = nonceStoreContract(() => new MemoryNonceStore()).map(({ isSkipped }) => isSkipped)
  expect(last.toSorted()).toEqual(last)
})

it('the contract needs a function, and options that it knows', () => {
  const contract = (options: unknown) => () =>
    Reflect.apply(nonceStoreContract, undefined, [() => new MemoryNonceStore(), options])
  expect(contract({ load: 'heavy' })).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: "load must be 'full' or 'light'." }),
  )
  expect(contract(null)).toThrow(/options is null/)
  expect(contract({ wait: 1000 })).toThrow(/^wait is a number\. Pass a function\.$/)
  expect(contract({ createUnreachableStore: {} })).toThrow(/^createUnreachableStore is an object/)
  expect(() => Reflect.apply(nonceStoreContract, undefined, [new MemoryNonceStore()])).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringContaining('Pass a function') }),
  )
})
