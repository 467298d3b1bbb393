import { describe, expect, it } from 'vitest'
import {
  bigDecimalOfJava,
  bigDecimalOfRuby,
  gsonNumber,
  javaNumber,
  javascriptNumber,
  numberInString,
  phpNumber,
  preciseNumber,
  pythonNumber,
  rustNumber,
} from '../../../src/diagnose/json/numbers.js'

describe('a number as a language writes it', () => {
  const columns = [pythonNumber, javaNumber, phpNumber, javascriptNumber, gsonNumber, rustNumber]
  it.each([
    '1 1 1 1 1 1.0 1',
    '-0 0 0 0 0 -0.0 0',
    '1.0 1.0 1.0 1 1 1.0 1.0',
    '0.0 0.0 0.0 0 0 0.0 0.0',
    '-0.0 -0.0 -0.0 -0 0 -0.0 -0.0',
    '-1.50 -1.5 -1.5 -1.5 -1.5 -1.5 -1.5',
    '1e3 1000.0 1000.0 1000 1000 1000.0 1000.0',
    '0.001 0.001 0.001 0.001 0.001 0.001 0.001',
    '0.0001 0.0001 1.0E-4 0.0001 0.0001 1.0E-4 0.0001',
    '0.000012 1.2e-05 1.2E-5 1.2e-5 0.000012 1.2E-5 0.000012',
    '1e7 10000000.0 1.0E7 10000000 10000000 1.0E7 10000000.0',
    '1e15 1000000000000000.0 1.0E15 1000000000000000 1000000000000000 1.0E15 1000000000000000.0',
    '1e16 1e+16 1.0E16 10000000000000000 10000000000000000 1.0E16 1e16',
    '1.5e25 1.5e+25 1.5E25 1.5e+25 1.5e+25 1.5E25 1.5e25',
    '12345678901234567890 12345678901234567890 12345678901234567890 1.2345678901234567e+19 12345678901234567000 1.2345678901234567E19 12345678901234567890',
    '1700000000 1700000000 1700000000 1700000000 1700000000 1.7E9 1700000000',
    '1e-7 1e-07 1.0E-7 1.0e-7 1e-7 1.0E-7 1e-7',
    '1e400 1e400 1e400 1e400 1e400 1e400 1e400',
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

it.each([
  ['7.5', '0.75e1', '7.5'],
  ['-12.50', '-0.125e2', '-12.5'],
  ['0.05', '0.5e-1', '0.05'],
  ['0.5', '0.5e0', '0.5'],
  ['0', '0.0', '0'],
  ['1000', '0.1e4', '1E+3'],
  ['1200', '0.12e4', '1.2E+3'],
  ['-20', '-0.2e2', '-2E+1'],
  ['101', '0.101e3', '101'],
  ['0.0000012', '0.12e-5', '0.0000012'],
  ['0.00000012', '0.12e-6', '1.2E-7'],
])('%s as a BigDecimal is %s in Ruby, and %s in Java', (number, ruby, java) => {
  expect([bigDecimalOfRuby(number), bigDecimalOfJava(number)]).toEqual([ruby, java])
})

it.each([
  ['007', '7'],
  ['-007', '-7'],
  ['+5', '5'],
  [' 12 ', '12'],
  ['0', '0'],
  ['00', '0'],
  ['19.90', '19.9'],
  ['-0.50', '-0.5'],
  ['.5', '0.5'],
  ['1e3', '1000'],
  ['12.00', '12'],
  ['12345678901234567890', '1.2345678901234567e+19'],
])('%j is the number %s in PHP', (text, number) => {
  expect(numberInString(text)).toBe(number)
})
