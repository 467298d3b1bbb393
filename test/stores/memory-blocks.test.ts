import { describe, expect, it } from 'vitest'
import { BLOCK_BITS, BLOCK_WORDS, Blocks, placeOf } from '../../src/stores/memory-blocks.js'
import { arraysInUse } from '../support/memory.js'

const BLOCK_BYTES = BLOCK_WORDS * 4

function take(memory: Blocks, count: number): number[] {
  return Array.from({ length: count }, () => {
    memory.ready(1)
    return memory.take()
  })
}

describe('blocks', () => {
  it('do not overlap', () => {
    const memory = new Blocks()
    const blocks = take(memory, 20)
    for (const block of blocks) memory.wordsAt(block).fill(block, placeOf(block), placeOf(block) + BLOCK_WORDS)
    for (const block of blocks) {
      const words = memory.wordsAt(block).subarray(placeOf(block), placeOf(block) + BLOCK_WORDS)
      expect(words.length).toBe(BLOCK_WORDS)
      expect(words.every((word) => word === block)).toBe(true)
    }
  })

  it('have addresses of 32 bits that are not 0, and numbers of their own', () => {
    const blocks = take(new Blocks(), 20)
    expect(blocks.every((block) => block !== 0 && block === (block | 0) && block % BLOCK_WORDS === 0)).toBe(true)
    expect(new Set(blocks.map((block) => block >>> BLOCK_BITS)).size).toBe(20)
  })

  it('are counted', () => {
    const memory = new Blocks()
    const blocks = take(memory, 3)
    expect(memory.inUse).toBe(3)
    for (const block of blocks) memory.giveBack(block)
    expect(memory.inUse).toBe(0)
  })

  it('are all there once they are said to be ready', () => {
    const memory = new Blocks()
    memory.ready(9)
    expect(new Set(Array.from({ length: 9 }, () => memory.take())).size).toBe(9)
  })
})

describe('memory', () => {
  it('is not taken before it is asked for', () => {
    const before = arraysInUse()
    const memory = new Blocks()
    expect(arraysInUse() - before).toBe(0)
    expect(memory.inUse).toBe(0)
  })

  it('grows to no more than twice what is in use, and is given back', () => {
    const before = arraysInUse()
    const memory = new Blocks()
    const blocks = take(memory, 1000)
    expect(arraysInUse() - before).toBeLessThanOrEqual(2 * 1000 * BLOCK_BYTES)
    for (const block of blocks) memory.giveBack(block)
    expect(arraysInUse() - before).toBeLessThan(10 * BLOCK_BYTES)
  })

  it('is given back although blocks of every age stay, once others have come and gone', () => {
    const before = arraysInUse()
    const memory = new Blocks()
    const blocks = take(memory, 2000)
    const staying = blocks.filter((_, index) => index % 100 === 0)
    for (const block of blocks) if (!staying.includes(block)) memory.giveBack(block)
    expect(arraysInUse() - before).toBeGreaterThan(1000 * BLOCK_BYTES)
    for (const block of staying.toReversed()) {
      take(memory, 1)
      memory.giveBack(block)
    }
    expect(memory.inUse).toBe(20)
    expect(arraysInUse() - before).toBeLessThan(100 * BLOCK_BYTES)
  })

  it('that was given back is found again', () => {
    const memory = new Blocks()
    for (let round = 0; round < 3; round++) {
      const blocks = take(memory, 300)
      expect(new Set(blocks).size).toBe(300)
      for (const block of blocks) memory.giveBack(block)
    }
  })
})
