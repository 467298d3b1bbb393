import { hashes, verify } from '@noble/ed25519'
import { hmac } from '@noble/hashes/hmac.js'
import { md5, sha1 } from '@noble/hashes/legacy.js'
import { sha256, sha384, sha512, sha512_256 } from '@noble/hashes/sha2.js'
import { sha3_256 } from '@noble/hashes/sha3.js'
import { Gunzip, Inflate, Unzlib } from 'fflate'
import { concat, fromBase64, hex } from '../bytes.js'
import type { HashAlgorithm, Platform } from '../primitives.js'

const HASHES = { sha256, sha1, sha512, sha384, md5, 'sha3-256': sha3_256, 'sha512-256': sha512_256 }
const INFLATE = { gzip: Gunzip, deflate: Unzlib, 'raw deflate': Inflate }

hashes.sha512 = sha512

class TooLong extends Error {}

/** Returns the platform functions without Brotli, because its libraries are too large. */
export function browserPrimitives(): Platform {
  /** Caches the HMAC of each key and algorithm before the first message, because a search uses each key for thousands of messages. */
  const keyed = new WeakMap<Uint8Array, Map<HashAlgorithm, ReturnType<typeof hmac.create>>>()

  return {
    hash(algorithm, parts) {
      const hash = HASHES[algorithm].create()
      for (const part of parts) hash.update(part)
      return hash.digest()
    },

    hmac(algorithm, key, parts) {
      const ofKey = keyed.get(key) ?? new Map()
      const begun = ofKey.get(algorithm) ?? hmac.create(HASHES[algorithm], key)
      keyed.set(key, ofKey.set(algorithm, begun))
      const mac = begun.clone()
      for (const part of parts) mac.update(part)
      return hex(mac.digest())
    },

    verify(publicKey, parts, signatures) {
      const isRight = (signature: string) =>
        verify(fromBase64(signature) as Uint8Array, concat(...parts), publicKey, { zip215: false })
      return signatures.some(isRight)
    },

    inflate(format, bytes, maxLength) {
      if (format === 'brotli') return undefined
      const chunks: Uint8Array[] = []
      let length = 0
      let isComplete = false
      try {
        const stream = new INFLATE[format]((chunk, isLast) => {
          chunks.push(chunk)
          length += chunk.length
          isComplete = isLast === true
          if (length > maxLength) throw new TooLong()
        })
        // The input is decompressed in small parts, so that a decompression bomb is stopped early.
        for (let start = 0; start < bytes.length; start += 16_384) {
          stream.push(bytes.subarray(start, start + 16_384), start + 16_384 >= bytes.length)
        }
      } catch {
        return undefined
      }
      return isComplete ? concat(...chunks) : undefined
    },
  }
}
