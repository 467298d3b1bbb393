import { Buffer } from 'node:buffer'
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

// Signatures of version `v1a`: Ed25519 (RFC 8032).

/**
 * The points of small order, as the y coordinate in RFC 8032 without the sign of x. The last two are other spellings of 0 and 1. With such a
 * public key, anybody can compute a signature: for the key 1, R = 1 and S = 0 are valid for every message. OpenSSL does not refuse these keys.
 */
const SMALL_ORDER: readonly string[] = [
  `00${'00'.repeat(31)}`,
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]

export function hasSmallOrder(publicKey: Uint8Array): boolean {
  const y = Buffer.from(publicKey)
  y[31] = (y[31] as number) & 0x7f
  return SMALL_ORDER.includes(y.toString('hex'))
}

/** Node throws for a longer message. */
const MAX_BYTES = 2 ** 31 - 1

/** The start of a private key in PKCS #8 (RFC 8410), which the seed follows. */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Returns the private key of a seed. Unlike PKCS #8, a JWK needs the public key, and Node 20 does not check whether it is the right one. */
function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_START, seed]), format: 'der', type: 'pkcs8' })
}

/** Returns the 32 bytes of the public key that belongs to a seed. */
export function publicKeyOf(seed: Uint8Array): Buffer {
  return Buffer.from(String(createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' }).x), 'base64url')
}

/** Returns the signature of a message in base64, 88 characters. */
export function signEd25519(message: Uint8Array, seed: Uint8Array): string {
  return sign(null, message, privateKeyOf(seed)).toString('base64')
}

/**
 * Returns whether one of the signatures, in base64, is the signature of a message. Key, message and signatures are public, so the time of
 * this function may depend on them.
 */
export function isSignedWith(message: Uint8Array, signatures: readonly string[], publicKey: Uint8Array): boolean {
  if (message.length > MAX_BYTES) return false
  // The import of a JWK takes a tenth of the time of a DER key.
  const x = Buffer.from(publicKey).toString('base64url')
  let key: KeyObject
  try {
    key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  } catch {
    // Without Ed25519, as in FIPS mode, this derivation throws too. Then the receiver is at fault.
    publicKeyOf(publicKey)
    // Deno refuses bytes that are no point of the curve. Node accepts them, and then no signature is valid.
    return false
  }
  return signatures.some((signature) => verify(null, message, key, Buffer.from(signature, 'base64')))
}
