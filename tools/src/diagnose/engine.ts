import type { HeaderValues } from '../../../src/rules/formats.js'
import { isInWindow, isTimestamp } from '../../../src/rules/timestamp.js'
import { concat, fromUtf8, hex, isUtf8, utf8 } from '../bytes.js'
import type { BodyOrigin } from '../capture/body.js'
import type { Header } from '../capture/headers.js'
import type { Platform } from '../primitives.js'
import { isSignedBy, receivedMessage, schemeOf, startOf, type ToolScheme } from '../schemes.js'
import { countBytes, joinWords, quote } from '../text.js'
import { checkLostBody, describeLoss, suspectBody } from './checks/body.js'
import { checkHeaders } from './checks/headers.js'
import { checkLeakedSecret } from './checks/leaked-secret.js'
import { checkNonce, checkUnfilledNonce } from './checks/nonce.js'
import { suspectSecrets } from './checks/secret.js'
import { checkSignatureFormat, checksEd25519 } from './checks/signature.js'
import { checkTimestampFormat, checkTimestampWindow } from './checks/timestamp.js'
import { factsOf, type SignedRequest } from './dimensions.js'
import { type Draft, type EvidenceLine, writeFinding } from './draft.js'
import { explain } from './explain.js'
import type { Diagnosis } from './finding.js'
import { findUnfilled } from './hypotheses/placeholders.js'
import { languageOf } from './language.js'
import { type Mask, maskWith } from './mask-secrets.js'
import { findHeaders, meaningsOf, unswapHeaders, withoutGuessedNonce } from './misnamed-headers.js'
import { limit } from './search.js'
import { wholeForms } from './signature-form.js'
import { findSigningVariant, messageOf, type SearchContext } from './signing-variants.js'
import { formsOf } from './standard-webhooks.js'
import type { Steps } from './steps.js'

export interface RequestToDiagnose extends HeaderValues, SignedRequest {
  readonly headers: readonly Header[]
  readonly isArrivalKnown: boolean
  /** Whether the headers come from a log, a mail or a picture, where they may have been cut or changed. */
  readonly isCaptured?: boolean | undefined
  /** Where the body comes from. By default, the body is what arrived. */
  readonly origin?: BodyOrigin
}

export const MAX_HASHES = 15_000

/** The maximum number of bytes that a search hashes, and that it reads or writes. With both limits, a search takes less than a second. */
const MAX_BYTES = 400_000_000
const MAX_REWRITTEN = 16_000_000
/** For a body with more bytes than this, the search is allowed to read and write more, because each change needs more. */
const LARGE = 100_000
const MAX_REWRITTEN_IF_LARGE = 50_000_000

const NOTHING_FOUND = { found: undefined, notTried: [] }

/** Does the work of `diagnose` on any platform, in steps. Tests pass a smaller `maxHashes`, because a whole search takes long. */
export function* diagnoseInSteps(
  platform: Platform,
  given: RequestToDiagnose,
  maxHashes = MAX_HASHES,
): Steps<Diagnosis> {
  // A caller may fill the same buffer with another body later, so the caches need a copy.
  const request = { ...given, body: new Uint8Array(given.body) }
  const { headers, body, secrets, now, isArrivalKnown, isCaptured } = request
  const language = languageOf(headers)
  const mask = maskWith(secrets)
  const scheme = schemeOf(headers)
  const isSigned = (values: HeaderValues) =>
    isSignedBy(platform, scheme, String(values.signature), [utf8(startOf(scheme, values)), body], secrets)
  // A public key cannot sign, so it cannot show what the sender signed instead.
  const signing = secrets.filter((secret) => scheme.publicKeyOf(secret) === undefined)
  const leaked = checkLeakedSecret(headers, body, secrets, mask)
  const finish = (valid: boolean, drafts: readonly Draft[], signedMessage?: Uint8Array): Diagnosis => ({
    valid,
    findings: drafts.map((draft) => writeFinding(draft, language, scheme)),
    ...(language === undefined ? {} : { language }),
    ...(signedMessage === undefined ? {} : { signedMessage }),
  })
  const isSignedAsSent = isSigned(request)
  const { timestamp = '', nonce = '' } = request
  if (isSignedAsSent && isTimestamp(timestamp) && isInWindow(Number(timestamp), now) && scheme.isNonce(nonce)) {
    return finish(true, [...leaked, ...checkUnfilledNonce(nonce, mask)])
  }

  const received = findHeaders(request, headers, scheme)
  const meanings = meaningsOf(received)
  // Outside the search, the evidence needs two hashes. Each secret needs one for the headers as received, and one per meaning of the headers.
  const hashesOutside = 2 + secrets.length * (1 + meanings.length)
  const maxRewritten = body.length > LARGE ? MAX_REWRITTEN_IF_LARGE : MAX_REWRITTEN
  const limited = limit(platform, Math.max(0, maxHashes - hashesOutside), MAX_BYTES, maxRewritten)
  const context: SearchContext = { headers, body, ...limited }
  const signed = isSignedAsSent ? request : meanings.find(isSigned)
  const likeliest = unswapHeaders(signed ?? meanings[0], now)
  const { found, notTried } =
    signed === undefined
      ? yield* findSigningVariant(factsOf(likeliest, { ...request, secrets: signing }, mask, scheme), context, mask)
      : NOTHING_FOUND
  const isNonceSigned = signed !== undefined || found?.layout.includes('<nonce>') === true
  const intended = isNonceSigned ? likeliest : withoutGuessedNonce(likeliest, received)
  const isUnexplained = signed === undefined && intended.signature !== undefined && found === undefined

  // If the signature of the body is right, the body was not lost.
  const lost = signed !== undefined || found?.body === body ? [] : checkLostBody(body, headers, mask)
  const explained = found === undefined ? [] : yield* explain(found, request, mask, scheme.layout, language)
  // If the signature is right, the capture did not change the headers.
  const mayBeMisread = isCaptured === true && !isSignedAsSent
  const { unit, drift } = checkTimestampWindow(intended.timestamp, now, isArrivalKnown, mask)
  const drafts = [
    ...leaked,
    ...lost,
    ...checkHeaders(received, headers, intended, signed, mask),
    ...checkTimestampFormat(intended.timestamp, now, mask, mayBeMisread),
    ...checkNonce(intended.nonce, mask, scheme, mayBeMisread),
    // Old requests are often diagnosed without their time of arrival, so mistakes in the signature come before a wrong age.
    ...explained,
    ...unit,
    ...(isArrivalKnown ? drift : []),
    ...(isUnexplained ? checkSignatureFormat(String(intended.signature), mask, scheme, secrets) : []),
    ...checkUnfilledNonce(intended.nonce, mask),
    ...(isUnexplained && lost.length === 0 ? suspectBody(body, headers, mask, platform) : []),
    ...(isUnexplained ? suspectSecrets(secrets) : []),
    ...(isUnexplained ? compare(intended, body, platform, mask, scheme, notTried, secrets) : []),
    ...(isArrivalKnown ? [] : drift),
  ]
  const signedMessage = signed && receivedMessage(signed, body, scheme)
  return finish(false, drafts, signedMessage ?? (found && concat(...messageOf(found))))
}

/** The maximum length of `timestamp:nonce:` in the command that the finding shows. */
const MAX_COMMAND = 200

const MAX_TEMPLATE = 100_000

/** Returns the finding for a signature that no known mistake explains. The finding says what to compare on both sides. */
function compare(
  intended: HeaderValues,
  body: Uint8Array,
  platform: Platform,
  mask: Mask,
  scheme: ToolScheme,
  notTried: readonly string[],
  secrets: readonly string[],
): Draft[] {
  const { timestamp, nonce, signature } = intended
  // Without all three values, there is nothing to compare.
  const isEd25519 = checksEd25519(String(signature), scheme, secrets)
  if (timestamp === undefined || nonce === undefined) return []
  if (!isEd25519 && formsOf(String(signature), mask, scheme, wholeForms).length === 0) return []
  const sha256 = (bytes: Uint8Array) => hex(platform.hash('sha256', [bytes]) as Uint8Array)
  const start = mask(startOf(scheme, intended))
  const unfilled = body.length <= MAX_TEMPLATE && isUtf8(body) ? findUnfilled(fromUtf8(body)) : undefined
  const loss = describeLoss(body)
  const evidence: EvidenceLine[] = [
    ...(loss === undefined ? [] : [loss]),
    ['Signed message of the receiver', `${quote(start)} and ${countBytes(body.length)} of body`],
    ['SHA-256 of this message', sha256(receivedMessage(intended, body, scheme))],
    ['SHA-256 of its body', sha256(body)],
  ]
  if (unfilled !== undefined) {
    evidence.push(
      `The body has the placeholder \`${mask(unfilled)}\`. The sender may have signed a value in its place.`,
    )
  }
  // With a masked or escaped value, the command would print another hash.
  if (start.length <= MAX_COMMAND && start === startOf(scheme, intended) && /^[ -~]*$/.test(start)) {
    evidence.push("On the sender's side, hash the signed message (body.bin has the body bytes that you pass to HMAC):")
    evidence.push(`  (printf %s '${start.replaceAll("'", "'\\''")}'; cat body.bin) | openssl dgst -sha256`)
  }
  const draft = { code: 'signature_mismatch', fix: 'compare' } as const
  if (isEd25519) {
    const message =
      "The public key does not match the sender's private key, or the message was changed. A public key cannot sign, so no changes to the message were tried."
    return [{ ...draft, message, evidence }]
  }
  if (notTried.length === 0) {
    const message =
      'No known mistake explains this signature. The secrets differ, or the signed bytes are not the bytes received.'
    return [{ ...draft, message, evidence }]
  }
  const message = 'The search ended early and found no mistake that explains this signature.'
  const which = `Not all changes to the ${joinWords(notTried, 'and')} were tried. To try all changes, send a short body and pass only one secret.`
  return [{ ...draft, message, evidence: [which, ...evidence] }]
}
