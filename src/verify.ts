import { assertClock, type Clock } from './clock.js'
import { assertText, invalidType, kindOf } from './errors.js'
import { type Secret, secretList } from './generate-secret.js'
import { missingHeader, rejected, type Verification } from './result.js'
import { type Body, bodyBytes } from './rules/body.js'
import { type HeadersInput, readHeaders } from './rules/headers.js'
import { hasAnotherCut, isNonce } from './rules/nonce.js'
import { isDigest, secretIndexOf } from './rules/signature.js'
import { isWithinWindow, offsetFrom, secondsOf } from './rules/timestamp.js'
import { assertNonceStore, type NonceStore, reserve } from './stores/nonce-store.js'

/** What arrived, and for which webhook. */
export interface WebhookRequest {
  /**
   * The canonical identifier of the record whose secret is used, never the URL's own text: `/hooks/ABC` and `/hooks/abc`
   * that find one record must share one nonce memory.
   */
  webhookId: string
  /** The request's headers, in any of the usual shapes. */
  headers: HeadersInput
  /** The bytes as received, before anything parsed them. */
  body: Body
}

/**
 * Tells whether an inbound webhook request is genuine, fresh and not a replay.
 *
 * The rules, in the order in which they are checked; the first that is broken gives the `reason`:
 *
 * 1. The three headers are there: `missing_header`.
 * 2. `X-Timestamp` is Unix time in seconds, in digits: `invalid_timestamp`.
 * 3. It is within 300 s of the clock, either way, both ends included: `timestamp_outside_window`.
 * 4. `X-Nonce` is 1 to 128 visible ASCII characters: `invalid_nonce`.
 * 5. `X-Signature` is the lowercase hex HMAC-SHA256, keyed by the secret, over timestamp, `:`, nonce, `:` and the body's
 *    bytes: `signature_mismatch`.
 * 6. The nonce store has not seen the nonce on this webhook within 600 s: `replayed_nonce`.
 *
 * Whatever a sender puts into a request gives a verdict. An exception is a fault of the service or of its store.
 *
 * @param request - the webhook's identifier, the headers and the raw body. Everything is read before the promise is returned.
 * @param secret - the webhook's signing secret as text; a list, tried in order, while a secret is being rotated.
 * @param nonceStore - remembers the nonces; one for all processes that serve the webhook.
 * @param clock - server time; `Date` by default. A clock that returns no number accepts nothing.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for a mistake of the caller, such as a parsed body or an empty secret.
 * @throws {@link NonceStoreError} with `code` `ERR_NONCE_STORE` when the store failed: there is no verdict, answer 503.
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
  // Everything is read before the first await: what changes while the store answers cannot change what was checked.
  assertRequest(request)
  const { webhookId, headers, body: received } = request
  assertText(webhookId, 'request.webhookId', WEBHOOK_ID_FIX)
  const { timestamp, nonce, signature } = readHeaders(headers)
  const body = bodyBytes(received, 'request.body')
  if (body === undefined) throw await notRawBody(received)
  const secrets = secretList(secret)
  assertNonceStore(nonceStore)
  assertClock(clock)

  if (timestamp === undefined) return missingHeader('x-timestamp')
  if (nonce === undefined) return missingHeader('x-nonce')
  if (signature === undefined) return missingHeader('x-signature')

  const seconds = secondsOf(timestamp)
  if (Number.isNaN(seconds)) return rejected('invalid_timestamp')
  const arrived = clock.now()
  if (!isWithinWindow(seconds, arrived)) return rejected('timestamp_outside_window', offsetFrom(arrived, seconds))

  if (!isNonce(nonce)) return rejected('invalid_nonce')

  const secretIndex = secretIndexOf(signature, timestamp, nonce, body, secrets)
  if (secretIndex === -1) {
    return rejected('signature_mismatch', isDigest(signature) ? comparedWith(body) : 'not 64 lowercase hex digits')
  }

  // The nonce comes last, so that only a signed request takes one. A message that can be cut another way is accepted in
  // one of its cuts, so its signature is taken as well: after the nonce, for a replayed nonce must not take it.
  const cutOtherwise = hasAnotherCut(nonce, body)
  const nonceReserved = reserve(nonceStore, webhookId, nonce)
  if (nonceReserved !== true && !(await nonceReserved)) return rejected('replayed_nonce')
  if (cutOtherwise) {
    const signatureReserved = reserve(nonceStore, webhookId, `signature ${signature}`)
    if (signatureReserved !== true && !(await signatureReserved)) return rejected('replayed_nonce')
  }

  // The store may have answered late, when an earlier copy's reservation had already ended with the window.
  const answered = clock.now()
  if (!isWithinWindow(seconds, answered)) return rejected('timestamp_outside_window', offsetFrom(answered, seconds))

  return { ok: true, webhookId, timestamp: seconds, nonce, secretIndex }
}

function comparedWith(body: Uint8Array): string {
  const hint = body.length > 0 ? '' : ': is a body parser in the way?'
  return `compared with that of a body of length ${body.length}${hint}`
}

/** @internal */
export const WEBHOOK_ID_FIX = 'pass { webhookId, headers, body }, the identifier as a string'

/** @internal */
export function assertRequest(request: WebhookRequest): void {
  if (typeof request !== 'object' || request === null) {
    throw invalidType(`request is ${kindOf(request)}: pass { webhookId, headers, body }`)
  }
}

/**
 * What to say of a body that is none takes more words than the rules: they are loaded when somebody needs them.
 *
 * @internal
 */
export async function notRawBody(body: unknown): Promise<TypeError> {
  const { fixFor } = await import('./rules/body-hint.js')
  return invalidType(`request.body is ${fixFor(body, kindOf(body))}`)
}
