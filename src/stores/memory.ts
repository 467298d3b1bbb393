import { assertClock, type Clock, timeOf } from '../clock.js'
import { assertOptions, invalidRange, invalidType, kindOf } from '../invalid-argument.js'
import { type NonceStore, NonceStoreFullError } from '../nonce-store.js'
import { scopedKey } from './scoped-key.js'
import { ttlMilliseconds } from './ttl.js'

/** How {@link MemoryNonceStore} is bounded. */
export interface MemoryNonceStoreOptions {
  /**
   * How many live entries fit, 1 to 8 388 608; 1 000 000 by default. Each takes 200 to 300 bytes. Size it by the accepted
   * requests a second, times 600 s, times 2 (a message that can be cut another way takes two entries).
   */
  maxEntries?: number | undefined
  /**
   * What a reservation does when the store is full of live entries. `'throw'`, the default, fails closed: it throws a
   * {@link NonceStoreFullError} and nothing gets through unprotected. `'evict'` forgets the least recently reserved
   * entry: the service goes on, and the request whose nonce was evicted can be replayed.
   */
  whenFull?: 'throw' | 'evict' | undefined
  /** Time in milliseconds from any fixed start; `performance` by default, which no step of the wall clock moves. */
  clock?: Clock | undefined
}

/**
 * A JavaScript `Map` has 2 ** 24 slots, and those of deleted entries count until it tidies up: half of them can be live
 * while entries come and go.
 */
const MOST_ENTRIES = 2 ** 23

/** How many expired entries a reservation removes: more than the one it adds, so that they leave without timer or pause. */
const MOST_REMOVALS = 2

/** A reservation, linked to its neighbours in a ring of reservations with the same TTL. */
class Entry {
  older: Entry = this
  newer: Entry = this

  /**
   * @param scopedKey - webhook and key.
   * @param ttlSeconds - which ring it is in.
   * @param expiresAt - the last whole millisecond in which the key is taken.
   * @param order - how many reservations the store had made before.
   */
  constructor(
    readonly scopedKey: string,
    readonly ttlSeconds: number,
    readonly expiresAt: number,
    readonly order: number,
  ) {}
}

/** Where a ring begins and ends: older than no entry, newer than none, never expired, never the least recent. */
class End extends Entry {
  constructor() {
    super('', 0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
  }
}

/**
 * A bounded nonce store in the memory of one process.
 *
 * Entries stand in the order of their reservation; expired ones leave first, without a timer. Memory is not shared and
 * not kept: with several processes, or across a restart, a replay can get through. Then use a shared store. Make one store
 * for the process, not one a request. Each distinct TTL costs every reservation a look; `verify` has one.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an option that is not as described.
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
  readonly #entries = new Map<string, Entry>()
  /**
   * A ring for each TTL, from its end to the oldest entry and on to the newest. Within one TTL the order of reservation is
   * the order of expiry, so what has expired stands at the front. TTLs are few: `verify` has one.
   */
  readonly #rings = new Map<number, End>()
  #reservations = 0

  constructor(options: MemoryNonceStoreOptions = {}) {
    assertOptions(options)
    const { maxEntries = 1_000_000, whenFull = 'throw', clock = performance } = options
    if (typeof maxEntries !== 'number') throw invalidType(`maxEntries is ${kindOf(maxEntries)}: pass a number`)
    if (!Number.isInteger(maxEntries) || maxEntries < 1 || maxEntries > MOST_ENTRIES) {
      throw invalidRange(`maxEntries is not a whole number from 1 to ${MOST_ENTRIES}: pass requests a second × 600 × 2`)
    }
    if (whenFull !== 'throw' && whenFull !== 'evict') {
      throw invalidType("whenFull is neither 'throw' nor 'evict': pass one of them, or nothing for 'throw'")
    }
    assertClock(clock)
    this.#maxEntries = maxEntries
    this.#whenFull = whenFull
    this.#clock = clock
  }

  /**
   * Takes `key` on one webhook for `ttlSeconds`, if it is free.
   *
   * @throws {@link NonceStoreFullError} when the store is full of live entries and `whenFull` is `'throw'`.
   */
  reserve(webhookId: string, key: string, ttlSeconds: number): boolean {
    const now = timeOf(this.#clock)
    const ttl = ttlMilliseconds(ttlSeconds)

    const scoped = scopedKey(webhookId, key)
    const known = this.#entries.get(scoped)
    if (known !== undefined) {
      if (!hasExpired(known, now)) return false
      this.#remove(known)
    }

    this.#removeExpired(now)
    if (this.#entries.size >= this.#maxEntries) this.#makeRoom()
    this.#add(new Entry(scoped, ttlSeconds, Math.ceil(now) + ttl, this.#reservations++))
    return true
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.scopedKey, entry)
    let end = this.#rings.get(entry.ttlSeconds)
    if (end === undefined) {
      end = new End()
      this.#rings.set(entry.ttlSeconds, end)
    }
    entry.older = end.older
    entry.newer = end
    end.older.newer = entry
    end.older = entry
  }

  #remove(entry: Entry): void {
    const { scopedKey, ttlSeconds, older, newer } = entry
    older.newer = newer
    newer.older = older
    if (older === newer) this.#rings.delete(ttlSeconds)
    this.#entries.delete(scopedKey)
  }

  #removeExpired(now: number): void {
    for (const end of this.#rings.values()) {
      for (let removals = 0; removals < MOST_REMOVALS && hasExpired(end.newer, now); removals++) this.#remove(end.newer)
    }
  }

  #makeRoom(): void {
    if (this.#whenFull === 'throw') {
      throw new NonceStoreFullError(
        `MemoryNonceStore is full: ${this.#maxEntries} reservations have not expired. Set maxEntries to requests a second × 600 × 2 (a request reserves its nonce and, in most cases, its signature), or share the load among stores`,
      )
    }
    let leastRecent: Entry = new End()
    for (const { newer: oldest } of this.#rings.values()) {
      if (oldest.order < leastRecent.order) leastRecent = oldest
    }
    this.#remove(leastRecent)
  }
}

/**
 * Whether the key is free again. A reservation lasts until its last instant is over (design: inclusive, rounded up): it
 * ends with the millisecond that it would end in, counted from the end of the one that it began in.
 */
function hasExpired(entry: Entry, now: number): boolean {
  return Math.floor(now) > entry.expiresAt
}
