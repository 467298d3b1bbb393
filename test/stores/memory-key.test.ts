import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyWords, NOT_WRITTEN, writeKey } from '../../src/stores/memory-key.js'

/** The form of a key and its words, as text. */
function written(key: string): string {
  const words = new Int32Array(40)
  const form = writeKey(key, words, 2)
  expect(words.subarray(0, 2)).toEqual(Int32Array.of(0, 0))
  return `${form} ${words.subarray(2, 2 + keyWords(form))}`
}

describe('a key', () => {
  it.each([
    ['', 0],
    ['0', 1],
    ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 4],
    ['6F9619FF-8B86-4D01-B42D-00CF4FC964FF', 9],
    ['6f9619ff-8b86-4d01-b42d_00cf4fc964ff', 9],
    ['6f9619ff-8b86-4d01-b42d-00cf4fc964fg', 9],
    ['0123456789abcdef'.repeat(2), 4],
    [`${'0123456789abcdef'.repeat(2)}0`, 9],
    [`${'0123456789abcdef'.repeat(2).slice(1)}~`, 8],
    [`signature ${'0123456789abcdef'.repeat(4)}`, 8],
    [`Signature ${'0123456789abcdef'.repeat(4)}`, 19],
    [`signature ${'0123456789abcdeF'.repeat(4)}`, 19],
    ['a'.repeat(128), 32],
    ['~'.repeat(128), 32],
  ])('%s takes %d words', (key, words) => {
    const form = writeKey(key, new Int32Array(32), 0)
    expect(form).not.toBe(NOT_WRITTEN)
    expect(keyWords(form)).toBe(words)
  })

  it.each(['a'.repeat(129), '~'.repeat(10_000), 'é', '\u0100', '\ud83e', 'é'.repeat(128), '\u{1f98a}'])(
    '%s is not written',
    (key) => {
      expect(writeKey(key, new Int32Array(32), 0)).toBe(NOT_WRITTEN)
    },
  )

  it('takes no words when it is not written', () => {
    expect(keyWords(NOT_WRITTEN)).toBe(0)
  })

  const ascii = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 128 }),
    fc.uuid(),
    fc.string({ unit: fc.constantFrom('0', 'a', 'f', '-'), minLength: 32, maxLength: 36 }),
    fc.string({ unit: fc.constantFrom('0', 'a', 'G'), minLength: 32, maxLength: 32 }),
    fc.string({ unit: fc.constantFrom('0', 'a'), minLength: 64, maxLength: 64 }).map((hex) => `signature ${hex}`),
    fc.string({ unit: fc.constantFrom('0', 'a'), maxLength: 8 }),
    fc.string({ unit: fc.constantFrom('0', '\0', 'Z'), maxLength: 8 }),
  )

  it('is written as no other is, whatever was written before', () => {
    fc.assert(
      fc.property(ascii, ascii, ascii, (key, other, before) => {
        const first = written(key)
        written(before)
        expect(written(key)).toBe(first)
        expect(written(other) === first).toBe(key === other)
      }),
    )
  })
})
