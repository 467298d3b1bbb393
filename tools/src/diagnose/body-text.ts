import * as bytes from '../bytes.js'

// This file decodes a body only once, because dozens of hypotheses need the text of the same body.

/** Returns a function that caches the result of `read` for each body. */
function kept<Result>(read: (body: Uint8Array) => Result): (body: Uint8Array) => Result {
  const results = new WeakMap<Uint8Array, Result>()
  return (body) => {
    const before = results.get(body)
    if (before !== undefined) return before
    const result = read(body)
    results.set(body, result)
    return result
  }
}

export const isAscii = kept(bytes.isAscii)
export const isUtf8 = kept(bytes.isUtf8)
export const fromUtf8 = kept(bytes.fromUtf8)
export const fromLatin1 = kept((body) => (isAscii(body) ? fromUtf8(body) : bytes.fromLatin1(body)))
