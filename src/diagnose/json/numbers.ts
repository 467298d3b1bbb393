// How languages write a number that their JSON parser has read.

export type NumberStyle = (written: string) => string

interface FloatFormat {
  /** Numbers with a decimal exponent from `from` to below `to` are written out. Others are written as powers of ten. */
  readonly from: number
  readonly to: number
  /** What is written after a float without a fraction: `whole` if it is written out, otherwise `wholeBeforePower`. */
  readonly whole: string
  readonly wholeBeforePower: string
  readonly power: (sign: string, digits: string) => string
  /** Which integers become floats. */
  readonly integersAsFloats: 'none' | 'beyond 64 bits' | 'all'
}

const twoDigits = (sign: string, digits: string) => `e${sign}${digits.padStart(2, '0')}`
const noPlus = (letter: string) => (sign: string, digits: string) => `${letter}${sign === '-' ? '-' : ''}${digits}`

const PYTHON: FloatFormat = {
  from: -4,
  to: 16,
  whole: '.0',
  wholeBeforePower: '',
  power: twoDigits,
  integersAsFloats: 'none',
}
const JAVA: FloatFormat = {
  from: -3,
  to: 7,
  whole: '.0',
  wholeBeforePower: '.0',
  power: noPlus('E'),
  integersAsFloats: 'none',
}

export const pythonNumber = numberStyle(PYTHON)
export const rubyNumber = numberStyle({ ...PYTHON, to: 15, wholeBeforePower: '.0' })
export const rustNumber = numberStyle({ ...PYTHON, from: -5, power: noPlus('e') })
export const javaNumber = numberStyle(JAVA)
/** Gson reads the numbers of a Map as doubles: 1700000000 becomes 1.7E9. */
export const gsonNumber = numberStyle({ ...JAVA, integersAsFloats: 'all' })
export const phpNumber = numberStyle({
  ...PYTHON,
  to: 17,
  whole: '',
  wholeBeforePower: '.0',
  power: (sign, digits) => `e${sign}${digits}`,
  integersAsFloats: 'beyond 64 bits',
})

/** JavaScript, and Go with `interface{}`: 1.0 becomes 1, and integers beyond 2^53 are rounded. */
export const javascriptNumber: NumberStyle = (written) => {
  const value = Number(written)
  return Number.isFinite(value) ? String(value) : written
}

function numberStyle({ from, to, whole, wholeBeforePower, power, integersAsFloats }: FloatFormat): NumberStyle {
  return (written) => {
    const value = Number(written)
    const isExact = integersAsFloats === 'none' || (integersAsFloats !== 'all' && Math.abs(value) < 2 ** 63)
    if (/^-?\d+$/.test(written) && isExact) return written === '-0' ? '0' : written
    if (!Number.isFinite(value)) return written

    // All these languages write the shortest digits that give the same number.
    const [, first = '', rest = '', sign = '', digits = ''] = /^(\d)\.?(\d*)e(.)(\d+)$/.exec(
      Math.abs(value).toExponential(),
    ) as RegExpExecArray
    const exponent = Number(sign + digits)
    const minus = value < 0 || Object.is(value, -0) ? '-' : ''
    if (exponent < from || exponent >= to) {
      return `${minus}${first}${rest === '' ? wholeBeforePower : `.${rest}`}${power(sign, digits)}`
    }
    if (exponent < 0) return `${minus}0.${'0'.repeat(-exponent - 1)}${first}${rest}`
    const all = first + rest.padEnd(exponent, '0')
    const fraction = all.slice(exponent + 1)
    return `${minus}${all.slice(0, exponent + 1)}${fraction === '' ? whole : `.${fraction}`}`
  }
}
