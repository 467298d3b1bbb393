import { types } from 'node:util'

/**
 * The nonce store failed, so there is no verdict: answer 503. `cause` is what the store threw, if it threw.
 */
export class NonceStoreError extends Error {
  override readonly name = 'NonceStoreError'
  readonly code = 'ERR_NONCE_STORE'
}

/**
 * A bounded store is full of nonces that have not expired, and does not forget one to take another in.
 *
 * `verify` wraps it: it throws a {@link NonceStoreError} with this as its `cause`.
 */
export class NonceStoreFullError extends Error {
  override readonly name = 'NonceStoreFullError'
  readonly code = 'ERR_NONCE_STORE_FULL'
}

/**
 * What a mistake of the caller throws: a `TypeError` or a `RangeError` whose `code` is `ERR_INVALID_ARGUMENT`. The
 * message names the argument and what to do; it never shows a value, for the value may be a secret.
 *
 * @internal
 */
export function invalidType(message: string): TypeError {
  return withCode(new TypeError(message))
}

/** @internal */
export function invalidRange(message: string): RangeError {
  return withCode(new RangeError(message))
}

function withCode<E extends Error>(error: E): E & { code: string } {
  return Object.assign(error, { code: 'ERR_INVALID_ARGUMENT' })
}

/** @internal */
export function assertOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw invalidType(`options is ${kindOf(options)}: pass an object with the options by name, or nothing`)
  }
}

/**
 * What `value` is, in words that do not show it: `undefined`, `null`, `an empty string`, `an array`, `bytes`.
 *
 * @internal
 */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'an array'
  if (types.isPromise(value)) return 'a promise, not awaited'
  if (ArrayBuffer.isView(value)) return 'bytes'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/**
 * Asserts that `value` is text: a string that is neither empty nor ill-formed.
 *
 * @internal
 */
export function assertText(value: unknown, name: string, fix: string): asserts value is string {
  if (typeof value !== 'string' || value === '') throw invalidType(`${name} is ${kindOf(value)}: ${fix}`)
  assertWellFormed(value, name)
}

/**
 * Asserts that encoding `value` as UTF-8 loses nothing: every lone surrogate would become the same three bytes.
 *
 * @internal
 */
export function assertWellFormed(value: string, name: string): void {
  if (!value.isWellFormed()) {
    throw invalidType(`${name} holds a lone surrogate, not UTF-8: pass the whole text`)
  }
}
