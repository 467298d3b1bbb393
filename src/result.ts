import { HEADERS, type HeaderNames, type NamedValues, spell } from './rules/formats.js'
import { MAX_NONCE_LENGTH, NONCE_TTL_SECONDS } from './rules/nonce.js'
import { isInWindow, WINDOW_SECONDS } from './rules/timestamp.js'

/** The reasons for a rejection, in the order in which the rules are checked. */
export type RejectionReason =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_outside_window'
  | 'invalid_nonce'
  | 'signature_mismatch'
  | 'unknown_webhook'
  | 'replayed_nonce'

/** A request that met every rule. */
export type Accepted = {
  ok: true
  webhookId: string
  /** Seconds since the Unix epoch. */
  timestamp: number
  nonce: string
  /** The index of the secret that matched in the list of secrets. If there is only one secret, the index is 0. */
  secretIndex: number
}

/**
 * A request that broke a rule. `reason` names the first broken rule. `headers` contains the names of all missing headers, and `header` is
 * the first of these names.
 *
 * `message` is for your log and says what to do. Respond with 401 and no detail.
 */
export type Rejected =
  | { ok: false; reason: 'missing_header'; header: string; headers: readonly string[]; message: string }
  | { ok: false; reason: Exclude<RejectionReason, 'missing_header'>; message: string }

/** The result of `verify`. Check `ok`, because a rejected result is also an object, and therefore truthy. */
export type Verification = Accepted | Rejected

const MILLISECONDS_PER_DAY = 86_400_000

/** Two sentences per reason: the first says which rule is broken, and the second says what to do. */
export type Messages = Record<Exclude<RejectionReason, 'missing_header'>, readonly [fault: string, advice: string]>

export function commonMessages({ timestamp }: HeaderNames) {
  return {
    invalid_timestamp: [`${spell(timestamp)} is not Unix time in seconds`, 'Send decimal digits only.'],
    timestamp_outside_window: [
      `${spell(timestamp)} is more than ${WINDOW_SECONDS} s from server time`,
      'Sign each attempt with the current time. Check both clocks.',
    ],
    unknown_webhook: ['No webhook was found', "Check the sender's URL and whether the webhook was deleted."],
  } as const
}

export const MESSAGES: Messages = {
  ...commonMessages(HEADERS),
  invalid_nonce: [
    `X-Nonce is not 1 to ${MAX_NONCE_LENGTH} visible ASCII characters`,
    'Send a new UUID with each attempt.',
  ],
  signature_mismatch: [
    'X-Signature is not the signature of timestamp:nonce:body',
    'Compare the secrets and the body bytes.',
  ],
  replayed_nonce: [
    `X-Nonce or the signed message was used in the last ${NONCE_TTL_SECONDS} s`,
    'Sign each attempt with a new nonce.',
  ],
}

export function isReason(value: unknown): value is RejectionReason {
  return value === 'missing_header' || (typeof value === 'string' && Object.hasOwn(MESSAGES, value))
}

/** Returns the rejection of a request that lacks at least one of the three headers. */
export function missingHeaders(
  values: NamedValues,
  advice = 'Send all three headers. If the sender sends all three, check whether a proxy removes headers or your code passes { ...headers }.',
): Rejected {
  const { names } = values
  const missing = (['timestamp', 'nonce', 'signature'] as const)
    .filter((part) => values[part] === undefined)
    .map((part) => names[part])
  const spelled = missing.map(spell).join(', ')
  const list = spelled.replace(/, (?=[^,]*$)/, ' and ')
  const message = `${list} ${missing.length === 1 ? 'is' : 'are'} missing. ${advice}`
  return { ok: false, reason: 'missing_header', header: missing[0] as string, headers: missing, message }
}

/** Returns the rejection for a reason. `detail` says what is wrong with the received value, and `advice` says what to do. */
export function rejected(messages: Messages, reason: keyof Messages, detail?: string, advice?: string): Rejected {
  const [fault, usualAdvice] = messages[reason]
  const explained = detail === undefined ? fault : `${fault} (${detail})`
  return { ok: false, reason, message: `${explained}. ${advice ?? usualAdvice}` }
}

/** Returns how far a timestamp in seconds is from server time in milliseconds, as text: `301 s behind`. */
export function describeDrift(seconds: number, now: number): string {
  if (!Number.isFinite(now)) return 'the clock did not return a finite number'
  // A clock in milliseconds has been above 10^11 since 1973, so a smaller number is probably in seconds.
  if (now < 1e11 && isInWindow(seconds, now * 1000)) return 'the clock returned seconds'
  const drift = seconds * 1000 - now
  const side = drift < 0 ? 'behind' : 'ahead'
  const days = Math.abs(drift) / MILLISECONDS_PER_DAY
  if (days <= 2) return `${Math.abs(drift) / 1000} s ${side}`
  if (days < 731) return `${Math.round(days)} days ${side}`
  const unit = UNITS.find(([minimum]) => seconds >= minimum)?.[1]
  if (unit !== undefined) return `it looks like ${unit}`
  const years = `about ${Math.round(days / 365.25)} years ${side}`
  return days < 20 * 365 ? years : `${years}, so it may be unset or not in seconds`
}

/** Units smaller than a second. If a timestamp is at least the number in a row, the timestamp is probably in the unit of this row. */
const UNITS = [
  [1e17, 'nanoseconds'],
  [1e14, 'microseconds'],
  [1e11, 'milliseconds'],
] as const
