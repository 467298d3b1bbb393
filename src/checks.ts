import { assertClock, type Clock } from './clock.js'
import { notRawBody } from './hints/raw-body.js'
import { describeSize, describeTimestamp } from './hints/rejection.js'
import { warnOfNonceAsWebhookId } from './hints/warnings.js'
import { readRequest, type WebhookRequest } from './request.js'
import { describeDrift, type Messages, missingHeaders, type Rejected, rejected } from './result.js'
import { type NamedValues, spell } from './rules/formats.js'
import type { HeadersInput } from './rules/headers.js'
import { isInWindow, isTimestamp } from './rules/timestamp.js'
import type { Scheme } from './scheme.js'
import { assertNonceStore, type NonceStore, reserveKeys } from './stores/nonce-store.js'

// This file checks the rules in their order, for every signing scheme.

/** Implements `verify` for every signing scheme. */
export async function verifyRequest<Secrets, Key, Result>(
  scheme: Scheme<Secrets, Key, Result>,
  request: WebhookRequest,
  secret: Secrets,
  nonceStore: NonceStore,
  clock: Clock,
): Promise<Result | Rejected> {
  // All arguments are read before the first await, so that the caller cannot change a value after it was checked.
  const { webhookId, headers, values, body } = readRequest(request, scheme.headers)
  if (body === undefined) throw notRawBody(request)
  const keys = scheme.readSecrets(secret)
  assertNonceStore(nonceStore)
  assertClock(clock)

  const claim = checkHeaders(scheme, values, clock)
  if (!claim.ok) return claim
  const signed = checkSignature(scheme, claim, body, { webhookId, headers, keys, clock })
  return signed.ok ? reserve(signed, nonceStore) : signed
}

/** The values of the three headers. The formats of these values are right, but the signature is not checked yet. */
interface Claim {
  readonly ok: true
  /** The lowercase name of the header that contains the nonce. */
  readonly nonceName: string
  readonly messages: Messages
  /** The value of the timestamp header, unchanged. */
  readonly timestamp: string
  /** `timestamp` as a number. */
  readonly seconds: number
  readonly nonce: string
  readonly signature: string
}

/** Checks the rules that do not need the body. `receive` checks these rules before it reads the body. */
export function checkHeaders(
  scheme: Scheme<never, unknown, unknown>,
  values: NamedValues,
  clock: Clock,
): Claim | Rejected {
  const { names, timestamp, nonce, signature } = values
  if (timestamp === undefined || nonce === undefined || signature === undefined) return missingHeaders(values)

  const messages = scheme.messages(names)
  if (!isTimestamp(timestamp)) return rejected(messages, 'invalid_timestamp', describeTimestamp(timestamp))
  const seconds = Number(timestamp)
  const outside = checkWindow(messages, seconds, clock)
  if (outside !== undefined) return outside
  if (!scheme.isNonce(nonce)) return rejected(messages, 'invalid_nonce', scheme.describeNonce(nonce))
  if (!scheme.isSignature(signature)) {
    return rejected(messages, 'signature_mismatch', scheme.describeSignature(signature))
  }
  return { ok: true, nonceName: names.nonce, messages, timestamp, seconds, nonce, signature }
}

/** The other values that {@link checkSignature} needs. */
interface SignatureContext<Key> {
  readonly webhookId: string
  readonly headers: HeadersInput
  readonly keys: readonly Key[]
  readonly clock: Clock
}

/**
 * A request whose signature matched. Only these requests reserve nonces, so nobody without the secret can use up nonces or fill the store.
 */
export interface SignedRequest<Result> {
  readonly ok: true
  readonly webhookId: string
  readonly secretIndex: number
  /** The keys to reserve. If one of these keys is taken, the request is a replay. */
  readonly keys: readonly string[]
  readonly replayed: Rejected
  /** Returns the result. Call `conclude` after the keys were reserved. */
  conclude(): Result | Rejected
}

/** Checks the signature of a request whose headers passed {@link checkHeaders}. */
export function checkSignature<Key, Result>(
  scheme: Scheme<never, Key, Result>,
  claim: Claim,
  body: Uint8Array,
  { webhookId, headers, keys, clock }: SignatureContext<Key>,
): SignedRequest<Result> | Rejected {
  const { nonceName, messages, timestamp, seconds, nonce, signature } = claim
  const message = { timestamp, nonce, body }
  const secretIndex = keys.findIndex((key) => scheme.isSignatureOf(message, signature, key))
  if (secretIndex === -1) {
    return rejected(messages, 'signature_mismatch', describeSize(body, headers), scheme.adviseOnSecrets(keys))
  }
  return {
    ok: true,
    webhookId,
    secretIndex,
    keys: scheme.reservationKeys(message, signature),
    replayed: rejected(messages, 'replayed_nonce'),
    conclude() {
      // If the store was slow, the window may have closed, and the reservation of an earlier copy may have expired.
      const outside = checkWindow(messages, seconds, clock)
      if (outside !== undefined) return outside
      if (nonce === webhookId) warnOfNonceAsWebhookId(spell(nonceName))
      return scheme.accept({ ok: true, webhookId, timestamp: seconds, secretIndex }, nonce)
    },
  }
}

/**
 * Reserves the keys of a request, and returns the result.
 *
 * @param owner - a random string that this request needs to release its keys later. Without an owner, the keys cannot be released.
 */
export async function reserve<Result>(
  { webhookId, keys, replayed, conclude }: SignedRequest<Result>,
  nonceStore: NonceStore,
  owner?: string,
): Promise<Result | Rejected> {
  return (await reserveKeys(nonceStore, webhookId, keys, owner)) ? conclude() : replayed
}

/** Returns the rejection if the timestamp is now outside the window. Otherwise, returns `undefined`. */
export function checkWindow(messages: Messages, seconds: number, clock: Clock): Rejected | undefined {
  const now = clock.now()
  if (isInWindow(seconds, now)) return undefined
  return rejected(messages, 'timestamp_outside_window', describeDrift(seconds, now))
}
