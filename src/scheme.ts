import { generateSecret } from './generate-secret.js'
import { adviseOnSecrets, describeNonce, describeSignature } from './hints/rejection.js'
import { readSecrets, type Secret } from './request.js'
import { type Accepted, MESSAGES, type Messages } from './result.js'
import { HEADERS, type HeaderNames, isSignature } from './rules/formats.js'
import { isNonce } from './rules/nonce.js'
import { isSignatureOf, reservationKeys, type SignedMessage } from './rules/signature.js'

/**
 * A signing scheme: this package's own scheme, or Standard Webhooks. This interface contains what differs between the two. The order of the
 * rules, the limits, the window, the reservation and the errors do not differ.
 *
 * In this interface, `nonce` is the value of `X-Nonce` or of `webhook-id`.
 *
 * @typeParam Secrets - the secret or the list of secrets that the caller passes.
 * @typeParam Key - one key of the HMAC.
 * @typeParam Result - the result for an accepted request.
 */
export interface Scheme<Secrets, Key, Result> {
  /** The names of the three headers. If there are several sets of names, the first set with a header in the request is used. */
  readonly headers: readonly HeaderNames[]
  /** Returns the messages of rejections, which contain the header names of the request. */
  messages(names: HeaderNames): Messages
  /**
   * Returns a copy of the keys to try, in order, because the caller may change the list while the body arrives. Error messages call the
   * secret `secret` and `owner`.
   */
  readSecrets(secret: Secrets, owner?: string): readonly Key[]
  /**
   * Returns a random key for each kind of key that could check this signature, but is not in `keys`. Each process makes these keys once, at
   * their first use, because a new key for each request would take longer than a check, and some runtimes forbid random numbers while a
   * module loads.
   */
  dummyKeys(keys: readonly Key[], signature: string): readonly Key[]
  isNonce(value: string): boolean
  describeNonce(value: string): string
  isSignature(value: string): boolean
  describeSignature(value: string): string
  /** Returns a function that returns whether the value of the signature header matches the message under a key. Secrets are compared in constant time. */
  matcher(message: SignedMessage, signature: string): (key: Key) => boolean
  /** Returns the keys to reserve for a message. If one of these keys is taken, the message is a replay. */
  reservationKeys(message: SignedMessage, signature: string): readonly string[]
  /** Returns advice for a signature that does not match, or `undefined` for the usual advice. */
  adviseOnSecrets(keys: readonly Key[], signature: string): string | undefined
  /** Returns the result for a request that met every rule. */
  accept(common: Omit<Accepted, 'nonce'>, nonce: string): Result
}

let dummySecret: string | undefined

/** The scheme of `X-Timestamp`, `X-Nonce` and `X-Signature`. */
export const OWN_SCHEME: Scheme<Secret, string, Accepted> = {
  headers: [HEADERS],
  messages: () => MESSAGES,
  readSecrets,
  dummyKeys(keys) {
    dummySecret ??= generateSecret()
    return keys.length > 0 ? [] : [dummySecret]
  },
  isNonce,
  describeNonce,
  isSignature,
  describeSignature,
  matcher: (message, signature) => (secret) => isSignatureOf(message, signature, secret),
  reservationKeys,
  adviseOnSecrets,
  accept: ({ ok, webhookId, timestamp, secretIndex }, nonce) => ({ ok, webhookId, timestamp, nonce, secretIndex }),
}
