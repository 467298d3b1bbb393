import { setTimeout as sleep } from 'node:timers/promises'
import { type NonceStore, verify } from '../../../src/index.js'
import { newRequest, SECRET } from './load.js'

/** What became of one request. */
export interface Answer {
  /** Milliseconds from the start of the load to the request. */
  at: number
  milliseconds: number
  /** `accepted`, the reason of a rejection, or the message of the error's cause. */
  outcome: string
}

/**
 * Sends new requests at a fixed rate, whether the store answers or not.
 *
 * @param perSecond - requests per second.
 * @param milliseconds - how long.
 */
export async function offer(nonceStore: NonceStore, perSecond: number, milliseconds: number): Promise<Answer[]> {
  const start = performance.now()
  const answers: Promise<Answer>[] = []
  const total = (perSecond * milliseconds) / 1000
  while (answers.length < total) {
    // Timers are late, so this sends all requests that are due.
    const due = Math.min(total, ((performance.now() - start) / 1000) * perSecond)
    while (answers.length < due) answers.push(ask(nonceStore, start))
    await sleep(2)
  }
  return Promise.all(answers)
}

async function ask(nonceStore: NonceStore, start: number): Promise<Answer> {
  const request = newRequest()
  const sent = performance.now()
  const outcome = await verify(request, SECRET, nonceStore).then(
    (result) => (result.ok ? 'accepted' : result.reason),
    (error) => String(error.cause?.message),
  )
  return { at: sent - start, milliseconds: performance.now() - sent, outcome }
}

export function isAccepted({ outcome }: Answer): boolean {
  return outcome === 'accepted'
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Returns the accepted requests per second, the share that was refused, and the median time of a refusal in milliseconds. */
export function summarize(answers: Answer[], milliseconds: number) {
  const refused = answers.filter((answer) => !isAccepted(answer))
  return {
    accepted: (answers.length - refused.length) / (milliseconds / 1000),
    refused: refused.length,
    refusedAfter: median(refused.map((answer) => answer.milliseconds)),
  }
}
