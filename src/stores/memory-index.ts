import { BLOCK_WORDS, type Blocks, placeOf } from './memory-blocks.js'

/** A slot is two words: an address, or 0 in one that is free, and the address's hash. */
const SLOT_BITS = 13
const SLOTS_A_BLOCK = 8192

const FEWEST_SLOTS = 512
const MOST_FULL = 0.6
const LEAST_FULL = 0.2
const GROWTH = 1.5
const SHRINKAGE = 0.5

/** How many slots move with each address that is added, while all move. */
const SLOTS_MOVED = 16

/** How many blocks `add` may take: one for the address, two for what moves. */
export const BLOCKS_AN_ADDRESS = 3

/**
 * Finds addresses by their hashes.
 *
 * A hash table with linear probing: an address stands in the slot that is its hash's place among all hashes, its home, or in
 * the first free one behind it. To grow or to shrink, all move to another table, from the lowest hash to the highest, some with
 * each address that is added. What has moved is found there, and what has not, here. As both tables have the same order, one
 * needs blocks for its beginning only, and the other for its end.
 *
 * @internal
 */
export class MemoryIndex {
  readonly #memory: Blocks
  #table: Table
  /** The table that all are moving to, if they are. Those whose home in the old table is before slot `#moved` are there. */
  #next: Table | undefined
  #moved = 0
  #size = 0

  constructor(memory: Blocks) {
    this.#memory = memory
    this.#table = new Table(FEWEST_SLOTS, memory)
  }

  /** How many addresses there are. */
  get size(): number {
    return this.#size
  }

  /** The first address with this hash that `isIt`, or 0. */
  find(hash: number, isIt: (address: number) => boolean): number {
    const table = this.#tableOf(hash)
    let slot = table.homeOf(hash)
    let address = table.addressAt(slot)
    while (address !== 0 && (table.hashAt(slot) !== hash || !isIt(address))) address = table.addressAt(++slot)
    return address
  }

  add(hash: number, address: number): void {
    // First what takes memory: where there is none, nothing is added.
    this.#resize()
    this.#tableOf(hash).add(hash, address)
    this.#size++
  }

  /** Whether `address` was there. */
  delete(hash: number, address: number): boolean {
    const deleted = this.#tableOf(hash).delete(hash, address)
    if (deleted) this.#size--
    return deleted
  }

  #tableOf(hash: number): Table {
    if (this.#next !== undefined && this.#table.homeOf(hash) < this.#moved) return this.#next
    return this.#table
  }

  #resize(): void {
    if (this.#next !== undefined) this.#move(this.#next)
    else if (this.#size > this.#table.slots * MOST_FULL) this.#moveTo(this.#table.slots * GROWTH)
    else if (this.#size < this.#table.slots * LEAST_FULL) this.#moveTo(this.#table.slots * SHRINKAGE)
  }

  #moveTo(slots: number): void {
    if (slots < FEWEST_SLOTS) return
    this.#next = new Table(Math.ceil(slots), this.#memory)
    this.#moved = 0
  }

  #move(next: Table): void {
    const table = this.#table
    let slot = this.#moved
    // Up to a free slot: nothing behind one has its home before it.
    for (const least = slot + SLOTS_MOVED; ; slot++) {
      const address = table.addressAt(slot)
      if (address !== 0) next.add(table.hashAt(slot), address)
      else if (slot >= least) break
    }
    table.giveBack(this.#moved, slot)
    this.#moved = slot
    if (slot < table.slots) return
    table.giveBack(slot)
    this.#table = next
    this.#next = undefined
  }
}

class Table {
  readonly #memory: Blocks
  /** The addresses of its blocks; 0 for one that nothing was written to. */
  readonly #blocks: Int32Array
  readonly #slotsAHash: number

  constructor(
    readonly slots: number,
    memory: Blocks,
  ) {
    this.#memory = memory
    this.#slotsAHash = slots / 2 ** 32
    // One more than the slots need, for what stands behind the last one.
    this.#blocks = new Int32Array(Math.ceil(slots / SLOTS_A_BLOCK) + 1)
  }

  homeOf(hash: number): number {
    return ((hash >>> 0) * this.#slotsAHash) | 0
  }

  addressAt(slot: number): number {
    const block = this.#blockOf(slot)
    return block === 0 ? 0 : (this.#memory.wordsAt(block)[wordOf(block, slot)] as number)
  }

  /** Of a slot that is not free. */
  hashAt(slot: number): number {
    const block = this.#blockOf(slot)
    return this.#memory.wordsAt(block)[wordOf(block, slot) + 1] as number
  }

  add(hash: number, address: number): void {
    let slot = this.homeOf(hash)
    while (this.addressAt(slot) !== 0) slot++
    this.#set(slot, hash, address)
  }

  delete(hash: number, address: number): boolean {
    let gap = this.homeOf(hash)
    for (let seen = this.addressAt(gap); seen !== address; seen = this.addressAt(++gap)) {
      if (seen === 0) return false
    }
    // What stands behind the gap moves into it, unless its home is behind the gap as well, and leaves another gap.
    let slot = gap + 1
    for (let other = this.addressAt(slot); other !== 0; other = this.addressAt(++slot)) {
      const itsHash = this.hashAt(slot)
      if (this.homeOf(itsHash) <= gap) {
        this.#set(gap, itsHash, other)
        gap = slot
      }
    }
    this.#set(gap, 0, 0)
    return true
  }

  /** Gives back the blocks that end between two slots; without `to`, all from that of `from` on. */
  giveBack(from: number, to = this.#blocks.length * SLOTS_A_BLOCK): void {
    for (let number = from >>> SLOT_BITS; number < to >>> SLOT_BITS; number++) {
      const block = this.#blocks[number] as number
      if (block !== 0) this.#memory.giveBack(block)
      this.#blocks[number] = 0
    }
  }

  #blockOf(slot: number): number {
    return this.#blocks[slot >>> SLOT_BITS] as number
  }

  #set(slot: number, hash: number, address: number): void {
    const block = this.#blockOf(slot) || this.#addBlock(slot)
    const words = this.#memory.wordsAt(block)
    words[wordOf(block, slot)] = address
    words[wordOf(block, slot) + 1] = hash
  }

  #addBlock(slot: number): number {
    const block = this.#memory.take()
    this.#memory.wordsAt(block).fill(0, placeOf(block), placeOf(block) + BLOCK_WORDS)
    this.#blocks[slot >>> SLOT_BITS] = block
    return block
  }
}

function wordOf(block: number, slot: number): number {
  return placeOf(block) + (slot & (SLOTS_A_BLOCK - 1)) * 2
}
