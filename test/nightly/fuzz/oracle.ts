import { hashes, verify } from '@noble/ed25519'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'

hashes.sha512 = sha512

// A second implementation of both schemes, written only from the specifications and in another style: with big integers, another
// HMAC-SHA256 and Ed25519, and a plain list of nonces. It imports nothing of src/.

type Check = (value: string, message: Uint8Array) => boolean

/** What differs between the two schemes. */
export interface Rules {
  /** The names of the headers. If there is more than one set, the first set counts of which a header is there. */
  readonly headers: readonly (readonly [timestamp: string, nonce: string, signature: string])[]
  readonly maxNonce: number
  /** A character that a nonce may not have. */
  readonly forbidden: string | undefined
  /** Returns what checks the value of the signature's header, or `undefined` for a secret that the caller may not pass. */
  checkOf(secret: string): Check | undefined
  /** How many of these secrets may begin with `whpk_`. */
  readonly maxPublicKeys: number
  /** Returns what is signed before the body. */
  prefixOf(timestamp: string, nonce: string): string
  /** Returns what is accepted once. */
  keysOf(message: Uint8Array, received: { timestamp: string; nonce: string; signature: string }): string[]
}

export const OWN_RULES: Rules = {
  headers: [['x-timestamp', 'x-nonce', 'x-signature']],
  maxNonce: 128,
  forbidden: undefined,
  maxPublicKeys: Number.POSITIVE_INFINITY,
  checkOf(secret) {
    const key = utf8(secret)
    if (key === undefined || key.length === 0) return undefined
    return (value, message) => isHexOf(value, hmac(sha256, key, message))
  },
  prefixOf: (timestamp, nonce) => `${timestamp}:${nonce}:`,
  keysOf: (message, { timestamp, nonce, signature }) =>
    countSplits(message, timestamp.length + 1) > 1 ? [nonce, `signature ${signature}`] : [nonce],
}

/** A secret that begins with this is passed as bytes: the rest, in Latin-1. */
export const BYTES = 'bytes:'

export const STANDARD_RULES: Rules = {
  headers: [
    ['webhook-timestamp', 'webhook-id', 'webhook-signature'],
    ['svix-timestamp', 'svix-id', 'svix-signature'],
  ],
  maxNonce: 256,
  forbidden: '.',
  maxPublicKeys: 2,
  checkOf(secret) {
    if (secret.startsWith('whpk_')) {
      const key = decode64(secret.slice(5))
      if (key?.length !== 32) return undefined
      return (value, message) =>
        entriesOf(value, 'v1a,', 64, 2).some((signature) => verify(signature, message, key, { zip215: false }))
    }
    const isBytes = secret.startsWith(BYTES)
    const bytes = Uint8Array.from(secret.slice(BYTES.length), (one) => one.charCodeAt(0))
    const key = isBytes ? bytes : decode64(secret.replace(/^(v1,)?whsec_/, ''))
    if (key === undefined || (isBytes ? key.length === 0 : key.length < 24 || key.length > 64)) return undefined
    return (value, message) => {
      const right = Buffer.from(hmac(sha256, key, message))
      return entriesOf(value, 'v1,', 32, 8).some((signature) => right.equals(signature))
    }
  },
  prefixOf: (timestamp, nonce) => `${nonce}.${timestamp}.`,
  keysOf: (_, { timestamp, nonce }) => [`attempt ${nonce}.${timestamp}`],
}

/** A request as bytes, with its headers in order, and the times that the server's clock returned. */
export interface Received {
  readonly webhookId: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array | string
  readonly secrets: readonly string[]
  /** Server time at arrival and after the store has answered. */
  readonly wall: readonly [unknown, unknown]
  /** Time of the store's clock, in milliseconds. */
  readonly storeTime: number
}

export interface MemoryOptions {
  readonly capacity: number
  readonly forgetsOldest: boolean
  /** Whether the store reserves both keys of a message in one step, or none of them. */
  readonly atOnce: boolean
  /** The store is broken, so it has no answer. */
  readonly broken: boolean
}

interface Kept {
  readonly webhookId: string
  readonly key: string
  readonly lastMillisecond: number
}

const ARGUMENT = 'ERR_INVALID_ARGUMENT'
const STORE = 'ERR_NONCE_STORE'

export class Oracle {
  kept: Kept[] = []

  constructor(readonly rules: Rules) {}

  /** Returns the result in one line, such as `accepted by secret 0 at 1700000000 with abc on 42`. */
  judge(received: Received, memory: MemoryOptions): string {
    const { webhookId, fields, secrets, wall } = received
    const { rules } = this
    const body = typeof received.body === 'string' ? utf8(received.body) : received.body
    if (webhookId === '' || secrets.length === 0 || body === undefined) return ARGUMENT
    if (utf8(webhookId) === undefined) return ARGUMENT
    const checks: Check[] = []
    for (const secret of secrets) {
      const check = rules.checkOf(secret)
      if (check === undefined) return ARGUMENT
      checks.push(check)
    }
    if (secrets.filter((secret) => secret.startsWith('whpk_')).length > rules.maxPublicKeys) return ARGUMENT

    const isThere = (name: string) => fieldOf(fields, name) !== undefined
    const names = rules.headers.find((set) => set.some(isThere)) ?? rules.headers[0]
    const [timestamp, nonce, signature] = (names ?? []).map((name) => fieldOf(fields, name))
    const missing = names?.find((name) => !isThere(name))
    if (missing !== undefined) return `missing_header ${missing}`
    if (timestamp === undefined || nonce === undefined || signature === undefined) return 'no names'

    if (timestamp === '' || [...timestamp].some((unit) => unit < '0' || unit > '9')) return 'invalid_timestamp'
    if (!isNear(timestamp, wall[0])) return 'timestamp_outside_window'
    if (nonce === '' || nonce.length > rules.maxNonce) return 'invalid_nonce'
    if ([...nonce].some((unit) => unit < '!' || unit > '~')) return 'invalid_nonce'
    if (rules.forbidden !== undefined && nonce.includes(rules.forbidden)) return 'invalid_nonce'

    const prefix = rules.prefixOf(timestamp, nonce)
    const message = Buffer.concat([Buffer.from(prefix, 'latin1'), body])

    const matching = checks.findIndex((check) => check(signature, message))
    if (matching < 0) return 'signature_mismatch'

    const wanted = rules.keysOf(message, { timestamp, nonce, signature })
    const answer = this.#take(webhookId, wanted, received.storeTime, memory)
    if (answer !== 'free') return answer === 'taken' ? 'replayed_nonce' : STORE
    if (!isNear(timestamp, wall[1])) return 'timestamp_outside_window'
    return `accepted by secret ${matching} at ${BigInt(timestamp)} with ${nonce} on ${webhookId}`
  }

  #take(webhookId: string, keys: readonly string[], time: number, memory: MemoryOptions): 'free' | 'taken' | 'failed' {
    if (memory.broken) return 'failed'
    for (const group of memory.atOnce ? [keys] : keys.map((key) => [key])) {
      // The last reserved millisecond is the time of the reservation, rounded up, plus 600 s.
      this.kept = this.kept.filter(({ lastMillisecond }) => Math.floor(time) <= lastMillisecond)
      if (this.kept.some((one) => one.webhookId === webhookId && group.includes(one.key))) return 'taken'
      if (this.kept.length + group.length > memory.capacity) {
        if (!memory.forgetsOldest) return 'failed'
        this.kept.splice(0, this.kept.length + group.length - memory.capacity)
      }
      for (const key of group) this.kept.push({ webhookId, key, lastMillisecond: Math.ceil(time) + 600_000 })
    }
    return 'free'
  }
}

/** Returns the values of a field in their order, joined with `, `. Names are compared without the case of ASCII letters. */
function fieldOf(fields: Received['fields'], lowercase: string): string | undefined {
  let joined: string | undefined
  for (const [name, value] of fields) {
    if (name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) === lowercase)
      joined = joined === undefined ? value : `${joined}, ${value}`
  }
  return joined
}

/** Times have up to 20 binary places, so they are compared as whole multiples of 2^-20 ms. */
const PLACES = 2 ** 20

function isNear(digits: string, wall: unknown): boolean {
  if (typeof wall !== 'number' || wall - wall !== 0) return false
  let first = 0
  while (digits.charCodeAt(first) === 0x30 && first < digits.length - 1) first++
  if (digits.length - first > 20) return false
  const distance = BigInt(wall * PLACES) - BigInt(digits) * 1000n * BigInt(PLACES)
  const limit = 300_000n * BigInt(PLACES)
  return distance <= limit && distance >= -limit
}

/** Returns the first entries of a list that are base64 of so many bytes in its one way of writing, after a version. */
function entriesOf(value: string, version: string, length: number, maximum: number): Uint8Array[] {
  if (value.includes(', ')) return []
  return value
    .split(' ')
    .filter((entry) => entry.startsWith(version))
    .map((entry) => [entry.slice(version.length), Buffer.from(entry.slice(version.length), 'base64')] as const)
    .filter(([text, bytes]) => bytes.length === length && text === bytes.toString('base64'))
    .slice(0, maximum)
    .map(([, bytes]) => bytes)
}

function isHexOf(text: string, bytes: Uint8Array): boolean {
  return text === Buffer.from(bytes).toString('hex')
}

/** Decodes base64 with its padding (RFC 4648), or returns `undefined`. Bits of the last digit that are not in use must be 0. */
function decode64(text: string): Uint8Array | undefined {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
  // Before `=`, the last digit has 4 bits in use, and before `==` it has 2.
  const hasStrayBits = !/^[^=]*([AEIMQUYcgkosw048]=|[AQgw]==|)$/.test(text)
  return isBase64 && !hasStrayBits ? Buffer.from(text, 'base64') : undefined
}

/** Returns in how many ways the message after `start` can be split into a nonce, a colon and a body. */
function countSplits(message: Uint8Array, start: number): number {
  let splits = 0
  for (let length = 0; length <= 128; length++) {
    const byte = message[start + length]
    if (byte === 0x3a && length > 0) splits++
    if (byte === undefined || byte <= 0x20 || byte >= 0x7f) break
  }
  return splits
}

/** Encodes a text, or returns `undefined` if it has a lone surrogate. */
function utf8(text: string): Uint8Array | undefined {
  return /\p{Cs}/u.test(text) ? undefined : Buffer.from(text)
}
