import * as crypto from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import { isSignedWith } from '../../src/standard-webhooks/ed25519.js'
import { concat } from './bytes.js'
import type { Steps } from './diagnose/steps.js'
import type { CompressionFormat, Platform } from './primitives.js'

const MAX_BLOCKED = 5

/** Runs work that is split into steps and resolves to its result. The process can do other work between the steps. */
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
  'raw deflate': zlib.inflateRawSync,
  brotli: zlib.brotliDecompressSync,
} as const satisfies { readonly [format in CompressionFormat]: unknown }

/** The hashes that OpenSSL supports. In FIPS mode, OpenSSL has no MD5, so these hashes cannot be tried there. */
let available: ReadonlySet<string> | undefined

function isAvailable(algorithm: string): boolean {
  available ??= new Set(['sha256', ...crypto.getHashes()])
  return available.has(algorithm)
}

export const NODE_PRIMITIVES: Platform = {
  hash(algorithm, parts) {
    if (!isAvailable(algorithm)) return undefined
    const hash = crypto.createHash(algorithm)
    for (const part of parts) hash.update(part)
    return hash.digest()
  },

  hmac(algorithm, key, parts) {
    if (!isAvailable(algorithm)) return undefined
    const hmac = crypto.createHmac(algorithm, key)
    for (const part of parts) hmac.update(part)
    return hmac.digest('hex')
  },

  verify: (publicKey, parts, signatures) => isSignedWith(concat(...parts), signatures, publicKey),

  inflate(format, bytes, maxLength) {
    try {
      return INFLATE[format](bytes, { maxOutputLength: maxLength })
    } catch {
      return undefined
    }
  },
}
