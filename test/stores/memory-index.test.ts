import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Blocks } from '../../src/stores/memory-blocks.js'
import { BLOCKS_AN_ADDRESS, MemoryIndex } from '../../src/stores/memory-index.js'

/** What the index must do, address by address. */
class NaiveIndex {
  readonly hashes = new Map<number, number>()

  find(hash: number, address: number): number {
    return this.hashes.get(address) === hash ? address : 0
  }
}

function find(index: MemoryIndex, hash: number, address: number): number {
  return index.find(hash, (found) => found === address)
}

function withIndex() {
  const memory = new Blocks()
  return {
    memory,
    index: new MemoryIndex(memory),
    add(this: { memory: Blocks; index: MemoryIndex }, hash: number, address: number) {
      this.memory.ready(BLOCKS_AN_ADDRESS)
      this.index.add(hash, address)
    },
  }
}

/** Spreads numbers over all hashes. */
const spread = (number: number) => Math.imul(number, 0x9e3779b1)

describe('an index', () => {
  it('finds what was added, by hash and by what it is asked', () => {
    const one = withIndex()
    one.add(7, 100)
    one.add(7, 200)
    one.add(8, 300)
    expect(find(one.index, 7, 100)).toBe(100)
    expect(find(one.index, 7, 200)).toBe(200)
    expect(find(one.index, 7, 300)).toBe(0)
    expect(find(one.index, 9, 100)).toBe(0)
    expect(one.index.size).toBe(3)
  })

  it('forgets what was deleted, and nothing else', () => {
    const one = withIndex()
    for (const address of [100, 200, 300]) one.add(7, address)
    expect(one.index.delete(7, 200)).toBe(true)
    expect(one.index.delete(7, 200)).toBe(false)
    expect([100, 200, 300].map((address) => find(one.index, 7, address))).toEqual([100, 0, 300])
    expect(one.index.size).toBe(2)
  })

  it('asks about addresses of the same hash only', () => {
    const one = withIndex()
    for (let number = 1; number <= 300; number++) one.add(spread(number), number)
    const asked: number[] = []
    one.index.find(spread(42), (address) => {
      asked.push(address)
      return false
    })
    expect(asked).toEqual([42])
  })

  it.each([
    ['spread', spread],
    ['all the lowest', () => 0],
    ['all the highest, which run over the end', () => -1],
    ['all around the middle', (number: number) => (0x7fffffff + (number % 3)) | 0],
  ])('keeps all while it grows and shrinks: hashes %s', (_, hashOf) => {
    const one = withIndex()
    const count = hashOf === spread ? 20_000 : 2_000
    for (let number = 1; number <= count; number++) {
      one.add(hashOf(number), number)
      const other = 1 + ((spread(number) >>> 0) % number)
      expect(find(one.index, hashOf(other), other)).toBe(other)
    }
    // As many come as go, then fewer: it only shrinks as some are added.
    for (let number = 1; number <= count; number++) {
      expect(one.index.delete(hashOf(number), number)).toBe(true)
      expect(find(one.index, hashOf(number), number)).toBe(0)
      if (number % 2 === 0) {
        one.add(hashOf(count + number), count + number)
        const other = number + 1
        if (other <= count) expect(find(one.index, hashOf(other), other)).toBe(other)
      }
    }
    expect(one.index.size).toBe(count / 2)
    for (let number = 2; number <= count; number += 2) {
      expect(find(one.index, hashOf(count + number), count + number)).toBe(count + number)
    }
  })

  it('gives back the blocks that it has shrunk out of', () => {
    const one = withIndex()
    for (let number = 1; number <= 100_000; number++) one.add(spread(number), number)
    const most = one.memory.inUse
    expect(most).toBeGreaterThan(8)
    for (let number = 1; number <= 100_000; number++) one.index.delete(spread(number), number)
    for (let number = 1; number <= 40_000; number++) {
      one.add(spread(number), number)
      one.index.delete(spread(number), number)
    }
    expect(one.memory.inUse).toBe(1)
  })

  it('takes no more blocks with one address than it says', () => {
    const one = withIndex()
    let most = 0
    for (let number = 1; number <= 200_000; number++) {
      const before = one.memory.inUse
      one.add(spread(number), number)
      most = Math.max(most, one.memory.inUse - before)
    }
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(BLOCKS_AN_ADDRESS)
  })

  it('does what a naive one does', () => {
    const hashes = fc.oneof(
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      fc.constantFrom(0, 1, -1, -2, 2 ** 31 - 1),
    )
    const step = fc.tuple(fc.boolean(), hashes, fc.integer({ min: 1, max: 40 }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.constantFrom(0, 290, 700), (steps, filled) => {
        const one = withIndex()
        const naive = new NaiveIndex()
        for (let address = 1000; address < 1000 + filled; address++) {
          one.add(spread(address), address)
          naive.hashes.set(address, spread(address))
        }
        for (const [adds, hash, address] of steps) {
          const known = naive.hashes.get(address)
          if (adds && known === undefined) {
            one.add(hash, address)
            naive.hashes.set(address, hash)
          } else {
            expect(one.index.delete(known ?? hash, address)).toBe(naive.hashes.delete(address))
          }
          expect(one.index.size).toBe(naive.hashes.size)
        }
        for (const [address, hash] of naive.hashes) expect(find(one.index, hash, address)).toBe(address)
        for (const [, hash, address] of steps) expect(find(one.index, hash, address)).toBe(naive.find(hash, address))
      }),
    )
  })
})
