import { expect, it } from 'vitest'
import { NOW } from '../../../test/support/request.js'
import { instantOf, scaleOf } from '../../src/diagnose/instant.js'

// NOW is 2023-11-14T22:13:20Z.

const NOW_IN_OTHER_FORMS =
  '1700000000|1700000000000|1700000000000000|1.7e9|0.17e+10|1700000000.0|"1700000000"|{1700000000}|' +
  '1700000000s|2023-11-14T22:13:20Z|2023-11-14t22:13:20z|2023-11-14T22:13:20UTC|2023-11-14-22:13:20|' +
  '2023-11-14 22:13:20|20231114T221320Z|20231114221320|2023-11-14T23:13:20+01:00|2023-11-14T23:13:20+0100|' +
  '2023-11-14T16:43:20-05:30|Tue, 14 Nov 2023 22:13:20 GMT|Tue, 14 Nov 2023 23:13:20 +0100|' +
  'Tue Nov 14 22:13:20 utc 2023|11/14/2023 22:13:20|Wed, 15 Nov 2023 03:43:20 +05:30'

it.each([...NOW_IN_OTHER_FORMS.split('|'), '[["1700000000"]]', ' 1700000000,\n'])('%j is now', (timestamp) => {
  expect(instantOf(timestamp, NOW)).toBe(NOW)
})

it.each([
  ['1700000000.25', 250],
  ['1700000000125', 125],
  ['2023-11-14T22:13:20.5Z', 500],
])('%j is %i ms later', (timestamp, milliseconds) => {
  expect(instantOf(timestamp, NOW)).toBe(NOW + milliseconds)
})

/** The first one is empty. */
const NO_INSTANTS =
  '|now|12:30|-1|1e300|0x6553f100|1700000000 1|2023-13-14T22:13:20Z|2023-11-14T22:13:20+99:00|' +
  '1969-12-31T23:59:59Z|x2023-11-14T22:13:20Z|2023-11-14T22:13:20Zx|2023-11-14T22:13:20.Z|' +
  '9999-12-01T00:00:00Z|253399622400'

it.each(['1700000000Z', 't=1700000000', 'unix:1700000000,', '1700000000 UTC'])(
  '%j means the number in it',
  (timestamp) => {
    expect(instantOf(timestamp, NOW)).toBe(NOW)
  },
)

it.each(NO_INSTANTS.split('|'))('%j means no instant', (timestamp) => {
  expect(instantOf(timestamp, NOW)).toBeUndefined()
})

it.each([
  [1_700_000_000_000, 'milliseconds'],
  [1_700_000_000_000_000, 'microseconds'],
  [1_700_000_000_000_000_000, 'nanoseconds'],
  [638_355_968_000_000_000, 'year 1 '],
  [133_444_736_000_000_000, '1601'],
  [721_692_800, '2001'],
  [3_908_988_800, '1900'],
  [3_782_844_800, '1904'],
  [45_244.92592, '1899-12-30'],
])('%d is %s', (value, what) => {
  const scale = scaleOf(value, NOW)
  expect(scale?.what).toContain(what)
  expect(Math.abs((scale?.toInstant(value) ?? 0) - NOW)).toBeLessThan(60_000)
})

it('a number is in seconds if the clock starts in 1970 and the number is close to it', () => {
  expect(scaleOf(1000, 600_000)).toBeUndefined()
  expect(instantOf('1000', 600_000)).toBe(1_000_000)
})
