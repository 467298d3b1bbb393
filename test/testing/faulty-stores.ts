import type { NonceStore } from '../../src/index.js'
import type { NonceStoreContractOptions } from '../../src/testing/index.js'
import { TestClock } from '../support/request.js'

/** A store with one fault, and the message that the contract should give. */
export interface FaultyStore {
  fault: string
  /** Matches the contract's message. */
  message: RegExp
  /** Returns a factory of stores on one backend, and the options to test them with. */
  create(): { createStore: () => NonceStore; options: NonceStoreContractOptions }
}

/** The parts of a correct store. Each faulty store replaces one or more. */
class Store {
  constructor(
    readonly clock: TestClock,
    public backend: Map<string, number>,
  ) {}
  address(webhookId: string, key: string): string {
    return JSON.stringify([webhookId, key])
  }
  expiry(ttlSeconds: number): number {
    return this.clock.now() + ttlSeconds * 1000
  }
  isTaken(expiresAt: number | undefined): boolean {
    return expiresAt !== undefined && this.clock.now() <= expiresAt
  }
  taken(_address: string, _ttlSeconds: number): void {}
  async pause(): Promise<void> {}
  answer(reserved: boolean): unknown {
    return reserved
  }
  async reserve(webhookId: string, key: string, ttlSeconds: number): Promise<boolean> {
    await this.pause()
    const address = this.address(webhookId, key)
    const taken = this.isTaken(this.backend.get(address))
    if (taken) this.taken(address, ttlSeconds)
    else this.backend.set(address, this.expiry(ttlSeconds))
    return this.answer(!taken) as boolean
  }
}

type Parts = Partial<Pick<Store, 'address' | 'expiry' | 'isTaken' | 'taken' | 'answer' | 'reserve'>>

function faulty(fault: string, message: RegExp, parts: (store: Store) => Parts): FaultyStore {
  return {
    fault,
    message,
    create() {
      const clock = new TestClock(0)
      const backend = new Map<string, number>()
      return {
        createStore() {
          const store = new Store(clock, backend)
          return Object.assign(store, parts(store))
        },
        options: {
          wait(milliseconds) {
            clock.milliseconds += milliseconds
          },
        },
      }
    },
  }
}

/** A store that is correct until its backend is down. */
function whenDown(fault: string, message: RegExp, reserve: () => boolean | Promise<boolean>): FaultyStore {
  const correct = faulty(fault, message, () => ({}))
  return {
    ...correct,
    create() {
      const { createStore, options } = correct.create()
      return { createStore, options: { ...options, createUnreachableStore: () => ({ reserve }) } }
    },
  }
}

/** A store whose keys are altered before they are compared. */
function altering(how: string, message: RegExp, alter: (key: string) => string): FaultyStore {
  return faulty(`keys ${how}`, message, () => ({
    address: (webhookId, key) => JSON.stringify([webhookId, alter(key)]),
  }))
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

export const CORRECT_STORE = faulty('none', /./, () => ({}))

export const FAULTY_STORES: readonly FaultyStore[] = [
  faulty('GET, then SET', /calls got the same key\. .*Insert if absent in one atomic step/, (store) => ({
    async reserve(webhookId, key, ttlSeconds) {
      const address = store.address(webhookId, key)
      const taken = store.isTaken(store.backend.get(address))
      await turn()
      if (!taken) store.backend.set(address, store.expiry(ttlSeconds))
      return !taken
    },
  })),
  faulty('GET, then SET, under a lock of its own instance', /calls to two instances got the same key/, (store) => {
    let lock: Promise<unknown> = Promise.resolve()
    return {
      reserve(webhookId, key, ttlSeconds) {
        const result = lock.then(async () => {
          const address = store.address(webhookId, key)
          const taken = store.isTaken(store.backend.get(address))
          await turn()
          if (!taken) store.backend.set(address, store.expiry(ttlSeconds))
          return !taken
        })
        lock = result
        return result
      },
    }
  }),
  faulty('memory of each instance', /free in another\. Keep keys in the shared backend/, (store) => {
    store.backend = new Map()
    return {}
  }),
  faulty('one scope for all webhooks', /Keys are shared by all webhooks/, () => ({ address: (_, key) => key })),
  faulty('scopes without a separator', /Webhook and key run together/, () => ({
    address: (webhookId, key) => webhookId + key,
  })),
  faulty('scopes with a colon', /Webhook and key run together/, () => ({
    address: (webhookId, key) => `${webhookId}:${key}`,
  })),
  faulty('scopes with a slash', /Webhook and key run together/, () => ({
    address: (webhookId, key) => `${webhookId}/${key}`,
  })),
  faulty('webhooks case-folded', /Webhooks are case-folded/, () => ({
    address: (webhookId, key) => JSON.stringify([webhookId.toLowerCase(), key]),
  })),
  faulty('webhooks normalised', /Webhooks are normalised/, () => ({
    address: (webhookId, key) => JSON.stringify([webhookId.normalize(), key]),
  })),
  faulty('webhooks truncated', /Webhooks are truncated/, () => ({
    address: (webhookId, key) => JSON.stringify([webhookId.slice(0, 255), key]),
  })),
  faulty('webhooks truncated at a NUL', /Webhooks are truncated at a NUL/, () => ({
    address: (webhookId, key) => JSON.stringify([webhookId.split('\0')[0], key]),
  })),
  altering('truncated at 64', /Keys are truncated/, (key) => key.slice(0, 64)),
  altering('truncated at 127', /Keys are truncated/, (key) => key.slice(0, 127)),
  altering('case-folded', /Keys are case-folded/, (key) => key.toLowerCase()),
  altering('trimmed', /Keys are trimmed/, (key) => key.trim()),
  altering('trimmed at the end, as CHAR is', /Keys are trimmed at the end/, (key) => key.trimEnd()),
  altering('compared as numbers', /Keys are compared as numbers/, (key) =>
    Number.isNaN(Number(key)) ? key : String(Number(key)),
  ),
  altering('percent-decoded', /Keys are percent-decoded/, (key) =>
    key.replaceAll(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ),
  altering(
    'reduced to their hash tag',
    /Keys are reduced to their hash tag/,
    (key) => /\{(.+)\}/.exec(key)?.[1] ?? key,
  ),
  altering('one character replaced', /confused with another|not remembered/, (key) => key.replaceAll('^', '~')),
  faulty('keys matched with LIKE', /Keys are matched as patterns/, (store) => ({
    async reserve(webhookId, key, ttlSeconds) {
      const pattern = new RegExp(`^${key.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('_', '.')}$`)
      const taken = [...store.backend].some(([address, expiresAt]) => {
        const [otherId, other] = JSON.parse(address)
        return otherId === webhookId && pattern.test(other) && store.isTaken(expiresAt)
      })
      if (!taken) store.backend.set(store.address(webhookId, key), store.expiry(ttlSeconds))
      return !taken
    },
  })),
  altering('truncated at a space', /Keys are truncated at a space/, (key) => /^\S+ /.exec(key)?.[0] ?? key),
  altering('compared by a weak hash', /compared by a weak hash/, (key) =>
    String([...key].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) | 0, 0)),
  ),
  faulty('room for 500 keys only', /keys are forgotten before their TTL\. Never evict/, (store) => ({
    expiry: (ttlSeconds) => {
      const [oldest] = store.backend.keys()
      if (store.backend.size >= 500 && oldest !== undefined) store.backend.delete(oldest)
      return store.clock.now() + ttlSeconds * 1000
    },
  })),
  faulty('whole seconds, rounded down', /free after 1\.7 s\. .*round the expiry up/, (store) => ({
    expiry: (ttlSeconds) => (Math.floor(store.clock.now() / 1000) + ttlSeconds) * 1000 - 1,
  })),
  faulty('TTL taken for milliseconds', /TTL of 2 s is free after 1 s\. ttlSeconds is in seconds/, (store) => ({
    expiry: (ttlSeconds) => store.clock.now() + ttlSeconds,
  })),
  faulty('TTL multiplied twice', /still taken 1\.5 s after its expiry.*check the unit/, (store) => ({
    expiry: (ttlSeconds) => store.clock.now() + ttlSeconds * 1_000_000,
  })),
  faulty('no expiry', /still taken 1\.5 s after its expiry\. Let it expire/, () => ({
    expiry: () => Number.POSITIVE_INFINITY,
  })),
  faulty('a TTL of its own, 600 s', /still taken 1\.5 s after its expiry/, (store) => ({
    expiry: () => store.clock.now() + 600_000,
  })),
  faulty('a TTL of its own, 2 s', /Use the ttlSeconds of each call/, (store) => ({
    expiry: () => store.clock.now() + 2000,
  })),
  faulty('an expiry that a replay refreshes', /never expires\. Do not change the expiry of a taken key/, (store) => ({
    taken: (address, ttlSeconds) => store.backend.set(address, store.expiry(ttlSeconds)),
  })),
  faulty('expired keys leave from the front only', /outlives its TTL among keys with a longer TTL/, (store) => ({
    isTaken: (expiresAt) => {
      for (const [address, first] of store.backend) {
        if (store.clock.now() <= first) break
        store.backend.delete(address)
      }
      return expiresAt !== undefined && [...store.backend.values()].includes(expiresAt)
    },
  })),
  faulty('all expire with the one that is shortest', /expires before its TTL|free after a few seconds/, (store) => ({
    isTaken: (expiresAt) => {
      if ([...store.backend.values()].some((other) => other < store.clock.now())) store.backend.clear()
      return expiresAt !== undefined && store.backend.size > 0 && store.clock.now() <= expiresAt
    },
  })),
  faulty('expired keys are replaced in two steps', /calls got an expired key/, (store) => ({
    async reserve(webhookId, key, ttlSeconds) {
      const address = store.address(webhookId, key)
      const before = store.backend.get(address)
      if (before !== undefined) {
        if (store.isTaken(before)) return false
        await turn()
      }
      store.backend.set(address, store.expiry(ttlSeconds))
      return true
    },
  })),
  faulty('expired keys are never free', /still taken 1\.5 s after its expiry/, () => ({
    isTaken: (expiresAt) => expiresAt !== undefined,
  })),
  faulty('free at exactly its TTL', /free at exactly 600 s/, (store) => ({
    isTaken: (expiresAt) => expiresAt !== undefined && store.clock.now() < expiresAt,
  })),
  faulty('returns OK or null', /returned a string, not a boolean/, () => ({
    answer: (reserved) => (reserved ? 'OK' : null),
  })),
  faulty('returns 1 or 0', /returned a number, not a boolean/, () => ({ answer: Number })),
  faulty('returns nothing', /returned undefined, not a boolean/, () => ({ answer: () => undefined })),
  faulty('returns the opposite', /returns the opposite/, () => ({ answer: (reserved) => !reserved })),
  faulty('always true', /returns true for a taken key/, () => ({ answer: () => true })),
  faulty('always false', /returns false for a free key/, () => ({ answer: () => false })),
  whenDown('returns true when its backend is down', /returns true while its backend is down\. Throw/, () => true),
  whenDown(
    'returns false when its backend is down',
    /returns false while its backend is down\. Throw/,
    async () => false,
  ),
  whenDown(
    'hangs when its backend is down',
    /does not answer within 4 s .*Set a time-out/,
    () => new Promise(() => {}),
  ),
]
