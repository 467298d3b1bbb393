import { hasErrorCode } from './errors.js'

const CODES = [
  'ERR_WEBHOOK_REJECTED',
  'ERR_BODY_TOO_LARGE',
  'ERR_BODY_TIMEOUT',
  'ERR_BODY_ABORTED',
  'ERR_NONCE_STORE',
] as const

/**
 * Returns the HTTP status to answer for anything that was caught in a handler, for frameworks that do not read `error.status`.
 *
 * | error | status |
 * |---|---|
 * | {@link WebhookRejectedError}: the request broke a rule | 401 |
 * | {@link BodyTooLargeError} | 413 |
 * | {@link BodyTimeoutError}: the body arrived too slowly | 408 |
 * | {@link BodyAbortedError}: the sender hung up | 400 |
 * | {@link NonceStoreError}: the store failed, so the sender should try again | 503 |
 * | anything else, whatever `status` it has | 500 |
 *
 * @param error - anything that was thrown.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore, statusOf, verifyOrThrow } from 'inbound-webhook-auth'
 *
 * const request = { webhookId: '42', headers: {}, body: '' }
 * try {
 *   await verifyOrThrow(request, 'the signing secret of webhook 42', new MemoryNonceStore())
 * } catch (error) {
 *   console.log(statusOf(error)) // 401
 * }
 * ```
 */
export function statusOf(error: unknown): number {
  for (const code of CODES) {
    if (hasErrorCode(error, code)) return error.status
  }
  return 500
}
