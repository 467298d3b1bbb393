import { types } from 'node:util'

const CODE = { code: 'ERR_INVALID_ARGUMENT' }

/** Returns the error for an argument of the wrong type, whose message never contains the value, because the value may be a secret. */
export function invalidType(message: string): TypeError {
  return Object.assign(new TypeError(message), CODE)
}

/** Returns the error for an argument that has the right type, but a value that is not allowed. */
export function invalidRange(message: string): RangeError {
  return Object.assign(new RangeError(message), CODE)
}

/** Describes the kind of a value, such as `null`, `an empty string`, `an array` or `bytes`. The description never contains the value. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'an array'
  if (types.isPromise(value)) return 'a promise that was not awaited'
  if (ArrayBuffer.isView(value)) return 'bytes'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof Object(value)[name] === 'function'
}

/** Asserts that `options` is an object, and that each of its properties is one of `names`. Error messages call the object `owner`. */
export function assertOptions(options: unknown, names: readonly string[], owner = 'options'): void {
  if (!isObject(options)) throw invalidType(`${owner} is ${kindOf(options)}. Pass an object with ${names.join(', ')}.`)
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw invalidType(`${owner}.${name} is unknown. Use one of: ${names.join(', ')}.`)
  }
}

/** Asserts that `value` is a non-empty string without lone surrogates. `fix` is the sentence of the error that says what to pass. */
export function assertText(value: unknown, name: string, fix: string): asserts value is string {
  if (typeof value !== 'string' || value === '') throw invalidType(`${name} is ${kindOf(value)}. ${fix}`)
  assertWellFormed(value, name)
}

/** Asserts that `value` has no lone surrogate, because strings that differ only in lone surrogates have the same UTF-8 bytes. */
export function assertWellFormed(value: string, name: string): void {
  if (!value.isWellFormed()) {
    throw invalidType(`${name} contains a lone surrogate, which is half a character. Pass the whole text.`)
  }
}

/** The longest time that `setTimeout` and the settings of PostgreSQL accept, in milliseconds. */
export const MAX_TIMEOUT = 2 ** 31 - 1

export function assertTimeout(milliseconds: number, name = 'timeout', suggested = 1000): void {
  if (!Number.isInteger(milliseconds) || milliseconds < 1 || milliseconds > MAX_TIMEOUT) {
    throw invalidRange(
      `${name} must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT}. Suggested: ${suggested}.`,
    )
  }
}
