import { randomFillSync } from 'node:crypto'
import { assertOptions, assertWellFormed, invalidRange, invalidType, kindOf } from '../../arguments.js'
import { assertClock, type Clock, timeOf } from '../../clock.js'
import { storeOverload } from '../../errors.js'
import { MemoryStoreUse } from '../../hints/warnings.js'
import { ttlMilliseconds } from '../keys.js'
import type { NonceStore } from '../nonce-store.js'
import { type Fingerprint, fingerprintOf } from './fingerprint.js'

// A reservation is a record of 24 bytes. The record's fingerprint is a keyed 128-bit hash of webhook and key: see fingerprint.ts.
//
//   record    | fingerprint, 4 words | expiry | owner |    words of 32 bits
//
//   queues    [ segment, segment, segment ]    records in order of reservation; none expires before the one in front of it
//             [ segment ]                      a record that would break this order goes into the next queue
//
//   tables    [ 0 ·, address word, 0 ·, address word, … ]    hash tables; a slot is the address of a record and word 1 of its fingerprint
//
// - The upper half of word 1 selects the table, the lower half the first slot to try (linear probing). All 128 bits must match.
// - Expired records are at the front of a queue. `verify` uses one TTL, and so one queue.
// - A removal takes a record from its queue and does not change its slot, so a removal needs no look-up.
// - When three quarters of a table's slots are used, the slots of live records are copied to a new table. A store has many small tables, so
//   that no reservation waits for a copy of all slots.
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

const RECORD_WORDS = 6
const EXPIRY = 4
const OWNER = 5

/** The words in place of an owner: in a record without an owner, and in a released record. The word of an owner is odd. */
const NO_OWNER = 0
const RELEASED = 2

/** An address is the number of a segment and, in the last 14 bits, the index of a record. */
const INDEX_BITS = 14
const SEGMENT_RECORDS = 16_384
const MAX_SEGMENTS = 262_143

/** The average number of records in a table when the store is full. */
const TABLE_RECORDS = 2048
/** How many words a new table has per live record: three slots. Tables with fewer slots take less memory, but are copied more often. */
const TABLE_WORDS = 6
/** Marks the slot of a released record. No record has this address, because there is no segment 0. */
const REMOVED = 1

/** Memory for records. The records from `front` to `end` are in use. */
class Segment {
  readonly #words = new Int32Array(SEGMENT_RECORDS * RECORD_WORDS)
  readonly #firstExpiry: number
  lastExpiry: number
  front = 0
  end = 0

  constructor(
    readonly number: number,
    expiry: number,
  ) {
    this.#firstExpiry = expiry
    this.lastExpiry = expiry
  }

  get isEmpty(): boolean {
    return this.front === this.end
  }

  /** How many records were released. */
  get released(): number {
    let count = 0
    for (let index = this.front; index < this.end; index++) if (this.ownerOf(index) === RELEASED) count++
    return count
  }

  /** A record stores its expiry as the distance from the first one, which must fit into a word. */
  hasRoomFor(records: number, expiry: number): boolean {
    return this.end + records <= SEGMENT_RECORDS && expiry - this.#firstExpiry < 2 ** 31
  }

  add(fingerprint: Fingerprint, expiry: number, owner: number): void {
    const record = this.end * RECORD_WORDS
    for (let word = 0; word < EXPIRY; word++) this.#words[record + word] = fingerprint[word] as number
    this.#words[record + EXPIRY] = expiry - this.#firstExpiry
    this.#words[record + OWNER] = owner
    this.lastExpiry = expiry
    this.end++
  }

  /** Moves a record to the end. */
  move(index: number): void {
    const record = index * RECORD_WORDS
    this.#words.copyWithin(this.end * RECORD_WORDS, record, record + RECORD_WORDS)
    this.end++
  }

  release(index: number): void {
    this.#words[index * RECORD_WORDS + OWNER] = RELEASED
  }

  fingerprintOf(index: number): Fingerprint {
    const record = index * RECORD_WORDS
    return [...this.#words.subarray(record, record + EXPIRY)] as Fingerprint
  }

  hasFingerprint(index: number, fingerprint: Fingerprint): boolean {
    const record = index * RECORD_WORDS
    return fingerprint.every((word, place) => this.#words[record + place] === word)
  }

  ownerOf(index: number): number {
    return this.#words[index * RECORD_WORDS + OWNER] as number
  }

  hasExpired(index: number, now: number): boolean {
    const expiry = this.#firstExpiry + (this.#words[index * RECORD_WORDS + EXPIRY] as number)
    return this.ownerOf(index) === RELEASED || now > expiry
  }
}

type Queue = [oldest: Segment, ...newer: Segment[]]

/** A hash table for some of the records. */
class Table {
  readonly slots: Int32Array
  /** How many slots are used, including the slots of removed records. */
  #used = 0

  constructor(records: number) {
    this.slots = new Int32Array(TABLE_WORDS * records)
  }

  /** Returns whether a quarter of the slots would remain free. */
  hasRoomFor(records: number): boolean {
    return (this.#used + records) * 8 <= this.slots.length * 3
  }

  firstSlot(word: number): number {
    return 2 * ((word & 0xffff) % (this.slots.length / 2))
  }

  nextSlot(slot: number): number {
    return slot + 2 < this.slots.length ? slot + 2 : 0
  }

  add(address: number, word: number): void {
    let slot = this.firstSlot(word)
    while (this.slots[slot] !== 0) slot = this.nextSlot(slot)
    this.write(slot, address, word)
  }

  write(slot: number, address: number, word: number): void {
    if (this.slots[slot] === 0) this.#used++
    this.slots[slot] = address
    this.slots[slot + 1] = word
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
  #queues: Queue[] = []
  readonly #segments = new Map<number, Segment>()
  /**
   * The number of the newest segment. Numbers are reused as late as possible, so that no slot of a removed record points to a new record.
   */
  #lastNumber = 0
  /** The tables. A table is created when it gets its first record. */
  readonly #tables: (Table | undefined)[]
  #hashKey: Fingerprint | undefined
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
    this.#tables = new Array<undefined>(Math.ceil(maxEntries / TABLE_RECORDS))
  }

  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): boolean {
    return this.reserveAll(webhookId, [key], ttlSeconds, owner)
  }

  reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string): boolean {
    if (keys.length > SEGMENT_RECORDS) throw invalidRange(`keys has more than ${SEGMENT_RECORDS} keys. Pass fewer.`)
    const time = timeOf(this.#clock)
    const now = Math.floor(time)
    const expiry = Math.ceil(time) + ttlMilliseconds(ttlSeconds)
    this.#removeExpired(now, keys.length)

    const webhook = this.#fingerprintOf(webhookId)
    const fingerprints = keys.map((key) => fingerprintOf(webhook, key))
    for (const fingerprint of fingerprints) {
      const table = this.#tableFor(fingerprint, keys.length)
      const address = table.slots[this.#find(table, fingerprint)] as number
      if (this.#segmentOf(address)?.hasExpired(indexOf(address), now) === false) return false
    }

    const room = this.#maxEntries - keys.length
    const isFull = this.#whenFull === 'evict' ? room < 0 : this.#size > room
    if (isFull || this.#segments.size === MAX_SEGMENTS) {
      throw storeOverload(
        'ERR_NONCE_STORE_FULL',
        `MemoryNonceStore is full: ${this.#size} live entries. Set maxEntries to requests per second × 1200, or use several stores.`,
      )
    }
    // This allocation is the last, so that nothing has changed if the allocation fails.
    const segment = this.#segmentFor(expiry, keys.length)
    // If there is only one TTL, the oldest record of the first queue is the oldest record of all.
    while (this.#size > room) this.#removeFirst(this.#queues.find(([{ isEmpty }]) => !isEmpty) as Queue)
    const word = ownerWord(webhook, owner)
    for (const fingerprint of fingerprints) {
      const table = this.#tableFor(fingerprint)
      table.write(this.#find(table, fingerprint), addressOf(segment, segment.end), fingerprint[1])
      segment.add(fingerprint, expiry, word)
    }
    this.#size += keys.length
    this.#use.noteReservation()
    return true
  }

  release(webhookId: string, keys: readonly string[], owner: string): void {
    const webhook = this.#fingerprintOf(webhookId)
    for (const key of keys) {
      const fingerprint = fingerprintOf(webhook, key)
      const table = this.#tableFor(fingerprint)
      const slot = this.#find(table, fingerprint)
      const address = table.slots[slot] as number
      const segment = this.#segmentOf(address)
      if (segment?.ownerOf(indexOf(address)) !== ownerWord(webhook, owner)) continue
      segment.release(indexOf(address))
      table.slots[slot] = REMOVED
      this.#size--
    }
  }

  #fingerprintOf(webhookId: string): Fingerprint {
    assertWellFormed(webhookId, 'webhookId')
    // The hash key is created at its first use, because some runtimes do not allow random numbers while modules load.
    this.#hashKey ??= [...randomFillSync(new Int32Array(4))] as Fingerprint
    return fingerprintOf(this.#hashKey, webhookId)
  }

  /** Removes at most two expired records per queue and new key, which is enough room for the keys if records have expired. */
  #removeExpired(now: number, keys: number): void {
    for (const queue of this.#queues) {
      for (let count = 0; count < REMOVALS * keys; count++) {
        if (queue[0].isEmpty || !queue[0].hasExpired(queue[0].front, now)) break
        this.#removeFirst(queue)
      }
      if (queue[0].isEmpty) {
        this.#segments.delete(queue[0].number)
        this.#queues = this.#queues.filter((other) => other !== queue)
      }
    }
  }

  #removeFirst(queue: Queue): void {
    const [segment] = queue
    if (segment.ownerOf(segment.front) !== RELEASED) this.#size--
    segment.front++
    if (segment.isEmpty && queue.length > 1) {
      this.#segments.delete(segment.number)
      queue.shift()
    }
  }

  /** Returns the segment for the next records. */
  #segmentFor(expiry: number, records: number): Segment {
    const queue = this.#queues.find((segments) => (segments.at(-1) as Segment).lastExpiry <= expiry)
    const last = queue?.at(-1)
    if (last?.hasRoomFor(records, expiry)) return last
    if (last && last.released > SEGMENT_RECORDS / 2) {
      this.#compact(last)
      if (last.hasRoomFor(records, expiry)) return last
    }
    do this.#lastNumber = (this.#lastNumber % MAX_SEGMENTS) + 1
    while (this.#segments.has(this.#lastNumber))
    const segment = new Segment(this.#lastNumber, expiry)
    this.#segments.set(segment.number, segment)
    if (queue === undefined) this.#queues.push([segment])
    else queue.push(segment)
    return segment
  }

  /** Moves the records of a segment that were not released to the front of the segment. */
  #compact(segment: Segment): void {
    const { front, end } = segment
    segment.end = front
    for (let index = front; index < end; index++) {
      if (segment.ownerOf(index) === RELEASED) continue
      const fingerprint = segment.fingerprintOf(index)
      const table = this.#tableFor(fingerprint)
      const slot = this.#find(table, fingerprint)
      // An expired record has lost its slot if its key was reserved again.
      if (table.slots[slot] === addressOf(segment, index)) table.slots[slot] = addressOf(segment, segment.end)
      segment.move(index)
    }
  }

  /** Returns the segment of a record, or `undefined` if the record was removed or the address is 0. */
  #segmentOf(address: number): Segment | undefined {
    const segment = this.#segments.get(address >>> INDEX_BITS)
    return segment && segment.front <= indexOf(address) ? segment : undefined
  }

  /**
   * Returns the table for a fingerprint, with free slots for a number of new records. A table without free slots is replaced by a copy that
   * has no slots of removed records.
   */
  #tableFor([, word]: Fingerprint, records = 0): Table {
    const place = (word >>> 16) % this.#tables.length
    const table = this.#tables[place]
    if (table?.hasRoomFor(records)) return table
    const slots = table?.slots ?? []
    const live: number[] = []
    for (let slot = 0; slot < slots.length; slot += 2) if (this.#segmentOf(slots[slot] as number)) live.push(slot)
    const copy = new Table(live.length + records + 1)
    for (const slot of live) copy.add(slots[slot] as number, slots[slot + 1] as number)
    this.#tables[place] = copy
    return copy
  }

  /** Returns the slot of the record with a fingerprint or, without that record, the free slot for the fingerprint. */
  #find(table: Table, fingerprint: Fingerprint): number {
    const { slots } = table
    for (let slot = table.firstSlot(fingerprint[1]); ; slot = table.nextSlot(slot)) {
      const address = slots[slot] as number
      if (address === 0) return slot
      if (slots[slot + 1] !== fingerprint[1]) continue
      if (this.#segmentOf(address)?.hasFingerprint(indexOf(address), fingerprint)) return slot
    }
  }
}

function ownerWord(webhook: Fingerprint, owner: string | undefined): number {
  return owner === undefined ? NO_OWNER : fingerprintOf(webhook, owner)[0] | 1
}

function addressOf(segment: Segment, index: number): number {
  return (segment.number << INDEX_BITS) | index
}

function indexOf(address: number): number {
  return address & (SEGMENT_RECORDS - 1)
}
