import { expect, it, vi } from 'vitest'
import { MemoryNonceStore } from '../../../src/index.js'
import { writeFingerprint } from '../../../src/stores/memory/fingerprint.js'

// How the hash tables of a MemoryNonceStore are split. With random fingerprints, all tables grow at the same time.

const HASH_KEY = [1, 2, 3, 4]
vi.mock('node:crypto', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:crypto')>()),
  randomFillSync: (words: Int32Array) => words.fill(0).map((_, index) => HASH_KEY[index] ?? 0),
}))

/** Returns the bits that select the table of a key. */
function tableBits(key: string): number {
  const [webhook, fingerprint] = [new Int32Array(4), new Int32Array(4)]
  writeFingerprint(Int32Array.from(HASH_KEY), 'a', webhook, 0)
  writeFingerprint(webhook, key, fingerprint, 0)
  return (fingerprint[1] ?? 0) >>> 16
}

it('keeps all records when one table is split often, and the other one long after it', () => {
  const keys = Array.from({ length: 120_000 }, (_, index) => `${index}`)
  const often = keys.filter((key) => tableBits(key) % 2 === 1)
  const late = keys.filter((key) => tableBits(key) % 2 === 0).slice(0, 20_000)
  expect(often.length).toBeGreaterThan(55_000)

  const store = new MemoryNonceStore({ clock: { now: () => 0 } })
  const reserved = (list: readonly string[]) => list.filter((key) => store.reserve('a', key, 600)).length
  // 1500 records fit into one table. When the first tables have 32 places, these are in one that has 16 of them.
  const early = late.splice(0, 1500)
  expect(reserved(early)).toBe(1500)
  expect(reserved(often)).toBe(often.length)
  expect(reserved(late)).toBe(late.length)
  for (const list of [early, often, late]) expect(reserved(list)).toBe(0)
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
