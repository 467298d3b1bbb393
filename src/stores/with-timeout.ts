import { assertTimeout } from '../arguments.js'
import { assertNonceStore, type NonceStore } from './nonce-store.js'

/**
 * Returns a store that waits at most `milliseconds` for a response of `nonceStore`, and then rejects. The network stores of this package
 * already have a `timeout`.
 *
 * A late response is ignored. The nonce may or may not be reserved, so the sender must sign the retry with a new nonce.
 *
 * @param nonceStore - the store to wait for. The store continues after the time-out, so also set a time-out in the client of the store.
 * @param milliseconds - a whole number from 1, such as 1000.
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid argument.
 *
 * @example
 * ```ts
 * import { type NonceStore, withTimeout } from 'inbound-webhook-auth'
 *
 * export function limit(nonceStore: NonceStore): NonceStore {
 *   return withTimeout(nonceStore, 1000)
 * }
 * ```
 */
export function withTimeout(nonceStore: NonceStore, milliseconds: number): NonceStore {
  assertNonceStore(nonceStore)
  assertTimeout(milliseconds, 'milliseconds')
  const limited: NonceStore = {
    reserve: (...call) => limit(nonceStore.reserve(...call)),
  }
  const { reserveAll, release } = nonceStore
  if (reserveAll) limited.reserveAll = (...call) => limit(reserveAll.apply(nonceStore, call))
  if (release) limited.release = (...call) => limit(release.apply(nonceStore, call))
  return limited

  function limit<T>(response: T | Promise<T>): T | Promise<T> {
    return typeof response === 'boolean' || response === undefined ? response : within(milliseconds, response)
  }
}

/**
 * Resolves to the result of `response`, or rejects if there is no result after `milliseconds`. A late result or error is ignored.
 *
 * @param message - the message of the error. By default, a message about a reservation.
 */
export function within<T>(
  milliseconds: number,
  response: T | PromiseLike<T>,
  message = `No response within ${milliseconds} ms. The nonce may be reserved, so the retry needs a new nonce.`,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(milliseconds, () => reject(Object.assign(new Error(message), { code: 'ETIMEDOUT' })))
    Promise.resolve(response).finally(stopTimer).then(resolve, reject)
  })
}

/**
 * Calls `act` after `milliseconds` and one more turn of the event loop. Without this turn, after a stall of the process, the time-out would
 * come before responses that have already arrived.
 *
 * @param options - `ref`: whether the timer keeps the process running, by default `true`.
 * @returns a function that stops the timer.
 */
export function startTimer(milliseconds: number, act: () => void, { ref = true } = {}): () => void {
  let turn: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    turn = setImmediate(act)
  }, milliseconds)
  if (!ref) timer.unref()
  return () => {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}
