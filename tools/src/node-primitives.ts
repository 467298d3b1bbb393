import * as crypto from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as zlib from 'node:zlib'
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

export const NODE_PRIMITIVES: Primitives = {
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

  inflate(format, bytes, maxLength) {
    try {
      return INFLATE[format](bytes, { maxOutputLength: maxLength })
    } catch {
      return undefined
    }
  },
}
