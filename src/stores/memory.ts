import { assertOptions, invalidRange, invalidType, kindOf } from '../arguments.js'
import { assertClock, type Clock, timeOf } from '../clock.js'
import { storeError } from '../errors.js'
import { isEventKey } from '../event-key.js'
import { MemoryStoreUse } from '../hints/warnings.js'
import { scopedKey, ttlMilliseconds } from './keys.js'
import type { ClaimState, NonceStore } from './nonce-store.js'
import { type EventOptions, readEventTtl } from './options.js'

/** Options of {@link MemoryNonceStore}. */
export interface MemoryNonceStoreOptions extends EventOptions {
  /**
   * The maximum number of live entries: an integer from 1 to 16 777 216, by default 400 000. An entry takes about 280 bytes of the heap, or
   * 380 bytes with the longest nonce. Suggested: accepted requests per second × 1200, because most messages take two entries for 600 s.
   */
  maxEntries?: number | undefined
  /**
   * What `reserve` does when the store is full of live entries. `'throw'`, the default, throws an error with `code`
   * `ERR_NONCE_STORE_FULL`, so `verify` accepts no request. `'evict'` forgets the oldest entry, whose request can then be replayed.
   */
  whenFull?: 'throw' | 'evict' | undefined
  /** The clock for the expiry, in milliseconds. The default is `performance`, which ignores changes of the system time. */
  clock?: Clock | undefined
}

/** The maximum size of one `Map`, so that all entries fit into one shard. */
const MAX_ENTRIES = 16_777_216

/** The size of a shard in a full store. A large `Map` pauses the process when it grows, and is slow for a key that comes and goes. */
const SHARD_ENTRIES = 2048

/** How many expired entries a reservation removes per queue and key. Two are enough to free the memory after a burst. */
const REMOVALS = 2

/** Events are kept for days, so with a common bound they would leave no room for nonces. Above this bound, the oldest record is forgotten. */
const MAX_EVENTS = 100_000

type Shard = Map<string, Entry>

/** A reserved or claimed key. The head of a queue is an entry without a key. */
class Entry {
  previous: Entry = this
  next: Entry = this

  constructor(
    readonly shard: Shard,
    readonly queues: Queues,
    readonly key: string,
    readonly expiry: number,
    readonly owner: string | undefined,
    readonly isClaim: boolean,
    readonly sequence: number,
  ) {}
}

/** Entries with a common bound. */
class Queues {
  /**
   * The heads of the queues. A queue is a ring of entries in the order of their reservation and of their expiry. An entry that would break
   * this order, because its TTL is shorter or the clock stepped back, goes into another queue. Claims have queues of their own.
   */
  #heads: Entry[] = []
  #size = 0

  constructor(
    readonly maxEntries: number,
    readonly whenFull: 'throw' | 'evict',
  ) {}

  removeExpired(now: number): void {
    for (const head of this.#heads) {
      for (let removed = 0; removed < REMOVALS; removed++) {
        if (head.next === head || now <= head.next.expiry) break
        this.remove(head.next)
      }
    }
  }

  assertRoom(count: number): void {
    if (count <= this.maxEntries - (this.whenFull === 'evict' ? 0 : this.#size)) return
    const text = `MemoryNonceStore is full: ${this.#size} live entries. Set maxEntries to requests per second × 1200, or use several stores.`
    throw storeError('ERR_NONCE_STORE_FULL', text)
  }

  /** Forgets the oldest entries above the bound, but no claim, because the code of a claim is running. */
  evict(): void {
    while (this.#size > this.maxEntries) {
      // The oldest entry is in front of its queue.
      const fronts = this.#heads.map((head) => head.next).filter((entry) => !entry.isClaim)
      if (fronts.length === 0) return
      this.remove(fronts.reduce((one, other) => (one.sequence < other.sequence ? one : other)))
    }
  }

  add(entry: Entry): void {
    const { shard, key, expiry, isClaim } = entry
    const replaced = shard.get(key)
    if (replaced) replaced.queues.remove(replaced)
    let head = this.#heads.find((one) => one.isClaim === isClaim && one.previous.expiry <= expiry)
    if (head === undefined) {
      head = new Entry(shard, this, '', 0, undefined, isClaim, 0)
      this.#heads.push(head)
    }
    entry.previous = head.previous
    entry.next = head
    entry.previous.next = entry
    head.previous = entry
    shard.set(key, entry)
    this.#size++
  }

  remove(entry: Entry): void {
    const { shard, key, previous, next } = entry
    shard.delete(key)
    previous.next = next
    next.previous = previous
    // Only the head is left.
    if (previous === next) this.#heads = this.#heads.filter((head) => head !== next)
    this.#size--
  }
}

/**
 * A bounded nonce store in the memory of one process.
 *
 * Create one store per process, not per request. Use a shared store if you have several processes, or if replays must be refused after a
 * restart. Expired entries are removed by later reservations, without a timer. Many different TTLs make `reserve` slower.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore } from 'inbound-webhook-auth'
 *
 * const nonceStore = new MemoryNonceStore({ maxEntries: 100_000 })
 *
 * console.log(nonceStore.reserve('webhook 42', 'a nonce', 600)) // true
 * console.log(nonceStore.reserve('webhook 42', 'a nonce', 600)) // false
 * console.log(nonceStore.reserve('webhook 43', 'a nonce', 600)) // true
 * ```
 */
export class MemoryNonceStore implements NonceStore {
  readonly eventTtlSeconds: number
  readonly #clock: Clock
  readonly #shards: Shard[]
  readonly #nonces: Queues
  readonly #events: Queues
  #sequence = 0
  readonly #use: MemoryStoreUse | undefined

  constructor(options: MemoryNonceStoreOptions = {}) {
    assertOptions(options, ['maxEntries', 'whenFull', 'clock', 'eventTtlSeconds'])
    const { maxEntries = 400_000, whenFull = 'throw', clock = performance } = options
    if (typeof maxEntries !== 'number') throw invalidType(`maxEntries is ${kindOf(maxEntries)}. Pass a number.`)
    if (!Number.isInteger(maxEntries) || maxEntries < 1 || maxEntries > MAX_ENTRIES) {
      throw invalidRange(
        `maxEntries must be an integer from 1 to ${MAX_ENTRIES}. Suggested: requests per second × 1200.`,
      )
    }
    if (whenFull !== 'throw' && whenFull !== 'evict') throw invalidType("whenFull must be 'throw' or 'evict'.")
    assertClock(clock)
    this.eventTtlSeconds = readEventTtl(options)
    this.#nonces = new Queues(maxEntries, whenFull)
    this.#events = new Queues(MAX_EVENTS, 'evict')
    this.#clock = clock
    // A subclass is a part of another store.
    this.#use = new.target === MemoryNonceStore ? new MemoryStoreUse() : undefined
    this.#shards = Array.from({ length: Math.ceil(maxEntries / SHARD_ENTRIES) }, () => new Map())
  }

  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): boolean {
    return this.reserveAll(webhookId, [key], ttlSeconds, owner)
  }

  reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string): boolean {
    return this.#write(webhookId, keys, ttlSeconds, owner, 'reserve') === 'claimed'
  }

  claim(webhookId: string, keys: readonly string[], seconds: number, owner: string, isDone = false): ClaimState {
    return this.#write(webhookId, keys, seconds, owner, isDone ? 'record' : 'claim')
  }

  release(webhookId: string, keys: readonly string[], owner: string): void {
    for (const key of keys.map((each) => scopedKey(webhookId, each))) {
      const entry = this.#shardOf(key).get(key)
      if (entry?.owner === owner) entry.queues.remove(entry)
    }
  }

  /** Returns whether one of the keys is reserved or claimed. */
  protected has(webhookId: string, keys: readonly string[]): boolean {
    const now = Math.floor(timeOf(this.#clock))
    return keys.some((each) => {
      const key = scopedKey(webhookId, each)
      const entry = this.#shardOf(key).get(key)
      return entry !== undefined && now <= entry.expiry
    })
  }

  /** Writes all keys or none. */
  #write(
    webhookId: string,
    keys: readonly string[],
    seconds: number,
    owner: string | undefined,
    purpose: 'reserve' | 'claim' | 'record',
  ): ClaimState {
    const time = timeOf(this.#clock)
    const now = Math.floor(time)
    const expiry = Math.ceil(time) + ttlMilliseconds(seconds)
    const added = keys.map((each) => {
      const queues = isEventKey(each) ? this.#events : this.#nonces
      queues.removeExpired(now)
      const key = scopedKey(webhookId, each)
      return new Entry(this.#shardOf(key), queues, key, expiry, owner, purpose === 'claim', this.#sequence++)
    })
    let state: ClaimState = 'claimed'
    for (const { shard, key } of added) {
      const entry = shard.get(key)
      if (!entry || now > entry.expiry) continue
      const isOwn = purpose !== 'reserve' && entry.owner === owner
      if (isOwn && (entry.isClaim || purpose === 'record')) continue
      if (!entry.isClaim) return 'taken'
      state = 'in_progress'
    }
    if (state !== 'claimed') return state

    const allQueues = new Set(added.map((entry) => entry.queues))
    for (const queues of allQueues) {
      queues.assertRoom(added.filter((entry) => entry.queues === queues && !entry.shard.has(entry.key)).length)
    }
    for (const entry of added) entry.queues.add(entry)
    for (const queues of allQueues) queues.evict()
    this.#use?.noteReservation(webhookId, now)
    return state
  }

  /** FNV-1a needs no random seed: a sender who could fill one shard could also fill the whole store, which is worse. */
  #shardOf(key: string): Shard {
    let hash = 0x811c9dc5
    for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
    return this.#shards[(hash >>> 0) % this.#shards.length] as Shard
  }
}
