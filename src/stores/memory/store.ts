import { randomFillSync } from 'node:crypto'
import { assertOptions, assertWellFormed, invalidRange, invalidType, kindOf } from '../../arguments.js'
import { assertClock, type Clock, timeOf } from '../../clock.js'
import { storeOverload } from '../../errors.js'
import { MemoryStoreUse } from '../../hints/warnings.js'
import { ttlMilliseconds } from '../keys.js'
import type { NonceStore } from '../nonce-store.js'
import { writeFingerprint } from './fingerprint.js'

// A reservation is a record of 24 bytes. The record's fingerprint is a keyed 128-bit hash of webhook and key: see fingerprint.ts.
//
//   record    | fingerprint 0 | fingerprint 1 | fingerprint 2 | fingerprint 3 | expiry | owner |    6 words of 32 bits
//
//   queues    [ segment, segment, segment ]    records in order of reservation; none expires before the one in front of it
//             [ segment ]                      a record that would break this order goes into the next queue
//
//   tables    [ 0 ·, address fingerprint 1, 0 ·, address fingerprint 1, … ]    hash tables; a slot is 2 words
//
// - The upper half of fingerprint 1 selects the table, the lower half the first slot to try (linear probing). All 128 bits
//   must match.
// - Expired records are at the front of a queue. `verify` uses one TTL, and so one queue.
// - A removal takes a record from its queue and does not change its slot, so a removal needs no look-up. When three quarters of a table's
// slots are used, the slots of removed records are freed. If the table would still be too large, it is split in two (extendible hashing),
// so that no reservation waits for a copy of all tables.
// - A release marks a record, which stays in its queue. If most records of a full segment were released, the others move together.
//
// Two Maps that alternate every 600 s would be simpler. With a million live nonces, two Maps take four to eight times the memory, because
// one Map holds expired nonces. Maps also pause for 40 ms when they grow.

/** Options of {@link MemoryNonceStore}. */
export interface MemoryNonceStoreOptions {
  /**
   * The maximum number of live entries: an integer from 1 to 67 108 864, by default 1 000 000. An entry takes 40 to 50 bytes. Suggested:
   * accepted requests per second × 1200. An entry lives for 600 s, and most messages take two entries.
   */
  maxEntries?: number | undefined
  /**
   * What `reserve` does when the store is full of live entries. `'throw'`, the default, throws
   * an error with `code` `ERR_NONCE_STORE_FULL`, so `verify` accepts no request. `'evict'` forgets the oldest entry, whose request can
   * then be replayed. If TTLs differ, the forgotten entry is old, but not always the oldest. `verify` uses one TTL.
   */
  whenFull?: 'throw' | 'evict' | undefined
  /**
   * The clock for the expiry, in milliseconds since any fixed moment. The default is `performance`, which ignores changes of the system
   * time.
   */
  clock?: Clock | undefined
}

const MAX_ENTRIES = 67_108_864
/** How many expired records a reservation removes per queue and key. Two are enough to free the memory after a burst. */
const REMOVALS = 2

const FINGERPRINT_WORDS = 4
const RECORD_WORDS = 6
const EXPIRY = 4
const OWNER = 5

/** The words in place of an owner: in a record without an owner, and in a released record. The word of an owner is even, and not 0. */
const NO_OWNER = 0
const RELEASED = 1

/** An address is the number of a segment and, in the last 14 bits, the index of a record. */
const INDEX_BITS = 14
const SEGMENT_RECORDS = 16_384
const MAX_SEGMENTS = 262_143

/** Marks the slot of a released record. No record has this address, because there is no segment 0. */
const REMOVED = 1

const MIN_TABLE_WORDS = 16
const MAX_TABLE_WORDS = 8192

/** The upper 16 bits of a word select a table, so there are at most 2 ** 16 tables. */
const TABLE_BITS = 16

/**
 * Memory for records. The records from `front` to `end` are in use. A record stores its expiry as the distance from `firstExpiry`,
 * because the distance fits into 32 bits.
 */
class Segment {
  number = 0
  front = 0
  end = 0
  /** How many of the records in use were released. */
  released = 0

  constructor(
    readonly words: Int32Array,
    readonly firstExpiry: number,
    public lastExpiry = firstExpiry,
  ) {}

  get isEmpty(): boolean {
    return this.front === this.end
  }

  ownerOf(index: number): number {
    return this.words[index * RECORD_WORDS + OWNER] as number
  }

  release(index: number): void {
    this.words[index * RECORD_WORDS + OWNER] = RELEASED
    this.released++
  }

  hasExpired(index: number, now: number): boolean {
    return (
      this.ownerOf(index) === RELEASED ||
      now > this.firstExpiry + ((this.words[index * RECORD_WORDS + EXPIRY] as number) >>> 0)
    )
  }
}

type Queue = [oldest: Segment, ...newer: Segment[]]

class Table {
  /** How many slots are used, including the slots of removed records. */
  used = 0

  /** @param depth - how many of the bits that select a table are equal in all records of this table. */
  constructor(
    public slots: Int32Array,
    public depth: number,
  ) {}

  hasRoomFor(records: number): boolean {
    return (this.used + records) * 8 <= this.slots.length * 3
  }

  /** Empties the table, which then uses the memory `slots`. */
  clear(slots: Int32Array): void {
    this.slots = slots.fill(0)
    this.used = 0
  }

  add(address: number, first: number): void {
    let slot = firstSlot(first, this.slots)
    while (this.slots[slot] !== 0) slot = nextSlot(slot, this.slots)
    this.slots[slot] = address
    this.slots[slot + 1] = first
    this.used++
  }
}

/**
 * A bounded nonce store in the memory of one process.
 *
 * Create one store per process, not per request. Use a shared store if you have several processes, or if replays must be refused after a
 * restart. Expired entries are removed by later reservations, without a timer. Many different TTLs make `reserve` slower. `verify` uses
 * only one TTL.
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
  readonly #queues: Queue[] = []
  /** The segments. The last bits of a segment's number are its place, and at most half of the places are taken. */
  #segments: (Segment | undefined)[] = [undefined, undefined]
  #segmentCount = 0
  /**
   * The number of the newest segment. Numbers are reused as late as possible, so that no slot of a removed record points to a new record.
   */
  #lastNumber = 0
  /** The tables, at 2 ** n places. A table of depth d is at each place whose last d bits are the bits of the table. */
  #tables = [new Table(new Int32Array(MIN_TABLE_WORDS), 0)]
  /** The slots of a table that is being rebuilt. */
  #copied = new Int32Array(MIN_TABLE_WORDS)
  #hashKey: Int32Array | undefined
  /** The fingerprint of the webhook. */
  readonly #webhook = new Int32Array(FINGERPRINT_WORDS)
  /** The fingerprints of the keys that are being reserved. */
  #fingerprints = new Int32Array(2 * FINGERPRINT_WORDS)
  #size = 0
  readonly #use = new MemoryStoreUse()

  constructor(options: MemoryNonceStoreOptions = {}) {
    assertOptions(options, ['maxEntries', 'whenFull', 'clock'])
    const { maxEntries = 1_000_000, whenFull = 'throw', clock = performance } = options
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
  }

  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): boolean {
    return this.reserveAll(webhookId, [key], ttlSeconds, owner)
  }

  reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string): boolean {
    const time = timeOf(this.#clock)
    const now = Math.floor(time)
    const expiry = Math.ceil(time) + ttlMilliseconds(ttlSeconds)
    this.#removeExpired(now, keys.length)

    // All fingerprints are computed first, so that the processor can load the memory of all keys at the same time.
    this.#writeFingerprints(webhookId, keys)
    const end = keys.length * FINGERPRINT_WORDS
    for (let place = 0; place < end; place += FINGERPRINT_WORDS) {
      const { slots } = this.#tableFor(this.#fingerprints[place + 1] as number, keys.length)
      const address = slots[this.#find(slots, place)] as number
      if (this.#segmentOf(address)?.hasExpired(indexOf(address), now) === false) return false
    }

    const canEvict = this.#whenFull === 'evict' && keys.length <= this.#maxEntries
    if ((!canEvict && !this.#hasRoomFor(keys.length)) || this.#segmentCount === MAX_SEGMENTS) {
      throw storeOverload(
        'ERR_NONCE_STORE_FULL',
        `MemoryNonceStore is full: ${this.#size} live entries. Set maxEntries to requests per second × 1200, or use several stores.`,
      )
    }
    const ownerWord = this.#ownerWord(owner)
    // This allocation is the last, so that nothing has changed if the allocation fails.
    const segment = this.#segmentFor(expiry, keys.length)
    // If there is only one TTL, the oldest record of the first queue is the oldest record of all.
    while (!this.#hasRoomFor(keys.length)) this.#removeFirst(this.#queues.find(([{ isEmpty }]) => !isEmpty) as Queue)
    for (let place = 0; place < end; place += FINGERPRINT_WORDS) this.#insert(place, segment, expiry, ownerWord)
    this.#use.noteReservation()
    return true
  }

  release(webhookId: string, keys: readonly string[], owner: string): void {
    this.#writeFingerprints(webhookId, keys)
    const ownerWord = this.#ownerWord(owner)
    for (let place = 0; place < keys.length * FINGERPRINT_WORDS; place += FINGERPRINT_WORDS) {
      const { slots } = this.#tableOf(this.#fingerprints[place + 1] as number)
      const slot = this.#find(slots, place)
      const address = slots[slot] as number
      const segment = this.#segmentOf(address)
      if (segment?.ownerOf(indexOf(address)) !== ownerWord) continue
      segment.release(indexOf(address))
      slots[slot] = REMOVED
      this.#size--
    }
  }

  /** Returns the word that a record stores for an owner. */
  #ownerWord(owner: string | undefined): number {
    if (owner === undefined) return NO_OWNER
    const fingerprint = new Int32Array(FINGERPRINT_WORDS)
    writeFingerprint(this.#webhook, owner, fingerprint, 0)
    const word = (fingerprint[0] as number) & ~1
    return word === NO_OWNER ? 2 : word
  }

  #hasRoomFor(records: number): boolean {
    return this.#size + records <= this.#maxEntries
  }

  /** Removes at most two expired records per queue and new key, which is enough room for the keys if records have expired. */
  #removeExpired(now: number, keys: number): void {
    for (let index = this.#queues.length - 1; index >= 0; index--) {
      const queue = this.#queues[index] as Queue
      for (let count = 0; count < REMOVALS * keys; count++) {
        if (queue[0].isEmpty || !queue[0].hasExpired(queue[0].front, now)) break
        this.#removeFirst(queue)
      }
      if (queue[0].isEmpty) {
        this.#release(queue[0])
        this.#queues.splice(index, 1)
      }
    }
  }

  #removeFirst(queue: Queue): void {
    const [segment] = queue
    if (segment.ownerOf(segment.front) === RELEASED) segment.released--
    else this.#size--
    segment.front++
    if (segment.isEmpty && queue.length > 1) {
      this.#release(segment)
      queue.shift()
    }
  }

  #writeFingerprints(webhookId: string, keys: readonly string[]): void {
    assertWellFormed(webhookId, 'webhookId')
    // The hash key is created at its first use, because some runtimes do not allow random numbers while modules load.
    this.#hashKey ??= randomFillSync(new Int32Array(FINGERPRINT_WORDS))
    writeFingerprint(this.#hashKey, webhookId, this.#webhook, 0)
    const words = keys.length * FINGERPRINT_WORDS
    if (this.#fingerprints.length < words) this.#fingerprints = new Int32Array(words)
    for (let index = 0; index < keys.length; index++) {
      writeFingerprint(this.#webhook, keys[index] as string, this.#fingerprints, index * FINGERPRINT_WORDS)
    }
  }

  /** Returns the segment for the next records. */
  #segmentFor(expiry: number, records: number): Segment {
    const queue = this.#queues.find((segments) => (segments.at(-1) as Segment).lastExpiry <= expiry)
    const last = queue?.at(-1)
    if (last && last.end + records > SEGMENT_RECORDS && last.released > SEGMENT_RECORDS / 2) this.#compact(last)
    if (last && last.end + records <= SEGMENT_RECORDS && expiry - last.firstExpiry < 2 ** 32) return last
    const segment = new Segment(new Int32Array(SEGMENT_RECORDS * RECORD_WORDS), expiry)
    this.#keep(segment)
    if (queue === undefined) this.#queues.push([segment])
    else queue.push(segment)
    return segment
  }

  /** Moves the records of a segment that were not released to the front of the segment. */
  #compact(segment: Segment): void {
    const { words, number, front } = segment
    let end = front
    for (let index = front; index < segment.end; index++) {
      if (segment.ownerOf(index) === RELEASED) continue
      const record = index * RECORD_WORDS
      const first = words[record + 1] as number
      const { slots } = this.#tableOf(first)
      let slot = firstSlot(first, slots)
      // The slot of an expired record may be gone, because its key was reserved again.
      while (slots[slot] !== 0 && slots[slot] !== addressOf(number, index)) slot = nextSlot(slot, slots)
      if (slots[slot] !== 0) slots[slot] = addressOf(number, end)
      words.copyWithin(end++ * RECORD_WORDS, record, record + RECORD_WORDS)
    }
    segment.end = end
    segment.released = 0
  }

  /** Gives a segment a number and a place. */
  #keep(segment: Segment): void {
    this.#segmentCount++
    if (this.#segmentCount * 2 > this.#segments.length) {
      const old = this.#segments
      this.#segments = old.concat(old).fill(undefined)
      for (const one of old) if (one) this.#segments[this.#placeOf(one.number)] = one
    }
    do this.#lastNumber = (this.#lastNumber % MAX_SEGMENTS) + 1
    while (this.#segments[this.#placeOf(this.#lastNumber)])
    segment.number = this.#lastNumber
    this.#segments[this.#placeOf(segment.number)] = segment
  }

  #release({ number }: Segment): void {
    this.#segments[this.#placeOf(number)] = undefined
    this.#segmentCount--
  }

  #placeOf(number: number): number {
    return number & (this.#segments.length - 1)
  }

  /** Returns the segment of a record, or `undefined` if the record was removed or the address is 0. */
  #segmentOf(address: number): Segment | undefined {
    const number = address >>> INDEX_BITS
    const segment = this.#segments[this.#placeOf(number)]
    return segment?.number === number && segment.front <= indexOf(address) ? segment : undefined
  }

  /** Writes a record to a segment, and the record's address to its slot. */
  #insert(place: number, segment: Segment, expiry: number, owner: number): void {
    const { words, end } = segment
    const record = end * RECORD_WORDS
    for (let word = 0; word < FINGERPRINT_WORDS; word++) {
      words[record + word] = this.#fingerprints[place + word] as number
    }
    words[record + EXPIRY] = expiry - segment.firstExpiry
    words[record + OWNER] = owner
    segment.lastExpiry = expiry
    segment.end++
    this.#size++

    const first = this.#fingerprints[place + 1] as number
    const table = this.#tableOf(first)
    const slot = this.#find(table.slots, place)
    if (table.slots[slot] === 0) table.used++
    table.slots[slot] = addressOf(segment.number, end)
    table.slots[slot + 1] = first
  }

  /** Returns the table for a record, which the word `fingerprint 1` selects. */
  #tableOf(first: number): Table {
    return this.#tables[(first >>> TABLE_BITS) & (this.#tables.length - 1)] as Table
  }

  /** Returns the table for a record, with free slots for a number of records. */
  #tableFor(first: number, records: number): Table {
    const table = this.#tableOf(first)
    if (table.hasRoomFor(records)) return table
    this.#rebuild(table, first, records)
    return this.#tableOf(first)
  }

  /** Returns the slot of the record with the fingerprint at `place` or, without that record, the free slot for the fingerprint. */
  #find(slots: Int32Array, place: number): number {
    const fingerprints = this.#fingerprints
    const first = fingerprints[place + 1] as number
    for (let slot = firstSlot(first, slots); ; slot = nextSlot(slot, slots)) {
      const address = slots[slot] as number
      if (address === 0) return slot
      if (slots[slot + 1] !== first) continue
      const words = this.#segmentOf(address)?.words
      const record = indexOf(address) * RECORD_WORDS
      if (
        words !== undefined &&
        words[record] === fingerprints[place] &&
        words[record + 2] === fingerprints[place + 2] &&
        words[record + 3] === fingerprints[place + 3]
      ) {
        return slot
      }
    }
  }

  /** Frees the slots of removed records. If too many other records remain, moves half of them to a new table. */
  #rebuild(table: Table, word: number, records: number): void {
    const { slots, depth } = table
    if (this.#copied.length < slots.length) this.#copied = new Int32Array(slots.length)
    const copied = this.#copied
    const bit = 1 << (TABLE_BITS + depth)
    let [end, moved] = [0, 0]
    for (let slot = 0; slot < slots.length; slot += 2) {
      if (this.#segmentOf(slots[slot] as number) === undefined) continue
      copied[end] = slots[slot] as number
      copied[end + 1] = slots[slot + 1] as number
      if ((copied[end + 1] as number) & bit) moved++
      end += 2
    }

    // All memory is allocated before anything changes, so that a failed allocation changes nothing.
    const live = end / 2
    const isSplit = (live + records) * 4 > MAX_TABLE_WORDS && depth < TABLE_BITS
    const other = isSplit ? new Table(slotsFor(moved + records), depth + 1) : table
    table.clear(slotsFor(live + records - (isSplit ? moved : 0), slots))
    for (let index = 0; index < end; index += 2) {
      const first = copied[index + 1] as number
      const half = first & bit ? other : table
      half.add(copied[index] as number, first)
    }

    if (!isSplit) return
    table.depth++
    const places = 1 << depth
    if (places === this.#tables.length) this.#tables = this.#tables.concat(this.#tables)
    const place = (word >>> TABLE_BITS) & (places - 1)
    for (let at = place + places; at < this.#tables.length; at += places * 2) this.#tables[at] = other
  }
}

/**
 * Returns memory for a table in which a number of records uses a quarter to a half of the slots.
 *
 * @param old - memory that is used again if the length is right. Memory is reused, because the memory of each old table would stay until a
 * garbage collection.
 */
function slotsFor(records: number, old?: Int32Array): Int32Array {
  let length = MIN_TABLE_WORDS
  while (records * 4 > length) length *= 2
  return old?.length === length ? old : new Int32Array(length)
}

function firstSlot(first: number, slots: Int32Array): number {
  return (first << 1) & (slots.length - 1)
}

function nextSlot(slot: number, slots: Int32Array): number {
  return (slot + 2) & (slots.length - 1)
}

function addressOf(segment: number, index: number): number {
  return (segment << INDEX_BITS) | index
}

function indexOf(address: number): number {
  return address & (SEGMENT_RECORDS - 1)
}
