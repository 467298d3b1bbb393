import { Buffer } from 'node:buffer'
import { types } from 'node:util'
import { assertWellFormed, invalidType } from '../errors.js'

/**
 * The raw body: the bytes as received, before anything decodes, parses or decompresses them.
 *
 * A string is encoded as UTF-8. Prefer bytes: whatever decoded the body to text has replaced every invalid sequence by
 * U+FFFD, and a changed body then has the signature of the original.
 */
export type Body = Uint8Array | ArrayBuffer | string

/**
 * The bytes of `body`, not copied where they need not be; `undefined` for what is no body.
 *
 * @internal
 */
export function bodyBytes(body: Body, name: string): Uint8Array | undefined {
  if (typeof body === 'string') {
    assertWellFormed(body, name)
    return Buffer.from(body, 'utf8')
  }
  // As nearly all bodies are. An empty one may be memory that was transferred away, and is looked at below.
  if (types.isUint8Array(body) && body.length > 0 && !types.isSharedArrayBuffer(body.buffer)) return body
  const [buffer, ...range] = ArrayBuffer.isView(body) ? [body.buffer, body.byteOffset, body.byteLength] : [body]
  // Another thread could change shared memory between two looks at it.
  if (types.isSharedArrayBuffer(buffer)) return new Uint8Array(buffer, ...range).slice()
  if (!types.isArrayBuffer(buffer)) return undefined
  try {
    return new Uint8Array(buffer, ...range)
  } catch {
    throw invalidType(`${name} was transferred away: pass a copy made before`)
  }
}
