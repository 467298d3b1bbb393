import { describeDrift, rejected } from '../../result.js'
import { isSignature } from '../../rules/formats.js'
import { HEADER_NAMES, type HeaderValues, readHeaders } from '../../rules/headers.js'
import { isNonce } from '../../rules/nonce.js'
import { isInWindow, isTimestamp } from '../../rules/timestamp.js'
import { utf8 } from '../bytes.js'
import { type Arrival, findArrival } from '../capture/arrival.js'
import { bodyOf, bodyOfFile } from '../capture/body.js'
import { listHeaders, valuesOf } from '../capture/headers.js'
import { readCapture } from '../capture/read-capture.js'
import { diagnoseWith } from '../diagnose/engine.js'
import type { Finding } from '../diagnose/finding.js'
import { scaleOf } from '../diagnose/instant.js'
import { browserPrimitives } from './browser-primitives.js'
import { signatureOf } from './sign.js'

export const MISSING_BODY = 'The capture has no body. Add it under “The body is not in the capture”.'

/** What the page sends to the Worker. */
export interface CheckInput {
  readonly capture: Uint8Array
  /** The body, if the capture has none. */
  readonly body: Uint8Array | undefined
  readonly secrets: readonly string[]
  /** When the request arrived: a time, `timestamp` for that of `X-Timestamp`, or `undefined` for what the capture says. */
  readonly arrival: string | undefined
  readonly now: number
}

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
  /** When the request arrived, and where that time comes from. `undefined` if nothing says it. */
  readonly arrival: Arrival | undefined
  readonly rules: readonly RuleResult[]
  /** One signature per secret. */
  readonly expected: readonly string[]
  readonly genuine: boolean
  readonly findings: readonly Finding[]
  /** Whether Brotli could be the cause, which the page cannot try. */
  readonly isBrotliNotTried: boolean
}

/** Reads a capture, checks each rule, and says why the request does not verify. Throws an `Error` for a capture it cannot read. */
export function check(input: CheckInput): CheckReport {
  const captured = readCapture(input.capture)
  const { headers: lines } = captured
  if (input.body === undefined && captured.body === undefined) {
    throw new Error(MISSING_BODY)
  }
  const read = input.body === undefined ? bodyOf(captured, lines) : bodyOfFile(input.body, lines, captured.isFileJoined)
  // A copy, so that the answer does not carry the whole capture too.
  const body = read.body.slice()
  const headers = readHeaders(lines)
  const arrival = findArrival(input.arrival, lines, captured.arrival, input.now)

  let isBrotliNotTried = valuesOf(lines, 'content-encoding').some((value) => /\bbr\b/i.test(value))
  const primitives = browserPrimitives(() => {
    isBrotliNotTried = true
  })
  const { genuine, findings } = diagnoseWith(primitives, {
    ...headers,
    headers: listHeaders(lines),
    body,
    original: read.original,
    secrets: input.secrets,
    now: arrival?.[0] ?? input.now,
    isArrivalKnown: arrival !== undefined,
  })
  const isUnexplained = findings.some(({ code }) => code === 'signature_mismatch')
  const expected = input.secrets.map((secret) =>
    signatureOf(headers.timestamp ?? '', headers.nonce ?? '', body, secret),
  )
  return {
    request: [':method', ':path'].flatMap((name) => valuesOf(lines, name)).join(' ') || 'A request',
    notes: [...(captured.notes ?? []), ...read.notes],
    headers,
    body,
    arrival,
    rules: checkRules(headers, arrival, expected, input.now),
    expected,
    genuine,
    findings,
    isBrotliNotTried: isUnexplained && isBrotliNotTried,
  }
}

const WINDOW_RULE = 'X-Timestamp is within 300 s of the arrival'

/** The last second of the year 9999. A later timestamp is in milliseconds, so it is outside the window at any time. */
const MAX_SECONDS = 253_402_300_799

function checkRules(
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
      rejected('timestamp_outside_window', detail).message,
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
      unit === undefined ? rejected('invalid_timestamp').message : `It is ${unit.what}.`,
    ),
    windowRule(),
    rule(
      'X-Nonce is 1 to 128 visible ASCII characters',
      'invalid_nonce',
      nonce === undefined ? undefined : isNonce(nonce),
      `${nonce?.length} characters`,
      rejected('invalid_nonce').message,
    ),
    rule(
      'X-Signature is the signature of timestamp:nonce:body',
      'signature_mismatch',
      missing.length > 0 ? undefined : expected.includes(String(signature)),
      expected.length > 1 ? `It matches secret ${expected.indexOf(String(signature)) + 1}.` : 'It matches.',
      rejected('signature_mismatch', form).message,
    ),
    {
      name: 'The nonce is new on this webhook',
      reason: 'replayed_nonce',
      status: 'not checked',
      detail: 'One request cannot show whether it is a replay. Only the nonce store of the service knows that.',
    },
  ]
}

/** What Compare shows. */
export interface Difference {
  /** The position of the first byte that differs, or `undefined` if all are equal. */
  readonly position: number | undefined
  readonly sender: string | undefined
  readonly receiver: string | undefined
}

/** Finds the first byte that differs. */
export function compareBytes(sender: Uint8Array, receiver: Uint8Array): Difference {
  const length = Math.max(sender.length, receiver.length)
  for (let position = 0; position < length; position++) {
    if (sender[position] !== receiver[position]) {
      return { position, sender: describeByte(sender[position]), receiver: describeByte(receiver[position]) }
    }
  }
  return { position: undefined, sender: undefined, receiver: undefined }
}

const BYTE_NAMES: { readonly [byte: number]: string } = {
  0: 'NUL',
  9: 'tab',
  10: 'line feed',
  13: 'carriage return',
  32: 'space',
  127: 'delete',
}

function describeByte(byte: number | undefined): string | undefined {
  if (byte === undefined) return undefined
  const name = BYTE_NAMES[byte] ?? (byte > 32 && byte < 127 ? String.fromCharCode(byte) : '')
  return `0x${byte.toString(16).padStart(2, '0')}${name === '' ? '' : ` (${name})`}`
}

/** The signed message of a request. */
export function messageOf({ timestamp = '', nonce = '' }: Partial<HeaderValues>, body: Uint8Array): Uint8Array {
  const prefix = utf8(`${timestamp}:${nonce}:`)
  const message = new Uint8Array(prefix.length + body.length)
  message.set(prefix)
  message.set(body, prefix.length)
  return message
}
