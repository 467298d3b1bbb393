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

  it.each(['1700000000', '1', '1700000000000', '19675.92', '28333333'])('is not wrong: %s', (timestamp) => {
    expect(formatOf(timestamp)).toEqual([])
  })

  it.each([
    ['{{timestamp}}', 'The placeholder was not replaced by a value.'],
    ['$TIMESTAMP', 'In single quotes, a shell does not replace a variable by its value.'],
  ])('is a placeholder: %s', (timestamp, why) => {
    expect(formatOf(timestamp)).toEqual([[said(timestamp), why, 'fill_in_value']])
  })

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
      expect(formatOf(timestamp, true)).toEqual([[said(timestamp), meant, 'whole_header']])
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

  it.each(['1700000000', '1700000300', '2023-11-14T22:13:20Z', 'now', undefined])(
    'is not missed by %j',
    (timestamp) => {
      expect(checkTimestampWindow(timestamp, NOW, true, mask)).toEqual({ unit: [], drift: [] })
    },
  )

  it.each([
    ['1700000000123', 'timestamp_unit', 'X-Timestamp is in milliseconds, not in seconds.', '1700000000'],
    ['28333333', 'timestamp_unit', 'X-Timestamp is in minutes, not in seconds.', '1699999980'],
    ['19675.92592', 'timestamp_unit', 'X-Timestamp is in days, not in seconds.', '1699999999'],
    ['721692800', 'timestamp_epoch', 'X-Timestamp is in seconds since 2001 (the epoch of Apple).', '1700000000'],
  ])('does not matter on another scale: %s', (timestamp, code, message, seconds) => {
    const evidence = [
      ['X-Timestamp', `"<${timestamp}>"`],
      ['In seconds', `<${seconds}>`],
    ]
    expect(windowOf(timestamp)).toEqual([{ code, message, fix: 'send_seconds', evidence }])
  })

  const FEW = 'so digits are missing, or the time was never set'
  const MANY = 'so the unit is wrong, or there are too many digits'
  it.each([
    ['0', 'timestamp_epoch', `has 1 digit, but Unix time in seconds has 10, ${FEW}`, []],
    ['170000000', 'timestamp_epoch', `has 9 digits, but Unix time in seconds has 10, ${FEW}`, []],
    ['00170000000', 'timestamp_epoch', `has 9 digits, but Unix time in seconds has 10, ${FEW}`, []],
    [
      '17000000001',
      'timestamp_unit',
      `has 11 digits, but Unix time in seconds has 10, ${MANY}`,
      ['The first 10 digits are a Unix time (2023-11-14T22:13:20.000Z).'],
    ],
    ['99000000001', 'timestamp_unit', `has 11 digits, but Unix time in seconds has 10, ${MANY}`, []],
    ['2015360001', 'timestamp_epoch', 'is a time more than ten years ahead, so it is not a Unix time of today', []],
  ])('cannot be missed by so much because of a clock: %s', (timestamp, code, what, more) => {
    const evidence = [['X-Timestamp', `"<${timestamp}>"`], ...more]
    expect(windowOf(timestamp)).toEqual([{ code, message: `X-Timestamp ${what}.`, fix: 'send_seconds', evidence }])
  })

  it.each([
    ['2015360000', NOW, 'clock_ahead'],
    ['0001699990000', NOW, 'clock_behind'],
    // A test may set the clock to 1970.
    ['1000', 600_000, 'clock_ahead'],
    ['1300000000', NOW, 'clock_behind'],
  ])('is missed because of a clock: %s', (timestamp, now, code) => {
    expect(windowOf(timestamp, now)).toMatchObject([{ code }])
  })

  it.each([
    [301_000, 'clock_behind', '301 s behind', 'sign_when_sent'],
    [300_001, 'clock_behind', '300.001 s behind', 'sign_when_sent'],
    [-301_000, 'clock_ahead', '301 s ahead of', 'set_clocks'],
    [3_660_000, 'clock_time_zone', '1 h behind', 'sign_again_or_use_unix_time'],
    [3_661_000, 'clock_behind', '1 h behind', 'sign_when_sent'],
    [-19_800_000, 'clock_time_zone', '5.5 h ahead of', 'use_unix_time'],
    [5_400_000, 'clock_behind', '1.5 h behind', 'sign_when_sent'],
    [3_540_000, 'clock_time_zone', '1 h behind', 'sign_again_or_use_unix_time'],
    [-3_540_000, 'clock_time_zone', '1 h ahead of', 'use_unix_time'],
    [3_539_000, 'clock_behind', '3539 s behind', 'sign_when_sent'],
    [-4_000_000, 'clock_ahead', '1.1 h ahead of', 'set_clocks'],
    [172_799_000, 'clock_behind', '48 h behind', 'sign_when_sent'],
    [172_800_000, 'clock_behind', '2 d behind', 'sign_when_sent'],
    [63_071_999_000, 'clock_behind', '730 d behind', 'sign_when_sent'],
    [63_072_000_000, 'clock_behind', '2 years behind', 'sign_when_sent'],
  ])('is missed by %i ms: %s, %s', (late, code, duration, fix) => {
    const [finding] = windowOf('1700000000', NOW + late)
    expect(finding).toMatchObject({
      code,
      fix,
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

  it.each([
    [3_600_000, 'this is a retry that was not signed again, or a local time was used as UTC.'],
    [-3_600_000, 'probably a local time was used as UTC.'],
  ])('is missed by a time zone: %i ms', (late, cause) => {
    expect(windowOf('1700000000', NOW + late)[0]?.message.split('server time: ')[1]).toBe(cause)
  })

  it('is missed by a clock of the receiver that JavaScript cannot show', () => {
    const [finding] = windowOf('1700000000', 1.7e18)
    expect(finding?.evidence?.[1]).toEqual(['Server time', '1700000000000000'])
  })

  it('is unknown without the time of arrival', () => {
    expect(windowOf('1700000000', NOW + 400_000, false)).toEqual([
      {
        code: 'clock_unknown',
        message: 'The time of arrival is unknown, so X-Timestamp cannot be compared with it.',
        fix: 'know_arrival',
        evidence: [
          ['X-Timestamp', '"<1700000000>" (2023-11-14T22:13:20.000Z)'],
          'X-Timestamp is in the window if the request arrived from <1699999700> (2023-11-14T22:08:20.000Z) to <1700000300> (2023-11-14T22:18:20.000Z).',
        ],
      },
    ])
  })

  it('is that of a date, too', () => {
    expect(windowOf('2023-11-14T22:13:20.9Z', NOW + 400_000)[0]?.evidence?.[0]).toEqual([
      'X-Timestamp',
      '"<1700000000>" (2023-11-14T22:13:20.000Z)',
    ])
  })
})
