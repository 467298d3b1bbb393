import { expect, it } from 'vitest'
import { halfSipHash } from '../../src/stores/half-sip-hash.js'

// From Linux (lib/tests/siphash_kunit.c), whose hsiphash on 32-bit machines is HalfSipHash-1-3: the bytes 0, 1, 2, … under the
// key 0, 1, … 7.
const KEY = Int32Array.of(0x03020100, 0x07060504)
const BYTES = new Int32Array(Uint8Array.from({ length: 60 }, (_, index) => index).buffer)

it.each([
  [0, 0x5814c896],
  [1, 0x7e059ea6],
  [2, 0x577999b1],
  [3, 0x6b28096c],
  [4, 0x8b31d501],
  [9, 0x7c46fb7f],
  [15, 0x88b4c4cc],
])('hashes %d words as Linux does', (count, hash) => {
  // Hashes of 4 * count bytes: every fourth of the list there.
  expect(halfSipHash(KEY, BYTES, 0, count) >>> 0).toBe(hash)
})

it('begins where it is told to', () => {
  const shifted = Int32Array.of(-1, -1, ...BYTES)
  expect(halfSipHash(KEY, shifted, 2, 4) >>> 0).toBe(0x8b31d501)
})

it('depends on both words of the key', () => {
  const hashes = [KEY, Int32Array.of(0, 0x07060504), Int32Array.of(0x03020100, 0)].map((key) =>
    halfSipHash(key, BYTES, 0, 9),
  )
  expect(new Set(hashes).size).toBe(3)
})
