import { describe, expect, it } from 'vitest'
import {
  gsonNumber,
  javaNumber,
  javascriptNumber,
  phpNumber,
  preciseNumber,
  pythonNumber,
  rubyNumber,
  rustNumber,
} from '../../../src/diagnose/json/numbers.js'

describe('a number as a language writes it', () => {
  const columns = [pythonNumber, rubyNumber, javaNumber, phpNumber, javascriptNumber, gsonNumber, rustNumber]
  it.each([
    '1 1 1 1 1 1 1.0 1',
    '-0 0 0 0 0 0 -0.0 0',
    '1.0 1.0 1.0 1.0 1 1 1.0 1.0',
    '0.0 0.0 0.0 0.0 0 0 0.0 0.0',
    '-0.0 -0.0 -0.0 -0.0 -0 0 -0.0 -0.0',
    '-1.50 -1.5 -1.5 -1.5 -1.5 -1.5 -1.5 -1.5',
    '1e3 1000.0 1000.0 1000.0 1000 1000 1000.0 1000.0',
    '0.001 0.001 0.001 0.001 0.001 0.001 0.001 0.001',
    '0.0001 0.0001 0.0001 1.0E-4 0.0001 0.0001 1.0E-4 0.0001',
    '0.000012 1.2e-05 1.2e-05 1.2E-5 1.2e-5 0.000012 1.2E-5 0.000012',
    '1e7 10000000.0 10000000.0 1.0E7 10000000 10000000 1.0E7 10000000.0',
    '1e15 1000000000000000.0 1.0e+15 1.0E15 1000000000000000 1000000000000000 1.0E15 1000000000000000.0',
    '1e16 1e+16 1.0e+16 1.0E16 10000000000000000 10000000000000000 1.0E16 1e16',
    '1.5e25 1.5e+25 1.5e+25 1.5E25 1.5e+25 1.5e+25 1.5E25 1.5e25',
    '12345678901234567890 12345678901234567890 12345678901234567890 12345678901234567890 1.2345678901234567e+19 12345678901234567000 1.2345678901234567E19 12345678901234567890',
    '1700000000 1700000000 1700000000 1700000000 1700000000 1700000000 1.7E9 1700000000',
    '1e-7 1e-07 1.0e-07 1.0E-7 1.0e-7 1e-7 1.0E-7 1e-7',
    '1e400 1e400 1e400 1e400 1e400 1e400 1e400 1e400',
  ])('%s', (row) => {
    const [written = '', ...expected] = row.split(' ')
    expect(columns.map((language) => language(written))).toEqual(expected)
  })
})

// C's printf writes the same with %.17g.
it.each([
  ['0.1', '0.10000000000000001'],
  ['-1.50', '-1.5'],
  ['100.0', '100'],
  ['1e16', '10000000000000000'],
  ['1e30', '1e+30'],
  ['12345678901234567890', '12345678901234567890'],
  ['1e400', '1e400'],
])('the number %s with 17 digits is %s', (written, expected) => {
  expect(preciseNumber(17)(written)).toBe(expected)
})
