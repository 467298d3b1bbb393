import { describe, expect, it } from 'vitest'
import { NOW } from '../../../../test/support/request.js'
import { checkTimestampFormat, checkTimestampWindow } from '../../../src/diagnose/checks/timestamp.js'

// NOW is 2023-11-14T22:13:20Z. Each text is shown as it arrived, in `<` and `>` by the mask.

const mask = (text: string) => `<${text}>`

describe('the format of a timestamp', () => {
  const formatOf = (timestamp: string, isCaptured?: boolean) =>
    checkTimestampFormat(timestamp, NOW, mask, isCaptured).map(({ message, evidence, fix }) => [
      message,
      ...(evidence ?? []),
      fix,
    ])
  const said = (text: string) => `X-Timestamp is "<${text}>", not Unix time in seconds as decimal digits.`

  it.each([
    ['now', []],
    ['1700000000.9', [['In seconds', '<1700000000>']]],
    [' 19675.92592', [['In seconds', '<1699999999>']]],
    ['2023-11-14T22:13:20.9Z', [['In seconds', '<1700000000>']]],
    // This date looks like seconds.
    ['20231114221320', [['In seconds', '<1700000000>']]],
    ['17O0000000', []],
  ])('is not seconds: %s', (timestamp, evidence) => {
    expect(formatOf(timestamp)).toEqual([[said(timestamp), ...evidence, 'send_seconds']])
  })

  it('was changed by a program that read or wrapped a capture', () => {
    const meant = 'If white space is removed, and letters are read as digits, X-Timestamp is <1700000000>.'
    for (const timestamp of ['17O0000000', '17000 00000']) {
      expect(formatOf(timestamp, true)).toEqual([[said(timestamp), meant, 'whole_value']])
    }
    expect(formatOf('16O0000000', true)).toEqual([[said('16O0000000'), 'send_seconds']])
    expect(formatOf('1700000000.9', true)[0]?.at(-1)).toBe('send_seconds')
  })
})

describe('the window of a timestamp', () => {
  const windowOf = (timestamp: string, now = NOW, isArrivalKnown = true) => {
    const { unit, drift } = checkTimestampWindow(timestamp, now, isArrivalKnown, mask)
    return [...unit, ...drift]
  }

  const FEW = 'so digits are missing, or the time was never set'
  const MANY = 'so the unit is wrong, or there are too many digits'
  it.each([
    ['170000000', 'timestamp_epoch', `has 9 digits, but Unix time in seconds has 10, ${FEW}`, []],
    [
      '17000000001',
      'timestamp_unit',
      `has 11 digits, but Unix time in seconds has 10, ${MANY}`,
      ['The first 10 digits are a Unix time (2023-11-14T22:13:20.000Z).'],
    ],
    ['2015360001', 'timestamp_epoch', 'is more than ten years ahead, so it is not the current Unix time', []],
  ])('cannot be missed by so much because of a clock: %s', (timestamp, code, what, more) => {
    const evidence = [['X-Timestamp', `"<${timestamp}>"`], ...more]
    expect(windowOf(timestamp)).toEqual([{ code, message: `X-Timestamp ${what}.`, fix: 'send_seconds', evidence }])
  })

  it.each([
    [301_000, 'clock_behind', '301 s behind'],
    [-301_000, 'clock_ahead', '301 s ahead of'],
    [3_660_000, 'clock_time_zone', '1 h behind'],
    [-19_800_000, 'clock_time_zone', '5.5 h ahead of'],
    [-4_000_000, 'clock_ahead', '1.1 h ahead of'],
    [172_800_000, 'clock_behind', '2 d behind'],
    [63_072_000_000, 'clock_behind', '2 years behind'],
  ])('is missed by %i ms: %s, %s', (late, code, duration) => {
    const [finding] = windowOf('1700000000', NOW + late)
    expect(finding).toMatchObject({
      code,
      fix: code === 'clock_ahead' ? 'set_clocks' : 'sign_when_sent',
      message: expect.stringContaining(`X-Timestamp is ${duration} server time`),
    })
    const now = new Date(NOW + late).toISOString()
    expect(finding?.evidence).toEqual([
      ['X-Timestamp', '"<1700000000>" (2023-11-14T22:13:20.000Z)'],
      ['Server time', `${Math.floor((NOW + late) / 1000)} (${now})`],
      ['Difference', `${Math.abs(late) / 1000} s ${late > 0 ? 'behind' : 'ahead'}`],
    ])
  })

  it('is missed by the offset of any time zone in use, in winter or summer', () => {
    const east = '1 2 3 3.5 4 4.5 5 5.5 5.75 6 6.5 7 8 8.75 9 9.5 10 10.5 11 12 12.75 13 13.75 14'
    const west = '-1 -2 -2.5 -3 -3.5 -4 -5 -6 -7 -8 -9 -9.5 -10 -11'
    const codeOf = (hours: string) => windowOf('1700000000', NOW - Number(hours) * 3_600_000)[0]?.code
    expect(`${east} ${west}`.split(' ').filter((hours) => codeOf(hours) !== 'clock_time_zone')).toEqual([])
  })
})
