import { randomFillSync } from 'node:crypto'
import { assertClock, type Clock, timeOf } from '../clock.js'
import { assertOptions, invalidRange, invalidType, kindOf, NonceStoreFullError } from '../errors.js'
import { FINGERPRINT, writeFingerprint } from './fingerprint.js'
import { ttlMilliseconds } from './keys.js'
import type { NonceStore } from './nonce-store.js'

// A reservation is a record of 20 bytes. Its fingerprint is a keyed 128-bit hash of webhook and key: see fingerprint.ts.
//
//   record    | fingerprint 0 | fingerprint 1 | fingerprint 2 | fingerprint 3 | expiry |    5 words of 32 bits
//
//   queues    [ segment, segment, segment ]    records in order of reservation; none expires before the one in front of it
//             [ segment ]                      a record that would break this order goes into the next queue
//
//   tables    [ 0 ·, address fingerprint 1, 0 ·, address fingerprint 1, … ]    256 hash tables; a slot is 2 words
//
// - Fingerprint 0 selects the table, fingerprint 1 the first slot to try (linear probing). All 128 bits must match.
// - Expired records are at the front of a queue. `verify` uses one TTL, and so one queue.
// - Each table doubles and halves on its own, so no reservation waits for a copy of the whole index.

/** Options of {@link MemoryNonceStore}. */
export interface MemoryNonceStoreOptions {
  /**
   * The largest number of live entries: 1 to 67 108 864, 1 000 000 by default. An entry takes about 40 bytes.
   * Suggested: accepted requests per second × 1200. An entry lives for 600 s, and most messages take two.
   */
  maxEntries?: number | undefined
  /**
   * What `reserve` does when the store is full of live entries. `'throw'`, the default, throws a
   * {@link NonceStoreFullError}, so `verify` accepts no request. `'evict'` forgets the oldest entry, whose request can
   * then be replayed. If TTLs differ, it forgets an old entry, but not always the oldest. `verify` uses one TTL.
   */
  whenFull?: 'throw' | 'evict' | undefined
  /** The time in milliseconds since any fixed moment. The default is `performance`, which ignores changes of the system time. */
  clock?: Clock | undefined
}

const MAX_ENTRIES = 67_108_864
/** Expired records that a reservation removes per queue. Two, so that memory shrinks after a burst. */
const REMOVALS = 2

const EXPIRY = 4
const RECORD_WORDS = 5

/** An address is the number of a segment and, in its last 13 bits, the index of a record. */
const INDEX_BITS = 13
const SEGMENT_RECORDS = 8192
const MAX_SEGMENTS = 524_287

const TABLES = 256
const MIN_TABLE_WORDS = 16

/** Records `front` to `end`. The expiry in a record is its distance from `firstExpiry`, to fit into 32 bits. */
class Segment {
  readonly words = allocate(SEGMENT_RECORDS * RECORD_WORDS)
  number = 0
  front = 0
  end = 0

  constructor(
    readonly firstExpiry: number,
    public lastExpiry = firstExpiry,
  ) {}

  get isEmpty(): boolean {
    return this.front === this.end
  }

  hasExpired(index: number, now: number): boolean {
    return now > this.firstExpiry + ((this.words[index * RECORD_WORDS + EXPIRY] as number) >>> 0)
  }
}

type Queue = [oldest: Segment, ...newer: Segment[]]
type Table = { slots: Int32Array; count: number }

/**
 * A bounded nonce store in the memory of one process.
 *
 * Create one store per process, not per request. Use a shared store if you have several processes, or if a replay must not
 * pass after a restart. Expired entries are removed by later reservations, without a timer. Many different TTLs make `reserve`
 * slower; `verify` uses one.
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
  /** By number. Number 0 is not used, so that no address is 0. */
  readonly #segments: (Segment | undefined)[] = [undefined]
  readonly #freeNumbers: number[] = []
  readonly #tables: Table[] = []
  #hashKey: Int32Array | undefined
  #size = 0

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

  /**
   * Reserves `key` for `webhookId` for `ttlSeconds`. Returns `true` if the key was free, `false` if it is taken.
   *
   * @throws {@link NonceStoreFullError} if the store is full of live entries and `whenFull` is `'throw'`.
   */
  reserve(webhookId: string, key: string, ttlSeconds: number): boolean {
    const time = timeOf(this.#clock)
    const now = Math.floor(time)
    const expiry = Math.ceil(time) + ttlMilliseconds(ttlSeconds)
    this.#removeExpired(now)

    // Not before the first use: some runtimes refuse random numbers while modules load.
    this.#hashKey ??= randomFillSync(new Int32Array(4))
    writeFingerprint(this.#hashKey, webhookId, key)
    const table = this.#tableOf(FINGERPRINT, 0)
    makeRoom(table)
    let slot = this.#find(table, FINGERPRINT, 0)
    const known = table.slots[slot] as number
    if (known !== 0 && !this.#segmentOf(known).hasExpired(indexOf(known), now)) return false

    const segments = this.#segments.length - this.#freeNumbers.length
    if ((this.#isFull && this.#whenFull === 'throw') || segments > MAX_SEGMENTS) {
      throw new NonceStoreFullError(
        `MemoryNonceStore is full: ${this.#size} live entries. Set maxEntries to requests per second × 1200, or use several stores.`,
      )
    }
    // The last allocation. If it fails, nothing has changed.
    const segment = this.#segmentFor(expiry)
    if (this.#isFull) {
      // The oldest record of the first queue is the oldest of all if there is one TTL.
      while (this.#isFull) this.#removeFirst(this.#queues.find(([{ isEmpty }]) => !isEmpty) as Queue)
      slot = this.#find(table, FINGERPRINT, 0)
    }
    if (table.slots[slot] === 0) {
      table.count++
      this.#size++
    }
    table.slots[slot] = this.#append(segment, expiry)
    table.slots[slot + 1] = FINGERPRINT[1] as number
    return true
  }

  get #isFull(): boolean {
    return this.#size >= this.#maxEntries
  }

  /** Removes at most two expired records per queue, or as many as it takes if the store is full. */
  #removeExpired(now: number): void {
    for (let index = this.#queues.length - 1; index >= 0; index--) {
      const queue = this.#queues[index] as Queue
      for (let count = 0; count < REMOVALS || this.#isFull; count++) {
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
    const { words, front } = segment
    const table = this.#tableOf(words, front * RECORD_WORDS)
    const slot = this.#find(table, words, front * RECORD_WORDS)
    // After its expiry, a key can be reserved again: then the slot belongs to another record.
    if (table.slots[slot] === addressOf(segment, front)) this.#clear(table, slot)
    segment.front++
    if (segment.isEmpty && queue.length > 1) {
      this.#release(segment)
      queue.shift()
    }
  }

  #release({ number }: Segment): void {
    this.#segments[number] = undefined
    this.#freeNumbers.push(number)
  }

  /** Returns the segment for the next record. */
  #segmentFor(expiry: number): Segment {
    const queue = this.#queues.find((records) => (records.at(-1) as Segment).lastExpiry <= expiry)
    const last = queue?.at(-1)
    if (last && last.end < SEGMENT_RECORDS && expiry - last.firstExpiry < 2 ** 32) return last
    const segment = new Segment(expiry)
    segment.number = this.#freeNumbers.pop() ?? this.#segments.length
    this.#segments[segment.number] = segment
    if (queue === undefined) this.#queues.push([segment])
    else queue.push(segment)
    return segment
  }

  /** Writes a record, and returns its address. */
  #append(segment: Segment, expiry: number): number {
    const { words, end } = segment
    const place = end * RECORD_WORDS
    for (let word = 0; word < 4; word++) words[place + word] = FINGERPRINT[word] as number
    words[place + EXPIRY] = expiry - segment.firstExpiry
    segment.lastExpiry = expiry
    segment.end++
    return addressOf(segment, end)
  }

  #segmentOf(address: number): Segment {
    return this.#segments[address >>> INDEX_BITS] as Segment
  }

  #tableOf(words: Int32Array, place: number): Table {
    const number = (words[place] as number) & (TABLES - 1)
    this.#tables[number] ??= { slots: new Int32Array(MIN_TABLE_WORDS), count: 0 }
    return this.#tables[number]
  }

  /** The slot of the record with the fingerprint at `words[place]`, or else the free slot for it. */
  #find({ slots }: Table, words: Int32Array, place: number): number {
    const first = words[place + 1] as number
    for (let slot = firstSlot(first, slots); ; slot = nextSlot(slot, slots)) {
      const address = slots[slot] as number
      if (address === 0) return slot
      if (slots[slot + 1] !== first) continue
      const other = this.#segmentOf(address).words
      const at = indexOf(address) * RECORD_WORDS
      if (other[at] === words[place] && other[at + 2] === words[place + 2] && other[at + 3] === words[place + 3])
        return slot
    }
  }

  /** Frees a slot. Moves later records into the gap, unless that would put them before their first slot. */
  #clear(table: Table, slot: number): void {
    const { slots } = table
    const mask = slots.length - 1
    let gap = slot
    for (let next = nextSlot(gap, slots); slots[next] !== 0; next = nextSlot(next, slots)) {
      const first = slots[next + 1] as number
      if (((next - firstSlot(first, slots)) & mask) < ((next - gap) & mask)) continue
      slots[gap] = slots[next] as number
      slots[gap + 1] = first
      gap = next
    }
    slots[gap] = 0
    table.count--
    this.#size--
  }
}

/** Gives a table room for one more record. Between an eighth and three quarters of its slots are used. */
function makeRoom(table: Table): void {
  const { slots: old, count } = table
  let { length } = old
  if (count * 8 >= length * 3) length *= 2
  else if (count * 16 < length && length > MIN_TABLE_WORDS) length /= 2
  else return
  const slots = allocate(length)
  for (let place = 0; place < old.length; place += 2) {
    if (old[place] === 0) continue
    const first = old[place + 1] as number
    let slot = firstSlot(first, slots)
    while (slots[slot] !== 0) slot = nextSlot(slot, slots)
    slots[slot] = old[place] as number
    slots[slot + 1] = first
  }
  table.slots = slots
}

function firstSlot(first: number, slots: Int32Array): number {
  return (first << 1) & (slots.length - 1)
}

function nextSlot(slot: number, slots: Int32Array): number {
  return (slot + 2) & (slots.length - 1)
}

/** A resizable buffer returns its memory to the operating system at once. `malloc` keeps the memory of any other array. */
function allocate(length: number): Int32Array {
  if (length < 4096) return new Int32Array(length)
  return new Int32Array(new ArrayBuffer(length * 4, { maxByteLength: length * 4 }), 0, length)
}

function addressOf(segment: Segment, index: number): number {
  return (segment.number << INDEX_BITS) | index
}

function indexOf(address: number): number {
  return address & (SEGMENT_RECORDS - 1)
}
