import type { NonceStore } from '../../../src/index.js'
import { TestClock } from '../../../test/support/request.js'
import type { NonceStoreContractOptions } from '../../src/testing/index.js'

/** A store with one fault, and the messages that the contract should give. */
export interface FaultyStore {
  fault: string
  /** Matches the messages of all cases that fail: no case names another cause. */
  message: RegExp
  /** Returns a factory of stores on one backend, and the options to test them with. */
  create(): { createStore: () => NonceStore; options: NonceStoreContractOptions }
}

/** The parts of a correct store. Each faulty store replaces one or more of them. */
class Store {
  constructor(
    readonly clock: TestClock,
    public backend: Map<string, number>,
    readonly owners: Map<string, string | undefined>,
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
  /** Reserves all keys or none. Only some of the stores below offer this as `reserveAll`. */
  async reserveKeys(...[webhookId, keys, ttlSeconds, owner]: Parameters<ReserveAll>): Promise<boolean> {
    const addresses = keys.map((key) => this.address(webhookId, key))
    if (addresses.some((address) => this.isTaken(this.backend.get(address)))) return false
    for (const address of addresses) {
      this.backend.set(address, this.expiry(ttlSeconds))
      this.owners.set(address, owner)
    }
    return true
  }
  async reserve(webhookId: string, key: string, ttlSeconds: number, _owner?: string): Promise<boolean> {
    await this.pause()
    const address = this.address(webhookId, key)
    const taken = this.isTaken(this.backend.get(address))
    if (taken) this.taken(address, ttlSeconds)
    else this.backend.set(address, this.expiry(ttlSeconds))
    return this.answer(!taken) as boolean
  }
}

type Parts = Partial<Pick<Store, 'address' | 'expiry' | 'isTaken' | 'taken' | 'pause' | 'answer'> & NonceStore>

function faulty(fault: string, message: RegExp, parts: (store: Store) => Parts): FaultyStore {
  return {
    fault,
    message,
    create() {
      const clock = new TestClock(0)
      const backend = new Map<string, number>()
      const owners = new Map<string, string | undefined>()
      return {
        createStore() {
          const store = new Store(clock, backend, owners)
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

type Alter = (text: string) => string

/** A store whose keys are altered before they are compared. */
function altering(how: string, message: RegExp, alter: Alter): FaultyStore {
  return faulty(`keys ${how}`, message, () => ({ address: (id, key) => JSON.stringify([id, alter(key)]) }))
}

/** A store whose webhooks are altered before they are compared. */
function alteringWebhooks(how: string, message: RegExp, alter: Alter): FaultyStore {
  return faulty(`webhooks ${how}`, message, () => ({ address: (id, key) => JSON.stringify([alter(id), key]) }))
}

type Reservation = readonly [webhookId: string, key: string]

/** Returns a `reserve` that looks through all reservations. */
function reserveUnless(store: Store, isTakenBy: (other: Reservation, wanted: Reservation) => boolean): Reserve {
  return async (webhookId, key, ttlSeconds) => {
    const taken = [...store.backend].some(
      ([address, expiresAt]) => isTakenBy(JSON.parse(address), [webhookId, key]) && store.isTaken(expiresAt),
    )
    if (!taken) store.backend.set(store.address(webhookId, key), store.expiry(ttlSeconds))
    return !taken
  }
}

/** A store that confuses some keys of one webhook. */
function matching(fault: string, message: RegExp, isEqual: (stored: string, key: string) => boolean): FaultyStore {
  return faulty(fault, message, (store) => ({
    reserve: reserveUnless(store, ([otherId, other], [webhookId, key]) => otherId === webhookId && isEqual(other, key)),
  }))
}

type Reserve = (webhookId: string, key: string, ttlSeconds: number) => Promise<boolean>
type ReserveAll = (webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string) => Promise<boolean>

/** A store whose `reserve` is correct, and whose `reserveAll` has a fault. */
function withReserveAll(
  fault: string,
  message: RegExp,
  alter: (store: Store, right: ReserveAll) => ReserveAll,
): FaultyStore {
  return faulty(`reserveAll: ${fault}`, message, (store) => ({
    reserveAll: alter(store, (...call) => store.reserveKeys(...call)),
  }))
}

/** Refuses each call that starts while another one runs. */
function firstOnly<Call extends unknown[]>(reserve: (...call: Call) => Promise<boolean>) {
  let isRunning = false
  return async (...call: Call) => {
    if (isRunning) return false
    isRunning = true
    await turn()
    isRunning = false
    return reserve(...call)
  }
}

/** A store with the methods that a store without claims has. */
type RightStore = Required<Pick<NonceStore, 'reserve' | 'reserveAll' | 'release'>>

type Release = (webhookId: string, keys: readonly string[], owner: string) => Promise<void>

/** A store that has a correct `reserve` and `reserveAll` with owners, and whose `release` has a fault. */
function withRelease(
  fault: string,
  message: RegExp,
  alter: (store: Store, right: Release) => Release,
  parts: (store: Store, right: RightStore) => Partial<NonceStore> = () => ({}),
): FaultyStore {
  return faulty(`release: ${fault}`, message, (store) => {
    const reserveAll: ReserveAll = (...call) => store.reserveKeys(...call)
    const release = alter(store, async (webhookId, keys, owner) => {
      for (const key of keys) {
        const address = store.address(webhookId, key)
        if (store.owners.get(address) === owner) store.backend.delete(address)
      }
    })
    const right: RightStore = {
      reserve: (webhookId, key, ...rest) => reserveAll(webhookId, [key], ...rest),
      reserveAll,
      release,
    }
    return { ...right, ...parts(store, right) }
  })
}

const asNumber: Alter = (text) => (Number.isNaN(Number(text)) ? text : String(Number(text)))

export function databaseError(): never {
  throw new Error('database error')
}

export const turn = () => new Promise((resolve) => setImmediate(resolve))

const LATE = /still taken after 2\.5 s\. Let each key expire .* check the unit|somebody reserves b\. Use the ttl/
const EARLY =
  /free after a few seconds\. Use the ttl|returns true.* s pass, somebody reserves a\. (Use the ttl|Keep each)/

export const CORRECT_STORE = faulty('none', /./, () => ({}))

export const CORRECT_STORES: readonly FaultyStore[] = [
  CORRECT_STORE,
  faulty('none: whole seconds, rounded up', /./, (store) => ({
    expiry: (ttlSeconds) => (Math.ceil(store.clock.now() / 1000) + ttlSeconds) * 1000,
  })),
  withReserveAll('none', /./, (_, right) => right),
  withRelease('none', /./, (_, right) => right),
  faulty('none: each instance releases only what it reserved itself', /./, (store) => {
    const own = new Map<string, string | undefined>()
    return {
      async reserve(id, key, ttlSeconds, owner) {
        const isReserved = await store.reserveKeys(id, [key], ttlSeconds, owner)
        if (isReserved) own.set(store.address(id, key), owner)
        return isReserved
      },
      release(id, [key = ''], owner) {
        if (own.get(store.address(id, key)) === owner) store.backend.delete(store.address(id, key))
      },
    }
  }),
  // A cluster may place both keys by the part of the nonce in front of its first `:`.
  withReserveAll(
    'none: places the signature by the nonce',
    /./,
    (_, right) =>
      (webhookId, [nonce = '', signature], ttlSeconds) =>
        right(webhookId, [nonce, `${nonce.split(':')[0]} ${signature}`], ttlSeconds),
  ),
]

export const FAULTY_STORES: readonly FaultyStore[] = [
  faulty('GET, then SET', /calls got (the same|an expired) key\. .*Insert if absent in one atomic step/, (store) => ({
    async reserve(webhookId, key, ttlSeconds) {
      const address = store.address(webhookId, key)
      const taken = store.isTaken(store.backend.get(address))
      await turn()
      if (!taken) store.backend.set(address, store.expiry(ttlSeconds))
      return !taken
    },
  })),
  faulty('memory of each instance', /free in another instance\. Keep keys in the shared backend/, (store) => {
    store.backend = new Map()
    return {}
  }),
  faulty('one scope for all webhooks', /Keys are shared by all webhooks|reserves a on another webhook\./, () => ({
    address: (_, key) => key,
  })),
  faulty('scopes without a separator', /Different pairs of webhookId and key/, () => ({
    address: (webhookId, key) => webhookId + key,
  })),
  alteringWebhooks('case-folded', /Upper and lower case are equal in webhook IDs/, (id) => id.toLowerCase()),
  alteringWebhooks('normalised', /Webhook IDs are normalised/, (id) => id.normalize()),
  alteringWebhooks('truncated', /Webhook IDs are truncated/, (id) => id.slice(0, 255)),
  alteringWebhooks('truncated at a NUL', /Webhook IDs are truncated at a NUL/, (id) => id.replace(/\0.*/s, '')),
  altering(
    'truncated at 127',
    /Keys are truncated\. Tested with \["\d{14}","\d{11}…n{27}a"\] and \["\d{14}","\d{11}…n{27}b"\]\. Store SHA-256/,
    (key) => key.slice(0, 127),
  ),
  altering('case-folded', /Upper and lower case are equal in keys/, (key) => key.toLowerCase()),
  altering('trimmed at the end, as CHAR is', /Keys are trimmed at the end/, (key) => key.trimEnd()),
  altering('compared as numbers', /Keys are compared as numbers/, asNumber),
  altering('percent-decoded', /Keys are percent-decoded/, (key) =>
    key.replaceAll(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ),
  altering('reduced to their hash tag', /Only the text in braces is used/, (key) => /\{(.+)\}/.exec(key)?.[1] ?? key),
  altering('one character replaced', /confuses the key ".*~\." with another/, (key) => key.replaceAll('^', '~')),
  faulty('keys with a tilde are forgotten', /does not remember the key "\d{14}~\."\. Store SHA-256/, (store) => ({
    reserve: async (...call) => call[1].includes('~') || Store.prototype.reserve.call(store, ...call),
  })),
  faulty('long webhooks are forgotten', /returns true twice for a key of .*hhh…/, (store) => ({
    reserve: async (...call) => call[0].length > 255 || Store.prototype.reserve.call(store, ...call),
  })),
  matching('keys matched with LIKE', /Keys are matched as patterns/, (stored, key) =>
    new RegExp(`^${key.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('_', '.')}$`).test(stored),
  ),
  // Each of these faults shows only in one order of a pair.
  matching('keys that start with the key', /A key is equal to each longer key/, (stored, key) =>
    stored.startsWith(key),
  ),
  faulty('webhooks that start with the webhook', /A webhook ID is equal to each longer ID/, (store) => ({
    reserve: reserveUnless(store, (other, [webhookId, key]) => other[0].startsWith(webhookId) && other[1] === key),
  })),
  altering('truncated at a space', /Keys are truncated at a space/, (key) => /^\S+ /.exec(key)?.[0] ?? key),
  altering(
    'truncated at a colon',
    /Keys are truncated at a colon|(owner 1|somebody) reserves [ab]( for 1 s)?\./,
    (key) => key.split(':')[0] ?? key,
  ),
  altering('compared by a weak hash', /compared by a weak hash/, (key) =>
    String([...key].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) | 0, 0)),
  ),
  // The smaller one also forgets keys that are reserved at once, which is not its fault.
  ...[90, 500].map((room) =>
    faulty(`room for ${room} keys only`, /keys are forgotten before their TTL\. Never evict/, (store) => ({
      expiry: (ttlSeconds) => {
        const [oldest] = store.backend.keys()
        if (store.backend.size >= room && oldest !== undefined) store.backend.delete(oldest)
        return store.clock.now() + ttlSeconds * 1000
      },
    })),
  ),
  faulty('no expiry', LATE, () => ({ expiry: () => Number.POSITIVE_INFINITY })),
  faulty('a TTL of at most 590 s', / 299\.999 s pass, somebody reserves a\. .* upper limit/, (store) => ({
    expiry: (ttlSeconds) => store.clock.now() + Math.min(ttlSeconds, 590) * 1000,
  })),
  faulty('always a TTL of 2 s', EARLY, (store) => ({ expiry: () => store.clock.now() + 2000 })),
  faulty('an expiry that a replay refreshes', /never expires\. Do not change the expiry of a taken key/, (store) => ({
    taken: (address, ttlSeconds) => store.backend.set(address, store.expiry(ttlSeconds)),
  })),
  faulty('expired keys are removed, not reserved', /expired key stays free after it is reserved again/, (store) => ({
    async reserve(webhookId, key, ttlSeconds) {
      const address = store.address(webhookId, key)
      const isExpired = store.backend.has(address) && !store.isTaken(store.backend.get(address))
      const reserved = await Store.prototype.reserve.call(store, webhookId, key, ttlSeconds)
      if (isExpired) store.backend.delete(address)
      return reserved
    },
  })),
  faulty('free at exactly its TTL', /0\.001 s pass, somebody reserves a\. .* exactly 600 s/, (store) => ({
    isTaken: (expiresAt) => expiresAt !== undefined && store.clock.now() < expiresAt,
  })),
  faulty('returns OK or null', /returned a string, not a boolean/, () => ({
    answer: (reserved) => (reserved ? 'OK' : null),
  })),
  faulty('returns the opposite', /returns false for a free key, and true for a taken key/, () => ({
    answer: (reserved) => !reserved,
  })),
  faulty('always true', /returns true for a taken key/, () => ({ answer: () => true })),
  faulty('always false', /returns false for a free key/, () => ({ answer: () => false })),
  faulty('throws for a free key', /threw for a free key\. See the cause/, () => ({ answer: databaseError })),
  faulty('throws for a taken key', /threw for a taken key\. Return false for a taken key/, () => ({
    answer: (reserved) => reserved || databaseError(),
  })),
  faulty('true before the key is stored', /returns true before the key is stored\. Await the write/, (store) => ({
    async reserve(webhookId, key, ttlSeconds) {
      const address = store.address(webhookId, key)
      const taken = store.isTaken(store.backend.get(address))
      void turn().then(() => store.backend.set(address, store.expiry(ttlSeconds)))
      return !taken
    },
  })),
  faulty('forgets under 100 simultaneous calls', /keys that are reserved at once are forgotten/, (store) => {
    let calls = 0
    return {
      async reserve(webhookId, key, ttlSeconds) {
        calls++
        await turn()
        const dropped = calls > 50
        await turn()
        calls--
        return dropped || Store.prototype.reserve.call(store, webhookId, key, ttlSeconds)
      },
    }
  }),
  faulty('false while another call runs', /None of 40 .* got|returns false for (a|one of \d+) free key/, () => {
    let calls = 0
    return {
      async pause() {
        calls++
        await turn()
        await turn()
      },
      answer: (reserved) => calls-- === 1 && reserved,
    }
  }),
  faulty('one expiry per webhook', /somebody reserves b for 1 s, 2\.5 s pass, somebody reserves b\. Use/, (store) => ({
    async reserve(webhookId, key, ttlSeconds) {
      const expiresAt = store.backend.get(webhookId)
      if (expiresAt !== undefined && !store.isTaken(expiresAt)) {
        for (const address of store.backend.keys()) {
          if (address.startsWith(JSON.stringify([webhookId]).slice(0, -1))) store.backend.delete(address)
        }
      }
      const address = store.address(webhookId, key)
      if (store.backend.has(address)) return false
      store.backend.set(address, 0).set(webhookId, store.expiry(ttlSeconds))
      return true
    },
  })),
  faulty('expires one millisecond early', /299\.999 s pass, somebody reserves a\. Keep each/, (store) => ({
    expiry: (ttlSeconds) => store.clock.now() + ttlSeconds * 1000 - 2,
  })),
  altering(
    'ignored',
    /Keys are ignored|property names of an object|returns false for (a free key|one of 10 free keys)|(owner 1|somebody) reserves [ab]( for 1 s)?\./,
    () => '',
  ),
  altering('truncated at the start', /Keys are truncated at the start/, (key) => key.slice(-64)),
  altering('with punctuation replaced', /The punctuation in keys is replaced/, (key) => key.replaceAll(/\W/g, '_')),
  altering('stripped of punctuation', /Some characters are removed from keys/, (key) => key.replaceAll(/\W/g, '')),
  altering('form-decoded', /Keys are form-decoded/, (key) => key.replaceAll('+', ' ')),
  altering('unquoted', /Keys are inserted into the text of a statement/, (key) => key.replaceAll("''", "'")),
  altering('unescaped', /A backslash in a key is read as an escape/, (key) => key.replaceAll('\\\\', '\\')),
  alteringWebhooks('truncated at the start', /Webhook IDs are truncated at the start/, (id) => id.slice(-64)),
  alteringWebhooks('trimmed', /Webhook IDs are trimmed at the end/, (id) => id.trim()),
  alteringWebhooks('compared as numbers', /Webhook IDs are compared as numbers/, asNumber),
  alteringWebhooks('stripped of accents', /Accents are removed from webhook IDs/, (id) =>
    id.normalize().replaceAll('\u00e9', 'e'),
  ),
  alteringWebhooks('stripped of NULs', /Control characters are removed from webhook/, (id) => id.replaceAll('\0', '')),
  alteringWebhooks('in Latin-1', /Letters of webhook IDs are lost/, (id) => id.replaceAll(/[^\0-\u00ff]/g, '?')),
  alteringWebhooks('in three bytes of UTF-8', /Characters such as an emoji are removed/, (id) =>
    id.replaceAll(/[^\0-\uffff]/gu, '?'),
  ),
  withReserveAll(
    'one key after the other',
    /somebody reserves b and A, somebody reserves b\.|leaves a nonce reserved/,
    (store) => async (id, keys, ttlSeconds) => {
      for (const key of keys) if (!(await store.reserve(id, key, ttlSeconds))) return false
      return true
    },
  ),
  withReserveAll(
    'the last key first',
    /somebody reserves b and B, somebody reserves c and B\.|calls got the same keys/,
    (store) => async (webhookId, keys, ttlSeconds) => {
      for (const key of keys.toReversed()) if (!(await store.reserve(webhookId, key, ttlSeconds))) return false
      return true
    },
  ),
  withReserveAll(
    'a rollback that frees a taken key',
    / is free\. Use the same|returns true, not false/,
    (store, right) => async (webhookId, keys, ttlSeconds) => {
      const reserved = await right(webhookId, keys, ttlSeconds)
      if (!reserved) for (const key of keys) store.backend.delete(store.address(webhookId, key))
      return reserved
    },
  ),
  withReserveAll(
    'one scope for all webhooks',
    /^reserveAll\(\) returns false.* somebody reserves a and A on another webhook\. Reserve/,
    (store, right) => async (webhookId, keys, ttlSeconds) => {
      const taken = [...store.backend].some(
        ([address, expiresAt]) => store.isTaken(expiresAt) && keys.some((key) => address.endsWith(`,"${key}"]`)),
      )
      return !taken && right(webhookId, keys, ttlSeconds)
    },
  ),
  withReserveAll(
    'its first key only',
    /true, not false.*somebody reserves [bc] and [AB]\.|calls got the same keys/,
    (_, right) => (webhookId, keys, ttlSeconds) => right(webhookId, keys.slice(0, 1), ttlSeconds),
  ),
  withReserveAll(
    'looks up its last key only',
    /somebody reserves b, somebody reserves b and B\. Reserve all/,
    (store, right) => async (webhookId, keys, ttlSeconds) => {
      const [nonce = '', signature = ''] = keys
      if (store.isTaken(store.backend.get(store.address(webhookId, signature)))) return false
      store.backend.delete(store.address(webhookId, nonce))
      return right(webhookId, keys, ttlSeconds)
    },
  ),
  withReserveAll(
    'one step, under a lock per instance',
    /got the same keys of reserveAll\(\)\. .*one atomic step/,
    (store) => {
      let last: Promise<unknown> = Promise.resolve()
      return (webhookId, keys, ttlSeconds) => {
        const result = last.then(async () => {
          const addresses = keys.map((key) => store.address(webhookId, key))
          const taken = addresses.some((address) => store.isTaken(store.backend.get(address)))
          await turn()
          if (!taken) for (const address of addresses) store.backend.set(address, store.expiry(ttlSeconds))
          return !taken
        })
        last = result
        return result
      }
    },
  ),
  withReserveAll(
    'no expiry',
    /^reserveAll\(\) returns false.*2\.5 s pass, somebody reserves b and B\. Let each key end/,
    (_, right) => (webhookId, keys) => right(webhookId, keys, 86_400),
  ),
  withReserveAll(
    'a TTL of 1 s for its last key',
    /^reserveAll\(\) returns true.*2\.5 s pass.* somebody reserves c and A\. Let each key end/,
    (store, right) => async (webhookId, keys, ttlSeconds) => {
      const reserved = await right(webhookId, keys, ttlSeconds)
      const [, signature = ''] = keys
      if (reserved) store.backend.set(store.address(webhookId, signature), store.expiry(1))
      return reserved
    },
  ),
  withReserveAll(
    'false for the second of two messages at once',
    /reserveAll\(\) returns false for free keys if several calls run at once\. Make concurrent calls independent/,
    (_, right) => firstOnly(right),
  ),
  withReserveAll(
    'throws for taken keys',
    /reserveAll\(\) threw for 2 keys\. Return false/,
    (_, right) =>
      async (...call) =>
        (await right(...call)) || databaseError(),
  ),
  withRelease(
    'does nothing',
    /owner 1 releases (a|a and A), owner [23] reserves (a|c and A)\.|None of .* after it was released/,
    () => async () => {},
  ),
  withRelease(
    'throws for an unknown key',
    /^release\(\) threw\. Return nothing/,
    (store, right) => (id, keys, owner) => {
      return keys.some((key) => !store.owners.has(store.address(id, key))) ? databaseError() : right(id, keys, owner)
    },
  ),
  withRelease('hangs', /^release\(\) did not respond within 20 s/, () => () => new Promise(() => {})),
  withRelease(
    'ignores the owner',
    /owner 2 releases (a|a and A), owner 3 reserves (a|b and A)\./,
    (store) => async (id, keys) => {
      for (const key of keys) store.backend.delete(store.address(id, key))
    },
  ),
  withRelease(
    'frees a key without an owner',
    /somebody reserves c, owner 1 releases c, owner 3 reserves c\./,
    (store, right) => async (id, keys, owner) => {
      const free = keys.filter((key) => store.owners.get(store.address(id, key)) === undefined)
      for (const key of free) store.backend.delete(store.address(id, key))
      return right(id, keys, owner)
    },
  ),
  withRelease(
    'frees all keys of the owner',
    /: owner 1 reserves b, owner 3 reserves b\./,
    (store) => async (id, _, owner) => {
      const isOn = (address: string) => JSON.parse(address)[0] === id
      for (const [address, name] of store.owners) if (name === owner && isOn(address)) store.backend.delete(address)
    },
  ),
  withRelease(
    'frees the key everywhere',
    /owner 3 reserves a on another webhook\./,
    (store) => async (_, keys, owner) => {
      for (const [address, name] of store.owners) {
        if (name === owner && keys.includes(JSON.parse(address)[1])) store.backend.delete(address)
      }
    },
  ),
  withRelease(
    'reserves a released key in two steps',
    /^\d+ of \d+ simultaneous calls got the same key, after it was released/,
    (_, right) => right,
    (store, { reserve }) => ({
      async reserve(webhookId, key, ttlSeconds, owner) {
        const address = store.address(webhookId, key)
        const isReleased = store.owners.has(address) && !store.backend.has(address)
        await store.pause()
        if (isReleased) store.backend.delete(address)
        return reserve(webhookId, key, ttlSeconds, owner)
      },
    }),
  ),
  withRelease(
    'frees the last key only',
    /owner 1 releases a and A, owner 3 reserves a\./,
    (_, right) => (webhookId, keys, owner) => right(webhookId, keys.slice(-1), owner),
  ),
  withRelease(
    'keeps the owner of an expired key',
    /owner 1 reserves e, owner 1 releases e, owner 2 reserves e\./,
    (_, right) => right,
    (store, { reserve }) => ({
      async reserve(webhookId, key, ttlSeconds, owner) {
        const address = store.address(webhookId, key)
        const before = store.backend.has(address) ? store.owners.get(address) : undefined
        const isReserved = await reserve(webhookId, key, ttlSeconds, owner)
        if (before !== undefined) store.owners.set(address, before)
        return isReserved
      },
    }),
  ),
  withRelease(
    'takes the owner for a part of the key',
    /^reserve(All)?\(\) returns true, .* owner 2 reserves (a|a and A)\.|calls got/,
    (_, right) => right,
    (_, { reserve, reserveAll }) => ({
      reserve: (webhookId, key, ttlSeconds, owner = '') => reserve(webhookId, key + owner, ttlSeconds, owner),
      reserveAll: (webhookId, keys, ttlSeconds, owner = '') =>
        reserveAll(
          webhookId,
          keys.map((key) => key + owner),
          ttlSeconds,
          owner,
        ),
    }),
  ),
  withRelease(
    'takes a second call of an owner for the first',
    /returns true, .* owner 1 reserves (a|a and A)\./,
    (_, right) => right,
    (store, { reserveAll }) => {
      const reserve: ReserveAll = async (webhookId, keys, ttlSeconds, owner) =>
        (owner !== undefined && keys.every((key) => store.owners.get(store.address(webhookId, key)) === owner)) ||
        reserveAll(webhookId, keys, ttlSeconds, owner)
      return { reserveAll: reserve, reserve: (webhookId, key, ...rest) => reserve(webhookId, [key], ...rest) }
    },
  ),
]
