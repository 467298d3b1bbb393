import { randomUUID } from 'node:crypto'
import { MAX_TIMEOUT } from '../arguments.js'
import { NonceStoreError } from '../errors.js'
import { within } from '../within.js'
import { isUnreachable, storeFailure } from './failure.js'
import type { ClaimState } from './nonce-store.js'

/** How long the server keeps a probe whose release failed, in seconds. */
export const PROBE_SECONDS = 60

const WEBHOOK_ID = 'inbound-webhook-auth'

/** How often the steps are tried. An SDK or a pool connects during the first call, which can take longer than `timeout`. */
const MAX_ATTEMPTS = 5

/** How long a step may take, as a multiple of `timeout`. With less, the step would end before the client says why it cannot connect. */
const STEP_FACTOR = 2

/** The functions of a store that ask the server about one new key. They use no memory of this process. */
export interface Probe {
  /** Asks for settings of the server. Rejects if a setting is wrong. A setting that the server hides is not an error. */
  checkSettings?(): Promise<unknown>
  reserve(owner: string): Promise<boolean>
  release(owner: string): Promise<unknown>
  /** Claims the key. A transaction store has no claims. */
  claim?(owner: string): Promise<ClaimState>
  /** What to do if the server accepts the key twice. */
  readonly advice: string
}

/** Reserves a new key twice and releases the key. If a step gets no response, tries all steps again with another key. */
export async function checkStore(
  timeout: number,
  createProbe: (webhookId: string, key: string) => Probe,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(createProbe(WEBHOOK_ID, randomUUID()), Math.min(STEP_FACTOR * timeout, MAX_TIMEOUT))
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isUnreachable(error)) throw storeFailure(error)
    }
  }
}

async function run(probe: Probe, milliseconds: number): Promise<void> {
  const owner = randomUUID()
  await within(milliseconds, probe.checkSettings?.())
  const isReserved = await within(milliseconds, probe.reserve(owner))
  // This call finds the row of the first call, so it needs the same permissions as a replay.
  const isReservedAgain = await within(milliseconds, probe.reserve(owner))
  const state = await within(milliseconds, probe.claim?.(owner))
  await within(milliseconds, probe.release(owner))
  if (isReservedAgain) throw new NonceStoreError(`The server accepts a nonce twice. ${probe.advice}`)
  if (isReserved && state === 'in_progress') {
    throw new NonceStoreError(
      'The client does not say why a condition failed, so a repeated event would be refused. Update the AWS SDK to 3.363 or later.',
    )
  }
  if (!isReserved || state === 'claimed') {
    throw new NonceStoreError(
      "The server refuses a new nonce. Check whether a trigger, a rule or a proxy changes the store's statements.",
    )
  }
}
