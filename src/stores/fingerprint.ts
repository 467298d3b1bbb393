import { Buffer } from 'node:buffer'

/** The last fingerprint that was written: 4 words of 32 bits. */
export const FINGERPRINT = /* @__PURE__ */ new Int32Array(4)
/** This text is hashed last. It gives three rounds: one for its length, and two for its zeros. */
const END = '\0\0\0\0\0\0\0\0'

/**
 * Writes the fingerprint of webhook and key to `FINGERPRINT`: the whole state of a hash with the rounds of HalfSipHash-1-3
 * (J.-P. Aumasson, D. J. Bernstein), which begins with 128 random bits. Nobody can make two keys collide on purpose, because
 * nobody sees a fingerprint or the random bits. JavaScript is fast with its 32-bit words.
 * @param hashKey - four random words.
 * @param isWide - whether the texts were Latin-1 only after `toLatin1`.
 */
export function writeFingerprint(hashKey: Int32Array, webhookId: string, key: string, isWide = false): void {
  let v0 = hashKey[0] as number
  let v1 = hashKey[1] as number
  let v2 = hashKey[2] as number
  let v3 = hashKey[3] as number
  let all = 0
  for (let part = 0; part < 3; part++) {
    const text = part === 0 ? webhookId : part === 1 ? key : END
    const { length } = text
    if (part === 2) v2 ^= 0xff
    // One word for the length, which keeps webhook and key apart, and one per 4 characters. One round per word.
    let word = isWide ? ~length : length
    for (let place = 0; place <= length; place++) {
      if (place % 4 === 0 || place === length) {
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
        word = 0
      }
      const code = place < length ? text.charCodeAt(place) : 0
      all |= code
      word = (word << 8) | code
    }
  }
  FINGERPRINT[0] = v0
  FINGERPRINT[1] = v1
  FINGERPRINT[2] = v2
  FINGERPRINT[3] = v3
  if (all > 0xff) writeFingerprint(hashKey, toLatin1(webhookId), toLatin1(key), true)
}

/** Returns two Latin-1 characters per character. */
function toLatin1(text: string): string {
  return Buffer.from(text, 'utf16le').toString('latin1')
}
