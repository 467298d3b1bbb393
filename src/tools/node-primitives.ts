import { createHash, createHmac, getHashes } from 'node:crypto'
import * as zlib from 'node:zlib'
import type { CompressionFormat, Primitives } from './primitives.js'

const INFLATE = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  brotli: zlib.brotliDecompressSync,
} as const satisfies { readonly [format in CompressionFormat]: unknown }

/** The hashes of this Node. In FIPS mode, OpenSSL lacks MD5 and others. `verify` still works, because it needs only SHA-256. */
let available: ReadonlySet<string> | undefined

function isAvailable(algorithm: string): boolean {
  available ??= new Set(['sha256', ...getHashes()])
  return available.has(algorithm)
}

export const NODE_PRIMITIVES: Primitives = {
  hash(algorithm, parts) {
    if (!isAvailable(algorithm)) return undefined
    const hash = createHash(algorithm)
    for (const part of parts) hash.update(part)
    return hash.digest()
  },

  hmac(algorithm, key, parts) {
    if (!isAvailable(algorithm)) return undefined
    const hmac = createHmac(algorithm, key)
    for (const part of parts) hmac.update(part)
    return hmac.digest()
  },

  inflate(format, bytes, maxLength) {
    try {
      return INFLATE[format](bytes, { maxOutputLength: maxLength })
    } catch {
      return undefined
    }
  },
}
