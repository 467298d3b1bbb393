import { expect, it } from 'vitest'
import { type Fingerprint, fingerprintOf } from '../../../src/stores/memory/fingerprint.js'
import { anyText } from '../../support/arbitraries.js'
import { fc } from '../../support/fast-check.js'

// Compares the fingerprints of MemoryNonceStore with a second implementation, written from the paper of SipHash.

const MASK = 0xffffffffn
const add = (one: bigint, other: bigint) => (one + other) & MASK
const rotate = (word: bigint, bits: bigint) => ((word << bits) | (word >> (32n - bits))) & MASK

type State = [v0: bigint, v1: bigint, v2: bigint, v3: bigint]

/** One round of HalfSipHash for one word of the message. */
function compress([v0, v1, v2, v3]: State, word: bigint): State {
  let [a, b, c, d] = [v0, v1, v2, v3 ^ word]
  ;[a, c] = [add(a, b), add(c, d)]
  ;[b, d] = [rotate(b, 5n) ^ a, rotate(d, 8n) ^ c]
  ;[a, c] = [add(rotate(a, 16n), d), add(c, b)]
  ;[b, d] = [rotate(b, 13n) ^ c, rotate(d, 7n) ^ a]
  return [a ^ word, b, rotate(c, 16n), d]
}

/** The bytes of a text as numbers of 4 bytes, filled up with zeros, and their length. */
function wordsOf(text: string): bigint[] {
  const bytes = Buffer.from(text)
  const padded = Buffer.concat([bytes, Buffer.alloc(3)])
  const words: bigint[] = []
  for (let start = 0; start < bytes.length; start += 4) words.push(BigInt(padded.readUInt32LE(start)))
  return [...words, BigInt(bytes.length)]
}

function expectedFingerprint(hashKey: Fingerprint, text: string): bigint[] {
  let state = hashKey.map((word) => BigInt(word) & MASK) as State
  for (const word of wordsOf(text)) state = compress(state, word)
  state[2] ^= 0xffn
  for (const word of [0n, 0n, 0n]) state = compress(state, word)
  return state
}

const unsigned = (fingerprint: Fingerprint) => fingerprint.map((word) => BigInt(word) & MASK)

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const hashKeys = fc.tuple(word, word, word, word)
const texts = fc.oneof(anyText(), fc.string({ unit: fc.constantFrom('a', '\0', '\xff') }))

it('a fingerprint is the state of HalfSipHash with one round per word and three at the end', () => {
  fc.assert(
    fc.property(hashKeys, texts, (hashKey, text) => {
      expect(unsigned(fingerprintOf(hashKey, text))).toEqual(expectedFingerprint(hashKey, text))
    }),
  )
})

it.each([324, 325, 326, 327, 328, 329, 330, 331, 1000])(
  'of a text of %d characters that take 3 bytes each has all of them, also after a longer text',
  (length) => {
    const hashKey: Fingerprint = [1, 2, 3, 4]
    for (const text of ['\uffff'.repeat(length), 'a', '\uffff'.repeat(length - 1), '']) {
      expect(unsigned(fingerprintOf(hashKey, text))).toEqual(expectedFingerprint(hashKey, text))
    }
  },
)
