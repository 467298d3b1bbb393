// How languages write a number that their JSON parser has read.

export type NumberStyle = (written: string) => string

interface FloatFormat {
  /**
   * Numbers from 10^`from` to below 10^`to` are written without an exponent. Other numbers are written with an exponent.
   */
  readonly from: number
  readonly to: number
  /** What follows a float without a fraction: `whole` if there is no exponent, and `wholeBeforePower` before an exponent. */
  readonly whole: string
  readonly wholeBeforePower: string
  readonly power: (sign: string, digits: string) => string
  /** The smallest integer that becomes a float. */
  readonly floatsFrom?: number
}

const twoDigits = (sign: string, digits: string) => `e${sign}${digits.padStart(2, '0')}`
const noPlus = (letter: string) => (sign: string, digits: string) => `${letter}${sign === '-' ? '-' : ''}${digits}`
const oneDigit = (sign: string, digits: string) => `e${sign}${digits}`

const PYTHON: FloatFormat = { from: -4, to: 16, whole: '.0', wholeBeforePower: '', power: twoDigits }
const JAVA: FloatFormat = { from: -3, to: 7, whole: '.0', wholeBeforePower: '.0', power: noPlus('E') }
const PHP: FloatFormat = { from: -4, to: 17, whole: '', wholeBeforePower: '.0', power: oneDigit, floatsFrom: 2 ** 63 }

export const pythonNumber = numberStyle(PYTHON)
export const rubyNumber = numberStyle({ ...PYTHON, to: 15, wholeBeforePower: '.0' })
export const rustNumber = numberStyle({ ...PYTHON, from: -5, power: noPlus('e') })
export const javaNumber = numberStyle(JAVA)
/** Gson reads the numbers of a Map as doubles, so 1700000000 becomes 1.7E9. */
export const gsonNumber = numberStyle({ ...JAVA, floatsFrom: 0 })
export const phpNumber = numberStyle(PHP)

/** Returns a number as JavaScript and Go (with `interface{}`) write it: 1.0 becomes 1, and integers beyond 2^53 are rounded. */
export const javascriptNumber: NumberStyle = (written) => {
  const value = Number(written)
  return Number.isFinite(value) ? String(value) : written
}

function numberStyle({ from, to, whole, wholeBeforePower, power, floatsFrom = Infinity }: FloatFormat): NumberStyle {
  return (written) => {
    const value = Number(written)
    if (/^-?\d+$/.test(written) && Math.abs(value) < floatsFrom) return written === '-0' ? '0' : written
    if (!Number.isFinite(value)) return written

    // All these languages write a float with the fewest digits that are read as the same float.
    const [mantissa = '', exponentText = ''] = Math.abs(value).toExponential().split('e')
    const digits = mantissa.replace('.', '')
    const exponent = Number(exponentText)
    const minus = value < 0 || Object.is(value, -0) ? '-' : ''
    if (exponent < from || exponent >= to) {
      const short = digits.length === 1 ? mantissa + wholeBeforePower : mantissa
      return minus + short + power(exponentText.charAt(0), exponentText.slice(1))
    }
    if (exponent < 0) return `${minus}0.${'0'.repeat(-exponent - 1)}${digits}`
    const fraction = digits.slice(exponent + 1)
    return `${minus}${digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')}${fraction === '' ? whole : `.${fraction}`}`
  }
}
