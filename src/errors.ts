import { types } from 'node:util'

/**
 * The nonce store failed, so there is no result. Answer 503. `cause` is what the store threw, if it threw.
 */
export class NonceStoreError extends Error {
  override readonly name = 'NonceStoreError'
  readonly code = 'ERR_NONCE_STORE'
}

/**
 * A bounded store is full of live nonces and does not forget one to reserve another.
 *
 * `verify` throws a {@link NonceStoreError} with this error as its `cause`.
 */
export class NonceStoreFullError extends Error {
  override readonly name = 'NonceStoreFullError'
  readonly code = 'ERR_NONCE_STORE_FULL'
}

/**
 * Makes the error for an argument of the wrong type.
 *
 * The message says `<argument> is <what>. <What to do.>` It never shows a value, because the value may be a secret.
 *
 * @internal
 */
export function invalidType(message: string): TypeError {
  return withCode(new TypeError(message))
}

/**
 * Makes the error for an argument of the right type with a value that is not allowed.
 *
 * @internal
 */
export function invalidRange(message: string): RangeError {
  return withCode(new RangeError(message))
}

function withCode<E extends Error>(error: E): E & { code: string } {
  return Object.assign(error, { code: 'ERR_INVALID_ARGUMENT' })
}

/**
 * Describes a value without showing it: `undefined`, `null`, `an empty string`, `an array`, `bytes`.
 *
 * @internal
 */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'an array'
  if (types.isPromise(value)) return 'a promise that was not awaited'
  if (ArrayBuffer.isView(value)) return 'bytes'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** @internal */
export function assertOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw invalidType(`options is ${kindOf(options)}. Pass an object with the options by name.`)
  }
}

/**
 * Asserts that `value` is a string that is not empty and is well-formed.
 *
 * @param fix - the sentence that says what to pass.
 * @internal
 */
export function assertText(value: unknown, name: string, fix: string): asserts value is string {
  if (typeof value !== 'string' || value === '') throw invalidType(`${name} is ${kindOf(value)}. ${fix}`)
  assertWellFormed(value, name)
}

/**
 * Asserts that `value` has no lone surrogate. UTF-8 encodes every lone surrogate as the same three bytes.
 *
 * @internal
 */
export function assertWellFormed(value: string, name: string): void {
  if (!value.isWellFormed()) {
    throw invalidType(`${name} is not well-formed: it has a lone surrogate. Pass the whole text.`)
  }
}
