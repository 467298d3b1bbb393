import * as crypto from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import { concat } from './bytes.js'
import type { Steps } from './diagnose/steps.js'
import type { CompressionFormat, Primitives } from './primitives.js'

/** After this many milliseconds of work, other work of the process comes first. */
const MAX_BLOCKED = 5

/** Returns the result of work in steps. Other work of the process runs in between. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + MAX_BLOCKED
    let step = steps.next()
    while (!step.done && performance.now() < until) step = steps.next()
    if (step.done) return step.value
    await nextTurn()
  }
}

const INFLATE = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  brotli: zlib.brotliDecompressSync,
} as const satisfies { readonly [format in CompressionFormat]: unknown }

/** The hashes that OpenSSL has. In FIPS mode, MD5 and others are missing. `verify` is not affected, because it needs only SHA-256. */
let available: ReadonlySet<string> | undefined

function isAvailable(algorithm: string): boolean {
  available ??= new Set(['sha256', ...crypto.getHashes()])
  return available.has(algorithm)
}

/** The block of SHA-256, in bytes. */
const BLOCK = 64

/** A longer message is hashed in parts, because copying the message would take more time than it saves. */
const MAX_COPIED = 65_536

const inner = Buffer.alloc(BLOCK + MAX_COPIED)
const outer = Buffer.alloc(BLOCK + 32)

/**
 * The keys of HMACs, filled up to a block, for the inner and the outer hash (RFC 2104), kept because a search uses each key for
 * thousands of messages.
 */
const PADS = new WeakMap<Uint8Array, readonly [inner: Uint8Array, outer: Uint8Array]>()

function padsOf(key: Uint8Array) {
  const pads = PADS.get(key)
  if (pads !== undefined) return pads
  const short = key.length > BLOCK ? crypto.createHash('sha256').update(key).digest() : key
  const block = concat(short, new Uint8Array(BLOCK - short.length))
  const made = [block.map((byte) => byte ^ 0x36), block.map((byte) => byte ^ 0x5c)] as const
  PADS.set(key, made)
  return made
}

/**
 * Returns the HMAC with SHA-256 of a short message. This takes a third of the time of `createHmac`, which makes an object for each
 * message.
 */
function hmacOfShort(key: Uint8Array, parts: readonly Uint8Array[]): string {
  const [innerPad, outerPad] = padsOf(key)
  inner.set(innerPad)
  let length = BLOCK
  for (const part of parts) {
    inner.set(part, length)
    length += part.length
  }
  outer.set(outerPad)
  outer.write(crypto.hash('sha256', inner.subarray(0, length), 'hex'), BLOCK, 'hex')
  return crypto.hash('sha256', outer, 'hex')
}

export const NODE_PRIMITIVES: Primitives = {
  hash(algorithm, parts) {
    if (!isAvailable(algorithm)) return undefined
    const hash = crypto.createHash(algorithm)
    for (const part of parts) hash.update(part)
    return hash.digest()
  },

  hmac(algorithm, key, parts) {
    if (!isAvailable(algorithm)) return undefined
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    // Some versions of Bun and Deno have no `hash`.
    if (algorithm === 'sha256' && length <= MAX_COPIED && 'hash' in crypto) return hmacOfShort(key, parts)
    const hmac = crypto.createHmac(algorithm, key)
    for (const part of parts) hmac.update(part)
    return hmac.digest('hex')
  },

  inflate(format, bytes, maxLength) {
    try {
      return INFLATE[format](bytes, { maxOutputLength: maxLength })
    } catch {
      return undefined
    }
  },
}
