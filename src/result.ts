import type { HeaderName } from './rules/headers.js'
import { MAX_NONCE_LENGTH, NONCE_TTL_SECONDS } from './rules/nonce.js'
import { isSignature } from './rules/signature.js'
import { WINDOW_SECONDS } from './rules/timestamp.js'

/** Why a request is rejected, in the order in which the rules are checked. */
export type RejectionReason =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_outside_window'
  | 'invalid_nonce'
  | 'signature_mismatch'
  | 'replayed_nonce'

/** A request that met every rule. */
export type Accepted = {
  ok: true
  webhookId: string
  /** Seconds since the Unix epoch. */
  timestamp: number
  nonce: string
  /** The place of the secret that matched in the list, or 0 for a single secret. */
  secretIndex: number
}

/**
 * A request that broke a rule. `reason` names the first broken rule. `header` names the missing header.
 *
 * `message` is for your log and says what to do. Answer the sender with 401 and no detail.
 */
export type Rejected =
  | { ok: false; reason: 'missing_header'; header: HeaderName; message: string }
  | { ok: false; reason: Exclude<RejectionReason, 'missing_header'>; message: string }

/** The result of `verify`. Check `ok`: a rejected result is an object too, so it is truthy. */
export type Verification = Accepted | Rejected

/** The broken rule, and what to do. */
const MESSAGES: Record<Exclude<RejectionReason, 'missing_header'>, readonly [what: string, fix: string]> = {
  invalid_timestamp: ['X-Timestamp is not Unix time in seconds', 'Send decimal digits only.'],
  timestamp_outside_window: [
    `X-Timestamp is more than ${WINDOW_SECONDS} s from server time`,
    'Sign each attempt with the current time, and check both clocks.',
  ],
  invalid_nonce: [
    `X-Nonce is not 1 to ${MAX_NONCE_LENGTH} visible ASCII characters`,
    'Send a new UUID with each attempt.',
  ],
  signature_mismatch: [
    'X-Signature is not the HMAC-SHA256 of timestamp:nonce:body under this secret',
    'Compare the secrets, and the bytes signed with the bytes received.',
  ],
  replayed_nonce: [
    `X-Nonce or the signed message was used on this webhook in the last ${NONCE_TTL_SECONDS} s`,
    'Sign each attempt with a new nonce.',
  ],
}

/** @internal */
export function missingHeader(header: HeaderName): Rejected {
  return {
    ok: false,
    reason: 'missing_header',
    header,
    message: `${header} is missing. Send it. If it was sent, pass the headers themselves: { ...headers } of Fetch is empty.`,
  }
}

/**
 * @param detail - what was found instead, where that helps.
 * @internal
 */
export function rejected(reason: Exclude<RejectionReason, 'missing_header'>, detail?: string): Rejected {
  const [what, fix] = MESSAGES[reason]
  return { ok: false, reason, message: detail === undefined ? `${what}. ${fix}` : `${what} (${detail}). ${fix}` }
}

/**
 * Describes how far a timestamp is from server time: `301 s behind`.
 *
 * @param seconds - the timestamp in seconds since the Unix epoch.
 * @param now - server time in milliseconds since the Unix epoch.
 * @internal
 */
export function describeDrift(seconds: number, now: number): string {
  if (!Number.isFinite(now)) return 'the clock returned no number'
  const milliseconds = seconds * 1000 - now
  return `${Math.abs(milliseconds) / 1000} s ${milliseconds < 0 ? 'behind' : 'ahead'}`
}

/**
 * Describes why a signature does not match, as far as its format and the length of the body show it.
 *
 * @internal
 */
export function describeMismatch(signature: string, body: Uint8Array): string {
  if (!isSignature(signature)) return 'it is not 64 lowercase hex digits'
  if (body.length === 0) return 'the body is empty: maybe a body parser read it'
  return `the body has ${body.length} bytes`
}
