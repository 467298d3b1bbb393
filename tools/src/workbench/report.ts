import { describeDrift, MESSAGES, rejected } from '../../../src/result.js'
import { HEADER_NAMES, type HeaderValues, isSignature } from '../../../src/rules/formats.js'
import { isNonce } from '../../../src/rules/nonce.js'
import { isInWindow, isTimestamp } from '../../../src/rules/timestamp.js'
import { utf8 } from '../bytes.js'
import type { Arrival } from '../capture/arrival.js'
import type { Finding, Language } from '../diagnose/finding.js'
import { scaleOf } from '../diagnose/instant.js'

// The facts that the page shows about a request. The Worker finds the facts about a capture, and `listen` about a request that arrived.

/** Whether a rule holds. A rule that needs a value that is missing cannot be checked. */
export type RuleStatus = 'met' | 'broken' | 'not checked'

export interface RuleResult {
  readonly name: string
  readonly status: RuleStatus
  readonly reason: string
  readonly detail: string
}

export interface CheckReport {
  readonly request: string
  readonly notes: readonly string[]
  readonly headers: HeaderValues
  readonly body: Uint8Array
  /** When the request arrived, and the source of that time. `undefined` if the time is unknown. */
  readonly arrival: Arrival | undefined
  readonly rules: readonly RuleResult[]
  /** One signature per secret. */
  readonly expected: readonly string[]
  readonly valid: boolean
  readonly findings: readonly Finding[]
  /** The language of the sender, if `User-Agent` names it. */
  readonly language?: Language | undefined
  /** The bytes that were signed, if the signature confirms that they differ from the signed message as received. */
  readonly signedMessage?: Uint8Array | undefined
  /** Whether Brotli could be the cause, which the page cannot try. */
  readonly isBrotliNotTried: boolean
}

const WINDOW_RULE = 'X-Timestamp is within 300 s of the arrival'

/** The last second of the year 9999. A later timestamp is in milliseconds, so it is outside the window at any time. */
const MAX_SECONDS = 253_402_300_799

/**
 * Returns the result of each rule. Each rule is checked on its own, because the reader wants to know about the rules after a broken one
 * too.
 */
export function checkRules(
  headers: HeaderValues,
  arrival: Arrival | undefined,
  expected: readonly string[],
  today: number,
): RuleResult[] {
  const { timestamp, nonce, signature } = headers
  const values = { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature }
  const missing = HEADER_NAMES.filter((name) => values[name] === undefined)
  const rule = (name: string, reason: string, isMet: boolean | undefined, met: string, broken: string): RuleResult => ({
    name,
    reason,
    status: isMet === undefined ? 'not checked' : isMet ? 'met' : 'broken',
    detail: isMet === undefined ? 'It needs a value that is missing.' : isMet ? met : broken,
  })
  const isTime = timestamp === undefined ? undefined : isTimestamp(timestamp)
  const unit = isTime === true ? scaleOf(Number(timestamp), today) : undefined
  const seconds = isTime === true ? Number(timestamp) : undefined
  const windowRule = (): RuleResult => {
    const notChecked = (detail: string): RuleResult => {
      return { name: WINDOW_RULE, reason: 'timestamp_outside_window', status: 'not checked', detail }
    }
    if (arrival?.[1] === 'from X-Timestamp') {
      return notChecked('You chose the time in X-Timestamp as the arrival, so no clocks are compared.')
    }
    if (arrival === undefined && seconds !== undefined && seconds <= MAX_SECONDS) {
      return notChecked('The capture does not say when the request arrived.')
    }
    const now = arrival?.[0] ?? 0
    const drift = seconds === undefined ? '' : describeDrift(seconds, now)
    const isMet = seconds === undefined ? undefined : isInWindow(seconds, now)
    const detail = arrival === undefined ? 'milliseconds?' : drift
    return rule(
      WINDOW_RULE,
      'timestamp_outside_window',
      isMet,
      drift,
      rejected(MESSAGES, 'timestamp_outside_window', detail).message,
    )
  }
  const form = signature === undefined || isSignature(signature) ? undefined : 'it is not 64 lowercase hex digits'
  return [
    rule(
      'The three headers are present',
      'missing_header',
      missing.length === 0,
      HEADER_NAMES.join(', '),
      `Missing: ${missing.join(', ')}.`,
    ),
    rule(
      'X-Timestamp has decimal digits only',
      'invalid_timestamp',
      isTime && unit === undefined,
      `${timestamp}`,
      unit === undefined ? rejected(MESSAGES, 'invalid_timestamp').message : `It is ${unit.what}.`,
    ),
    windowRule(),
    rule(
      'X-Nonce is 1 to 128 visible ASCII characters',
      'invalid_nonce',
      nonce === undefined ? undefined : isNonce(nonce),
      `${nonce?.length} characters`,
      rejected(MESSAGES, 'invalid_nonce').message,
    ),
    rule(
      'X-Signature is the signature of timestamp:nonce:body',
      'signature_mismatch',
      missing.length > 0 ? undefined : expected.includes(String(signature)),
      expected.length > 1 ? `It matches secret ${expected.indexOf(String(signature)) + 1}.` : 'It matches.',
      rejected(MESSAGES, 'signature_mismatch', form).message,
    ),
    {
      name: 'The nonce is new on this webhook',
      reason: 'replayed_nonce',
      status: 'not checked',
      detail: 'One request cannot show whether it is a replay. Only the nonce store of the service knows that.',
    },
  ]
}

/** Returns the signed message of a request. */
export function messageOf({ timestamp = '', nonce = '' }: Partial<HeaderValues>, body: Uint8Array): Uint8Array {
  const prefix = utf8(`${timestamp}:${nonce}:`)
  const message = new Uint8Array(prefix.length + body.length)
  message.set(prefix)
  message.set(body, prefix.length)
  return message
}
