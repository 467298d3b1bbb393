import type { HeaderName } from './rules/headers.js'
import { NONCE_TTL_SECONDS } from './rules/nonce.js'
import { WINDOW_SECONDS } from './rules/timestamp.js'

/** Why a request is rejected, in the order in which the rules are checked. */
export type RejectionReason =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_outside_window'
  | 'invalid_nonce'
  | 'signature_mismatch'
  | 'replayed_nonce'

/**
 * The verdict on a request; `ok` tells acceptance from rejection.
 *
 * - Accepted: `timestamp` in seconds since the Unix epoch, the `nonce`, and `secretIndex`, the place in the list of the
 *   secret that matched (0 for a single one).
 * - Rejected: the `reason`, and a `message` for your log that says what to do. A missing header is named in `header`.
 *   The sender gets 401 without detail.
 */
export type Verification =
  | { ok: true; webhookId: string; timestamp: number; nonce: string; secretIndex: number }
  | { ok: false; reason: 'missing_header'; header: HeaderName; message: string }
  | { ok: false; reason: Exclude<RejectionReason, 'missing_header'>; message: string }

const MESSAGES: { readonly [reason in Exclude<RejectionReason, 'missing_header'>]: string } = {
  invalid_timestamp: 'X-Timestamp is not Unix time in seconds: send digits only',
  timestamp_outside_window: `X-Timestamp is more than ${WINDOW_SECONDS} s from server time: sign every attempt anew, set both clocks`,
  invalid_nonce: 'X-Nonce is not 1 to 128 visible ASCII characters: send a new UUID with every attempt',
  signature_mismatch:
    'X-Signature is not the lowercase hex HMAC-SHA256 of timestamp, ":", nonce, ":" and the raw body under this secret: ' +
    'compare secrets, and bytes signed with bytes received (JSON serialized again has others)',
  replayed_nonce: `X-Nonce or this message was used on this webhook within ${NONCE_TTL_SECONDS} s: sign every attempt anew`,
}

/** @internal */
export function missingHeader(header: HeaderName): Verification {
  return {
    ok: false,
    reason: 'missing_header',
    header,
    message: `${header} is missing: send it. If sent, pass the headers themselves ({ ...headers } is empty)`,
  }
}

/**
 * @param found - what was found instead, where that helps.
 * @internal
 */
export function rejected(reason: Exclude<RejectionReason, 'missing_header'>, found?: string): Verification {
  return { ok: false, reason, message: found === undefined ? MESSAGES[reason] : `${MESSAGES[reason]} (it is ${found})` }
}
