import { concat, fromUtf8, hex, utf8, utf16 } from '../bytes.js'
import type { HashAlgorithm, Hypothesis, Likelihood, RequestContext } from './hypothesis.js'

// How the digest may have been made instead of as an HMAC with SHA-256.

/** The parts of a digest. */
export interface DigestInput {
  readonly algorithm: HashAlgorithm
  readonly key: Uint8Array
  readonly message: readonly Uint8Array[]
}

/** A way to make a digest. In the phrase, `{}` is the name of the algorithm. */
export interface DigestHypothesis extends Hypothesis<DigestInput, Uint8Array> {
  /** Whether the secret makes a difference. */
  readonly isKeyed: boolean
}

/** The algorithms by the length of the digest in bytes. The most usual one of each length is first. */
export const ALGORITHMS: readonly { readonly algorithm: HashAlgorithm; readonly name: string; readonly length: number }[] = [
  { algorithm: 'sha256', name: 'SHA-256', length: 32 },
  { algorithm: 'sha1', name: 'SHA-1', length: 20 },
  { algorithm: 'sha512', name: 'SHA-512', length: 64 },
  { algorithm: 'sha384', name: 'SHA-384', length: 48 },
  { algorithm: 'md5', name: 'MD5', length: 16 },
  { algorithm: 'sha3-256', name: 'SHA3-256', length: 32 },
]

const hmacOf = ({ algorithm, key, message }: DigestInput, { primitives }: RequestContext) => primitives.hmac(algorithm, key, message)
const hashOf = (algorithm: HashAlgorithm, { primitives }: RequestContext, ...parts: Uint8Array[]) => primitives.hash(algorithm, parts)
const hmacAgain = (input: DigestInput, context: RequestContext, message: Uint8Array | undefined) =>
  message && hmacOf({ ...input, message: [message] }, context)
const hexBytes = (bytes: Uint8Array | undefined) => bytes && utf8(hex(bytes))
const inUtf16 = (message: readonly Uint8Array[]) => utf16(fromUtf8(concat(...message)), 'little-endian')
const inUtf16WithMark = (message: readonly Uint8Array[]) => utf16(`\ufeff${fromUtf8(concat(...message))}`, 'big-endian')

const row = (likelihood: Likelihood, what: string, apply: DigestHypothesis['apply'], isKeyed = true): DigestHypothesis =>
  ({ likelihood, code: 'signature_algorithm', fix: 'use_hmac_sha256', what, apply, isKeyed })
const encoded = (...given: Parameters<typeof row>): DigestHypothesis => ({ ...row(...given), code: 'body_encoding', fix: 'encode_once', side: 'sender' })

/** An HMAC with SHA-256, as the rules say, and with another algorithm. */
export const HMAC = row('uncommon', 'an HMAC with {} instead of SHA-256', hmacOf)

/** The examples are of SHA-256, the key `key` and the message `message`. */
export const DIGEST_HYPOTHESES: readonly DigestHypothesis[] = [
  row('uncommon', '{} of the secret and then the message, without HMAC',
    ({ algorithm, key, message }, context) => hashOf(algorithm, context, key, ...message)),
  row('uncommon', '{} of the message and then the secret, without HMAC',
    ({ algorithm, key, message }, context) => hashOf(algorithm, context, ...message, key)),
  row('uncommon', '{} of the message alone, without the secret',
    ({ algorithm, message }, context) => hashOf(algorithm, context, ...message), false),
  row('uncommon', 'an HMAC with its arguments swapped: the message as the key, the secret as the message',
    ({ algorithm, key, message }, context) => hmacOf({ algorithm, key: concat(...message), message: [key] }, context)),
  row('uncommon', "an HMAC of the message's {} in hex",
    (input, context) => hmacAgain(input, context, hexBytes(hashOf(input.algorithm, context, ...input.message)))),
  row('rare', 'an HMAC of the bytes of the HMAC', (input, context) => hmacAgain(input, context, hmacOf(input, context))),
  encoded('uncommon', 'an HMAC of the whole message in UTF-16 (little-endian) instead of UTF-8',
    (input, context) => hmacAgain(input, context, inUtf16(input.message))),
  encoded('rare', 'an HMAC of the whole message in UTF-16 (big-endian) after a byte order mark',
    (input, context) => hmacAgain(input, context, inUtf16WithMark(input.message))),
]
