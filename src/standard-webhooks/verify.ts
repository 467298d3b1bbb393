import { verifyRequest } from '../checks.js'
import type { Clock } from '../clock.js'
import type { WebhookRequest } from '../request.js'
import type { Rejected } from '../result.js'
import type { NonceStore } from '../stores/nonce-store.js'
import { type AcceptedMessage, STANDARD_WEBHOOKS } from './scheme.js'
import type { StandardSecret } from './secret.js'

/**
 * Checks that a request is authentic by the rules of [Standard Webhooks](https://www.standardwebhooks.com), recent and not a replay. The
 * parameters, the reasons and the errors are those of `verify` in the main entry, but the headers differ (specification, "Webhook
 * metadata" and "Signature scheme"):
 *
 * 1. `webhook-id` is 1 to 256 visible ASCII characters without a full stop: `invalid_nonce`.
 * 2. `webhook-timestamp` is Unix time in seconds, within 300 s of the clock.
 * 3. `webhook-signature` is a list with spaces between its entries. One of the first eight signatures of version 1 must match a secret, or
 *    one of the first two of version 1a must match a public key. A signature of version 1 is `v1,` and the base64 of the HMAC-SHA256 of
 *    `webhook-id`, `.`, `webhook-timestamp`, `.` and the body's bytes. A signature of version 1a is `v1a,` and the base64 of the Ed25519
 *    signature (RFC 8032) of the same bytes. Other versions are ignored.
 *
 * Each attempt, which is `webhook-id` and `webhook-timestamp` together, is accepted once. A retry has the same `webhook-id` and is accepted
 * too, so do the work of a message once per `messageId`.
 *
 * @throws `RangeError` with `code` `ERR_INVALID_ARGUMENT` if the secret is text that is not base64, and the errors of the main entry.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore } from 'inbound-webhook-auth'
 * import { generateSecret, sign, verify } from 'inbound-webhook-auth/standard-webhooks'
 *
 * const secret = generateSecret()
 * const body = Buffer.from('{"type":"invoice.paid"}')
 * const request = { webhookId: '42', headers: sign(body, secret), body }
 *
 * const result = await verify(request, secret, new MemoryNonceStore())
 *
 * console.log(result.ok) // true
 * ```
 */
export function verify(
  request: WebhookRequest,
  secret: StandardSecret,
  nonceStore: NonceStore,
  clock: Clock = Date,
): Promise<AcceptedMessage | Rejected> {
  return verifyRequest(STANDARD_WEBHOOKS, request, secret, nonceStore, clock)
}
