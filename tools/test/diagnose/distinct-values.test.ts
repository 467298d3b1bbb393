import { describe, expect, it } from 'vitest'
import { DistinctValues } from '../../src/diagnose/distinct-values.js'
import { CORRECT_LAYOUT } from '../../src/diagnose/hypotheses/layout.js'

/** More bytes than go into a fingerprint. Only one byte differs, which does not go into it. */
const long = (byte: number) => {
  const bytes = new Uint8Array(1000)
  bytes[501] = byte
  return bytes
}

describe('distinct values', () => {
  it('refuses bytes with the same contents', () => {
    const values = new DistinctValues([Uint8Array.of(1, 2, 3)])
    expect(values.add(Uint8Array.of(1, 2, 3))).toBe(false)
    expect(values.add(Buffer.from([0, 1, 2, 3]).subarray(1))).toBe(false)
  })

  it.each([
    ['other bytes', Uint8Array.of(1, 2, 4)],
    ['fewer bytes', Uint8Array.of(1, 2)],
    ['more bytes', Uint8Array.of(1, 2, 3, 0)],
    ['no bytes', Uint8Array.of()],
  ])('takes %s', (_, bytes) => {
    expect(new DistinctValues([Uint8Array.of(1, 2, 3)]).add(bytes)).toBe(true)
  })

  it('tells bytes with the same fingerprint apart', () => {
    const values = new DistinctValues([long(0)])
    expect([long(1), long(0), long(1), long(2)].map((bytes) => values.add(bytes))).toEqual([true, false, false, true])
  })

  it('refuses other values if they are the same object', () => {
    const values = new DistinctValues([CORRECT_LAYOUT, long(0)])
    expect(values.add(CORRECT_LAYOUT)).toBe(false)
    expect(values.add({ ...CORRECT_LAYOUT })).toBe(true)
  })
})
