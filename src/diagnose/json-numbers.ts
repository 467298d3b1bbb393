/** A number as another language writes it, from how it is written. */
export type NumberStyle = (written: string) => string

/** How a language writes a float. */
interface FloatFormat {
  /** The decimal exponents that are written out, from and to (exclusive); others are written in powers of ten. */
  readonly from: number
  readonly to: number
  /** What follows a float without a fraction, written out and before a power of ten. */
  readonly whole: string
  readonly wholeBeforePower: string
  /** The exponent, from its sign and its digits. */
  readonly power: (sign: string, digits: string) => string
  /** Integers beyond 64 bits, or all of them, become floats. */
  readonly integers: 'exact' | 'exact in 64 bits' | 'float'
}

const twoDigits = (sign: string, digits: string) => `e${sign}${digits.padStart(2, '0')}`

/** As JavaScript writes numbers, and Go those that went through an `interface{}`: 1.0 is 1, integers beyond 2^53 are rounded. */
export const javascriptNumber: NumberStyle = (written) => {
  const value = Number(written)
  return Number.isFinite(value) ? String(value) : written
}

export const pythonNumber = formatted({
  from: -4,
  to: 16,
  whole: '.0',
  wholeBeforePower: '',
  power: twoDigits,
  integers: 'exact',
})
export const rubyNumber = formatted({
  from: -4,
  to: 15,
  whole: '.0',
  wholeBeforePower: '.0',
  power: twoDigits,
  integers: 'exact',
})
const JAVA: FloatFormat = {
  from: -3,
  to: 7,
  whole: '.0',
  wholeBeforePower: '.0',
  power: (sign, digits) => `E${sign === '-' ? '-' : ''}${digits}`,
  integers: 'exact',
}
export const javaNumber = formatted(JAVA)
export const phpNumber = formatted({
  from: -4,
  to: 17,
  whole: '',
  wholeBeforePower: '.0',
  power: (sign, digits) => `e${sign}${digits}`,
  integers: 'exact in 64 bits',
})

/** As Java's Gson keeps numbers of a Map, all of them doubles: 1700000000 is 1.7E9. */
export const gsonNumber = formatted({ ...JAVA, integers: 'float' })

/** As Rust writes numbers, and with it Python's orjson: 1e-7, not 1e-07. */
export const rustNumber = formatted({
  from: -5,
  to: 16,
  whole: '.0',
  wholeBeforePower: '',
  power: (sign, digits) => `e${sign === '-' ? '-' : ''}${digits}`,
  integers: 'exact',
})

/** Every integer as a float. */
export const wholeAsFloat: NumberStyle = (written) => (/^-?\d+$/.test(written) ? `${written}.0` : written)

/** Every float with two decimals, as amounts of money are written. */
export const twoDecimals: NumberStyle = (written) => (/^-?\d+\.\d$/.test(written) ? `${written}0` : written)

/** Every number with two decimals. */
export const allTwoDecimals: NumberStyle = (written) => twoDecimals(wholeAsFloat(written))

/** Every number as a string. */
export const asString: NumberStyle = (written) => `"${written}"`

function formatted({ from, to, whole, wholeBeforePower, power, integers }: FloatFormat): NumberStyle {
  return (written) => {
    if (integers !== 'float' && /^-?\d+$/.test(written)) {
      if (integers === 'exact' || Math.abs(Number(written)) < 2 ** 63) return written === '-0' ? '0' : written
    }
    const value = Number(written)
    if (!Number.isFinite(value)) return written
    // The shortest digits that give the same number, as all of these languages write.
    const shortest = Math.abs(value).toExponential()
    const at = shortest.indexOf('e')
    const first = shortest.slice(0, 1)
    const rest = shortest.slice(2, at)
    const sign = shortest.slice(at + 1, at + 2)
    const exponentDigits = shortest.slice(at + 2)
    const exponent = Number(sign + exponentDigits)
    const negative = value < 0 || Object.is(value, -0) ? '-' : ''
    if (exponent < from || exponent >= to) {
      return `${negative}${first}${rest === '' ? wholeBeforePower : `.${rest}`}${power(sign, exponentDigits)}`
    }
    if (exponent < 0) return `${negative}0.${'0'.repeat(-exponent - 1)}${first}${rest}`
    const digits = first + rest.padEnd(exponent, '0')
    const fraction = digits.slice(exponent + 1)
    return `${negative}${digits.slice(0, exponent + 1)}${fraction === '' ? whole : `.${fraction}`}`
  }
}

/** The integers that JavaScript cannot tell from one that it has rounded, the nearest first, at most `limit`. */
export function* unroundedIntegers(written: string, limit: number): Generator<string> {
  const rounded = Number(written)
  const center = BigInt(written)
  for (let distance = 1n; distance <= BigInt(limit); distance++) {
    for (const candidate of [center + distance, center - distance]) {
      if (Number(candidate) === rounded) yield String(candidate)
    }
  }
}
