import { describeError } from '../describe-error.js'
import { type NonceStore, newOwner, releaseKeys, reserveKeys } from '../stores/nonce-store.js'
import { Claims } from './claims.js'
import type { TransactionOutcome, TransactionRequest } from './transaction-store.js'

/** What went wrong around work that has an outcome of its own, for the log and the diagnostics channel. */
export type NoteIncident = (incident: 'claim_lost' | 'release_failed' | undefined, message: string) => void

/** Reserves the keys of a message, runs the work, and releases the keys if the work fails. */
export async function reserveAndRun<Transaction, T>(
  nonceStore: NonceStore,
  { webhookId, keys, work }: TransactionRequest<Transaction, T>,
  note: NoteIncident,
): Promise<TransactionOutcome<T>> {
  const owner = newOwner()
  if (!(await reserveKeys(nonceStore, webhookId, keys, owner))) return { outcome: 'replayed' }
  try {
    return { outcome: 'done', value: await work(undefined as Transaction, new AbortController().signal) }
  } catch (error) {
    await releaseKeys(nonceStore, webhookId, keys, owner).catch((failure: unknown) => {
      note('release_failed', `the nonce stays reserved, because the release failed: ${describeError(failure)}`)
    })
    throw error
  }
}

/**
 * Claims the keys of a message and then of its event, so that a replay is recognised first. Runs the work and records the keys as done. If
 * the work fails, frees the keys. If the process dies, the claims end by themselves.
 */
export async function claimAndRun<Transaction, T>(
  nonceStore: NonceStore,
  { webhookId, keys, ttlSeconds, eventKeys = [], work }: TransactionRequest<Transaction, T>,
  eventTtlSeconds: number,
  note: NoteIncident,
): Promise<TransactionOutcome<T>> {
  const claims = new Claims(nonceStore, webhookId)
  const message = await claims.add({ keys, ttlSeconds })
  if (message !== 'claimed') return { outcome: message === 'taken' ? 'replayed' : message }
  const event = eventKeys.length === 0 ? 'claimed' : await claims.add({ keys: eventKeys, ttlSeconds: eventTtlSeconds })
  if (event === 'in_progress') {
    await claims.release().catch(() => {})
    return { outcome: 'in_progress' }
  }
  if (event === 'taken') {
    // A replay of this message must be refused. If the record fails, the replay is one more repeat.
    await claims.record().catch(() => claims.release().catch(() => {}))
    return { outcome: 'repeated' }
  }

  claims.renew()
  let value: T
  try {
    value = await work(undefined as Transaction, claims.signal)
  } catch (error) {
    await claims.release().catch((failure: unknown) => {
      note('release_failed', `retries get 503 for 30 s, because the release failed: ${describeError(failure)}`)
    })
    throw error
  }
  const noteLost = (isValid: boolean | undefined) => {
    if (isValid === false) note('claim_lost', 'the claim was lost, so the work may have run twice')
  }
  try {
    noteLost(await claims.record())
    return { outcome: 'done', value }
  } catch (failure) {
    note(undefined, `the work is done, but the store could not record it, so it tries again: ${describeError(failure)}`)
    return { outcome: 'done', value, settled: claims.recordLater().then(noteLost) }
  }
}
