import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FINGERPRINT, writeFingerprint } from '../../src/stores/fingerprint.js'

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

/** The length of a text, then its bytes as numbers of up to 4 bytes. */
function wordsOf(bytes: Buffer, isWide: boolean): bigint[] {
  const length = BigInt(bytes.length)
  const words = [isWide ? MASK - length : length]
  for (let start = 0; start < bytes.length; start += 4) {
    words.push(BigInt(`0x${bytes.subarray(start, start + 4).toString('hex')}`))
  }
  return words
}

function fingerprintOf(hashKey: Int32Array, webhookId: string, key: string): bigint[] {
  const isWide = [...(webhookId + key)].some((character) => character > '\xff')
  const bytesOf = (text: string) => wordsOf(Buffer.from(text, isWide ? 'utf16le' : 'latin1'), isWide)
  let state = [...hashKey].map((word) => BigInt(word) & MASK) as State
  for (const word of [...bytesOf(webhookId), ...bytesOf(key)]) state = compress(state, word)
  state[2] ^= 0xffn
  for (const word of wordsOf(Buffer.alloc(8), isWide)) state = compress(state, word)
  return state
}

const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('a', '\0', '\xff') }))

it('a fingerprint is the state of HalfSipHash with one round per word and three at the end', () => {
  const keys = fc.int32Array({ minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(keys, texts, texts, (hashKey, webhookId, key) => {
      writeFingerprint(hashKey, webhookId, key)
      expect([...FINGERPRINT].map((word) => BigInt(word) & MASK)).toEqual(fingerprintOf(hashKey, webhookId, key))
    }),
  )
})
