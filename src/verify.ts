import { verifyRequest } from './checks.js'
import type { Clock } from './clock.js'
import type { Secret, WebhookRequest } from './request.js'
import type { Verification } from './result.js'
import { OWN_SCHEME } from './scheme.js'
import type { NonceStore } from './stores/nonce-store.js'

/**
 * Checks that an inbound webhook request is authentic, recent and not a replay, and resolves to the result.
 *
 * The rules are checked in this order. The first broken rule is the `reason`.
 *
 * 1. The three headers are present: `missing_header`.
 * 2. `X-Timestamp` is Unix time in seconds, in decimal digits: `invalid_timestamp`.
 * 3. `X-Timestamp` is at most 300 s before or after the clock: `timestamp_outside_window`.
 * 4. `X-Nonce` is 1 to 128 visible ASCII characters (RFC 5234, `VCHAR`): `invalid_nonce`.
 * 5. `X-Signature` is the HMAC-SHA256 (RFC 2104) in lowercase hex, keyed by the secret, of timestamp, `:`, nonce, `:` and the body's
 *    bytes: `signature_mismatch`.
 * 6. The nonce was not used on this webhook in the last 600 s: `replayed_nonce`.
 *
 * The window is checked again after the nonce store has responded.
 *
 * For a forged request, `verify` returns a rejected result. Check `result.ok`, because a rejected result is also an object, and therefore
 * truthy. `verify` throws only for a mistake of the caller or a failure of the store. {@link receive} also throws for a forged request.
 *
 * @param request - the webhook's ID, the headers and the raw body. `verify` reads all three before it returns its promise.
 * @param secret - the webhook's signing secret as text. While you rotate the secret, pass a list of secrets.
 * @param nonceStore - the store for nonces. All processes that serve a webhook must share one store.
 * @param clock - server time, by default `Date`. If the clock does not return a finite number, every request is rejected.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for a mistake of the caller, such as a parsed body or an empty secret.
 * @throws {@link NonceStoreError} with `code` `ERR_NONCE_STORE` if the store failed. There is no result, so respond with 503.
 * @see {@link sign} for the sender's side
 *
 * @example
 * ```ts
 * import { MemoryNonceStore, sign, verify } from 'inbound-webhook-auth'
 *
 * const secret = 'the signing secret of webhook 42'
 * const nonceStore = new MemoryNonceStore()
 * const body = Buffer.from('{"event":"invoice.paid"}')
 * const request = { webhookId: '42', headers: sign(body, secret), body }
 *
 * const first = await verify(request, secret, nonceStore)
 * const again = await verify(request, secret, nonceStore)
 *
 * console.log(first.ok) // true
 * console.log(again.ok || again.reason) // replayed_nonce
 * ```
 */
export function verify(
  request: WebhookRequest,
  secret: Secret,
  nonceStore: NonceStore,
  clock: Clock = Date,
): Promise<Verification> {
  return verifyRequest(OWN_SCHEME, request, secret, nonceStore, clock)
}
