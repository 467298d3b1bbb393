// Powers of two are written out, here and in what uses blocks: where no store is made, bundlers leave out numbers, but not sums.

/** How many words of 32 bits a block has: 64 KB. The lowest bits of an address tell where in its block it is. */
export const BLOCK_BITS = 14
export const BLOCK_WORDS = 16_384

/**
 * The most words of a chunk: 32 MB. Anything smaller the C library takes out of a heap of its own, which cannot shrink while
 * something is in use at its end. What has this size, the operating system provides as it is written to, and gets back.
 */
const CHUNK_BITS = 23
const CHUNK_WORDS = 8_388_608

/** How many blocks addresses of 32 bits tell apart, if the first chunks, which are smaller, waste some. */
export const MOST_BLOCKS = 253_952

/**
 * Memory by the block. Blocks are cut from chunks: a few large arrays, all that the garbage collector has to look at. The
 * first is small, and each doubles what there is. A block is taken from the first chunk that has one free, so that the last
 * ones fall empty and are let go.
 *
 * @internal
 */
export class Blocks {
  /** By number, which addresses begin with. There is no number 0, and so no address 0. */
  readonly #chunks: (Int32Array | undefined)[] = [undefined]
  /** The addresses of the free blocks of each chunk. */
  readonly #free: number[][] = [[]]
  #count = 0
  #inUse = 0

  /** How many blocks are taken. */
  get inUse(): number {
    return this.#inUse
  }

  /** Sees to it that so many blocks can be taken; throws where there is no memory for them. */
  ready(count: number): void {
    if (this.#count - this.#inUse < count) this.#addChunk(count)
  }

  /** The address of a block's first word. What was written to the block before is still in it. */
  take(): number {
    this.#inUse++
    const free = this.#free.find((addresses) => addresses.length > 0) as number[]
    return free.pop() as number
  }

  giveBack(address: number): void {
    this.#inUse--
    const free = this.#free[address >>> CHUNK_BITS] as number[]
    free.push(address)
    this.#letGo()
  }

  /** The words in which `address` is the one at {@link placeOf} it. */
  wordsAt(address: number): Int32Array {
    return this.#chunks[address >>> CHUNK_BITS] as Int32Array
  }

  /** Lets go of all empty chunks but one: blocks that come and go at a chunk's edge are not to cost a chunk each time. */
  #letGo(): void {
    let kept = false
    for (let number = 1; number < this.#chunks.length; number++) {
      const blocks = (this.#chunks[number]?.length ?? 0) / BLOCK_WORDS
      if (blocks === 0 || this.#free[number]?.length !== blocks) continue
      if (kept) {
        this.#chunks[number] = undefined
        this.#free[number] = []
        this.#count -= blocks
      }
      kept = true
    }
  }

  #addChunk(atLeast: number): void {
    const blocks = Math.min(CHUNK_WORDS / BLOCK_WORDS, Math.max(atLeast, this.#count))
    const words = new Int32Array(blocks * BLOCK_WORDS)
    const gap = this.#chunks.indexOf(undefined, 1)
    const number = gap === -1 ? this.#chunks.length : gap
    this.#chunks[number] = words
    // The last one first: they are taken from the end.
    this.#free[number] = Array.from(
      { length: blocks },
      (_, index) => (number << CHUNK_BITS) | ((blocks - 1 - index) << BLOCK_BITS),
    )
    this.#count += blocks
  }
}

/** @internal */
export function placeOf(address: number): number {
  return address & (CHUNK_WORDS - 1)
}
