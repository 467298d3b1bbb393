import { expect, it, vi } from 'vitest'
import { MemoryNonceStore } from '../../../src/index.js'
import { type Fingerprint, fingerprintOf } from '../../../src/stores/memory/fingerprint.js'
import { withArrays } from './memory-store.js'

// How the hash tables of a MemoryNonceStore grow. With random fingerprints, all tables grow at the same time.

const HASH_KEY: Fingerprint = [1, 2, 3, 4]
vi.mock('node:crypto', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:crypto')>()),
  randomFillSync: (words: Int32Array) => words.fill(0).map((_, index) => HASH_KEY[index] ?? 0),
}))

/** Returns the bits that select the table of a key. */
function tableBits(key: string): number {
  return fingerprintOf(fingerprintOf(HASH_KEY, 'a'), key)[1] >>> 16
}

it.each([2, 3, 5])('keeps all records when one of %i tables grows often, and another one long after it', (tables) => {
  const maxEntries = tables * 2048
  const keys = Array.from({ length: 2 * tables * maxEntries }, (_, index) => `${index}`)
  const often = keys.filter((key) => tableBits(key) % tables === 1).slice(0, maxEntries - 1000)
  const late = keys.filter((key) => tableBits(key) % tables === 0).slice(0, 1000)
  expect(often.length + late.length).toBe(maxEntries)

  const store = new MemoryNonceStore({ maxEntries, clock: { now: () => 0 } })
  const reserved = (list: readonly string[]) => list.filter((key) => store.reserve('a', key, 600)).length
  const early = late.splice(0, 10)
  expect(reserved(early)).toBe(10)
  expect(reserved(often)).toBe(often.length)
  expect(reserved(late)).toBe(late.length)
  for (const list of [early, often, late]) expect(reserved(list)).toBe(0)
})

const SEGMENT_WORDS = 16_384 * 6

/** Runs `action`, and returns how many words of memory each of its allocations has, in their order. */
function allocationsOf(action: () => void): number[] {
  const sizes: number[] = []
  withArrays((length) => {
    sizes.push(length)
    return length
  }, action)
  return sizes
}

it('copies one table at a time, which has 2048 records on average', () => {
  const store = new MemoryNonceStore({ maxEntries: 100_000, clock: { now: () => 0 } })
  const sizes = allocationsOf(() => {
    for (let index = 0; index < 100_000; index++) store.reserve('a', `${index}`, 600)
  })
  // A table has at most three slots of two words per record.
  expect(Math.max(...sizes.filter((size) => size !== SEGMENT_WORDS))).toBeLessThan(2200 * 6)
})

it('needs no more memory for keys that are reserved and released, whatever their number', () => {
  const store = new MemoryNonceStore({ maxEntries: 2048, clock: { now: () => 0 } })
  store.reserve('a', 'live', 600)
  const sizes = allocationsOf(() => {
    for (let index = 0; index < 100_000; index++) {
      store.reserve('a', `${index}`, 600, 'owner')
      store.release('a', [`${index}`], 'owner')
    }
  })
  expect(Math.max(...sizes)).toBeLessThan(100)
  expect(store.reserve('a', 'live', 600)).toBe(false)
})

it('allocates the segment last, so that a failed allocation changes nothing', () => {
  const store = new MemoryNonceStore({ maxEntries: 10_000, clock: { now: () => 0 } })
  const keys = Array.from({ length: 3000 }, (_, index) => `${index}`)
  expect(allocationsOf(() => store.reserveAll('a', keys, 600)).at(-1)).toBe(SEGMENT_WORDS)
})

it.each([1, 2, 7, 100, 3000])('has room for %i keys at once while it is empty', (count) => {
  const store = new MemoryNonceStore()
  const keys = Array.from({ length: count }, (_, index) => `${index}`)
  expect(store.reserveAll('a', keys, 600)).toBe(true)
  for (const key of keys) expect(store.reserve('a', key, 600)).toBe(false)
})

it('has room for any number of keys at once', () => {
  const store = new MemoryNonceStore()
  for (let index = 0; index < 1000; index++) store.reserve('a', `before ${index}`, 600)
  for (const count of [1, 2, 5, 100, 3000]) {
    const keys = Array.from({ length: count }, (_, index) => `${count} keys, number ${index}`)
    expect(store.reserveAll('a', keys, 600)).toBe(true)
    for (const key of keys) expect(store.reserve('a', key, 600)).toBe(false)
  }
  expect(store.reserve('a', 'before 999', 600)).toBe(false)
})
