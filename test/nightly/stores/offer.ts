import { setTimeout as sleep } from 'node:timers/promises'
import { type NonceStore, verify } from '../../../src/index.js'
import { newRequest, SECRET } from '../../support/stores/load.js'

/** Calls `send` at a fixed rate, whether earlier calls have ended or not. Resolves to the outcome of each call. */
export async function atRate(
  perSecond: number,
  seconds: number,
  send: (index: number) => Promise<string>,
): Promise<string[]> {
  const start = performance.now()
  const outcomes: Promise<string>[] = []
  const total = perSecond * seconds
  while (outcomes.length < total) {
    // Timers are late, so this sends all requests that are due.
    const due = Math.min(total, ((performance.now() - start) / 1000) * perSecond)
    while (outcomes.length < due) outcomes.push(send(outcomes.length))
    await sleep(2)
  }
  return Promise.all(outcomes)
}

/**
 * Sends new requests at a fixed rate. Resolves to the outcome of each request: `accepted`, the reason of a rejection, or the message of
 * the error's cause.
 */
export function offer(nonceStore: NonceStore, perSecond: number, milliseconds: number): Promise<string[]> {
  return atRate(perSecond, milliseconds / 1000, () => ask(nonceStore))
}

function ask(nonceStore: NonceStore): Promise<string> {
  return verify(newRequest(), SECRET, nonceStore).then(
    (result) => (result.ok ? 'accepted' : result.reason),
    (error) => String(error.cause?.message),
  )
}
