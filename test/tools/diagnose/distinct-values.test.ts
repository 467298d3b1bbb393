import { describe, expect, it } from 'vitest'
import { DistinctValues } from '../../../src/tools/diagnose/distinct-values.js'
import { CORRECT_LAYOUT } from '../../../src/tools/diagnose/hypotheses/layout.js'

/** More bytes than go into a fingerprint. Only the byte in the middle differs. */
const long = (middle: number) => {
  const bytes = new Uint8Array(1000)
  bytes[500] = middle
  return bytes
}

describe('distinct values', () => {
  it('has bytes with the same contents', () => {
    const values = new DistinctValues([Uint8Array.of(1, 2, 3)])
    expect(values.has(Uint8Array.of(1, 2, 3))).toBe(true)
    expect(values.has(Buffer.from([0, 1, 2, 3]).subarray(1))).toBe(true)
  })

  it.each([
    ['other bytes', Uint8Array.of(1, 2, 4)],
    ['fewer bytes', Uint8Array.of(1, 2)],
    ['more bytes', Uint8Array.of(1, 2, 3, 0)],
    ['no bytes', Uint8Array.of()],
  ])('does not have %s', (_, bytes) => {
    expect(new DistinctValues([Uint8Array.of(1, 2, 3)]).has(bytes)).toBe(false)
  })

  it('tells bytes with the same fingerprint apart', () => {
    const values = new DistinctValues([long(0)])
    expect(values.has(long(1))).toBe(false)
    values.add(long(1))
    expect([long(0), long(1), long(2)].map((bytes) => values.has(bytes))).toEqual([true, true, false])
  })

  it('keeps equal values once', () => {
    const bytes = long(0)
    const values = new DistinctValues([bytes])
    values.add(long(0))
    // The second value was not kept, so nothing has the contents of the first any more.
    bytes[500] = 1
    expect(values.has(long(0))).toBe(false)
    expect(values.has(long(1))).toBe(true)
  })

  it('has other values if they are the same object', () => {
    const values = new DistinctValues([CORRECT_LAYOUT, long(0)])
    expect(values.has(CORRECT_LAYOUT)).toBe(true)
    expect(values.has({ ...CORRECT_LAYOUT })).toBe(false)
  })
})
