import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import { assertClock, type Clock, timeOf } from '../clock.js'
import { assertOptions, invalidRange, invalidType, kindOf, NonceStoreFullError } from '../errors.js'
import { halfSipHash } from './half-sip-hash.js'
import { scopedKey, ttlMilliseconds } from './keys.js'
import { BLOCK_BITS, BLOCK_WORDS, Blocks, MOST_BLOCKS, placeOf } from './memory-blocks.js'
import { BLOCKS_AN_ADDRESS, MemoryIndex } from './memory-index.js'
import { FORM_BITS, keyWords, MOST_WORDS, NOT_WRITTEN, writeKey } from './memory-key.js'
import type { NonceStore } from './nonce-store.js'

// A reservation is a record of some bytes in a large array. As an entry of a Map it would take five times the memory, and time
// of every full garbage collection; and a Map cannot hold seventeen million.
//
// - Records stand in runs, in the order in which they were made. In a run none expires before the one before it, so what has
//   expired stands at its front, whatever the TTLs are and however the clock was set. `verify` has one TTL, and so one run.
// - A run is a chain of segments, each a block of memory (memory-blocks.ts) that is given back when its last record has left.
// - An index (memory-index.ts) finds records by a hash of webhook and key. What decides is the comparison of both.
// - Where a key is unique is its scope: a webhook or, for a key that is not written to its record, webhook and key together. A
//   scope is a number in its records, and text once, as long as it has any.

/** How {@link MemoryNonceStore} is bounded. */
export interface MemoryNonceStoreOptions {
  /**
   * How many live entries fit, 1 to 67 108 864; 1 000 000 by default. A UUID takes some 50 bytes, a signature 60, another
   * nonce of 36 characters 70. Size it by the accepted requests a second, times 600 s, times 2 (a message that can be cut
   * another way takes two entries).
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

/** Addresses of 32 bits reach all of them and their index, even if each key has 128 characters. */
const MOST_ENTRIES = 67_108_864

/** One reservation in so many removes expired records, at most twice as many: they leave faster than new ones come. */
const REMOVAL_INTERVAL = 8
const MOST_REMOVALS = 16

// The words of a record: how many milliseconds after the first record of its segment it expires; how many reservations after
// that one it was made, and below, in 8 bits, the form of its key; the number of its scope; its key.
const EXPIRY = 0
const FORM = 1
const SCOPE = 2
const KEY = 3
const FORM_MASK = 0xff
const MOST_MILLISECONDS = 4_294_967_296
const MOST_RESERVATIONS = 16_777_216

/** A segment of a run: the records from address `front` up to `end`. */
class Segment {
  front: number
  end: number
  next: Segment | undefined

  /**
   * @param words - where its block is.
   * @param start - the address of its first record.
   * @param expiresAt - when that expires: the last whole millisecond in which its key is taken.
   * @param order - how many reservations there had been when it was made.
   */
  constructor(
    readonly words: Int32Array,
    readonly start: number,
    readonly expiresAt: number,
    readonly order: number,
  ) {
    this.front = start
    this.end = start
  }
}

/** Records of which none expires before the one before it, from the oldest segment to the newest. */
class Run {
  newest: Segment
  expiresAt: number

  constructor(public oldest: Segment) {
    this.newest = oldest
    this.expiresAt = oldest.expiresAt
  }
}

/**
 * A bounded nonce store in the memory of one process.
 *
 * Entries stand in the order of their reservation; expired ones leave first, without a timer. Memory is not shared and
 * not kept: with several processes, or across a restart, a replay can get through. Then use a shared store. Make one store
 * for the process, not one a request. TTLs that alternate cost
 * every reservation a look each; `verify` has one.
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
  readonly #memory = new Blocks()
  readonly #index = new MemoryIndex(this.#memory)
  readonly #runs: Run[] = []
  /** By the number of their block, which the addresses in it begin with. */
  readonly #segments: (Segment | undefined)[] = []
  readonly #scopes = new Map<string, number>()
  /** By number; the numbers of scopes that are gone are given to others. */
  readonly #scopeTexts: string[] = []
  readonly #scopeSizes: number[] = []
  readonly #freeScopes: number[] = []
  #reservations = 0
  #hashKey: Int32Array | undefined

  /** The record of the reservation under way. */
  readonly #sought = new Int32Array(KEY + MOST_WORDS)
  readonly #isSought = (address: number) => isSameKey(this.#sought, this.#memory.wordsAt(address), placeOf(address))

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
    const expiresAt = Math.ceil(now) + ttlMilliseconds(ttlSeconds)
    // Where there is no memory left, this throws, before anything has changed.
    this.#memory.ready(BLOCKS_AN_ADDRESS + 1)

    const sought = this.#sought
    const form = writeKey(key, sought, KEY)
    const scope = this.#scopeOf(form === NOT_WRITTEN ? scopedKey(webhookId, key) : webhookId)
    sought[FORM] = form
    sought[SCOPE] = scope
    const hash = this.#hashAt(sought, 0)

    const known = this.#index.find(hash, this.#isSought)
    if (known !== 0 && !hasExpired(this.#segmentOf(known), known, now)) return false
    // Counted before anything is removed, so that its scope stays.
    this.#resize(scope, 1)
    if (known !== 0) this.#forget(known, hash)
    if (this.#reservations % REMOVAL_INTERVAL === 0) this.#removeExpired(now)
    if (this.#isFull()) this.#makeRoom(now, scope)
    this.#index.add(hash, this.#append(expiresAt))
    return true
  }

  #scopeOf(text: string): number {
    const known = this.#scopes.get(text)
    if (known !== undefined) return known
    const scope = this.#freeScopes.at(-1) ?? this.#scopeTexts.length
    const copy = copyOf(text)
    this.#scopes.set(copy, scope)
    this.#freeScopes.pop()
    this.#scopeTexts[scope] = copy
    this.#scopeSizes[scope] = 0
    return scope
  }

  /** How many reservations it has then. */
  #resize(scope: number, change: 1 | -1): number {
    const size = (this.#scopeSizes[scope] as number) + change
    this.#scopeSizes[scope] = size
    return size
  }

  #leave(scope: number): void {
    if (this.#resize(scope, -1) > 0) return
    this.#scopes.delete(this.#scopeTexts[scope] as string)
    this.#scopeTexts[scope] = ''
    this.#freeScopes.push(scope)
  }

  #hashAt(words: Int32Array, place: number): number {
    // Not before the first use: some runtimes have nothing random to give while modules load.
    this.#hashKey ??= randomFillSync(new Int32Array(2))
    return halfSipHash(this.#hashKey, words, place + SCOPE, sizeAt(words, place) - SCOPE)
  }

  #segmentOf(address: number): Segment {
    return this.#segments[address >>> BLOCK_BITS] as Segment
  }

  #isFull(): boolean {
    return this.#index.size >= this.#maxEntries || this.#memory.inUse >= MOST_BLOCKS
  }

  /** Makes room for one more record of `scope`. No entry that is live is forgotten while an expired one is there. */
  #makeRoom(now: number, scope: number): void {
    while (this.#isFull() && this.#removeExpired(now));
    while (this.#isFull()) {
      if (this.#whenFull === 'throw') {
        this.#leave(scope)
        throw new NonceStoreFullError(
          `MemoryNonceStore is full: ${this.#index.size} reservations have not expired. Set maxEntries to requests a second × 600 × 2 (a request reserves its nonce and, in most cases, its signature), or share the load among stores`,
        )
      }
      this.#removeLeastRecent()
    }
  }

  /** Removes a bounded number of expired records from the front of each run, and tells whether there were any. */
  #removeExpired(now: number): boolean {
    let removed = false
    for (const run of this.#runs.slice()) {
      let left = true
      for (let count = 0; count < MOST_REMOVALS && left && hasExpired(run.oldest, run.oldest.front, now); count++) {
        left = this.#removeOldest(run)
        removed = true
      }
    }
    return removed
  }

  #removeLeastRecent(): void {
    const run = this.#runs.reduce((one, other) => (orderOf(one.oldest) < orderOf(other.oldest) ? one : other))
    this.#removeOldest(run)
  }

  /** Whether a record is left in the run; otherwise it is a run no more. */
  #removeOldest(run: Run): boolean {
    const segment = run.oldest
    const place = placeOf(segment.front)
    this.#forget(segment.front, this.#hashAt(segment.words, place))
    segment.front += sizeAt(segment.words, place)
    if (segment.front !== segment.end) return true

    this.#segments[segment.start >>> BLOCK_BITS] = undefined
    this.#memory.giveBack(segment.start)
    if (segment.next === undefined) {
      this.#runs.splice(this.#runs.indexOf(run), 1)
      return false
    }
    run.oldest = segment.next
    return true
  }

  /** Frees the key of a record, unless it had expired and was reserved anew: then it is another record's. */
  #forget(address: number, hash: number): void {
    if (!this.#index.delete(hash, address)) return
    this.#leave(at(this.#memory.wordsAt(address), placeOf(address) + SCOPE))
  }

  /** Adds the record of the reservation under way to the first run that it may follow in, and gives its address. */
  #append(expiresAt: number): number {
    const order = this.#reservations++
    const size = sizeAt(this.#sought, 0)
    const segment = this.#segmentFor(size, expiresAt, order)
    const { words, end } = segment
    const place = placeOf(end)
    words[place + EXPIRY] = expiresAt - segment.expiresAt
    words[place + FORM] = ((order - segment.order) << FORM_BITS) | at(this.#sought, FORM)
    for (let index = SCOPE; index < size; index++) words[place + index] = at(this.#sought, index)
    segment.end += size
    return end
  }

  #segmentFor(size: number, expiresAt: number, order: number): Segment {
    for (const run of this.#runs) {
      if (run.expiresAt > expiresAt) continue
      run.expiresAt = expiresAt
      if (!hasRoom(run.newest, size, expiresAt, order)) {
        const segment = this.#addSegment(expiresAt, order)
        run.newest.next = segment
        run.newest = segment
      }
      return run.newest
    }
    const segment = this.#addSegment(expiresAt, order)
    this.#runs.push(new Run(segment))
    return segment
  }

  #addSegment(expiresAt: number, order: number): Segment {
    const start = this.#memory.take()
    const segment = new Segment(this.#memory.wordsAt(start), start, expiresAt, order)
    this.#segments[start >>> BLOCK_BITS] = segment
    return segment
  }
}

function at(words: Int32Array, index: number): number {
  return words[index] as number
}

/** The form of the key of a record. */
function formAt(words: Int32Array, place: number): number {
  return at(words, place + FORM) & FORM_MASK
}

/** How many words a record has. */
function sizeAt(words: Int32Array, place: number): number {
  return KEY + keyWords(formAt(words, place))
}

function isSameKey(sought: Int32Array, words: Int32Array, place: number): boolean {
  if (formAt(words, place) !== sought[FORM]) return false
  const size = sizeAt(sought, 0)
  for (let index = SCOPE; index < size; index++) {
    if (words[place + index] !== sought[index]) return false
  }
  return true
}

function orderOf(segment: Segment): number {
  return segment.order + (at(segment.words, placeOf(segment.front) + FORM) >>> FORM_BITS)
}

/** Whether there is room for a record, and for its distances from the first one. */
function hasRoom(segment: Segment, size: number, expiresAt: number, order: number): boolean {
  return (
    segment.end + size - segment.start <= BLOCK_WORDS &&
    expiresAt - segment.expiresAt < MOST_MILLISECONDS &&
    order - segment.order < MOST_RESERVATIONS
  )
}

/**
 * Whether the key is free again. A reservation lasts until its last instant is over (design: inclusive, rounded up): it
 * ends with the millisecond that it would end in, counted from the end of the one that it began in.
 */
function hasExpired(segment: Segment, address: number, now: number): boolean {
  return Math.floor(now) > segment.expiresAt + (at(segment.words, placeOf(address) + EXPIRY) >>> 0)
}

/** The same text, without the strings that it was cut from or put together of. */
function copyOf(text: string): string {
  const copy = Buffer.from(text, 'latin1').toString('latin1')
  return copy === text ? copy : Buffer.from(text, 'utf16le').toString('utf16le')
}
