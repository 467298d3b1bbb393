import { concat, fromUtf8, hex, utf8, utf16 } from '../bytes.js'
import type { Context, HashAlgorithm, Hypothesis } from './hypothesis.js'

// How the digest may have been made instead of as an HMAC with SHA-256.

/** The parts of a digest. */
export interface DigestInput {
  readonly algorithm: HashAlgorithm
  readonly key: Uint8Array
  readonly message: readonly Uint8Array[]
}

/** A way to make a digest. In the phrase, `{}` stands for the name of the algorithm. */
export interface DigestHypothesis extends Hypothesis<DigestInput, Uint8Array> {
  /** Whether the secret makes a difference. */
  readonly isKeyed: boolean
}

const instead = { code: 'signature_algorithm', fix: 'use_hmac_sha256', what: 'an HMAC with {} instead of SHA-256' } as const

/** The algorithms by the length of their digests, the usual one of each length first. */
export const ALGORITHMS: readonly {
  readonly algorithm: HashAlgorithm
  readonly name: string
  readonly length: number
  readonly isRare?: true
  readonly other?: Pick<DigestHypothesis, 'id' | 'code' | 'fix' | 'what'>
}[] = [
  { algorithm: 'sha256', name: 'SHA-256', length: 32 },
  { algorithm: 'sha1', name: 'SHA-1', length: 20, other: { ...instead, id: 'digest_sha1' } },
  { algorithm: 'sha512', name: 'SHA-512', length: 64, other: { ...instead, id: 'digest_sha512' } },
  { algorithm: 'sha384', name: 'SHA-384', length: 48, other: { ...instead, id: 'digest_sha384' } },
  { algorithm: 'sha224', name: 'SHA-224', length: 28, other: { ...instead, id: 'digest_sha224' } },
  { algorithm: 'md5', name: 'MD5', length: 16, other: { ...instead, id: 'digest_md5' } },
  { algorithm: 'sha3-256', name: 'SHA3-256', length: 32, isRare: true, other: { ...instead, id: 'digest_sha3' } },
]

export const hmacOf = ({ algorithm, key, message }: DigestInput, { primitives }: Context) => primitives.hmac(algorithm, key, message)
const hashOf = (algorithm: HashAlgorithm, { primitives }: Context, ...parts: Uint8Array[]) => primitives.hash(algorithm, parts)
const hmacAgain = (input: DigestInput, context: Context, message: Uint8Array | undefined) =>
  message && hmacOf({ ...input, message: [message] }, context)
const hexBytes = (bytes: Uint8Array | undefined) => bytes && utf8(hex(bytes))
const inUtf16 = (message: readonly Uint8Array[]) => utf16(fromUtf8(concat(...message)), 'little-endian')
const inUtf16WithMark = (message: readonly Uint8Array[]) => utf16(`\ufeff${fromUtf8(concat(...message))}`, 'big-endian')

const row = { code: 'signature_algorithm', fix: 'use_hmac_sha256', isKeyed: true } as const
const encoded = { code: 'body_encoding', fix: 'message_as_utf8', isKeyed: true } as const

/** The examples are of SHA-256, the key `key` and the message `message`. */
export const DIGEST_HYPOTHESES: readonly DigestHypothesis[] = [
  { ...row, id: 'digest_key_message', likelihood: 'uncommon', what: '{} of the secret and then the message, without HMAC',
    apply: ({ algorithm, key, message }, context) => hashOf(algorithm, context, key, ...message),
    example: ['', 'hex:8ebbc3081b0700d1c226cafda9032a6a11224ed7367c5d59425e548ac4e70c0e'] },
  { ...row, id: 'digest_message_key', likelihood: 'uncommon', what: '{} of the message and then the secret, without HMAC',
    apply: ({ algorithm, key, message }, context) => hashOf(algorithm, context, ...message, key),
    example: ['', 'hex:48fde309cc9b11d312cf6ef60e00d4274456687643fb56ed4111c152634086e0'] },
  { ...row, id: 'digest_message', likelihood: 'uncommon', isKeyed: false, what: '{} of the message alone, without the secret',
    apply: ({ algorithm, message }, context) => hashOf(algorithm, context, ...message),
    example: ['', 'hex:ab530a13e45914982b79f9b7e3fba994cfd1f3fb22f71cea1afbf02b460c6d1d'] },
  { ...row, id: 'digest_swapped', likelihood: 'uncommon', what: 'an HMAC with its arguments swapped: the message as the key, the secret as the message',
    apply: ({ algorithm, key, message }, context) => hmacOf({ algorithm, key: concat(...message), message: [key] }, context),
    example: ['', 'hex:f06c9ac261ffeaf084c543ae31d97f6141dc6b3740831b392d5d0896f144bc36'] },
  { ...row, id: 'digest_of_hash_hex', likelihood: 'uncommon', what: "an HMAC of the message's {} in hex",
    apply: (input, context) => hmacAgain(input, context, hexBytes(hashOf(input.algorithm, context, ...input.message))),
    example: ['', 'hex:70d7e8820efdcb18bc2a4b8a2cc7dfc6bd36243114d538e570178f904451bf09'] },
  { ...row, id: 'digest_of_hmac', likelihood: 'rare', what: 'an HMAC of the bytes of the HMAC',
    apply: (input, context) => hmacAgain(input, context, hmacOf(input, context)),
    example: ['', 'hex:9f5fb3499d004bf5e9e0b6aae53f85f85a1347821102a1f07c0fedafb23718e1'] },
  { ...encoded, id: 'digest_utf16', likelihood: 'uncommon', what: 'an HMAC of the whole message in UTF-16 (little-endian) instead of UTF-8',
    apply: (input, context) => hmacAgain(input, context, inUtf16(input.message)),
    example: ['', 'hex:e193c72be512d768830434661472afb261e0e0fb0a7b7aae941a4f582be7009e'] },
  { ...encoded, id: 'digest_utf16_key', likelihood: 'uncommon', what: 'an HMAC of the whole message in UTF-16 (little-endian), with the secret in UTF-16, instead of UTF-8',
    apply: (input, context) => hmacAgain({ ...input, key: inUtf16([input.key]) }, context, inUtf16(input.message)),
    example: ['', 'hex:29aa8e838fbbd3cdcda29a6633f3d569999a342fb337bc89aa7ac127c3cd9745'] },
  { ...encoded, id: 'digest_utf16_mark', likelihood: 'rare', what: 'an HMAC of the whole message in UTF-16 (big-endian) after a byte order mark',
    apply: (input, context) => hmacAgain(input, context, inUtf16WithMark(input.message)),
    example: ['', 'hex:337d321c8f22dfe73917454807b79c1823dba8becef94aea9cef9fd6396dfba0'] },
]
