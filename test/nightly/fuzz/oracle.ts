import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

// A second implementation of the rules, written only from the specification and in another style. It works byte by byte, with
// big integers, another HMAC-SHA256, and a plain list of nonces. It imports nothing of src/.

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

export const ARGUMENT = 'ERR_INVALID_ARGUMENT'
export const STORE = 'ERR_NONCE_STORE'

export class Oracle {
  kept: Kept[] = []

  /** Says the result in one line, such as `accepted by secret 0 at 1700000000 with abc on 42`. */
  judge(received: Received, memory: MemoryOptions): string {
    const { webhookId, fields, secrets, wall } = received
    const body = typeof received.body === 'string' ? utf8(received.body) : received.body
    if (webhookId === '' || secrets.length === 0 || body === undefined) return ARGUMENT
    if (utf8(webhookId) === undefined) return ARGUMENT
    const keys: Uint8Array[] = []
    for (const secret of secrets) {
      const bytes = utf8(secret)
      if (bytes === undefined || bytes.length === 0) return ARGUMENT
      keys.push(bytes)
    }

    const timestamp = fieldOf(fields, 'x-timestamp')
    if (timestamp === undefined) return 'missing_header x-timestamp'
    const nonce = fieldOf(fields, 'x-nonce')
    if (nonce === undefined) return 'missing_header x-nonce'
    const signature = fieldOf(fields, 'x-signature')
    if (signature === undefined) return 'missing_header x-signature'

    if (!eachUnit(timestamp, 0x30, 0x39) || timestamp.length === 0) return 'invalid_timestamp'
    if (!isNear(timestamp, wall[0])) return 'timestamp_outside_window'
    if (!eachUnit(nonce, 0x21, 0x7e) || nonce.length === 0 || nonce.length > 128) return 'invalid_nonce'

    const start = timestamp.length + 1
    const message = new Uint8Array(start + nonce.length + 1 + body.length)
    for (let at = 0; at < timestamp.length; at++) message[at] = timestamp.charCodeAt(at)
    message[start - 1] = 0x3a
    for (let at = 0; at < nonce.length; at++) message[start + at] = nonce.charCodeAt(at)
    message[start + nonce.length] = 0x3a
    message.set(body, start + nonce.length + 1)

    let matching = -1
    for (let index = keys.length - 1; index >= 0; index--) {
      if (isHexOf(hmac(sha256, keys[index] as Uint8Array, message), signature)) matching = index
    }
    if (matching < 0) return 'signature_mismatch'

    const wanted = countSplits(message, start) > 1 ? [nonce, `signature ${signature}`] : [nonce]
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
    let same = name.length === lowercase.length
    for (let at = 0; same && at < name.length; at++) {
      const unit = name.charCodeAt(at)
      same = (unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit) === lowercase.charCodeAt(at)
    }
    if (same) joined = joined === undefined ? value : `${joined}, ${value}`
  }
  return joined
}

function eachUnit(text: string, lowest: number, highest: number): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < lowest || unit > highest) return false
  }
  return true
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

function isHexOf(bytes: Uint8Array, text: string): boolean {
  if (text.length !== bytes.length * 2) return false
  for (let at = 0; at < text.length; at++) {
    const half = ((bytes[at >> 1] as number) >> (at % 2 === 0 ? 4 : 0)) & 15
    if (text.charCodeAt(at) !== (half < 10 ? 0x30 + half : 0x57 + half)) return false
  }
  return true
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

/** Encodes a text (RFC 3629), or returns `undefined` if it has a lone surrogate. */
function utf8(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length * 3)
  let end = 0
  for (let at = 0; at < text.length; at++) {
    let point = text.charCodeAt(at)
    if (point >= 0xd800 && point <= 0xdfff) {
      const low = text.charCodeAt(at + 1)
      if (point >= 0xdc00 || !(low >= 0xdc00 && low <= 0xdfff)) return undefined
      point = 0x1_0000 + (point - 0xd800) * 0x400 + (low - 0xdc00)
      at++
    }
    if (point < 0x80) bytes[end++] = point
    else if (point < 0x800) {
      bytes[end++] = 0xc0 | (point >> 6)
      bytes[end++] = 0x80 | (point & 0x3f)
    } else {
      if (point < 0x1_0000) bytes[end++] = 0xe0 | (point >> 12)
      else {
        bytes[end++] = 0xf0 | (point >> 18)
        bytes[end++] = 0x80 | ((point >> 12) & 0x3f)
      }
      bytes[end++] = 0x80 | ((point >> 6) & 0x3f)
      bytes[end++] = 0x80 | (point & 0x3f)
    }
  }
  return bytes.subarray(0, end)
}
