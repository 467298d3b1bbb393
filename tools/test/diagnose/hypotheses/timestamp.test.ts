import { expect, it } from 'vitest'
import { TIMESTAMP_HYPOTHESES } from '../../../src/diagnose/hypotheses/timestamp.js'
import { rowNamed, valuesOf, variantsOf } from './proposals.js'

/** 2023-11-14T22:13:20.250Z */
const INSTANT = 1_700_000_000_250

it.each([
  ['the timestamp in milliseconds', '1700000000250'],
  ['the timestamp in ISO 8601', '2023-11-14T22:13:20Z'],
  ['the timestamp in ISO 8601 with milliseconds', '2023-11-14T22:13:20.000Z'],
  ['the timestamp in ISO 8601 with `+00:00`', '2023-11-14T22:13:20+00:00'],
  ['the timestamp as Go prints a time', '2023-11-14 22:13:20 +0000 UTC'],
  ['the timestamp as Ruby prints a time', '2023-11-14 22:13:20 UTC'],
  ['the timestamp without its leading zeros', '1700000000'],
  ['the timestamp as a float', '1700000000.0'],
  ['the timestamp in nanoseconds', '1700000000000000000'],
  ['an empty timestamp', ''],
  ['U+FFFD for the timestamp (Go: string(number))', '\ufffd'],
])('%s is %j', (what, value) => {
  expect(valuesOf(TIMESTAMP_HYPOTHESES, what, INSTANT)).toEqual([value])
})

it('a clock that is read twice gives another second, up to a minute away', () => {
  const near = valuesOf(TIMESTAMP_HYPOTHESES, 'a timestamp that is <detail> than in the header', INSTANT)
  expect(near).toEqual(['1699999999', '1700000001', '1699999998', '1700000002'])
  const row = rowNamed(TIMESTAMP_HYPOTHESES, 'a timestamp that is <detail> than in the header')
  expect(
    variantsOf(row, INSTANT)
      .slice(0, 2)
      .map(({ detail }) => detail),
  ).toEqual(['1 s earlier', '1 s later'])
  const far = valuesOf(TIMESTAMP_HYPOTHESES, 'another time, which is <detail> than in the header', INSTANT)
  expect([far.length, far[0], far.at(-1)]).toEqual([116, '1699999997', '1700000060'])
})
