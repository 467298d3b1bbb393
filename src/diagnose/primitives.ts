/** What the diagnosis takes from its platform: Node has it all, a browser passes libraries for it. */
export interface Primitives {
  /** A hash over parts; `undefined` if the platform lacks the algorithm. */
  hash(algorithm: HashAlgorithm, parts: readonly Uint8Array[]): Uint8Array | undefined
  /** An HMAC over parts; `undefined` if the platform lacks the algorithm. */
  hmac(algorithm: HashAlgorithm, key: Uint8Array, parts: readonly Uint8Array[]): Uint8Array | undefined
  /** Inflates up to `maxLength` bytes; `undefined` if `bytes` are not of this format or are longer. */
  inflate(format: CompressionFormat, bytes: Uint8Array, maxLength: number): Uint8Array | undefined
}

export type HashAlgorithm = 'sha256' | 'sha1' | 'sha512' | 'sha384' | 'sha224' | 'md5' | 'sha3-256'
export type CompressionFormat = 'gzip' | 'deflate' | 'raw deflate' | 'brotli'
