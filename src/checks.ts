import { assertClock, type Clock } from './clock.js'
import type { Received } from './errors.js'
import { assertNotRequest } from './hints/headers.js'
import { notRawBody } from './hints/raw-body.js'
import { adviseOnScheme, describeSize, describeTimestamp } from './hints/rejection.js'
import { warnOfNonceAsWebhookId } from './hints/warnings.js'
import { readRequest, type WebhookRequest } from './request.js'
import { describeDrift, missingHeaders, type Rejected, rejected } from './result.js'
import { type HeaderNames, type NamedValues, spell } from './rules/formats.js'
import { type HeadersInput, readHeaders } from './rules/headers.js'
import { isInWindow, isTimestamp } from './rules/timestamp.js'
import type { Scheme } from './scheme.js'
import { assertNonceStore, type NonceStore, reserveKeys } from './stores/nonce-store.js'

// This file checks the rules of every signing scheme in their order.

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

  const claim = checkClaim(scheme, values, headers, clock)
  if (!claim.ok) return claim
  const signed = checkSignature(scheme, claim, body, { webhookId, keys, isLookedUp: false }, clock)
  if (!signed.ok) return signed
  return (await reserveKeys(nonceStore, webhookId, signed.keys)) ? signed.conclude() : signed.replayed()
}

/** The values of the three headers. The formats of timestamp and nonce are right, but the signature is not checked yet. */
interface Claim {
  readonly ok: true
  readonly headers: HeadersInput
  readonly names: HeaderNames
  readonly timestamp: string
  /** `timestamp` as a number. */
  readonly seconds: number
  readonly nonce: string
  readonly signature: string
}

/** The rules of a signing scheme about headers. */
type HeaderRules = Pick<
  Scheme<never, never, unknown>,
  'headers' | 'messages' | 'isNonce' | 'describeNonce' | 'isSignature' | 'describeSignature'
>

/** Checks the rules that do not need the body. `receive` checks these rules before it reads the body. */
export function checkHeaders(scheme: HeaderRules, headers: HeadersInput, clock: Clock): Claim | Rejected {
  const claim = checkClaim(scheme, readHeaders(headers, scheme.headers), headers, clock)
  return claim.ok ? (checkSignatureFormat(scheme, claim) ?? claim) : claim
}

/** Checks all headers but the signature. */
function checkClaim(scheme: HeaderRules, values: NamedValues, headers: HeadersInput, clock: Clock): Claim | Rejected {
  const { names, timestamp, nonce, signature } = values
  if (timestamp === undefined || nonce === undefined || signature === undefined) {
    assertNotRequest(headers)
    return missingHeaders(values, adviseOnScheme(values, headers))
  }

  if (!isTimestamp(timestamp)) {
    return rejected(scheme.messages(names), 'invalid_timestamp', describeTimestamp(timestamp))
  }
  const claim: Claim = { ok: true, headers, names, timestamp, seconds: Number(timestamp), nonce, signature }
  const outside = checkWindow(scheme, claim, clock)
  if (outside !== undefined) return outside
  if (!scheme.isNonce(nonce)) return rejected(scheme.messages(names), 'invalid_nonce', scheme.describeNonce(nonce))
  return claim
}

/** Returns the rejection if the format of the signature is wrong. `verify` only needs the format to explain a mismatch. */
function checkSignatureFormat(scheme: HeaderRules, { names, signature }: Claim): Rejected | undefined {
  if (scheme.isSignature(signature)) return undefined
  return rejected(scheme.messages(names), 'signature_mismatch', scheme.describeSignature(signature))
}

/** A webhook, and the keys of its secrets. The ID of an unknown webhook is `undefined`. */
export interface Webhook<Key> {
  readonly webhookId: string | undefined
  readonly keys: readonly Key[]
  /** Whether a function found the webhook. */
  readonly isLookedUp: boolean
}

/** A request whose signature matched. Only these requests reserve nonces, so nobody without the secret can fill the store. */
export interface SignedRequest<Result> {
  readonly ok: true
  readonly webhookId: string
  readonly secretIndex: number
  readonly keys: readonly string[]
  readonly received: Received
  /** Returns the result if all keys are now reserved. */
  conclude(): Result | Rejected
  /** Returns the result if one of the keys is taken. */
  replayed(): Rejected
}

/** Checks the signature of a request whose other headers follow the rules. */
export function checkSignature<Key, Result>(
  scheme: Scheme<never, Key, Result>,
  claim: Claim,
  body: Uint8Array,
  { webhookId, keys, isLookedUp }: Webhook<Key>,
  clock: Clock,
): SignedRequest<Result> | Rejected {
  const { headers, names, timestamp, seconds, nonce, signature } = claim
  const message = { timestamp, nonce, body }
  const isMatch = scheme.matcher(message, signature)
  const secretIndex = keys.findIndex(isMatch)
  // A refusal takes as long for an unknown webhook, and whatever kinds of keys a webhook has. What a dummy key matches is not accepted.
  if (isLookedUp && secretIndex === -1) {
    for (const key of scheme.dummyKeys(keys, signature)) isMatch(key)
  }
  if (webhookId === undefined) return rejected(scheme.messages(names), 'unknown_webhook')
  if (secretIndex === -1) {
    const advice = scheme.adviseOnSecrets(keys, signature)
    return (
      checkSignatureFormat(scheme, claim) ??
      rejected(scheme.messages(names), 'signature_mismatch', describeSize(body, headers), advice)
    )
  }
  return {
    ok: true,
    webhookId,
    secretIndex,
    keys: scheme.reservationKeys(message, signature),
    received: { headers, body },
    conclude() {
      // If the store was slow, the window may have closed, and the reservation of an earlier copy may have expired.
      const outside = checkWindow(scheme, claim, clock)
      if (outside !== undefined) return outside
      if (nonce === webhookId) warnOfNonceAsWebhookId(spell(names.nonce))
      return scheme.accept({ ok: true, webhookId, timestamp: seconds, secretIndex }, nonce)
    },
    replayed: () => rejected(scheme.messages(names), 'replayed_nonce'),
  }
}

/** Returns the rejection if the timestamp is now outside the window. */
export function checkWindow(scheme: HeaderRules, { names, seconds }: Claim, clock: Clock): Rejected | undefined {
  const now = clock.now()
  if (isInWindow(seconds, now)) return undefined
  return rejected(scheme.messages(names), 'timestamp_outside_window', describeDrift(seconds, now))
}
