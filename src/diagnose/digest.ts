import { Buffer } from 'node:buffer'
import { createHash, createHmac } from 'node:crypto'
import { type Choice, RAREST } from './choice.js'
import type { FindingCode } from './finding.js'

/** A way to make a digest of a key and a message. */
export interface Digest {
  /** The bytes that it gives. */
  readonly size: number
  readonly usesKey: boolean
  /** How many hashes it takes over the message or a digest. */
  readonly hashes: number
  make(key: Uint8Array, message: readonly Uint8Array[]): Buffer
}

const SHA256_FIX =
  "On the sender's side: use SHA-256: Node: createHmac('sha256', secret), Python: hmac.new(key, message, hashlib.sha256), Go: hmac.New(sha256.New, key), Java: Mac.getInstance(\"HmacSHA256\"), PHP: hash_hmac('sha256', $message, $secret), openssl: dgst -sha256"
const HMAC_FIX =
  "On the sender's side: HMAC, keyed by the secret, over the message, once: Node: createHmac('sha256', secret).update(message).digest('hex'), Python: hmac.new(secret.encode(), message, hashlib.sha256).hexdigest(), PHP: hash_hmac('sha256', $message, $secret)"

function hmac(algorithm: string, key: Uint8Array, message: readonly Uint8Array[]): Buffer {
  const hash = createHmac(algorithm, key)
  for (const part of message) hash.update(part)
  return hash.digest()
}

function hash(algorithm: string, message: readonly Uint8Array[]): Buffer {
  const hash = createHash(algorithm)
  for (const part of message) hash.update(part)
  return hash.digest()
}

const UTF8_FIX =
  "On the sender's side: encode the message as UTF-8: C#: Encoding.UTF8.GetBytes(message), not Encoding.Unicode; Java: message.getBytes(StandardCharsets.UTF_8)"

const BYTE_ORDER_MARK = Uint8Array.of(0xfe, 0xff)

const utf16 = (message: readonly Uint8Array[]) => Buffer.from(Buffer.concat(message).toString('utf8'), 'utf16le')

const COLON = new TextEncoder().encode(':')

/** The algorithms by the bytes that they give, the usual one first. */
const ALGORITHMS: readonly (readonly [size: number, algorithm: string, name: string, cost: number])[] = [
  [32, 'sha256', 'SHA-256', 0],
  [20, 'sha1', 'SHA-1', 0],
  [64, 'sha512', 'SHA-512', 0],
  [48, 'sha384', 'SHA-384', 0],
  [16, 'md5', 'MD5', 0],
  [28, 'sha224', 'SHA-224', 0],
  [32, 'sha3-256', 'SHA3-256', 5],
  [32, 'blake2s256', 'BLAKE2s', 6],
  [32, 'sha512-256', 'SHA-512/256', 6],
  [64, 'sha3-512', 'SHA3-512', 5],
  [64, 'blake2b512', 'BLAKE2b', 6],
  [48, 'sha3-384', 'SHA3-384', 5],
  [20, 'ripemd160', 'RIPEMD-160', 6],
]

/** What else is done with an algorithm than an HMAC of the message, keyed by the secret. */
const CONSTRUCTIONS: readonly {
  readonly cost: number
  readonly code?: FindingCode
  readonly what: (name: string) => string
  readonly usesKey?: false
  readonly hashes: number
  readonly make: (algorithm: string, key: Uint8Array, message: readonly Uint8Array[]) => Buffer
}[] = [
  {
    cost: 3,
    what: (name) => `${name} of the secret and then the message, without HMAC`,
    hashes: 1,
    make: (algorithm, key, message) => hash(algorithm, [key, ...message]),
  },
  {
    cost: 3,
    what: (name) => `${name} of the message and then the secret, without HMAC`,
    hashes: 1,
    make: (algorithm, key, message) => hash(algorithm, [...message, key]),
  },
  {
    cost: 3,
    what: (name) => `${name} of the message alone, without the secret`,
    usesKey: false,
    hashes: 1,
    make: (algorithm, _, message) => hash(algorithm, message),
  },
  {
    cost: 3,
    what: () => 'an HMAC with its arguments swapped: the message as the key, the secret as the message',
    hashes: 2,
    make: (algorithm, key, message) => {
      const mac = createHmac(algorithm, Buffer.concat(message))
      return mac.update(key).digest()
    },
  },
  {
    cost: 4,
    what: (name) => `${name} of the secret, \`:\` and the message, without HMAC`,
    hashes: 1,
    make: (algorithm, key, message) => hash(algorithm, [key, COLON, ...message]),
  },
  {
    cost: 4,
    what: (name) => `${name} of the message, \`:\` and the secret, without HMAC`,
    hashes: 1,
    make: (algorithm, key, message) => hash(algorithm, [...message, COLON, key]),
  },
  {
    cost: 6,
    what: (name) => `${name} of the secret, the message and the secret again, without HMAC`,
    hashes: 1,
    make: (algorithm, key, message) => hash(algorithm, [key, ...message, key]),
  },
  {
    cost: 4,
    code: 'body_encoding',
    what: () => 'an HMAC of the whole message in UTF-16 (little-endian) instead of UTF-8',
    hashes: 1,
    make: (algorithm, key, message) => hmac(algorithm, key, [utf16(message)]),
  },
  {
    cost: 4,
    code: 'body_encoding',
    what: () =>
      'an HMAC of the whole message in UTF-16 (little-endian), keyed by the secret in UTF-16, instead of UTF-8',
    hashes: 1,
    make: (algorithm, key, message) => hmac(algorithm, utf16([key]), [utf16(message)]),
  },
  {
    cost: 6,
    code: 'body_encoding',
    what: () => 'an HMAC of the whole message in UTF-16 (big-endian) after a byte order mark',
    hashes: 1,
    make: (algorithm, key, message) => hmac(algorithm, key, [BYTE_ORDER_MARK, utf16(message).swap16()]),
  },
  {
    cost: 4,
    what: (name) => `an HMAC of the message's ${name} in hex`,
    hashes: 2,
    make: (algorithm, key, message) => hmac(algorithm, key, [textBytes(hash(algorithm, message).toString('hex'))]),
  },
  {
    cost: 4,
    what: (name) => `an HMAC of the bytes of the message's ${name}`,
    hashes: 2,
    make: (algorithm, key, message) => hmac(algorithm, key, [hash(algorithm, message)]),
  },
  {
    cost: 5,
    what: () => 'an HMAC of the HMAC in hex',
    hashes: 2,
    make: (algorithm, key, message) => hmac(algorithm, key, [textBytes(hmac(algorithm, key, message).toString('hex'))]),
  },
  {
    cost: 5,
    what: () => 'an HMAC of the bytes of the HMAC',
    hashes: 2,
    make: (algorithm, key, message) => hmac(algorithm, key, [hmac(algorithm, key, message)]),
  },
  {
    cost: 5,
    what: (name) => `${name} of the bytes of the HMAC`,
    hashes: 2,
    make: (algorithm, key, message) => hash(algorithm, [hmac(algorithm, key, message)]),
  },
  {
    cost: 5,
    what: (name) => `${name} of the HMAC in hex`,
    hashes: 2,
    make: (algorithm, key, message) => hash(algorithm, [textBytes(hmac(algorithm, key, message).toString('hex'))]),
  },
  {
    cost: 5,
    what: (name) => `${name} of the ${name} of the message, without the secret`,
    usesKey: false,
    hashes: 2,
    make: (algorithm, _, message) => hash(algorithm, [hash(algorithm, message)]),
  },
]

const textBytes = (text: string) => new TextEncoder().encode(text)

/**
 * The ways to make a digest.
 *
 * @param whole - the sizes in bytes that it may have.
 * @param cut - those that it may have had before it was cut.
 */
export function digestChoices(whole: readonly number[], cut: readonly number[] = []): Choice<Digest>[] {
  const possible = ALGORITHMS.filter(([size]) => whole.includes(size) || cut.includes(size))
  const choices: Choice<Digest>[] = []
  for (const [size, algorithm, name, cost] of possible) {
    const isRight = algorithm === 'sha256'
    // A size that fits leaves no doubt about the algorithm; where none does, SHA-256 was cut sooner than another.
    const fits = whole.length > 0 ? whole.includes(size) : isRight
    const doubt = fits ? 0 : 4
    choices.push({
      cost: isRight ? 0 : cost + doubt,
      deviation: isRight
        ? undefined
        : { code: 'signature_algorithm', what: `an HMAC with ${name} instead of SHA-256`, fix: SHA256_FIX },
      value: { size, usesKey: true, hashes: 1, make: (key, message) => hmac(algorithm, key, message) },
    })
    for (const { cost: more, code = 'signature_algorithm', what, usesKey = true, hashes, make } of CONSTRUCTIONS) {
      choices.push({
        cost: Math.min(cost + doubt + more, RAREST),
        deviation: { code, what: what(name), fix: code === 'signature_algorithm' ? HMAC_FIX : UTF8_FIX },
        value: { size, usesKey, hashes, make: (key, message) => make(algorithm, key, message) },
      })
    }
  }
  return choices.sort((one, other) => one.cost - other.cost)
}

/** The sizes that a digest can have, in bytes. */
export const DIGEST_SIZES = [...new Set(ALGORITHMS.map(([size]) => size))]
