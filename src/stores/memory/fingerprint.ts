import { Buffer } from 'node:buffer'

/** Four words of 32 bits. */
export type Fingerprint = [number, number, number, number]

/**
 * Returns the fingerprint of `text`: the whole state of a hash with the rounds of HalfSipHash-1-3 (J.-P. Aumasson, D. J. Bernstein) over
 * the text's UTF-8 bytes.
 *
 * Only somebody who knows `hashKey` can make two strings collide on purpose. The hash uses 32-bit words, which are fast in JavaScript: with
 * SHA-256, `verify` would take 50 % longer.
 *
 * @param hashKey - four random words, or the fingerprint of another string.
 */
export function fingerprintOf(hashKey: Fingerprint, text: string): Fingerprint {
  const bytes = Buffer.from(text)
  /** Returns the four bytes at `place` as one word. Bytes after the end of the text count as 0. */
  const wordAt = (place: number) =>
    (bytes[place] as number) |
    ((bytes[place + 1] as number) << 8) |
    ((bytes[place + 2] as number) << 16) |
    ((bytes[place + 3] as number) << 24)
  const end = (bytes.length + 3) >> 2

  let v0 = hashKey[0]
  let v1 = hashKey[1]
  let v2 = hashKey[2]
  let v3 = hashKey[3]
  for (let index = 0; index < end + 4; index++) {
    const word = index === end ? bytes.length : wordAt(4 * index)
    if (index === end + 1) v2 ^= 0xff
    v3 ^= word
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
    v0 ^= word
  }
  return [v0, v1, v2, v3]
}
