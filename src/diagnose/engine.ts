import type { HeaderValues } from '../rules/headers.js'
import { isNonce } from '../rules/nonce.js'
import { isInWindow, isTimestamp } from '../rules/timestamp.js'
import { hex, utf8 } from './bytes.js'
import { announcedLength, checkLostBody, suspectBody } from './checks/body.js'
import { checkHeaders, type Pair, readMeantHeaders, unswapHeaders } from './checks/headers.js'
import { checkNonce } from './checks/nonce.js'
import { suspectSecrets } from './checks/secret.js'
import { checkSignatureFormat, isUnset } from './checks/signature.js'
import { checkTimestampFormat, checkTimestampWindow } from './checks/timestamp.js'
import { explain } from './explain.js'
import type { Diagnosis } from './finding.js'
import type { Primitives, RequestContext } from './hypotheses/hypothesis.js'
import { limit } from './search.js'
import { type Draft, quote, writeFinding } from './text.js'
import { findWay } from './ways-of-signing.js'

/** A request as the engine takes it: everything is read already. */
export interface RequestToDiagnose extends HeaderValues {
  /** All headers. */
  readonly pairs: readonly Pair[]
  readonly body: Uint8Array
  /** The body as the sender has it. */
  readonly original?: Uint8Array | undefined
  readonly secrets: readonly string[]
  /** Server time in milliseconds since the Unix epoch. */
  readonly now: number
}

/** Bodies up to this many bytes get {@link MAX_HASHES}; larger ones get {@link MAX_HASHES_LARGE}. */
export const SMALL_BODY = 65_536
export const MAX_HASHES = 20_000
export const MAX_HASHES_LARGE = 200

/** With longer headers or secrets, the limits for a large body apply, because they are hashed as often. */
const SMALL_HEADERS = 4096
const SMALL_SECRETS = 16_384

/** The most bytes that are hashed or rewritten: about a second's work. */
const MAX_BYTES = 700_000_000

/** Does the work of {@link diagnose}, on any platform. */
export function diagnoseWith(platform: Primitives, request: RequestToDiagnose): Diagnosis {
  const { timestamp, nonce, signature, pairs, body, secrets, now } = request
  const isRight = ({ timestamp = '', nonce = '', signature }: HeaderValues) => {
    const message = [utf8(`${timestamp}:${nonce}:`), body]
    return secrets.some((secret) => hex(platform.hmac('sha256', utf8(secret), message) as Uint8Array) === signature)
  }
  const isSignedAsSent = isRight(request)
  if (
    isSignedAsSent &&
    isTimestamp(String(timestamp)) &&
    isInWindow(Number(timestamp), now) &&
    isNonce(String(nonce))
  ) {
    return { genuine: true, findings: [] }
  }

  const meanings = readMeantHeaders({ timestamp, nonce, signature }, pairs)
  const isLarge =
    body.length > SMALL_BODY || `${timestamp}${nonce}`.length > SMALL_HEADERS || secrets.join('').length > SMALL_SECRETS
  // One hash is for the evidence. The others are for the right signature of each secret and meaning.
  const hashesOutside = 1 + secrets.length * (1 + meanings.length)
  const limited = limit(platform, (isLarge ? MAX_HASHES_LARGE : MAX_HASHES) - hashesOutside, MAX_BYTES)
  const context: RequestContext = { headers: pairs, ...limited }
  const signed = isSignedAsSent ? request : meanings.find(isRight)
  const meant = unswapHeaders(signed ?? meanings[0], now)
  const match = signed === undefined ? findWay(meant, request, context, isLarge) : undefined
  const isUnexplained = signed === undefined && meant.signature !== undefined && match === undefined

  // If the signature of the body is right, the body was not lost.
  const lost = signed !== undefined || match?.body === body ? [] : checkLostBody(body, pairs)
  const drafts = [
    ...lost,
    ...checkHeaders(request, pairs, meant, signed),
    ...checkTimestampFormat(meant.timestamp, now),
    ...checkNonce(meant.nonce),
    // A request is often diagnosed later than it arrived, so the way of signing comes before the age.
    ...(match === undefined ? [] : explain(match, body, announcedLength(pairs))),
    ...checkTimestampWindow(meant.timestamp, now),
    ...(isUnexplained ? checkSignatureFormat(String(meant.signature)) : []),
    ...(isUnexplained && lost.length === 0 ? suspectBody(body, pairs) : []),
    ...(isUnexplained ? suspectSecrets(secrets) : []),
    ...(isUnexplained ? compare(meant, body, platform) : []),
  ]
  return { genuine: false, findings: drafts.map(writeFinding) }
}

/** The signature of the example in the evidence. */
const EXAMPLE_SIGNATURE = 'f047d805fefcdb359477807dc0cd06fa1301f1b4404129c7a1b53c442b9f98a6'

/** Lists the values to compare on both sides if nothing explains the signature. */
function compare({ timestamp, nonce, signature }: HeaderValues, body: Uint8Array, platform: Primitives): Draft[] {
  // Where a header is missing, there is nothing to compare.
  if (timestamp === undefined || nonce === undefined || isUnset(String(signature))) return []
  const spaced = (bytes: Uint8Array) => (bytes.length === 0 ? '(nothing)' : hex(bytes).replace(/..(?=.)/g, '$& '))
  return [
    {
      code: 'signature_mismatch',
      message:
        'No known way of signing gives this signature: the secrets differ, or other bytes were signed than received.',
      fix: 'compare',
      evidence: [
        'The receiver has:',
        ['  the message begins with', quote(`${timestamp}:${nonce}:`)],
        ['  bytes of the body', String(body.length)],
        ['  SHA-256 of the body', hex(platform.hash('sha256', [body]) as Uint8Array)],
        ['  the body begins with', spaced(body.subarray(0, 16))],
        ['  the body ends with', spaced(body.subarray(-16))],
        "The same on the sender's side, with the bytes that are sent in body.bin:",
        '  wc -c < body.bin',
        '  openssl dgst -sha256 body.bin',
        '  head -c 16 body.bin | od -A n -t x1',
        '  tail -c 16 body.bin | od -A n -t x1',
        'To check the code of the sender: secret `a secret`, timestamp 1700000000, nonce `abc` and body `{"event":"paid"}` give',
        `  ${EXAMPLE_SIGNATURE}`,
      ],
    },
  ]
}
