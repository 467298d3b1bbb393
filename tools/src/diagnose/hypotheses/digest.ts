import { base64, bytesOf, concat, fromUtf8, hex, utf8, utf16 } from '../../bytes.js'
import { ALGORITHMS, type HashAlgorithm } from '../../primitives.js'
import type { SignatureForm } from '../signature-form.js'
import { type Bytes, type Hypothesis, hypothesesOf, type RequestContext } from './hypothesis.js'

// This file lists the digests that a sender may compute by mistake instead of HMAC-SHA256.

export interface Digest {
  /** Returns the digest in lowercase hex, or `undefined` if the platform does not support the algorithm. */
  readonly make: (key: Uint8Array, message: readonly Uint8Array[], context: RequestContext) => string | undefined
  /** Whether the digest depends on the secret. */
  readonly isKeyed: boolean
}

const hmacWith = (algorithm: HashAlgorithm): Digest => ({
  make: (key, message, { primitives }) => primitives.hmac(algorithm, key, message),
  isKeyed: true,
})

export const RIGHT_DIGEST = hmacWith('sha256')

/** Returns hypotheses for the wrong digests that have the length of X-Signature. */
export function digestHypotheses(forms: readonly SignatureForm[]): Hypothesis<Digest, Digest>[] {
  const lengthsOf = (code: SignatureForm['code']) =>
    forms.filter((form) => form.code === code).flatMap(({ lengths }) => lengths)
  const whole = lengthsOf('signature_format')
  const possible = new Set([...whole, ...lengthsOf('signature_truncated')])
  return ALGORITHMS.filter(({ length }) => possible.has(length)).flatMap(({ algorithm, name, length }) => {
    const isRare = length === 32 && algorithm !== 'sha256'
    // The length of a whole digest shows the algorithm. A digest that was cut is most likely SHA-256.
    const isGiven = !isRare && (whole.length === 0 ? algorithm === 'sha256' : whole.includes(length))
    const likelihood = isGiven ? 'expected' : isRare ? 'rare' : 'uncommon'
    const hmac = () => hmacWith(algorithm)
    const others = wrongDigests(algorithm, name)
    return [
      ...(algorithm === 'sha256' ? [] : [other(likelihood, `an HMAC with ${name} instead of SHA-256`, hmac)]),
      ...(isGiven ? others : others.map((other) => ({ ...other, likelihood: 'rare' as const }))),
    ]
  })
}

const other = hypothesesOf<Digest, Digest>({ code: 'signature_algorithm', fix: 'use_hmac_sha256' })
const encoded = hypothesesOf<Digest, Digest>({ code: 'body_encoding', fix: 'encode_once', side: 'sender' })

export function wrongDigests(algorithm: HashAlgorithm, name: string): readonly Hypothesis<Digest, Digest>[] {
  const made =
    (make: Digest['make'], isKeyed = true) =>
    () => ({ make, isKeyed })
  const { make: hmac } = hmacWith(algorithm)
  const hash = (...order: readonly ('key' | 'separator' | 'message')[]) =>
    made((key, message, { primitives }) => {
      const parts = { key: [key], separator: [utf8(':')], message }
      const digest = primitives.hash(
        algorithm,
        order.flatMap((part) => parts[part]),
      )
      return digest && hex(digest)
    }, order.includes('key'))
  const ofWhole = (write: (message: Uint8Array) => Bytes) =>
    made((key, message, context) => {
      const whole = concat(...message)
      context.spend(whole.length)
      return hmac(key, [bytesOf(write(whole))], context)
    })
  const ofHash = (write: (digest: Uint8Array) => Bytes) =>
    made((key, message, context) => {
      const digest = context.primitives.hash(algorithm, message)
      return digest && hmac(key, [bytesOf(write(digest))], context)
    })
  return [
    other('uncommon', `${name} of the secret and then the message, without HMAC`, hash('key', 'message')),
    other('uncommon', `${name} of the message and then the secret, without HMAC`, hash('message', 'key')),
    other('rare', `${name} of the secret, a colon and the message, without HMAC`, hash('key', 'separator', 'message')),
    other('rare', `${name} of the message, a colon and the secret, without HMAC`, hash('message', 'separator', 'key')),
    other('uncommon', `${name} of the message alone, without the secret`, hash('message')),
    other(
      'uncommon',
      'an HMAC with its arguments swapped: the message as the key, the secret as the message',
      made((key, message, context) => hmac(concat(...message), [key], context)),
    ),
    other('uncommon', `an HMAC of the message's ${name} in hex`, ofHash(hex)),
    other(
      'rare',
      `an HMAC of the message's ${name}, as bytes`,
      ofHash((digest) => digest),
    ),
    other('uncommon', 'an HMAC of the message in base64', ofWhole(base64)),
    other(
      'uncommon',
      'an HMAC of the HMAC in hex',
      made((key, message, context) => {
        const first = hmac(key, message, context)
        return first && hmac(key, [utf8(first)], context)
      }),
    ),
    encoded(
      'uncommon',
      'an HMAC of the whole message in UTF-16 (little-endian) instead of UTF-8',
      ofWhole((whole) => utf16(fromUtf8(whole), 'little-endian')),
    ),
    encoded(
      'rare',
      'an HMAC of the whole message in UTF-16 (big-endian) after a byte order mark',
      ofWhole((whole) => utf16(`\ufeff${fromUtf8(whole)}`, 'big-endian')),
    ),
  ]
}
