/**
 * HalfSipHash-1-3 (J.-P. Aumasson, D. J. Bernstein: SipHash), a hash for tables whose keys come from outside. Who does not
 * know the 64 bits of its key cannot tell which inputs share a hash, and none are known that do under every key. Linux uses
 * it where words have 32 bits, and JavaScript is fast with those.
 *
 * @internal
 * @param key - two random words.
 * @param words - what to hash: `count` words from `start` on, four bytes each, the first one lowest.
 */
export function halfSipHash(key: Int32Array, words: Int32Array, start: number, count: number): number {
  let v0 = at(key, 0)
  let v1 = at(key, 1)
  let v2 = v0 ^ 0x6c796765
  let v3 = v1 ^ 0x74656462
  // A round for each word, one for the length in bytes, which is in the highest byte, and three more.
  for (let round = 0; round < count + 4; round++) {
    const block = round < count ? at(words, start + round) : round === count ? count << 26 : 0
    if (round === count + 1) v2 ^= 0xff
    v3 ^= block
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= block
  }
  return v1 ^ v3
}

function at(words: Int32Array, index: number): number {
  return words[index] as number
}
