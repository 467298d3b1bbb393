import { BLOCK_WORDS, type Blocks, placeOf } from './memory-blocks.js'

/** A slot is two words: an address, or 0 in one that is free, and the address's hash. A table is a block of them. */
const SLOTS = 8192

/** A table that has so many addresses is split in two: more, and it would take longer to find one. */
const MOST = 5734
/** Two tables that have fewer together become one again: so few that it is not split at once. */
const FEWEST = 2048

/** How many blocks `add` may take. */
export const BLOCKS_AN_ADDRESS = 2

/**
 * Finds addresses by their hashes.
 *
 * Tables of one size, each for the hashes that begin with certain bits; to begin with, one for all (extendible hashing). One that
 * is full is split in two, which have one bit more. So the index grows and shrinks a table at a time, and no address waits until
 * all have moved.
 *
 * @internal
 */
export class MemoryIndex {
  readonly #memory: Blocks
  /** By the first `#bits` bits of a hash. A table of fewer bits is there more than once. */
  #tables: Table[] = []
  #bits = 0
  #size = 0

  constructor(memory: Blocks) {
    this.#memory = memory
  }

  /** How many addresses there are. */
  get size(): number {
    return this.#size
  }

  /** The first address with this hash that `isIt`, or 0. */
  find(hash: number, isIt: (address: number) => boolean): number {
    return this.#tables[numberOf(hash, this.#bits)]?.find(hash, isIt) ?? 0
  }

  add(hash: number, address: number): void {
    const table = this.#tables[numberOf(hash, this.#bits)] ?? this.#first()
    table.add(hash, address)
    this.#size++
    if (table.count === MOST) this.#split(table, hash)
  }

  /** Whether `address` was there. */
  delete(hash: number, address: number): boolean {
    const table = this.#tables[numberOf(hash, this.#bits)]
    if (table?.delete(hash, address) !== true) return false
    this.#size--
    if (table.count < FEWEST / 2 && table.bits > 0) this.#join(table, hash)
    return true
  }

  #first(): Table {
    const table = new Table(this.#memory, 0)
    this.#tables = [table]
    return table
  }

  #split(table: Table, hash: number): void {
    if (table.bits === this.#bits) {
      const tables = this.#tables
      this.#tables = Array.from({ length: tables.length * 2 }, (_, number) => tables[number >>> 1] as Table)
      this.#bits++
    }
    const bits = table.bits + 1
    const [first, second] = [new Table(this.#memory, bits), new Table(this.#memory, bits)]
    table.forEach((itsHash, address) => {
      const half = (numberOf(itsHash, bits) & 1) === 0 ? first : second
      half.add(itsHash, address)
    })
    const number = numberOf(hash, bits)
    this.#put(first, number & ~1)
    this.#put(second, number | 1)
    this.#memory.giveBack(table.block)
  }

  /** Joins a table and the other half of what was split, if that has not been split again. */
  #join(table: Table, hash: number): void {
    const number = numberOf(hash, table.bits)
    const other = this.#tables[(number ^ 1) << (this.#bits - table.bits)] as Table
    if (other.bits !== table.bits || table.count + other.count >= FEWEST) return
    const both = new Table(this.#memory, table.bits - 1)
    for (const half of [table, other]) {
      half.forEach((itsHash, address) => {
        both.add(itsHash, address)
      })
      this.#memory.giveBack(half.block)
    }
    this.#put(both, number >>> 1)
  }

  /** Makes `table` the one for hashes whose first bits are this number. */
  #put(table: Table, number: number): void {
    const further = this.#bits - table.bits
    this.#tables.fill(table, number << further, (number + 1) << further)
  }
}

/** The first bits of a hash, as a number. */
function numberOf(hash: number, bits: number): number {
  // In two steps, for a shift by 32 is none.
  return (hash >>> 1) >>> (31 - bits)
}

/** Linear probing: an address stands in the slot that the last bits of its hash tell, or the first free one behind it. */
class Table {
  readonly block: number
  readonly #words: Int32Array
  readonly #start: number
  /** How many addresses there are. */
  count = 0

  constructor(
    memory: Blocks,
    readonly bits: number,
  ) {
    this.block = memory.take()
    this.#words = memory.wordsAt(this.block)
    this.#start = placeOf(this.block)
    this.#words.fill(0, this.#start, this.#start + BLOCK_WORDS)
  }

  find(hash: number, isIt: (address: number) => boolean): number {
    for (let slot = homeOf(hash); ; slot = next(slot)) {
      const address = this.#addressAt(slot)
      if (address === 0 || (this.#hashAt(slot) === hash && isIt(address))) return address
    }
  }

  add(hash: number, address: number): void {
    let slot = homeOf(hash)
    while (this.#addressAt(slot) !== 0) slot = next(slot)
    this.#set(slot, hash, address)
    this.count++
  }

  delete(hash: number, address: number): boolean {
    let gap = homeOf(hash)
    for (let seen = this.#addressAt(gap); seen !== address; seen = this.#addressAt(gap)) {
      if (seen === 0) return false
      gap = next(gap)
    }
    // What stands behind the gap moves into it, unless that would be before its home, and leaves another gap.
    for (let slot = next(gap); this.#addressAt(slot) !== 0; slot = next(slot)) {
      const itsHash = this.#hashAt(slot)
      if (distance(homeOf(itsHash), slot) >= distance(gap, slot)) {
        this.#set(gap, itsHash, this.#addressAt(slot))
        gap = slot
      }
    }
    this.#set(gap, 0, 0)
    this.count--
    return true
  }

  forEach(see: (hash: number, address: number) => void): void {
    for (let slot = 0; slot < SLOTS; slot++) {
      const address = this.#addressAt(slot)
      if (address !== 0) see(this.#hashAt(slot), address)
    }
  }

  #addressAt(slot: number): number {
    return this.#words[this.#start + 2 * slot] as number
  }

  /** Of a slot that is not free. */
  #hashAt(slot: number): number {
    return this.#words[this.#start + 2 * slot + 1] as number
  }

  #set(slot: number, hash: number, address: number): void {
    this.#words[this.#start + 2 * slot] = address
    this.#words[this.#start + 2 * slot + 1] = hash
  }
}

function homeOf(hash: number): number {
  return hash & (SLOTS - 1)
}

/** Behind the last slot is the first. */
function next(slot: number): number {
  return (slot + 1) & (SLOTS - 1)
}

function distance(from: number, to: number): number {
  return (to - from) & (SLOTS - 1)
}
