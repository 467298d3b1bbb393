import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/support/request.js'
import { arrivalOf, findArrival, parseTime } from '../../src/capture/arrival.js'

describe('the time', () => {
  it.each([
    ['1700000000123', 1_700_000_000_123],
    ['100000000000', 100_000_000_000],
    ['2023-11-14T22:13:20Z', 1_700_000_000_000],
    ['2023-11-14 23:13:20+01:00', 1_700_000_000_000],
    ['Tue, 14 Nov 2023 22:13:20 GMT', 1_700_000_000_000],
  ])('%s is %d', (text, milliseconds) => {
    expect(parseTime(text)).toBe(milliseconds)
  })

  it.each([...['', '-1', ' 1700000000', '2023-11-14T22:13:20', '2023-13-14T22:13:20Z']])('is not %j', (text) => {
    expect(() => parseTime(text)).toThrow(
      '--at is not a time. Use Unix time (1700000000), ISO 8601 with a zone (2023-11-14T22:13:20Z), or timestamp for the time in X-Timestamp.',
    )
  })

  it('in the capture counts more than the Date of the request, because the sender sets that', () => {
    const headers = [['Date', 'Tue, 14 Nov 2023 22:13:20 GMT']] as const
    const arrival = [1_700_000_002_000, 'from the time in the capture'] as const
    expect(findArrival(undefined, headers, arrival, NOW)).toBe(arrival)
    expect(findArrival(undefined, headers, undefined, NOW)).toEqual([NOW, 'from the Date of the request'])
    expect(findArrival(undefined, [], undefined, NOW)).toBeUndefined()
  })

  it('of --at counts more than all others', () => {
    const headers = [['Date', 'Tue, 14 Nov 2023 22:13:20 GMT']] as const
    const arrival = [1_700_000_002_000, 'from the time in the capture'] as const
    expect(findArrival('1700000001', headers, arrival, NOW)).toEqual([1_700_000_001_000, 'from --at'])
    expect(findArrival('timestamp', headers, arrival, NOW)).toBeUndefined()
  })

  it.each([
    [[['X-Timestamp', '1700000000']], 'from X-Timestamp'],
    [
      [
        ['webhook-timestamp', '1700000000'],
        ['webhook-signature', 'v1,a'],
      ],
      'from webhook-timestamp',
    ],
    // Two values that look like one time when they are joined.
    [
      [
        ['X-Timestamp', '17000'],
        ['X-Timestamp', '00000'],
      ],
      undefined,
    ],
  ] as const)('of --at timestamp has the name of its header: %j', (headers, source) => {
    expect(findArrival('timestamp', headers, undefined, NOW)).toEqual(source && [NOW, source])
  })

  it.each([
    ['1700086400', NOW + 86_400_000],
    ['1700086401', undefined],
    ['1700000000000', undefined],
    ['now', undefined],
  ])('of --at timestamp is X-Timestamp, unless that is more than a day ahead: %s', (timestamp, milliseconds) => {
    expect(findArrival('timestamp', [['X-Timestamp', timestamp]], undefined, NOW)?.[0]).toBe(milliseconds)
  })
})

it.each([
  ['1700000000', 1_700_000_000_000],
  ['1700000000.257', 1_700_000_000_257],
  ['123456789', 123_456_789_000],
  ['1700000000123', 1_700_000_000_123],
  [1_700_000_000_257, 1_700_000_000_257],
  [99_999_999_999, 99_999_999_999_000],
  ['2023-11-14T22:13:20Z', 1_700_000_000_000],
  ['2023-11-14T23:13:20+0100', 1_700_000_000_000],
  ['Tue, 14 Nov 2023 22:13:20 UTC', 1_700_000_000_000],
  // Without a zone, the time would depend on the time zone of this machine.
  ['2023-11-14T22:13:20', undefined],
  ['Tue, 14 Nov 2023 22:13:20 (Zagreb)', undefined],
  [['2023-11-14T22:13:20Z'], undefined],
  [undefined, undefined],
])('the time %j is %j', (time, milliseconds) => {
  expect(arrivalOf(time, 'there')).toEqual(milliseconds === undefined ? undefined : [milliseconds, 'there'])
})
