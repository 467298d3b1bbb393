import { Buffer } from 'node:buffer'
import { assertClock, type Clock } from '../clock.js'
import { readRequest, readSecrets, type Secret, type WebhookRequest } from '../request.js'
import { notRawBody } from '../rules/body.js'
import { isNonce } from '../rules/nonce.js'
import { isSignatureOf } from '../rules/signature.js'
import { isInWindow, isTimestamp } from '../rules/timestamp.js'
import { bodyChanges, ENDINGS } from './body.js'
import { digestChoices } from './digest.js'
import type { FindingCode, Finding as OldFinding } from './finding.js'
import { headerFindings, headerPairs, listed, type Meant, meantHeaders, type Pair, unswapped } from './headers.js'
import { parseJson } from './json.js'
import { jsonChoices } from './json-styles.js'
import { lostBody } from './lost-body.js'
import { layoutChoices, nonceChoices, timestampChoices } from './message.js'
import { unexplained } from './mismatch.js'
import { nonceFormat } from './nonce.js'
import { provedFindings } from './proof.js'
import { Budget, type Match, SMALL_BODY, search } from './search.js'
import { HASHES_PER_SECRET, keyChoices } from './secret.js'
import { type Reading, readingsOf, signatureFormat } from './signature.js'
import { timestampFormat, timestampOutside } from './timestamp.js'

export type { FindingCode } from './finding.js'

/** Who has to act on a finding. */
export type Side = 'sender' | 'receiver' | 'unknown'

/** A language that a fix may name. */
export type Language = 'node' | 'python' | 'go' | 'ruby' | 'php' | 'java' | 'csharp' | 'perl' | 'shell'

/** All languages that a fix may name. */
export const LANGUAGES: readonly Language[] = ['node', 'python', 'go', 'ruby', 'php', 'java', 'csharp', 'perl', 'shell']

/** One thing that is wrong with a request, and what to do about it. */
export interface Finding {
  /** What the finding is about. Stable across versions. */
  readonly code: FindingCode
  /** Who has to act. */
  readonly side: Side
  /** What is wrong, in one sentence. */
  readonly message: string
  /** What to do. */
  readonly fix: string
  /** The line to change per language, the likeliest language first. */
  readonly fixes: { readonly [language in Language]?: string }
  /** What proves the finding, in one or several lines. Never the secret. */
  readonly evidence?: string
}

/** What {@link diagnose} found. */
export interface Diagnosis {
  /** Whether every rule holds except the nonce store's. */
  readonly genuine: boolean
  /** Empty if and only if the request is genuine. The likeliest cause comes first. */
  readonly findings: readonly Finding[]
}

/** Stands in until findings are structured from the start. */
function structured({ code, message, fix, evidence }: OldFinding): Finding {
  const side = fix.startsWith('On the sender') ? 'sender' : fix.startsWith('On the receiver') ? 'receiver' : 'unknown'
  return { code, side, message, fix, fixes: {}, ...(evidence === undefined ? {} : { evidence }) }
}

/**
 * Tells why a request does not verify: which rules it breaks, and, when the signature does not match, which way of signing
 * would have given it.
 *
 * A tool for the secret's owner, while an integration is being built or repaired. **Never expose it to a sender**: it tells
 * more than a verdict should, and it works much harder than `verify`. What it finds about a signature is proved by making that very
 * signature; its findings never hold the secret.
 *
 * The search is bounded: at most 20 000 HMACs and other hashes for a body up to 64 KB, 200 above.
 *
 * @param request - the webhook's identifier, the headers and the raw body, as `verify` takes them.
 * @param secret - the webhook's signing secret as text, or a list.
 * @param clock - server time, `Date` by default. For a captured request, the time at which it arrived.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for a mistake of the caller, such as a parsed body or an empty secret.
 * @see `verify` for the rules
 *
 * @example
 * ```ts
 * import { createHmac } from 'node:crypto'
 * import { diagnose } from 'inbound-webhook-auth/diagnose'
 *
 * const [secret, timestamp, nonce] = ['a secret', '1700000000', 'abc']
 * const signature = createHmac('sha256', secret).update(`${timestamp}.${nonce}.a body`).digest('base64')
 * const headers = { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
 * const clock = { now: () => 1_700_000_000_000 }
 *
 * const { findings } = await diagnose({ webhookId: '42', headers, body: 'a body' }, secret, clock)
 *
 * console.log(findings.map(({ code }) => code).join(', ')) // message_layout, signature_format
 * ```
 */
export async function diagnose(request: WebhookRequest, secret: Secret, clock: Clock = Date): Promise<Diagnosis> {
  const relisted = listed(request)
  const { webhookId, body: bytes, ...headers } = readRequest(relisted)
  if (bytes === undefined) throw await notRawBody(relisted.body)
  const secrets = readSecrets(secret)
  assertClock(clock)
  const now = clock.now()
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

  const isRight = ({ timestamp, nonce, signature }: Meant) =>
    timestamp !== undefined &&
    nonce !== undefined &&
    signature !== undefined &&
    secrets.some((one) => isSignatureOf({ timestamp, nonce, body: bytes }, signature, one))
  const { timestamp = '', nonce = '' } = headers
  const isSignedAsSent = isRight(headers)
  if (isSignedAsSent && isTimestamp(timestamp) && isInWindow(timestamp, now) && isNonce(nonce)) {
    return { genuine: true, findings: [] }
  }

  const pairs = headerPairs(relisted.headers)
  const ways = meantHeaders(headers, pairs)
  const signed = isSignedAsSent ? headers : ways.find(isRight)
  const likeliest = signed ?? ways[0]
  const meant = unswapped(likeliest, now)
  const outside = meant.timestamp === undefined ? undefined : timestampOutside(meant.timestamp, now)
  const match =
    signed !== undefined || meant.signature === undefined
      ? undefined
      : wayOfSigning(webhookId, meant, pairs, body, secrets, now, ways.length)
  const isUnexplained = signed === undefined && meant.signature !== undefined && match === undefined
  // What is proved of the body received was received; of what is not, the signature cannot tell.
  const isReceived = signed !== undefined || match?.body.equals(body) === true
  const lost = isReceived ? undefined : lostBody(body, pairs)
  const findings = [
    lost,
    ...headerFindings(headers, pairs, meant, signed, match !== undefined),
    meant.timestamp === undefined ? undefined : timestampFormat(meant.timestamp, now),
    meant.nonce === undefined ? undefined : nonceFormat(meant.nonce),
    // A request is often diagnosed later than it was made: the way of signing comes before its age.
    ...(match === undefined ? [] : provedFindings(match, body)),
    outside,
    isUnexplained ? signatureFormat(meant.signature) : undefined,
    ...(isUnexplained ? unexplained(body, lost !== undefined, meant, secrets, pairs) : []),
  ]
  return { genuine: false, findings: findings.filter((finding) => finding !== undefined).map(structured) }
}

/** The characters of the headers, and of the secrets, above which a request is searched as one with a large body. */
const LONGEST_HEADERS = 4096
const LONGEST_SECRETS = 16_384

/** For the words on a signature that nothing explains: the body's SHA-256, and an example. */
const HASHES_AROUND = 2

/** The way of signing that gives the signature received, if a known one does. */
function wayOfSigning(
  webhookId: string,
  { timestamp, nonce, signature = '' }: Meant,
  pairs: readonly Pair[],
  body: Buffer,
  secrets: readonly string[],
  now: number,
  waysTried: number,
): Match | undefined {
  const readings = readingsOf(signature)
  if (readings.length === 0) return undefined
  const received = { webhookId, timestamp, nonce, headers: pairs }
  // A long header, or a long secret, is hashed as often as the body.
  const isLarge =
    body.length > SMALL_BODY ||
    `${timestamp}${nonce}`.length > LONGEST_HEADERS ||
    secrets.join('').length > LONGEST_SECRETS
  const json = parseJson(body)
  const sizes = (of: Reading['code']) => readings.filter(({ code }) => code === of).flatMap((one) => one.sizes)
  const ways = {
    digests: digestChoices(sizes('signature_format'), sizes('signature_truncated')),
    keys: keyChoices(secrets, webhookId, isLarge),
    layouts: layoutChoices(received),
    timestamps: timestampChoices(timestamp, now),
    nonces: nonceChoices(received),
    styles: json === undefined ? [] : jsonChoices(json, isLarge),
    changes: bodyChanges(isLarge),
    endings: ENDINGS,
  }
  return search(
    ways,
    body,
    json,
    readings,
    new Budget(isLarge, HASHES_AROUND + secrets.length * (1 + waysTried + HASHES_PER_SECRET)),
  )
}
