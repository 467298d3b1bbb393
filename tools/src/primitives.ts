export interface Primitives {
  /** Returns the hash of the joined parts, or `undefined` if the platform does not support the algorithm. */
  hash(algorithm: HashAlgorithm, parts: readonly Uint8Array[]): Uint8Array | undefined
  /** Returns the HMAC of the joined parts in lowercase hex, or `undefined` if the platform does not support the algorithm. */
  hmac(algorithm: HashAlgorithm, key: Uint8Array, parts: readonly Uint8Array[]): string | undefined
  /** Returns the decompressed bytes, or `undefined` if `bytes` are not in `format`, or if the result has more than `maxLength` bytes. */
  inflate(format: CompressionFormat, bytes: Uint8Array, maxLength: number): Uint8Array | undefined
}

/** What the diagnosis needs besides what its search needs. */
export interface Platform extends Primitives {
  /** Returns whether one of the signatures, in base64, is the Ed25519 signature of the joined parts. */
  verify(publicKey: Uint8Array, parts: readonly Uint8Array[], signatures: readonly string[]): boolean
}

/** `deflate` has the header and the checksum of zlib. Some programs leave them out, so `raw deflate` has none. */
export const COMPRESSION_FORMATS = ['gzip', 'deflate', 'raw deflate', 'brotli'] as const
export type CompressionFormat = (typeof COMPRESSION_FORMATS)[number]

/** The algorithms, with the lengths of their digests in bytes. If two algorithms have the same length, the more common one is first. */
export const ALGORITHMS = [
  { algorithm: 'sha256', name: 'SHA-256', length: 32 },
  { algorithm: 'sha1', name: 'SHA-1', length: 20 },
  { algorithm: 'sha512', name: 'SHA-512', length: 64 },
  { algorithm: 'sha384', name: 'SHA-384', length: 48 },
  { algorithm: 'md5', name: 'MD5', length: 16 },
  { algorithm: 'sha3-256', name: 'SHA3-256', length: 32 },
  { algorithm: 'sha512-256', name: 'SHA-512/256', length: 32 },
] as const
export type HashAlgorithm = (typeof ALGORITHMS)[number]['algorithm']
