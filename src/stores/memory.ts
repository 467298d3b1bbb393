import { assertOptions, invalidRange, invalidType, kindOf } from '../arguments.js'
import { assertClock, type Clock, timeOf } from '../clock.js'
import { storeError } from '../errors.js'
import { MemoryStoreUse } from '../hints/warnings.js'
import { scopedKey, ttlMilliseconds } from './keys.js'
import type { NonceStore } from './nonce-store.js'

/** Options of {@link MemoryNonceStore}. */
export interface MemoryNonceStoreOptions {
  /**
   * The maximum number of live entries: an integer from 1 to 16 777 216, by default 400 000. An entry takes about 260 bytes of the heap, or
   * 360 bytes with the longest nonce. Suggested: accepted requests per second × 1200, because most messages take two entries for 600 s.
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

/**
 * The average number of entries in a shard of a full store. One large `Map` pauses the process when it grows. It also keeps the places of
 * deleted keys, so a key that comes and goes becomes slow.
 */
const SHARD_ENTRIES = 2048

/** How many expired entries a reservation removes per queue and key. Two are enough to free the memory after a burst. */
const REMOVALS = 2

type Shard = Map<string, Entry>

/** A reserved key. The head of a queue is an entry without a key. */
class Entry {
  previous: Entry = this
  next: Entry = this

  constructor(
    readonly shard: Shard,
    readonly key: string,
    readonly expiry: number,
    readonly owner: string | undefined,
    readonly sequence: number,
  ) {}
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
  readonly #maxEntries: number
  readonly #whenFull: 'throw' | 'evict'
  readonly #clock: Clock
  readonly #shards: Shard[]
  /**
   * The heads of the queues. A queue is a ring of entries in order of reservation, in which no entry expires before the entry in front of it.
   * An entry that would break this order, because its TTL is shorter or the clock stepped back, goes into another queue.
   */
  #queues: Entry[] = []
  #size = 0
  #reservations = 0
  readonly #use: MemoryStoreUse | undefined

  constructor(options: MemoryNonceStoreOptions = {}) {
    assertOptions(options, ['maxEntries', 'whenFull', 'clock'])
    const { maxEntries = 400_000, whenFull = 'throw', clock = performance } = options
    if (typeof maxEntries !== 'number') throw invalidType(`maxEntries is ${kindOf(maxEntries)}. Pass a number.`)
    if (!Number.isInteger(maxEntries) || maxEntries < 1 || maxEntries > MAX_ENTRIES) {
      throw invalidRange(
        `maxEntries must be an integer from 1 to ${MAX_ENTRIES}. Suggested: requests per second × 1200.`,
      )
    }
    if (whenFull !== 'throw' && whenFull !== 'evict') throw invalidType("whenFull must be 'throw' or 'evict'.")
    assertClock(clock)
    this.#maxEntries = maxEntries
    this.#whenFull = whenFull
    this.#clock = clock
    // A subclass is a part of another store.
    this.#use = new.target === MemoryNonceStore ? new MemoryStoreUse() : undefined
    this.#shards = Array.from({ length: Math.ceil(maxEntries / SHARD_ENTRIES) }, () => new Map())
  }

  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): boolean {
    return this.reserveAll(webhookId, [key], ttlSeconds, owner)
  }

  reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string): boolean {
    const time = timeOf(this.#clock)
    const now = Math.floor(time)
    const expiry = Math.ceil(time) + ttlMilliseconds(ttlSeconds)
    this.#removeExpired(now, REMOVALS * keys.length)
    const added = keys.map((each) => {
      const key = scopedKey(webhookId, each)
      return new Entry(this.#shardOf(key), key, expiry, owner, this.#reservations++)
    })
    for (const { shard, key } of added) {
      const entry = shard.get(key)
      if (entry && now <= entry.expiry) return false
    }

    const room = this.#maxEntries - keys.length
    if (this.#whenFull === 'evict' ? room < 0 : this.#size > room) {
      throw storeError(
        'ERR_NONCE_STORE_FULL',
        `MemoryNonceStore is full: ${this.#size} live entries. Set maxEntries to requests per second × 1200, or use several stores.`,
      )
    }
    while (this.#size > room) {
      // The oldest entry is in front of its queue.
      const fronts = this.#queues.map((head) => head.next)
      this.#remove(fronts.reduce((one, other) => (one.sequence < other.sequence ? one : other)))
    }
    for (const entry of added) this.#add(entry)
    this.#use?.noteReservation()
    return true
  }

  release(webhookId: string, keys: readonly string[], owner: string): void {
    for (const key of keys.map((each) => scopedKey(webhookId, each))) {
      const entry = this.#shardOf(key).get(key)
      if (entry?.owner === owner) this.#remove(entry)
    }
  }

  /** Removes at most `count` expired entries per queue, which is enough room for `count` keys if so many entries have expired. */
  #removeExpired(now: number, count: number): void {
    for (const head of this.#queues) {
      for (let removed = 0; removed < count; removed++) {
        if (head.next === head || now <= head.next.expiry) break
        this.#remove(head.next)
      }
    }
  }

  #add(entry: Entry): void {
    const { shard, key, expiry } = entry
    const expired = shard.get(key)
    if (expired) this.#remove(expired)
    let head = this.#queues.find(({ previous }) => previous.expiry <= expiry)
    if (head === undefined) {
      head = new Entry(shard, '', 0, undefined, 0)
      this.#queues.push(head)
    }
    entry.previous = head.previous
    entry.next = head
    entry.previous.next = entry
    head.previous = entry
    shard.set(key, entry)
    this.#size++
  }

  #remove(entry: Entry): void {
    const { shard, key, previous, next } = entry
    shard.delete(key)
    previous.next = next
    next.previous = previous
    // Only the head is left.
    if (previous === next) this.#queues = this.#queues.filter((head) => head !== next)
    this.#size--
  }

  /** FNV-1a needs no random seed: a sender who could fill one shard could also fill the whole store, which is worse. */
  #shardOf(key: string): Shard {
    let hash = 0x811c9dc5
    for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
    return this.#shards[(hash >>> 0) % this.#shards.length] as Shard
  }
}
