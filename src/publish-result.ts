import { codeOf, type ErrorCode, propertyOf } from './errors.js'
import { isReason, type RejectionReason } from './result.js'

/** A result of `receive` or `handle` on the diagnostics channel `inbound-webhook-auth:result`. It contains no secret, body or nonce. */
export interface WebhookResult {
  /** The ID of the webhook, or `undefined` if the call had no ID. */
  readonly webhookId: string | undefined
  /**
   * The reason of a rejection, the code of another error of this package, or one of these. If the store is full or busy, the outcome is
   * `ERR_NONCE_STORE_FULL` or `ERR_NONCE_STORE_BUSY`.
   *
   * - `accepted`: `receive` resolved, or your code did.
   * - `repeated`: the event was handled before, so your code did not run.
   * - `claim_lost`: your code ended after its claim of the event, so it may have run twice.
   * - `failed`: your code threw an error.
   * - `release_failed`: your code threw an error, and then the store failed. Without `eventId`, the retry is refused.
   */
  readonly outcome: 'accepted' | 'repeated' | 'claim_lost' | 'failed' | 'release_failed' | RejectionReason | ErrorCode
  /** How long `receive` took, or how long `handle` and your code took together, in milliseconds. */
  readonly milliseconds: number
  /** The size of the body, or `undefined` if the body was not read. */
  readonly bytes: number | undefined
  /** The index of the secret that matched, or `undefined` if none matched. */
  readonly secretIndex: number | undefined
}

/** What is known about a request before the call ends. An `outcome` replaces the outcome of the call's value or error. */
export type ResultDetails = {
  -readonly [Name in 'webhookId' | 'bytes' | 'secretIndex' | 'outcome']?: WebhookResult[Name] | undefined
}

/** The channel, or `undefined` in a runtime without diagnostics channels. */
const channel = /* @__PURE__ */ globalThis.process
  ?.getBuiltinModule?.('node:diagnostics_channel')
  ?.channel('inbound-webhook-auth:result')

/** Runs a call, which adds what is known about the request to `details`. Publishes the result if the channel has subscribers. */
export async function publishResult<T>(run: (details: ResultDetails) => Promise<T>): Promise<T> {
  const details: ResultDetails = {}
  if (channel?.hasSubscribers !== true) return run(details)
  const start = performance.now()
  let outcome: WebhookResult['outcome'] = 'accepted'
  try {
    return await run(details)
  } catch (error) {
    outcome = outcomeOf(error)
    throw error
  } finally {
    const { webhookId, bytes, secretIndex } = details
    const milliseconds = performance.now() - start
    const result = { webhookId, outcome: details.outcome ?? outcome, milliseconds, bytes, secretIndex }
    channel.publish(result satisfies WebhookResult)
  }
}

function outcomeOf(error: unknown): WebhookResult['outcome'] {
  const code = codeOf(error)
  const reason = code === 'ERR_WEBHOOK_REJECTED' ? propertyOf(error, 'reason') : undefined
  if (isReason(reason)) return reason
  const cause = code === 'ERR_NONCE_STORE' ? codeOf(propertyOf(error, 'cause')) : undefined
  return cause ?? code ?? 'failed'
}
