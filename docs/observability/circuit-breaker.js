import { ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'

/**
 * Returns a store that fails at once after five failures in a row. Every second it lets one call through. If that call
 * succeeds, all calls pass again.
 *
 * @param {import('inbound-webhook-auth').NonceStore} nonceStore - with a time-out of its own.
 * @returns {import('inbound-webhook-auth').NonceStore}
 */
export function withCircuitBreaker(nonceStore) {
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: 1000, breaker: new ConsecutiveBreaker(5) })
  const { reserveAll } = nonceStore
  return {
    reserve: (...call) => breaker.execute(() => nonceStore.reserve(...call)),
    ...(reserveAll && { reserveAll: (...call) => breaker.execute(() => reserveAll.apply(nonceStore, call)) }),
  }
}
