import { concat, fromUtf8, hex, utf8, utf16 } from '../bytes.js'
import type { HashAlgorithm, Hypothesis, RequestContext } from './hypothesis.js'

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

const instead = { code: 'signature_algorithm', fix: 'use_hmac_sha256', what: 'an HMAC with {} instead of SHA-256' } as const

/** The algorithms by the length of the digest. The most usual one of each length is first. */
export const ALGORITHMS: readonly {
  readonly algorithm: HashAlgorithm
  readonly name: string
  readonly length: number
  readonly isRare?: true
  readonly other?: Pick<DigestHypothesis, 'code' | 'fix' | 'what'>
}[] = [
  { algorithm: 'sha256', name: 'SHA-256', length: 32 },
  { algorithm: 'sha1', name: 'SHA-1', length: 20, other: instead },
  { algorithm: 'sha512', name: 'SHA-512', length: 64, other: instead },
  { algorithm: 'sha384', name: 'SHA-384', length: 48, other: instead },
  { algorithm: 'md5', name: 'MD5', length: 16, other: instead },
  { algorithm: 'sha3-256', name: 'SHA3-256', length: 32, isRare: true, other: instead },
]

export const hmacOf = ({ algorithm, key, message }: DigestInput, { primitives }: RequestContext) => primitives.hmac(algorithm, key, message)
const hashOf = (algorithm: HashAlgorithm, { primitives }: RequestContext, ...parts: Uint8Array[]) => primitives.hash(algorithm, parts)
const hmacAgain = (input: DigestInput, context: RequestContext, message: Uint8Array | undefined) =>
  message && hmacOf({ ...input, message: [message] }, context)
const hexBytes = (bytes: Uint8Array | undefined) => bytes && utf8(hex(bytes))
const inUtf16 = (message: readonly Uint8Array[]) => utf16(fromUtf8(concat(...message)), 'little-endian')
const inUtf16WithMark = (message: readonly Uint8Array[]) => utf16(`\ufeff${fromUtf8(concat(...message))}`, 'big-endian')

const row = { code: 'signature_algorithm', fix: 'use_hmac_sha256', isKeyed: true } as const
const encoded = { code: 'body_encoding', fix: 'message_as_utf8', isKeyed: true } as const

/** The examples are of SHA-256, the key `key` and the message `message`. */
export const DIGEST_HYPOTHESES: readonly DigestHypothesis[] = [
  { ...row, likelihood: 'uncommon', what: '{} of the secret and then the message, without HMAC',
    apply: ({ algorithm, key, message }, context) => hashOf(algorithm, context, key, ...message) },
  { ...row, likelihood: 'uncommon', what: '{} of the message and then the secret, without HMAC',
    apply: ({ algorithm, key, message }, context) => hashOf(algorithm, context, ...message, key) },
  { ...row, likelihood: 'uncommon', isKeyed: false, what: '{} of the message alone, without the secret',
    apply: ({ algorithm, message }, context) => hashOf(algorithm, context, ...message) },
  { ...row, likelihood: 'uncommon', what: 'an HMAC with its arguments swapped: the message as the key, the secret as the message',
    apply: ({ algorithm, key, message }, context) => hmacOf({ algorithm, key: concat(...message), message: [key] }, context) },
  { ...row, likelihood: 'uncommon', what: "an HMAC of the message's {} in hex",
    apply: (input, context) => hmacAgain(input, context, hexBytes(hashOf(input.algorithm, context, ...input.message))) },
  { ...row, likelihood: 'rare', what: 'an HMAC of the bytes of the HMAC',
    apply: (input, context) => hmacAgain(input, context, hmacOf(input, context)) },
  { ...encoded, likelihood: 'uncommon', what: 'an HMAC of the whole message in UTF-16 (little-endian) instead of UTF-8',
    apply: (input, context) => hmacAgain(input, context, inUtf16(input.message)) },
  { ...encoded, likelihood: 'rare', what: 'an HMAC of the whole message in UTF-16 (big-endian) after a byte order mark',
    apply: (input, context) => hmacAgain(input, context, inUtf16WithMark(input.message)) },
]
