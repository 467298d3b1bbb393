import type { Clock } from './clock.js'
import { WebhookRejectedError } from './errors.js'
import type { Secret, WebhookRequest } from './request.js'
import type { Accepted } from './result.js'
import type { NonceStore } from './stores/nonce-store.js'
import { verify } from './verify.js'

/**
 * Checks a request as {@link verify} does, and resolves to the accepted result. Throws if the request is rejected.
 *
 * Express, Fastify, Koa, NestJS and h3 answer 401 or 503 by the `status` of the error, without a reason.
 *
 * @throws {@link WebhookRejectedError} with `code` `ERR_WEBHOOK_REJECTED` and `status` 401 if the request broke a rule.
 * @throws {@link NonceStoreError} with `code` `ERR_NONCE_STORE` and `status` 503 if the store failed.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for a mistake of the caller.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore, sign, verifyOrThrow } from 'inbound-webhook-auth'
 *
 * const secret = 'the signing secret of webhook 42'
 * const body = Buffer.from('{"event":"invoice.paid"}')
 * const request = { webhookId: '42', headers: sign(body, secret), body }
 *
 * const { webhookId } = await verifyOrThrow(request, secret, new MemoryNonceStore())
 *
 * console.log(webhookId) // 42
 * ```
 */
export async function verifyOrThrow(
  request: WebhookRequest,
  secret: Secret,
  nonceStore: NonceStore,
  clock?: Clock,
): Promise<Accepted> {
  const result = await verify(request, secret, nonceStore, clock)
  if (!result.ok) throw new WebhookRejectedError(result, request.webhookId)
  return result
}
