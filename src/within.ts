import { storeError } from './errors.js'

/**
 * Resolves to the result of `running`, or rejects with the error of `late` after `milliseconds`. A late result or error is ignored. By
 * default, the error says that a store did not respond.
 */
export function within<T>(
  milliseconds: number,
  running: T | PromiseLike<T>,
  late = () =>
    storeError(
      'ETIMEDOUT',
      `No response within ${milliseconds} ms. The nonce may be reserved, so a retry may be refused. Check the server.`,
    ),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(milliseconds, () => reject(late()))
    Promise.resolve(running).finally(stopTimer).then(resolve, reject)
  })
}

/**
 * Calls `act` after `milliseconds` and one more turn of the event loop and returns a function that stops the timer. Without this turn, after
 * a stall of the process, the time-out would come before responses that have already arrived.
 */
export function startTimer(milliseconds: number, act: () => void, { ref = true } = {}): () => void {
  let turn: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    turn = setImmediate(act)
  }, milliseconds)
  // In some runtimes, a timer is a number.
  if (!ref) timer.unref?.()
  return () => {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}
