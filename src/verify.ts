import { assertClock, type Clock } from './clock.js'
import { notRawBody } from './hints/raw-body.js'
import {
  adviseOnSecrets,
  describeNonce,
  describeSignature,
  describeSize,
  describeTimestamp,
} from './hints/rejection.js'
import { warnOfNonceAsWebhookId } from './hints/warnings.js'
import { readRequest, readSecrets, type Secret, type WebhookRequest } from './request.js'
import { describeDrift, missingHeaders, type Rejected, rejected, type Verification } from './result.js'
import { type HeaderValues, isSignature } from './rules/formats.js'
import type { HeadersInput } from './rules/headers.js'
import { canBeSplitDifferently, isNonce } from './rules/nonce.js'
import { isSignatureOf, signatureKey } from './rules/signature.js'
import { isInWindow, isTimestamp } from './rules/timestamp.js'
import { assertNonceStore, type NonceStore, reserveKeys } from './stores/nonce-store.js'

/**
 * Checks that an inbound webhook request is authentic, recent and not a replay, and resolves to the result.
 *
 * The rules are checked in this order. The first broken rule is the `reason`.
 *
 * 1. The three headers are present: `missing_header`.
 * 2. `X-Timestamp` is Unix time in seconds, in decimal digits: `invalid_timestamp`.
 * 3. `X-Timestamp` is within 300 s of the clock, in either direction and inclusive: `timestamp_outside_window`.
 * 4. `X-Nonce` is 1 to 128 visible ASCII characters: `invalid_nonce`.
 * 5. `X-Signature` is the HMAC-SHA256 in lowercase hex, keyed by the secret, of timestamp, `:`, nonce, `:` and the body's
 *    bytes: `signature_mismatch`.
 * 6. The nonce was not used on this webhook in the last 600 s: `replayed_nonce`.
 *
 * The window is checked again after the nonce store has answered.
 *
 * `verify` does not throw on a forgery. A rejected result is an object too, so it is truthy: check `result.ok`. An exception is a mistake
 * of the caller or a failure of the store. {@link receive} throws on a forgery.
 *
 * @param request - the webhook's ID, the headers and the raw body. `verify` reads all three before it returns its promise.
 * @param secret - the webhook's signing secret as text. While you rotate the secret, pass a list of secrets.
 * @param nonceStore - remembers the nonces. All processes that serve a webhook share one store.
 * @param clock - server time, by default `Date`. If the clock does not return a finite number, every request is rejected.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for a mistake of the caller, such as a parsed body or an empty secret.
 * @throws {@link NonceStoreError} with `code` `ERR_NONCE_STORE` if the store failed. There is no result: answer 503.
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
export async function verify(
  request: WebhookRequest,
  secret: Secret,
  nonceStore: NonceStore,
  clock: Clock = Date,
): Promise<Verification> {
  // Everything is read before the first await. A later change to an argument cannot change what was checked.
  const received = readRequest(request)
  const { webhookId, headers, body } = received
  if (body === undefined) throw notRawBody(request)
  const secrets = readSecrets(secret)
  assertNonceStore(nonceStore)
  assertClock(clock)

  const claim = checkHeaders(received, clock)
  return claim.ok ? checkMessage(claim, body, { webhookId, headers, secrets, nonceStore, clock }) : claim
}

/** What the headers of a request claim. Only the signature can prove this claim. */
interface Claim {
  readonly ok: true
  /** The value of `X-Timestamp`, unchanged. */
  readonly timestamp: string
  /** `timestamp` as a number. */
  readonly seconds: number
  readonly nonce: string
  readonly signature: string
}

/** Checks the rules that need no body. `receive` checks these rules before it reads a byte of the body. */
export function checkHeaders(values: HeaderValues, clock: Clock): Claim | Rejected {
  const { timestamp, nonce, signature } = values
  if (timestamp === undefined || nonce === undefined || signature === undefined) return missingHeaders(values)

  if (!isTimestamp(timestamp)) return rejected('invalid_timestamp', describeTimestamp(timestamp))
  const seconds = Number(timestamp)
  const outside = checkWindow(seconds, clock)
  if (outside !== undefined) return outside
  if (!isNonce(nonce)) return rejected('invalid_nonce', describeNonce(nonce))
  if (!isSignature(signature)) return rejected('signature_mismatch', describeSignature(signature))
  return { ok: true, timestamp, seconds, nonce, signature }
}

/** The webhook of a request, and everything that the checks need besides the request. */
interface Receiver {
  readonly webhookId: string
  readonly headers: HeadersInput
  readonly secrets: readonly string[]
  readonly nonceStore: NonceStore
  readonly clock: Clock
}

/** Checks the rules that need the body, after {@link checkHeaders}. Everything is read before the `await`. */
export async function checkMessage(claim: Claim, body: Uint8Array, receiver: Receiver): Promise<Verification> {
  const { timestamp, seconds, nonce, signature } = claim
  const { webhookId, headers, secrets, nonceStore, clock } = receiver
  const message = { timestamp, nonce, body }
  const secretIndex = secrets.findIndex((secret) => isSignatureOf(message, signature, secret))
  if (secretIndex === -1) {
    return rejected('signature_mismatch', describeSize(body, headers), adviseOnSecrets(secrets))
  }

  // Only a signed message reserves a nonce. A message that can be split differently is accepted in one of its splits, so it
  // reserves its signature too. The nonce is first: a replay must not reserve the signature.
  const keys = canBeSplitDifferently(message) ? [nonce, signatureKey(signature)] : [nonce]
  if (!(await reserveKeys(nonceStore, webhookId, keys))) return rejected('replayed_nonce')
  // A slow store may answer after the window has closed, when the reservation of an earlier copy has already ended.
  const outside = checkWindow(seconds, clock)
  if (outside !== undefined) return outside

  if (nonce === webhookId) warnOfNonceAsWebhookId()
  return { ok: true, webhookId, timestamp: seconds, nonce, secretIndex }
}

/** Returns the rejection of a timestamp that is outside the window now. */
export function checkWindow(seconds: number, clock: Clock): Rejected | undefined {
  const now = clock.now()
  return isInWindow(seconds, now) ? undefined : rejected('timestamp_outside_window', describeDrift(seconds, now))
}
