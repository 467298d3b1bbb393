import { storeError } from './errors.js'

/** Resolves to the result of `running`, or rejects with the error of `late` after `milliseconds`. A late result or error is ignored. */
export function within<T>(
  milliseconds: number,
  running: T | PromiseLike<T>,
  late = () => noResponse(milliseconds),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(milliseconds, () => reject(late()))
    Promise.resolve(running).finally(stopTimer).then(resolve, reject)
  })
}

/** Returns the error of a store that did not respond in time. */
export function noResponse(milliseconds: number): Error {
  const text = `No response within ${milliseconds} ms. The nonce may be reserved, so a retry may be refused. Check the server.`
  return storeError('ETIMEDOUT', text)
}

/** Calls `act` after a time and a turn of the event loop, which reads responses that arrived during a stall. Returns how to stop the timer. */
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
