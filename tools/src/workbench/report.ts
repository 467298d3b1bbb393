import { describeDrift, MESSAGES, type RejectionReason, rejected } from '../../../src/result.js'
import type { HeaderValues } from '../../../src/rules/formats.js'
import { isInWindow, isTimestamp } from '../../../src/rules/timestamp.js'
import type { Arrival } from '../capture/arrival.js'
import type { Finding, Language } from '../diagnose/finding.js'
import { scaleOf } from '../diagnose/instant.js'
import { STANDARD_FORM } from '../diagnose/standard-webhooks.js'
import { X_SIGNATURE } from '../schemes.js'

// This file makes the report that the page shows about a request. It runs in the Worker for a capture, and in `listen` for its requests.

/** Whether a request meets a rule. If a header is missing, some rules cannot be checked. */
export type RuleStatus = 'met' | 'broken' | 'not checked'

export interface RuleResult {
  readonly name: string
  readonly status: RuleStatus
  readonly reason: RejectionReason
  readonly detail: string
}

export interface CheckReport {
  readonly request: string
  readonly notes: readonly string[]
  /** The start of the signed message as received, which the body follows. */
  readonly start: string
  readonly body: Uint8Array
  readonly arrival: Arrival | undefined
  readonly rules: readonly RuleResult[]
  readonly valid: boolean
  readonly findings: readonly Finding[]
  readonly language?: Language | undefined
  /** The bytes that the sender signed, if they are known and differ from the signed message as received. */
  readonly signedMessage?: Uint8Array | undefined
}

/** Returns the result of each rule. Unlike `verify`, this function also checks the rules after the first broken rule. */
export function checkRules(
  headers: HeaderValues,
  arrival: Arrival | undefined,
  isRight: boolean,
  today: number,
  scheme = X_SIGNATURE,
): RuleResult[] {
  const { timestamp, nonce, signature } = headers
  const fields = ['timestamp', 'nonce', 'signature'] as const
  const missing = fields.filter((field) => headers[field] === undefined).map((field) => scheme.headers[field])
  const isTime = timestamp === undefined ? undefined : isTimestamp(timestamp)
  const rule = (name: string, reason: RejectionReason, isMet: boolean | undefined, detail: string): RuleResult => ({
    name: scheme.inWords(name),
    reason,
    status: isMet === undefined ? 'not checked' : isMet ? 'met' : 'broken',
    detail: isMet === true ? detail : scheme.inWords(detail),
  })
  const MISSING = 'This rule needs a value that is missing.'
  const broken = (reason: keyof typeof MESSAGES, detail?: string) =>
    rejected(MESSAGES, reason, detail).message.replace('timestamp:nonce:body', message)
  const windowOf = (): [isMet: boolean | undefined, detail: string] => {
    if (isTime !== true) return [undefined, MISSING]
    const seconds = Number(timestamp)
    const unit = scaleOf(seconds, today)
    if (unit !== undefined) return [false, `X-Timestamp is ${unit.what}. Send Unix time in seconds.`]
    if (/^from .*-timestamp$/i.test(arrival?.[1] ?? '')) {
      return [undefined, 'You chose the time in X-Timestamp as the arrival, so no clocks are compared.']
    }
    if (arrival === undefined) return [undefined, 'The capture does not say when the request arrived.']
    const drift = describeDrift(seconds, arrival[0])
    const isMet = isInWindow(seconds, arrival[0])
    return [isMet, isMet ? drift : broken('timestamp_outside_window', drift)]
  }
  const isNonceMet = nonce === undefined ? undefined : scheme.isNonce(nonce)
  const digests = scheme.digestsIn(String(signature))
  const isSigned = missing.length > 0 ? undefined : isRight
  const message = scheme.layout.join('').replace(/[<>]/g, '')
  const form =
    signature === undefined || digests.length > 0 || scheme.ed25519In(signature).length > 0
      ? undefined
      : `X-Signature is not ${scheme.isStandard ? STANDARD_FORM : '64 lowercase hex digits'}`
  const detailOf = (isMet: boolean | undefined, met: string, otherwise: string) =>
    isMet === undefined ? MISSING : isMet ? met : otherwise
  const names = fields.map((field) => scheme.headers[field]).join(', ')
  const present = missing.length === 0 ? names : `Missing: ${missing.join(', ')}.`
  const digits = detailOf(isTime, String(timestamp), broken('invalid_timestamp'))
  return [
    rule('The three headers are present', 'missing_header', missing.length === 0, present),
    rule('X-Timestamp has decimal digits only', 'invalid_timestamp', isTime, digits),
    rule('X-Timestamp is within 300 s of the arrival', 'timestamp_outside_window', ...windowOf()),
    rule(
      `X-Nonce is 1 to ${scheme.isStandard ? '256 visible ASCII characters without a full stop' : '128 visible ASCII characters'}`,
      'invalid_nonce',
      isNonceMet,
      detailOf(isNonceMet, `${nonce?.length} characters`, broken('invalid_nonce')),
    ),
    rule(
      `X-Signature is the signature of ${message}`,
      'signature_mismatch',
      isSigned,
      detailOf(isSigned, 'It matches.', broken('signature_mismatch', form)),
    ),
    rule(
      `The ${scheme.isStandard ? 'attempt' : 'nonce'} is new on this webhook`,
      'replayed_nonce',
      undefined,
      'One request cannot show whether it is a replay, because only the nonce store of the service knows used nonces.',
    ),
  ]
}
