// This file writes a number of a JSON text as a language does after it has parsed the JSON. For example, JavaScript writes `1.0` as `1`.

type NumberStyle = (written: string) => string

interface FloatFormat {
  /** A number below 10^`from`, or of 10^`to` or more, is written with an exponent. */
  readonly from: number
  readonly to: number
  /** The text after a float that is a whole number: `.0` or nothing. */
  readonly whole: string
  /** The same, if an exponent follows: `.0` in `1.0e+16`. */
  readonly wholeBeforePower: string
  readonly power: (sign: string, digits: string) => string
  /** Integers from this number on are read as floats. */
  readonly floatsFrom?: number
}

const twoDigits = (sign: string, digits: string) => `e${sign}${digits.padStart(2, '0')}`
const noPlus = (letter: string) => (sign: string, digits: string) => `${letter}${sign === '-' ? '-' : ''}${digits}`
const oneDigit = (sign: string, digits: string) => `e${sign}${digits}`

const PYTHON: FloatFormat = { from: -4, to: 16, whole: '.0', wholeBeforePower: '', power: twoDigits }
const JAVA: FloatFormat = { from: -3, to: 7, whole: '.0', wholeBeforePower: '.0', power: noPlus('E') }
const PHP: FloatFormat = { from: -4, to: 17, whole: '', wholeBeforePower: '.0', power: oneDigit, floatsFrom: 2 ** 63 }

export const pythonNumber = numberStyle(PYTHON)
export const rustNumber = numberStyle({ ...PYTHON, from: -5, power: noPlus('e') })
export const javaNumber = numberStyle(JAVA)
/** Gson reads all numbers of a Map as doubles, and so writes `1700000000` as `1.7E9`. */
export const gsonNumber = numberStyle({ ...JAVA, floatsFrom: 0 })
export const phpNumber = numberStyle(PHP)

/** JavaScript and Go (with `interface{}`) read all numbers as doubles. They write `1.0` as `1`, and round integers beyond 2^53. */
export const javascriptNumber: NumberStyle = (written) => {
  const value = Number(written)
  return Number.isFinite(value) ? String(value) : written
}

/**
 * Returns a style that writes each float with this number of significant digits: `0.10000000000000001`, as C's `%.17g` writes it. It writes
 * exponents as JavaScript does.
 */
export const preciseNumber =
  (digits: number): NumberStyle =>
  (written) => {
    const value = Number(written)
    if (/^-?\d+$/.test(written) || !Number.isFinite(value)) return written
    const [mantissa = '', exponent] = value.toPrecision(digits).split('e')
    const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
    return exponent === undefined ? short : `${short}e${exponent}`
  }

/** Returns the sign, the digits and the decimal exponent of a number: `-`, `125` and 1 for `-12.50`. */
function partsOf(number: string): readonly [minus: string, digits: string, exponent: number] {
  const [mantissa = '', exponent] = Math.abs(Number(number)).toExponential().split('e')
  return [number.startsWith('-') ? '-' : '', mantissa.replace('.', ''), Number(exponent)]
}

/** Writes `7.5` as `0.75e1`, as Ruby's BigDecimal does. */
export const bigDecimalOfRuby: NumberStyle = (written) => {
  const [minus, digits, exponent] = partsOf(written)
  return digits === '0' ? '0.0' : `${minus}0.${digits}e${exponent + 1}`
}

/** Writes `1000` as `1E+3`, as Java's BigDecimal does after stripTrailingZeros. */
export const bigDecimalOfJava: NumberStyle = (written) => {
  const [minus, digits, exponent] = partsOf(written)
  if (digits === '0' || (exponent >= -6 && exponent < digits.length)) return javascriptNumber(written)
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  return `${minus}${digits.charAt(0)}${fraction}E${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}

/** Writes the number in a string such as `007`, `+1` or `19.90`, as PHP does with JSON_NUMERIC_CHECK. */
export const numberInString: NumberStyle = (text) =>
  phpNumber(
    text
      .trim()
      .replace(/^([+-]?)0*(?=\d)/, (_, sign) => (sign === '-' ? '-' : ''))
      .replace(/^(-?)\+?\./, '$10.'),
  )

function numberStyle({ from, to, whole, wholeBeforePower, power, floatsFrom = Infinity }: FloatFormat): NumberStyle {
  return (written) => {
    const value = Number(written)
    if (/^-?\d+$/.test(written) && Math.abs(value) < floatsFrom) return written === '-0' ? '0' : written
    if (!Number.isFinite(value)) return written

    // Like JavaScript, all these languages write no more digits of a float than are necessary to read the same float again.
    const [minus, digits, exponent] = partsOf(written)
    if (exponent < from || exponent >= to) {
      const short = digits.charAt(0) + (digits.length === 1 ? wholeBeforePower : `.${digits.slice(1)}`)
      return minus + short + power(exponent < 0 ? '-' : '+', String(Math.abs(exponent)))
    }
    if (exponent < 0) return `${minus}0.${'0'.repeat(-exponent - 1)}${digits}`
    const fraction = digits.slice(exponent + 1)
    return `${minus}${digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')}${fraction === '' ? whole : `.${fraction}`}`
  }
}
