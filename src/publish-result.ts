import { codeOf, type ErrorCode } from './errors.js'
import type { RejectionReason } from './result.js'

/** A result of `receive` or `handle`, as the diagnostics channel `inbound-webhook-auth:result` publishes it. It has no secret, body or nonce. */
export interface WebhookResult {
  /** The webhook, or `undefined` if the call had none. */
  readonly webhookId: string | undefined
  /**
   * `accepted`, the reason of a rejection, the code of another error of this package, or `failed` for an error of your code. If the store
   * is full or busy, the code says so.
   */
  readonly outcome: 'accepted' | 'failed' | RejectionReason | ErrorCode
  /** How long `receive` took, or `handle` with your code, in milliseconds. */
  readonly milliseconds: number
  /** The size of the body, if it was read. */
  readonly bytes: number | undefined
  /** Which secret matched, if one did. */
  readonly secretIndex: number | undefined
}

/** What is known about a request before its result. */
export type ResultDetails = { -readonly [Name in 'webhookId' | 'bytes' | 'secretIndex']?: WebhookResult[Name] }

/** The channel, or `undefined` in a runtime that has none. */
const channel = /* @__PURE__ */ globalThis.process
  ?.getBuiltinModule?.('node:diagnostics_channel')
  ?.channel('inbound-webhook-auth:result')

/**
 * Runs a call, and publishes its result if somebody subscribes.
 *
 * @param run - adds what it learns about the request to `details`.
 */
export async function publishResult<T>(run: (details: ResultDetails) => Promise<T>): Promise<T> {
  const details: ResultDetails = {}
  if (channel?.hasSubscribers !== true) return run(details)
  const start = performance.now()
  const publish = (outcome: WebhookResult['outcome']) => {
    const { webhookId, bytes, secretIndex } = details
    const result: WebhookResult = { webhookId, outcome, milliseconds: performance.now() - start, bytes, secretIndex }
    channel.publish(result)
  }
  try {
    const value = await run(details)
    publish('accepted')
    return value
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ERR_WEBHOOK_REJECTED') publish(Object(error).reason ?? code)
    else publish((code === 'ERR_NONCE_STORE' && codeOf(Object(error).cause)) || (code ?? 'failed'))
    throw error
  }
}
