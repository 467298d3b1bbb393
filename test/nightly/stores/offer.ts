import { setTimeout as sleep } from 'node:timers/promises'
import { type NonceStore, verify } from '../../../src/index.js'
import { newRequest, SECRET } from '../../support/stores/load.js'

/**
 * Sends new requests at a fixed rate, whether the store answers or not. Resolves to the outcome of each request: `accepted`, the reason of
 * a rejection, or the message of the error's cause.
 *
 * @param perSecond - requests per second.
 * @param milliseconds - how long.
 */
export async function offer(nonceStore: NonceStore, perSecond: number, milliseconds: number): Promise<string[]> {
  const start = performance.now()
  const outcomes: Promise<string>[] = []
  const total = (perSecond * milliseconds) / 1000
  while (outcomes.length < total) {
    // Timers are late, so this sends all requests that are due.
    const due = Math.min(total, ((performance.now() - start) / 1000) * perSecond)
    while (outcomes.length < due) outcomes.push(ask(nonceStore))
    await sleep(2)
  }
  return Promise.all(outcomes)
}

function ask(nonceStore: NonceStore): Promise<string> {
  return verify(newRequest(), SECRET, nonceStore).then(
    (result) => (result.ok ? 'accepted' : result.reason),
    (error) => String(error.cause?.message),
  )
}
