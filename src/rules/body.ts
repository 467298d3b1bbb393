import { Buffer } from 'node:buffer'
import { types } from 'node:util'
import { assertWellFormed, invalidType } from '../arguments.js'

/**
 * The raw body: the bytes as received, before anything decodes, parses or decompresses them.
 *
 * A string is encoded as UTF-8. Prefer bytes, because a decoder replaces each invalid sequence with U+FFFD, so that a changed body could
 * match the signature of the original.
 */
export type Body = Uint8Array | ArrayBuffer | string

export function encodeText(text: string, name: string): Buffer {
  assertWellFormed(text, name)
  return Buffer.from(text)
}

/** Returns the bytes of `body`, or `undefined` if `body` is not a raw body. Only a string or shared memory is copied. */
export function bytesOf(body: unknown, name: string): Uint8Array | undefined {
  if (typeof body === 'string') return encodeText(body, name)
  const [buffer, ...range] = ArrayBuffer.isView(body) ? [body.buffer, body.byteOffset, body.byteLength] : [body]
  // Shared memory is copied, because another thread can change shared memory between two reads.
  if (types.isSharedArrayBuffer(buffer)) return new Uint8Array(buffer, ...range).slice()
  if (!types.isArrayBuffer(buffer)) return undefined
  try {
    return new Uint8Array(buffer, ...range)
  } catch {
    throw invalidType(`${name} has no bytes, because its memory was transferred. Pass a copy.`)
  }
}
