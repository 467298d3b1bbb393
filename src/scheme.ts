import { adviseOnSecrets, describeNonce, describeSignature } from './hints/rejection.js'
import { readSecrets, type Secret } from './request.js'
import { type Accepted, MESSAGES, type Messages } from './result.js'
import { HEADERS, type HeaderNames, isSignature } from './rules/formats.js'
import { isNonce } from './rules/nonce.js'
import { isSignatureOf, reservationKeys, type SignedMessage } from './rules/signature.js'

/**
 * A way of signing: what differs between this package's own scheme and Standard Webhooks. The order of the rules, the limits, the
 * window, the reservation and the errors are the same.
 *
 * The nonce is the header that differs between two messages of one second: `X-Nonce`, or `webhook-id`.
 *
 * @typeParam Secrets - the secret or the list of secrets that the caller passes.
 * @typeParam Key - one key of the HMAC.
 * @typeParam Result - the result for an accepted request.
 */
export interface Scheme<Secrets, Key, Result> {
  /** The names of the three headers. If there is more than one set, the first set counts of which a header is there. */
  readonly headers: readonly HeaderNames[]
  /** Returns the texts of rejections, with the names under which the headers arrived. */
  messages(names: HeaderNames): Messages
  /** Returns the keys to try, in order. They are a copy, because the caller may change its list while the body arrives. */
  readSecrets(secret: Secrets): readonly Key[]
  isNonce(value: string): boolean
  describeNonce(value: string): string
  isSignature(value: string): boolean
  describeSignature(value: string): string
  /** Returns whether the value of the signature's header is right. The comparison takes the same time wherever a difference is. */
  isSignatureOf(message: SignedMessage, signature: string, key: Key): boolean
  /** Returns the keys that reserve a message. All of them are free, or the message is a replay. */
  reservationKeys(message: SignedMessage, signature: string): readonly string[]
  /** Returns advice for a signature that does not match, or `undefined` for the usual advice. */
  adviseOnSecrets(keys: readonly Key[]): string | undefined
  /** Returns the result for a request that met every rule. */
  accept(common: Omit<Accepted, 'nonce'>, nonce: string): Result
}

/** The scheme of `X-Timestamp`, `X-Nonce` and `X-Signature`. */
export const OWN_SCHEME: Scheme<Secret, string, Accepted> = {
  headers: [HEADERS],
  messages: () => MESSAGES,
  readSecrets,
  isNonce,
  describeNonce,
  isSignature,
  describeSignature,
  isSignatureOf,
  reservationKeys,
  adviseOnSecrets,
  accept: ({ ok, webhookId, timestamp, secretIndex }, nonce) => ({ ok, webhookId, timestamp, nonce, secretIndex }),
}
